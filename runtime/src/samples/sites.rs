//! The parts of a value, each with the row that applies to it.

use crate::codec::{Segment, ValueReader, candidates};
use crate::table::{Schema, Type};
use crate::types::Value;
use crate::validation::resolve;

/// A part of a value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Site {
    /// The names and indices that lead to it.
    pub path: Vec<Segment>,
    /// The row; `None` if the part may be any value.
    pub schema: Option<&'static Schema>,
}

/// The maximum number of parts that are listed.
const MAX_SITES: usize = 2000;

/// Returns the parts of a value, the value itself first.
pub fn sites(schema: &'static Schema, value: &Value) -> Vec<Site> {
    let mut found = Vec::new();
    visit(Some(schema), value, &mut Vec::new(), &mut found);
    found
}

fn visit(schema: Option<&'static Schema>, value: &Value, path: &mut Vec<Segment>, found: &mut Vec<Site>) {
    if found.len() >= MAX_SITES {
        return;
    }
    let schema = schema.and_then(|schema| variant_of(schema, value));
    let site = Site { path: path.clone(), schema };
    found.push(site);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Segment::Index(index));
                visit(schema.and_then(|schema| resolve::item_of(schema, index)), item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(Segment::Field(name.clone().into()));
                visit(schema.and_then(|schema| resolve::entry_of(schema, name)), field, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns the row of the variant that a value is, if the row is of a union.
fn variant_of(schema: &'static Schema, value: &Value) -> Option<&'static Schema> {
    let mut schema = schema;
    while let Type::Union(union) = resolve::type_of(schema) {
        let found = candidates(&mut ValueReader::strict(value), union.shape).ok()?;
        schema = union.variants.get(found.first()?)?;
    }
    Some(schema)
}

/// Returns the part of a value at a path.
pub fn part<'v>(value: &'v Value, path: &[Segment]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Segment::Field(name) => value.get(&**name),
        Segment::Index(index) => value.get(index),
    })
}

/// Returns the value with another part at a path.
pub fn with_part(value: &Value, path: &[Segment], part: Value) -> Option<Value> {
    let mut changed = value.clone();
    let slot = path.iter().try_fold(&mut changed, |value, step| match step {
        Segment::Field(name) => value.get_mut(&**name),
        Segment::Index(index) => value.get_mut(index),
    })?;
    *slot = part;
    Some(changed)
}

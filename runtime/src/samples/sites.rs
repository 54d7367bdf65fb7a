//! The parts of a value, each with the row that applies to it.

use crate::codec::{ValueReader, candidates};
use crate::table::{Additional, Object, Schema, Type};
use crate::types::Value;
use crate::validation::resolve;

/// A part of a value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Site {
    /// The names and indices that lead to it.
    pub path: Vec<Step>,
    /// The row; `None` if the part may be any value.
    pub schema: Option<&'static Schema>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    Field(String),
    Item(usize),
}

/// The maximum number of parts that are listed.
const MAX_SITES: usize = 2000;

/// Returns the parts of a value, the value itself first.
pub fn sites(schema: &'static Schema, value: &Value) -> Vec<Site> {
    let mut found = Vec::new();
    visit(Some(schema), value, &mut Vec::new(), &mut found);
    found
}

fn visit(schema: Option<&'static Schema>, value: &Value, path: &mut Vec<Step>, found: &mut Vec<Site>) {
    if found.len() >= MAX_SITES {
        return;
    }
    let schema = schema.and_then(|schema| variant_of(schema, value));
    let site = Site { path: path.clone(), schema };
    found.push(site);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Item(index));
                visit(schema.and_then(|schema| item_of(schema, index)), item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(Step::Field(name.clone()));
                visit(schema.and_then(|schema| field_of(schema, name)), field, path, found);
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

fn item_of(schema: &'static Schema, index: usize) -> Option<&'static Schema> {
    match resolve::type_of(schema) {
        Type::Array(rules) => Some(rules.items),
        Type::Tuple(items) => items.get(index).copied(),
        _ => None,
    }
}

fn field_of(schema: &'static Schema, name: &str) -> Option<&'static Schema> {
    let Type::Object(Object { fields, additional, .. }) = resolve::type_of(schema) else { return None };
    let field = fields.iter().find(|field| field.name == name);
    field.map(|field| field.schema).or(match additional {
        Additional::Kept(schema) => Some(*schema),
        Additional::Ignored | Additional::Forbidden => None,
    })
}

/// Returns the part of a value at a path.
pub fn part<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

/// Returns the value with another part at a path.
pub fn with_part(value: &Value, path: &[Step], part: Value) -> Option<Value> {
    let mut changed = value.clone();
    let slot = path.iter().try_fold(&mut changed, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })?;
    *slot = part;
    Some(changed)
}

/// Returns a path as text: `owner.names[0]`.
pub fn shown(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

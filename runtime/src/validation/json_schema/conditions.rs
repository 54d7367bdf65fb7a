//! The report on conditions: alternatives of required properties, `not`, and schemas that depend on a condition.

use super::report::Report;
use crate::codec::Kinds;
use crate::table::{JsonSchema, Keyword};
use crate::types::Value;
use crate::validation::{Given, ViolationKind};

/// The maximum number of references and parts that are followed to describe a condition.
const DEEPEST: u32 = 8;

impl Report<'_> {
    /// Reports a value that a schema must not apply to.
    pub fn not(&mut self, schema: &'static JsonSchema, value: &Value) {
        match *but_type(schema).as_slice() {
            [Keyword::Enum(values)] => self.push(ViolationKind::Excluded(values)),
            [Keyword::Ref(schema)] => self.nested(|report| report.not(schema, value)),
            [Keyword::Not(schema)] => self.schema(schema, value),
            [Keyword::AnyOf(branches)] => {
                for branch in branches.iter().filter(|branch| !self.fails(branch, value)).collect::<Vec<_>>()
                {
                    self.nested(|report| report.not(branch, value));
                }
            }
            // Keywords for objects apply to any other value.
            _ if !value.is_object() => self.push(ViolationKind::Excluded(&[])),
            [Keyword::Required([name])] => self.push_field(name, ViolationKind::Forbidden),
            [Keyword::Required(names)] => self.push(ViolationKind::Together(names)),
            [Keyword::Properties { listed: [(name, schema)], patterns: [], others: None }] => {
                self.not_property(name, schema, value);
            }
            [
                Keyword::Required([required]),
                Keyword::Properties { listed: [(name, schema)], patterns: [], others: None },
            ] if required == name => self.not_property(name, schema, value),
            _ => self.push(ViolationKind::Excluded(&[])),
        }
    }

    /// Reports a property that a schema must not apply to. It applies if the property is absent.
    fn not_property(&mut self, name: &str, schema: &'static JsonSchema, value: &Value) {
        match value.get(name) {
            Some(value) => self.at_field(name, |report| report.nested(|report| report.not(schema, value))),
            None => self.push_field(name, ViolationKind::Missing),
        }
    }

    /// Reports a branch of an `if`, which failed.
    pub fn branch(
        &mut self,
        condition: &'static JsonSchema,
        holds: bool,
        schema: &'static JsonSchema,
        value: &Value,
    ) {
        let conditions = match schema.0 {
            // The alternative that is reported depends on more than the condition.
            [Keyword::AnyOf(_)] => None,
            _ => conditions(condition, DEEPEST),
        };
        self.conditional(conditions.unwrap_or_default(), holds, |report| report.schema(schema, value));
    }

    /// Adds conditions to the problems that `go` reports.
    pub fn conditional(&mut self, conditions: Vec<Given>, holds: bool, go: impl FnOnce(&mut Self)) {
        self.map_kinds(go, |kind| match kind {
            kind if conditions.is_empty() => kind,
            // One condition is enough for a sentence.
            ViolationKind::Conditional { .. } => kind,
            kind => {
                ViolationKind::Conditional { kind: Box::new(kind), conditions: conditions.clone(), holds }
            }
        });
    }
}

/// Returns the properties that each alternative requires, if no alternative has other constraints on an object.
pub fn groups_of(
    branches: &'static [&'static JsonSchema],
    value: &Value,
) -> Option<Vec<&'static [&'static str]>> {
    let is_choice = value.is_object() && branches.len() > 1;
    is_choice.then(|| branches.iter().map(|branch| group_of(branch)).collect())?
}

fn group_of(branch: &'static JsonSchema) -> Option<&'static [&'static str]> {
    let is_object =
        branch.0.iter().all(|it| !matches!(it, Keyword::Type(kinds) if !kinds.contains(Kinds::OBJECT)));
    match *but_type(branch).as_slice() {
        [Keyword::Required(names)] if is_object => Some(names),
        _ => None,
    }
}

/// Returns the keywords of a schema without its type.
fn but_type(schema: &'static JsonSchema) -> Vec<&'static Keyword> {
    schema.0.iter().filter(|keyword| !matches!(keyword, Keyword::Type(_))).collect()
}

/// Returns the conditions that a schema states on the presence and the listed values of fields, if it states no others.
fn conditions(schema: &'static JsonSchema, steps: u32) -> Option<Vec<Given>> {
    let steps = steps.checked_sub(1)?;
    let (mut required, mut listed) = (&[][..], &[][..]);
    for keyword in schema.0 {
        match keyword {
            Keyword::Type(_) => {}
            Keyword::Required(names) => required = names,
            Keyword::Properties { listed: properties, patterns: [], others: None } => listed = properties,
            Keyword::Ref(target) if schema.0.len() == 1 => return conditions(target, steps),
            _ => return None,
        }
    }
    // An absent property has any value.
    let mut values = listed.iter().filter(|(name, _)| !required.contains(name));
    if values.next().is_some() {
        return None;
    }
    let given = required.iter().map(|name| {
        let Some((_, schema)) = listed.iter().find(|(listed, _)| listed == name) else {
            return Some(Given::Field(name));
        };
        match *but_type(schema).as_slice() {
            [Keyword::Enum(values)] => Some(Given::Value(name, values)),
            _ => None,
        }
    });
    given.collect()
}

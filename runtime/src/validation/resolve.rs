//! Resolution: a schema may refer to another row, and both have their say.

use crate::table::{Literal, Schema, Type};

/// References follow each other only this far; the generator writes none that goes in a circle.
const DEEPEST: usize = 32;

/// The schema, and the rows that it refers to, one after the other.
fn layers(schema: &'static Schema) -> impl Iterator<Item = &'static Schema> {
    std::iter::successors(Some(schema), |layer| match &layer.of {
        Type::Same(next) => Some(*next),
        _ => None,
    })
    .take(DEEPEST)
}

/// The type that holds in the end.
#[inline]
pub fn type_of(schema: &'static Schema) -> &'static Type {
    match &schema.of {
        Type::Same(_) => layers(schema).last().map_or(&schema.of, |layer| &layer.of),
        of => of,
    }
}

/// Whether null is a value of this schema, whatever else is.
pub fn is_nullable(schema: &'static Schema) -> bool {
    layers(schema).any(|layer| layer.nullable) || matches!(type_of(schema), Type::Any)
}

/// Whether the schema has a list of allowed values.
pub fn is_limited(schema: &'static Schema) -> bool {
    !is_plain(schema) && layers(schema).any(|layer| !layer.allowed.is_empty())
}

/// The list of allowed values that a value is not in, if there is one.
#[inline]
pub fn not_in(schema: &'static Schema, is: impl Fn(&Literal) -> bool) -> Option<&'static [Literal]> {
    if !matches!(schema.of, Type::Same(_)) {
        let allowed = schema.allowed;
        return (!allowed.is_empty() && !allowed.iter().any(is)).then_some(allowed);
    }
    layers(schema).map(|layer| layer.allowed).find(|allowed| !allowed.is_empty() && !allowed.iter().any(&is))
}

/// Whether one look at the schema shows that it has no list of allowed values, as most have none.
const fn is_plain(schema: &Schema) -> bool {
    schema.allowed.is_empty() && !matches!(schema.of, Type::Same(_))
}

//! Resolution of references between schemas.
//!
//! The constraints of all rows along a reference apply.

use crate::table::{JsonSchema, Literal, Schema, Type};

/// The maximum length of a chain of references.
///
/// The generator writes no circular chains.
const DEEPEST: usize = 32;

/// Returns the schema and the rows that it refers to, in order.
fn layers(schema: &'static Schema) -> impl Iterator<Item = &'static Schema> {
    std::iter::successors(Some(schema), |layer| match &layer.of {
        Type::Same(next) => Some(*next),
        _ => None,
    })
    .take(DEEPEST)
}

/// Returns the type at the end of the chain of references.
#[inline]
pub fn type_of(schema: &'static Schema) -> &'static Type {
    match &schema.of {
        Type::Same(_) => layers(schema).last().map_or(&schema.of, |layer| &layer.of),
        of => of,
    }
}

/// Returns whether the schema allows null.
pub fn is_nullable(schema: &'static Schema) -> bool {
    layers(schema).any(|layer| layer.nullable) || matches!(type_of(schema), Type::Any)
}

/// Returns whether the schema has a list of allowed values.
pub fn is_limited(schema: &'static Schema) -> bool {
    !is_plain(schema) && layers(schema).any(|layer| !layer.allowed.is_empty())
}

/// Returns the first list of allowed values that does not contain the value.
///
/// `is` compares the value with a literal.
#[inline]
pub fn not_in(schema: &'static Schema, is: impl Fn(&Literal) -> bool) -> Option<&'static [Literal]> {
    if !matches!(schema.of, Type::Same(_)) {
        let allowed = schema.allowed;
        return (!allowed.is_empty() && !allowed.iter().any(is)).then_some(allowed);
    }
    layers(schema).map(|layer| layer.allowed).find(|allowed| !allowed.is_empty() && !allowed.iter().any(&is))
}

/// Returns the JSON Schema that applies as well.
///
/// The outermost one has all constraints. It does not apply to a null that a row outside it allows.
#[inline]
pub fn also(schema: &'static Schema, is_null: impl FnOnce() -> bool) -> Option<&'static JsonSchema> {
    if !matches!(schema.of, Type::Same(_)) {
        return schema.also;
    }
    let mut may_be_null = false;
    for layer in layers(schema) {
        if layer.also.is_some() {
            return layer.also.filter(|_| !(may_be_null && is_null()));
        }
        may_be_null |= layer.nullable;
    }
    None
}

/// Returns whether the schema's own row rules out a list of allowed values.
///
/// This is the common case.
const fn is_plain(schema: &Schema) -> bool {
    schema.allowed.is_empty() && !matches!(schema.of, Type::Same(_))
}

//! Resolution of references between schemas.
//!
//! The constraints of all rows along a reference apply.

use crate::codec::same;
use crate::table::{Additional, JsonSchema, Literal, Object, Schema, Type};

/// The maximum length of a chain of references.
///
/// The generator writes no circular chains.
const DEEPEST: usize = 32;

/// Returns the schema and the rows that it refers to, in order.
pub fn layers(schema: &'static Schema) -> impl Iterator<Item = &'static Schema> {
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

/// Returns the object that a schema describes, if it is one.
pub fn object_of(schema: &'static Schema) -> Option<&'static Object> {
    if let Type::Object(object) = type_of(schema) { Some(object) } else { None }
}

/// Returns the schema of the additional properties of an object, if they are kept.
pub const fn kept_by(object: &Object) -> Option<&'static Schema> {
    match object.additional {
        Additional::Kept(schema) => Some(schema),
        Additional::Ignored | Additional::Forbidden => None,
    }
}

/// Returns the schema of an object's field `name`, if it has that field.
pub fn field_of(object: &Object, name: &str) -> Option<&'static Schema> {
    object.fields.iter().find(|field| same(field.name, name)).map(|field| field.schema)
}

/// Returns the schema of the field or additional property `name`, if it is known.
pub fn entry_of(schema: &'static Schema, name: &str) -> Option<&'static Schema> {
    let object = object_of(schema)?;
    field_of(object, name).or_else(|| kept_by(object))
}

/// Returns the schema of an array's items, if a schema describes an array.
pub fn items_of(schema: &'static Schema) -> Option<&'static Schema> {
    if let Type::Array(array) = type_of(schema) { Some(array.items) } else { None }
}

/// Returns the schema of the item at `index`, if a schema describes an array.
pub fn item_of(schema: &'static Schema, index: usize) -> Option<&'static Schema> {
    match type_of(schema) {
        Type::Tuple(items) => items.get(index).copied(),
        _ => items_of(schema),
    }
}

/// Returns whether the schema allows null.
pub fn is_nullable(schema: &'static Schema) -> bool {
    layers(schema).any(|layer| layer.nullable) || matches!(type_of(schema), Type::Any)
}

/// Returns whether the schema has a list of allowed values.
pub fn is_limited(schema: &'static Schema) -> bool {
    // Most rows have no list, and refer to no row that has one.
    let may_be_limited = !schema.allowed.is_empty() || matches!(schema.of, Type::Same(_));
    may_be_limited && layers(schema).any(|layer| !layer.allowed.is_empty())
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

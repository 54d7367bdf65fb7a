//! Derives the wire form of a value from its schema.

use crate::codec::same;
use crate::table::{Additional, Object, Schema, Type};
use crate::validation::resolve::type_of;

/// The wire form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One text.
    Scalar,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Any of these; the value decides.
    Open,
}

/// Returns the wire form of this schema's values.
pub(crate) fn form_of(schema: &'static Schema) -> Form {
    match type_of(schema) {
        Type::Array(_) | Type::Tuple(_) => Form::Array,
        Type::Object(_) => Form::Object,
        Type::Any | Type::Union(_) | Type::Same(_) => Form::Open,
        Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) | Type::Bytes => Form::Scalar,
    }
}

/// Returns the object that this schema describes, if it is one.
pub(crate) fn object_of(schema: &'static Schema) -> Option<&'static Object> {
    match type_of(schema) {
        Type::Object(object) => Some(object),
        _ => None,
    }
}

/// Returns the schema of an object's field `name`, if it has that field.
pub(crate) fn field(object: &'static Object, name: &str) -> Option<&'static Schema> {
    object.fields.iter().find(|field| same(field.name, name)).map(|field| field.schema)
}

/// Returns the schema of the field or additional property `name`, if it is known.
pub(crate) fn entry_of(schema: &'static Schema, name: &str) -> Option<&'static Schema> {
    let object = object_of(schema)?;
    field(object, name).or(match object.additional {
        Additional::Kept(schema) => Some(schema),
        Additional::Ignored | Additional::Forbidden => None,
    })
}

/// Returns the schema of an array's items, if this schema describes an array.
pub(crate) fn items_of(schema: &'static Schema) -> Option<&'static Schema> {
    match type_of(schema) {
        Type::Array(array) => Some(array.items),
        _ => None,
    }
}

/// Returns the schema of the item at `index`, if this schema describes an array.
pub(crate) fn item_of(schema: &'static Schema, index: usize) -> Option<&'static Schema> {
    match type_of(schema) {
        Type::Tuple(items) => items.get(index).copied(),
        _ => items_of(schema),
    }
}

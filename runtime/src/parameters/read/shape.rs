//! Derives the wire form of a value from its schema.

use crate::table::{Schema, Type};
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

//! The probe, which reads a value only through its encoding.

use super::unique::same;
use super::{literal, number};
use crate::codec::view::{View, view};
use crate::codec::{Encode, JsonReader, Number, to_value};
use crate::table::Literal;
use crate::types::Value;

/// The outermost form of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    Null,
    Boolean(bool),
    Number(Number),
    Text,
    /// An array with this number of items.
    Array(u64),
    Object,
    /// A streamed body.
    Stream,
}

impl Form {
    /// Returns the form of a view.
    pub fn of(view: &View<'_, '_>) -> Self {
        match view {
            View::Null => Self::Null,
            View::Boolean(value) => Self::Boolean(*value),
            View::Number(value, _) => Self::Number(*value),
            View::Float(value) => Self::Number((*value).into()),
            View::UntypedNumber(value) => Self::Number((*value).into()),
            View::Text(..) | View::Bytes(_) | View::File(_) => Self::Text,
            View::Array(items) => Self::Array(items.len() as u64),
            View::List(items) => Self::Array(items.len() as u64),
            View::Object(..) | View::Map(_) => Self::Object,
            View::Stream(_) | View::Items(_) => Self::Stream,
            View::Variant(_, value) | View::Choice(_, value) => form(*value),
        }
    }
}

/// Returns the form of a value.
pub fn form(value: &dyn Encode) -> Form {
    view(value, |view| Form::of(&view)).unwrap_or(Form::Null)
}

/// Returns whether a value equals a literal.
pub fn equals(value: &dyn Encode, literal: &Literal) -> bool {
    form_and_equality(value, literal).1
}

/// Returns the form of a value, and whether it equals a literal.
pub fn form_and_equality(value: &dyn Encode, literal: &Literal) -> (Form, bool) {
    let seen = view(value, |view| {
        let is_equal = match &view {
            View::Null => *literal == Literal::Null,
            View::Boolean(value) => literal::is_boolean(literal, *value),
            View::Number(value, _) => number::equals(*value, literal),
            _ => view.text().is_some_and(|(text, _)| literal::is_text(literal, &text)),
        };
        (Form::of(&view), is_equal)
    });
    let (form, is_equal) = seen.unwrap_or((Form::Null, false));
    if let (Literal::Json(text), Form::Array(_) | Form::Object) = (literal, form) {
        let literal = JsonReader::strict(text.as_bytes()).read::<Value>();
        return (form, literal.is_ok_and(|literal| same(&literal, &to_value(value))));
    }
    (form, is_equal)
}

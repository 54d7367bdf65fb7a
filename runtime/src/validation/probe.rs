//! The probe, which looks at a value only from outside.

use super::unique::same;
use super::{literal, number};
use crate::codec::view::{View, view};
use crate::codec::{Encode, JsonReader, Number, to_value};
use crate::table::Literal;
use crate::types::Value;

/// The outermost form of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
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

impl Look {
    /// Returns how a view looks.
    pub fn of(view: &View<'_, '_>) -> Self {
        match view {
            View::Null => Self::Null,
            View::Boolean(value) => Self::Boolean(*value),
            View::Number(value, _) => Self::Number(*value),
            View::Text(..) | View::Bytes => Self::Text,
            View::Array(items) => Self::Array(items.len() as u64),
            View::List(items) => Self::Array(items.len() as u64),
            View::Object(..) | View::Map(_) => Self::Object,
            View::Stream => Self::Stream,
            View::Choice(_, value) => look(*value),
        }
    }
}

/// Returns how a value looks.
pub fn look(value: &dyn Encode) -> Look {
    let mut look = Look::Null;
    view(value, |view| look = Look::of(&view));
    look
}

/// Returns whether a value equals a literal.
pub fn equals(value: &dyn Encode, literal: &Literal) -> bool {
    look_for(value, literal).1
}

/// Returns how a value looks, and whether it equals a literal.
pub fn look_for(value: &dyn Encode, literal: &Literal) -> (Look, bool) {
    let mut seen = (Look::Null, false);
    view(value, |view| {
        let is_equal = match &view {
            View::Null => *literal == Literal::Null,
            View::Boolean(value) => literal::is_boolean(literal, *value),
            View::Number(value, _) => number::equals(*value, literal),
            View::Text(value, _) => literal::is_text(literal, value),
            _ => false,
        };
        seen = (Look::of(&view), is_equal);
    });
    if let (Literal::Json(text), Look::Array(_) | Look::Object) = (literal, seen.0) {
        let literal = JsonReader::strict(text.as_bytes()).read::<Value>();
        seen.1 = literal.is_ok_and(|literal| same(&literal, &to_value(value)));
    }
    seen
}

//! The value that a schema is evaluated on.

use crate::codec::view::{Spelling, View, view};
use crate::codec::{Encode, Kind, Kinds, Number};
use crate::validation::probe::Form;

/// A value, with what many keywords need of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub value: &'a dyn Encode,
    pub form: Form,
    pub spelling: Spelling,
}

impl<'a> Subject<'a> {
    pub fn of(value: &'a dyn Encode) -> Self {
        let seen = view(value, |view| {
            let spelling = match view {
                View::Number(_, spelling) => Some(spelling),
                _ => view.text().map(|(_, spelling)| spelling),
            };
            (Form::of(&view), spelling.unwrap_or(Spelling::Exact))
        });
        let (form, spelling) = seen.unwrap_or((Form::Null, Spelling::Exact));
        Self { value, form, spelling }
    }

    /// Passes the text to `see`, if the value is one.
    pub fn with_text(&self, see: &mut dyn FnMut(&str)) {
        view(self.value, |view| {
            if let Some((text, _)) = view.text() {
                see(&text);
            }
        });
    }

    /// Returns whether the value is of one of these kinds.
    pub fn is_of(&self, kinds: Kinds) -> bool {
        match self.form {
            Form::Number(number) if !is_integer(number) => kinds.contains(Kinds::NUMBER),
            _ => self.kind().is_none_or(|kind| kinds.fits(kind)),
        }
    }

    /// Returns the kind of the value; `None` if it is a streamed body.
    pub const fn kind(&self) -> Option<Kind> {
        match self.form {
            Form::Null => Some(Kind::Null),
            Form::Boolean(_) => Some(Kind::Boolean),
            Form::Number(_) => Some(Kind::Number),
            Form::Text => Some(Kind::String),
            Form::Array(_) => Some(Kind::Array),
            Form::Object => Some(Kind::Object),
            Form::Stream => None,
        }
    }
}

/// Returns whether a number is an integer of any size.
pub fn is_integer(number: Number) -> bool {
    number.to_f64().fract() == 0.0
}

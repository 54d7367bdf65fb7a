//! The probe: a writer that looks at a value only from outside.

use super::literal;
use super::unique::same;
use crate::codec::{Encode, Entries, Writer, to_value};
use crate::table::Literal;
use crate::types::{Bytes, Value};

/// The outermost form of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    Null,
    Boolean(bool),
    Number(f64),
    /// An array with this number of items.
    Array(u64),
    Other,
}

/// Returns how a value looks.
pub fn look(value: &dyn Encode) -> Look {
    let mut probe = Probe { literal: None, equal: false, look: Look::Other };
    value.encode(&mut probe);
    probe.look
}

/// Returns whether a value equals a literal.
pub fn equals(value: &dyn Encode, literal: &Literal) -> bool {
    look_for(value, literal).1
}

/// Returns how a value looks, and whether it equals a literal.
pub fn look_for(value: &dyn Encode, literal: &Literal) -> (Look, bool) {
    let mut probe = Probe { literal: Some(literal), equal: false, look: Look::Other };
    value.encode(&mut probe);
    if let Literal::Json(text) = literal {
        probe.equal = serde_json::from_str(text).is_ok_and(|literal| same(&literal, &to_value(value)));
    }
    (probe.look, probe.equal)
}

struct Probe<'a> {
    literal: Option<&'a Literal>,
    equal: bool,
    look: Look,
}

impl Probe<'_> {
    fn see(&mut self, look: Look, is: impl Fn(&Literal) -> bool) {
        self.look = look;
        self.equal = self.literal.is_some_and(is);
    }
}

impl Writer for Probe<'_> {
    fn null(&mut self) {
        self.see(Look::Null, |it| *it == Literal::Null);
    }

    fn boolean(&mut self, value: bool) {
        self.see(Look::Boolean(value), |it| literal::is_boolean(it, value));
    }

    fn i64(&mut self, value: i64) {
        self.see(Look::Number(value as f64), |it| literal::is_integer(it, value.into()));
    }

    fn u64(&mut self, value: u64) {
        self.see(Look::Number(value as f64), |it| literal::is_integer(it, value.into()));
    }

    fn f64(&mut self, value: f64) {
        self.see(Look::Number(value), |it| literal::is_number(it, value));
    }

    fn str(&mut self, value: &str) {
        self.see(Look::Other, |it| literal::is_text(it, value));
    }

    fn bytes(&mut self, _value: &Bytes) {
        self.see(Look::Other, |_| false);
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.see(Look::Array(items.len() as u64), |_| false);
    }

    fn object(&mut self, _fields: &[(&'static str, &dyn Encode)], _rest: Option<&mut Entries<'_>>) {
        self.see(Look::Other, |_| false);
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.boolean(*value),
            Value::Number(value) => match (value.as_i64(), value.as_u64(), value.as_f64()) {
                (Some(value), _, _) => self.i64(value),
                (None, Some(value), _) => self.u64(value),
                (None, None, value) => self.f64(value.unwrap_or(f64::NAN)),
            },
            Value::String(value) => self.str(value),
            Value::Array(items) => self.see(Look::Array(items.len() as u64), |_| false),
            Value::Object(_) => self.see(Look::Other, |_| false),
        }
    }
}

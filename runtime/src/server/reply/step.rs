//! A step into a result: a writer that takes one structure and passes it on.

use bytes::Bytes;

use super::ReplyError;
use crate::codec::{Encode, Entries, JsonWriter, Writer};
use crate::types::Value;

/// The fields of an object, as a writer gets them.
pub(super) type Fields<'a> = [(&'static str, &'a dyn Encode)];

/// Calls `then` with the index of the alternative in `value` and with its value.
pub(super) fn with_choice(
    value: &dyn Encode,
    then: &mut dyn FnMut(usize, &dyn Encode) -> Result<(), ReplyError>,
) -> Result<(), ReplyError> {
    let mut result = Err(ReplyError::Shape("it is not one of the documented alternatives"));
    value.encode(&mut Step::Choice(&mut |index, value| result = then(index, value)));
    result
}

/// Calls `then` with the fields of an object.
pub(super) fn with_fields(
    value: &dyn Encode,
    then: &mut dyn FnMut(&Fields<'_>) -> Result<(), ReplyError>,
) -> Result<(), ReplyError> {
    let mut result = Err(ReplyError::Shape("it is not an object of its headers and body"));
    value.encode(&mut Step::Object(&mut |fields| result = then(fields)));
    result
}

/// Returns a value as plain bytes.
///
/// Strings and bytes are returned as they are, null as no bytes, and all other values as JSON text.
pub(super) fn to_bytes(value: &dyn Encode) -> Bytes {
    let mut bytes = Bytes::new();
    value.encode(&mut Step::Bytes(&mut bytes));
    bytes
}

/// The structure to take. The writer ignores all others.
enum Step<'s> {
    Choice(&'s mut dyn FnMut(usize, &dyn Encode)),
    Object(&'s mut dyn FnMut(&Fields<'_>)),
    Bytes(&'s mut Bytes),
}

impl Step<'_> {
    fn take(&mut self, bytes: impl FnOnce() -> Bytes) {
        if let Self::Bytes(place) = self {
            **place = bytes();
        }
    }

    fn take_json(&mut self, write: impl FnOnce(&mut JsonWriter)) {
        self.take(|| {
            let mut writer = JsonWriter::new();
            write(&mut writer);
            writer.into_bytes().into()
        });
    }
}

impl Writer for Step<'_> {
    fn null(&mut self) {}

    fn boolean(&mut self, value: bool) {
        self.take_json(|json| json.boolean(value));
    }

    fn i64(&mut self, value: i64) {
        self.take_json(|json| json.i64(value));
    }

    fn u64(&mut self, value: u64) {
        self.take_json(|json| json.u64(value));
    }

    fn f64(&mut self, value: f64) {
        self.take_json(|json| json.f64(value));
    }

    fn str(&mut self, value: &str) {
        self.take(|| Bytes::copy_from_slice(value.as_bytes()));
    }

    fn bytes(&mut self, value: &Bytes) {
        self.take(|| value.clone());
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.take_json(|json| json.array(items));
    }

    fn object(&mut self, fields: &Fields<'_>, rest: Option<&mut Entries<'_>>) {
        match self {
            Self::Object(then) => then(fields),
            _ => self.take_json(|json| json.object(fields, rest)),
        }
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, index: usize, value: &dyn Encode) {
        match self {
            Self::Choice(then) => then(index, value),
            _ => value.encode(self),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.str(text),
            Value::Null => {}
            _ => self.take_json(|json| json.value(value)),
        }
    }
}

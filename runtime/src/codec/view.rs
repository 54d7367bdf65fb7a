//! Views: the outermost level of values.
//!
//! A value encodes itself into a view, one level deep. So the code that inspects a value is the same for a model and
//! for an untyped value. The parts of an array or object can be visited once, so each visit encodes the value again.

use std::borrow::Cow;

use serde_json::Map;

use super::{
    ByteStream, Bytes, Encode, Entries, Format, Items, Number, UnionShape, Value, Writer, scalars::bytes_text,
};

/// A value, one level deep.
pub(crate) enum View<'v, 'e> {
    Null,
    Boolean(bool),
    Number(Number, Spelling),
    Text(&'v str, Spelling),
    /// An array of a model.
    Array(&'v mut dyn ExactSizeIterator<Item = &'e dyn Encode>),
    /// An untyped array.
    List(&'v [Value]),
    /// A model: its fields, of which some may be absent, and its additional properties.
    Object(&'v [(&'static str, &'v dyn Encode)], Option<&'v mut Entries<'e>>),
    /// An untyped object.
    Map(&'v Map<String, Value>),
    /// A streamed body. A view takes nothing out of it.
    Stream,
    /// Raw bytes, for [`outermost`] alone. For all others, bytes are text.
    Bytes,
    /// A documented alternative of a body. Only [`outermost`] shows it.
    Choice(usize, &'v dyn Encode),
}

/// The relation between a scalar and the input that it was decoded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// The scalar is exactly the input.
    Exact,
    /// The input can have been another text of this format, or another number that was rounded.
    Rewritten(Option<Format>),
}

/// Passes the view of a value to `see`. An alternative of a body looks like its value.
pub(crate) fn view(value: &dyn Encode, see: impl FnMut(View<'_, '_>)) {
    value.encode(&mut Viewer::<_, false>(see));
}

/// Passes the view of a value to `see`, which distinguishes raw bytes and the alternatives of a body.
pub(crate) fn outermost(value: &dyn Encode, see: impl FnMut(View<'_, '_>)) {
    value.encode(&mut Viewer::<_, true>(see));
}

/// Calls `each` for the items of an array, until it returns false; returns whether it never did.
///
/// Another value has no items.
pub(crate) fn items(value: &dyn Encode, each: &mut dyn FnMut(usize, &dyn Encode) -> bool) -> bool {
    let mut all = true;
    view(value, |view| {
        all = match view {
            View::Array(items) => items.enumerate().all(|(index, item)| each(index, item)),
            View::List(items) => items.iter().enumerate().all(|(index, item)| each(index, item)),
            _ => true,
        };
    });
    all
}

/// Calls `each` for the names and values of an object, until it returns false; returns whether it never did.
///
/// Another value has no names.
pub(crate) fn entries(value: &dyn Encode, each: &mut dyn FnMut(&str, &dyn Encode) -> bool) -> bool {
    let mut all = true;
    view(value, |view| {
        all = match view {
            View::Object(fields, rest) => {
                fields.iter().filter(|(_, value)| !value.is_absent()).all(|(name, value)| each(name, *value))
                    && rest.into_iter().flatten().all(|(name, value)| each(name, value))
            }
            View::Map(map) => map.iter().all(|(name, value)| each(name, value)),
            _ => true,
        };
    });
    all
}

/// A writer that passes on what it gets.
struct Viewer<F, const OUTERMOST: bool>(F);

impl<F: FnMut(View<'_, '_>), const OUTERMOST: bool> Writer for Viewer<F, OUTERMOST> {
    fn null(&mut self) {
        (self.0)(View::Null);
    }

    fn boolean(&mut self, value: bool) {
        (self.0)(View::Boolean(value));
    }

    fn i64(&mut self, value: i64) {
        (self.0)(View::Number(value.into(), Spelling::Exact));
    }

    fn u64(&mut self, value: u64) {
        (self.0)(View::Number(value.into(), Spelling::Exact));
    }

    fn f64(&mut self, value: f64) {
        /// From here on, a model rounds integers.
        const TWO_53: f64 = 9_007_199_254_740_992.0;
        let spelling = if value.abs() < TWO_53 { Spelling::Exact } else { Spelling::Rewritten(None) };
        (self.0)(View::Number(value.into(), spelling));
    }

    fn str(&mut self, value: &str) {
        (self.0)(View::Text(value, Spelling::Exact));
    }

    fn formatted(&mut self, format: Format, value: &str) {
        (self.0)(View::Text(value, Spelling::Rewritten(Some(format))));
    }

    fn rewritten(&mut self, value: &str) {
        (self.0)(View::Text(value, Spelling::Rewritten(None)));
    }

    fn bytes(&mut self, value: &Bytes) {
        if OUTERMOST {
            return (self.0)(View::Bytes);
        }
        match bytes_text(value) {
            Cow::Borrowed(text) => (self.0)(View::Text(text, Spelling::Exact)),
            Cow::Owned(text) => (self.0)(View::Text(&text, Spelling::Rewritten(None))),
        }
    }

    fn byte_stream(&mut self, _value: &ByteStream) {
        (self.0)(View::Stream);
    }

    fn items(&mut self, _items: &dyn Items) {
        (self.0)(View::Stream);
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        (self.0)(View::Array(items));
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        (self.0)(View::Object(fields, rest));
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn tagged(&mut self, _union: &'static UnionShape, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, index: usize, value: &dyn Encode) {
        if OUTERMOST {
            (self.0)(View::Choice(index, value));
        } else {
            value.encode(self);
        }
    }

    fn value(&mut self, value: &Value) {
        (self.0)(match value {
            Value::Null => View::Null,
            Value::Bool(value) => View::Boolean(*value),
            Value::Number(value) => View::Number(value.into(), Spelling::Exact),
            Value::String(value) => View::Text(value, Spelling::Exact),
            Value::Array(items) => View::List(items),
            Value::Object(map) => View::Map(map),
        });
    }
}

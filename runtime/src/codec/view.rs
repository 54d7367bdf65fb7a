//! Views: the outermost level of values.
//!
//! A value encodes itself into a view, one level deep. So the code that inspects a value is the same for a model and
//! for an untyped value. The parts of an array or object can be visited once, so each visit encodes the value again.

use std::borrow::Cow;

use serde_json::Map;

#[cfg(feature = "http")]
use super::number::float_text;
use super::{
    ByteStream, Bytes, Encode, Entries, File, Format, Items, Number, UnionShape, Value, Writer,
    scalars::bytes_text, tagged::pass_variant,
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
    /// Raw bytes, which are text in JSON.
    Bytes(&'v Bytes),
    /// A streamed body. A view takes nothing out of it.
    Stream(&'v ByteStream),
    /// A streamed body of items.
    Items(&'v dyn Items),
    /// A floating-point number of a model. Only [`outermost`] has this view and the following ones.
    Float(f64),
    /// A file.
    File(&'v File),
    /// The value of a union, with its discriminator, and the index of its variant.
    Variant(usize, &'v dyn Encode),
    /// A documented alternative of a body.
    Choice(usize, &'v dyn Encode),
    /// A number of an untyped value.
    UntypedNumber(&'v serde_json::Number),
}

/// The relation between a scalar and the input that it was decoded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// The scalar is exactly the input.
    Exact,
    /// The input can have been another text of this format, or another number that was rounded.
    Rewritten(Option<Format>),
}

/// Passes the view of a value to `see`, and returns its result.
///
/// Unions and the alternatives of a body look like their values.
pub(crate) fn view<T>(value: &dyn Encode, see: impl FnMut(View<'_, '_>) -> T) -> Option<T> {
    let mut viewer = Viewer::<_, _, false> { see, seen: None };
    value.encode(&mut viewer);
    viewer.seen
}

/// Passes the view of a value to `see`, with all differences that a writer can make, and returns the result.
pub(crate) fn outermost<T>(value: &dyn Encode, see: impl FnMut(View<'_, '_>) -> T) -> Option<T> {
    let mut viewer = Viewer::<_, _, true> { see, seen: None };
    value.encode(&mut viewer);
    viewer.seen
}

/// Calls `each` for the items of an array, until it returns false; returns whether it never did.
///
/// Another value has no items.
pub(crate) fn items(value: &dyn Encode, each: &mut dyn FnMut(usize, &dyn Encode) -> bool) -> bool {
    let all = view(value, |view| match view {
        View::Array(items) => items.enumerate().all(|(index, item)| each(index, item)),
        View::List(items) => items.iter().enumerate().all(|(index, item)| each(index, item)),
        _ => true,
    });
    all.unwrap_or(true)
}

/// Calls `each` for the names and values of an object, until it returns false; returns whether it never did.
///
/// Another value has no names.
pub(crate) fn entries(value: &dyn Encode, each: &mut dyn FnMut(&str, &dyn Encode) -> bool) -> bool {
    let all = view(value, |view| Some(view.entries()?.all(|(name, value)| each(name, value))));
    all.flatten().unwrap_or(true)
}

impl<'v> View<'v, '_> {
    /// Returns the names and values of an object.
    pub(crate) fn entries(self) -> Option<impl Iterator<Item = (&'v str, &'v dyn Encode)>> {
        let (fields, rest, map) = match self {
            View::Object(fields, rest) => (fields, rest, None),
            View::Map(map) => (&[][..], None, Some(map)),
            _ => return None,
        };
        let present = fields.iter().filter(|(_, value)| !value.is_absent());
        let fields = present.map(|(name, value)| (*name as &'v str, *value));
        let rest = rest.into_iter().flatten().map(|(name, value)| (name as &'v str, value as &'v dyn Encode));
        let map = map.into_iter().flatten().map(|(name, value)| (name.as_str(), value as &'v dyn Encode));
        Some(fields.chain(rest).chain(map))
    }

    /// Returns a scalar as untyped text, as parameters and XML have it. A number that is not finite has none.
    #[cfg(feature = "http")]
    pub(crate) fn untyped_text(&self) -> Option<Cow<'v, str>> {
        Some(match self {
            View::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            View::Number(number, _) => Value::from(*number).to_string().into(),
            View::Float(value) => float_text(*value)?.into(),
            View::UntypedNumber(number) => number.to_string().into(),
            View::File(file) => bytes_text(&file.data),
            View::Stream(stream) => bytes_text(&stream.held().unwrap_or_default()).into_owned().into(),
            other => other.text()?.0,
        })
    }

    /// Returns the text of a string or of bytes.
    pub(crate) fn text(&self) -> Option<(Cow<'v, str>, Spelling)> {
        match self {
            View::Text(text, spelling) => Some((Cow::Borrowed(text), *spelling)),
            View::Bytes(bytes) => match bytes_text(bytes) {
                text @ Cow::Borrowed(_) => Some((text, Spelling::Exact)),
                text @ Cow::Owned(_) => Some((text, Spelling::Rewritten(None))),
            },
            _ => None,
        }
    }
}

/// A writer that passes on what it gets.
struct Viewer<F, T, const OUTERMOST: bool> {
    see: F,
    seen: Option<T>,
}

impl<T, F: FnMut(View<'_, '_>) -> T, const OUTERMOST: bool> Viewer<F, T, OUTERMOST> {
    fn see(&mut self, view: View<'_, '_>) {
        self.seen = Some((self.see)(view));
    }
}

impl<T, F: FnMut(View<'_, '_>) -> T, const OUTERMOST: bool> Writer for Viewer<F, T, OUTERMOST> {
    fn null(&mut self) {
        self.see(View::Null);
    }

    fn boolean(&mut self, value: bool) {
        self.see(View::Boolean(value));
    }

    fn i64(&mut self, value: i64) {
        self.see(View::Number(value.into(), Spelling::Exact));
    }

    fn u64(&mut self, value: u64) {
        self.see(View::Number(value.into(), Spelling::Exact));
    }

    fn f64(&mut self, value: f64) {
        /// From here on, a model rounds integers.
        const TWO_53: f64 = 9_007_199_254_740_992.0;
        let spelling = if value.abs() < TWO_53 { Spelling::Exact } else { Spelling::Rewritten(None) };
        self.see(if OUTERMOST { View::Float(value) } else { View::Number(value.into(), spelling) });
    }

    fn str(&mut self, value: &str) {
        self.see(View::Text(value, Spelling::Exact));
    }

    fn formatted(&mut self, format: Format, value: &str) {
        self.see(View::Text(value, Spelling::Rewritten(Some(format))));
    }

    fn rewritten(&mut self, value: &str) {
        self.see(View::Text(value, Spelling::Rewritten(None)));
    }

    fn bytes(&mut self, value: &Bytes) {
        self.see(View::Bytes(value));
    }

    fn file(&mut self, value: &File) {
        self.see(if OUTERMOST { View::File(value) } else { View::Bytes(&value.data) });
    }

    fn byte_stream(&mut self, value: &ByteStream) {
        self.see(View::Stream(value));
    }

    fn items(&mut self, items: &dyn Items) {
        self.see(View::Items(items));
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.see(View::Array(items));
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        self.see(View::Object(fields, rest));
    }

    fn variant(&mut self, index: usize, value: &dyn Encode) {
        if OUTERMOST { self.see(View::Variant(index, value)) } else { value.encode(self) }
    }

    fn tagged(&mut self, union: &'static UnionShape, index: usize, value: &dyn Encode) {
        if OUTERMOST { pass_variant(self, union, index, value) } else { value.encode(self) }
    }

    fn choice(&mut self, index: usize, value: &dyn Encode) {
        if OUTERMOST { self.see(View::Choice(index, value)) } else { value.encode(self) }
    }

    fn value(&mut self, value: &Value) {
        self.see(match value {
            Value::Null => View::Null,
            Value::Bool(value) => View::Boolean(*value),
            Value::Number(value) if OUTERMOST => View::UntypedNumber(value),
            Value::Number(value) => View::Number(value.into(), Spelling::Exact),
            Value::String(value) => View::Text(value, Spelling::Exact),
            Value::Array(items) => View::List(items),
            Value::Object(map) => View::Map(map),
        });
    }
}

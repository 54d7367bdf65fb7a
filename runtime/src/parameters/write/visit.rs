//! Inspects values layer by layer, for the writers of parameters, bodies and responses.

use crate::codec::{ByteStream, Bytes, Encode, Entries, File, Items, Value, Writer, float_text};

/// The outermost layer of a value.
pub(crate) enum Layer<'v> {
    /// `null`.
    Null,
    /// A boolean or number, as text.
    Word(String),
    /// A string.
    Text(&'v str),
    /// Raw bytes.
    Bytes(&'v Bytes),
    /// A file.
    File(&'v File),
    /// A body as a stream.
    Stream(&'v ByteStream),
    /// A body as a stream of items.
    Items(&'v dyn Items),
    /// An array.
    Array(Vec<&'v dyn Encode>),
    /// An object. An absent field is `None`.
    ///
    /// Writers identify a field by its position, so no field may be left out. A null in a map is
    /// not absent.
    Object(Vec<(&'v str, Option<&'v dyn Encode>)>),
    /// One of the documented alternatives.
    Choice(usize, &'v dyn Encode),
}

/// Returns the fields of an object that are present.
pub(crate) fn present<'v>(
    fields: Vec<(&'v str, Option<&'v dyn Encode>)>,
) -> impl Iterator<Item = (&'v str, &'v dyn Encode)> {
    fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// Passes the outermost layer of `value` to `see`. A union is not a layer.
pub(crate) fn visit(value: &dyn Encode, see: &mut dyn FnMut(Layer<'_>)) {
    value.encode(&mut Visitor(see));
}

struct Visitor<'s>(&'s mut dyn FnMut(Layer<'_>));

impl Writer for Visitor<'_> {
    fn null(&mut self) {
        (self.0)(Layer::Null);
    }

    fn boolean(&mut self, value: bool) {
        (self.0)(Layer::Word(value.to_string()));
    }

    fn i64(&mut self, value: i64) {
        (self.0)(Layer::Word(value.to_string()));
    }

    fn u64(&mut self, value: u64) {
        (self.0)(Layer::Word(value.to_string()));
    }

    fn f64(&mut self, value: f64) {
        (self.0)(float_text(value).map_or(Layer::Null, Layer::Word));
    }

    fn str(&mut self, value: &str) {
        (self.0)(Layer::Text(value));
    }

    fn bytes(&mut self, value: &Bytes) {
        (self.0)(Layer::Bytes(value));
    }

    fn file(&mut self, value: &File) {
        (self.0)(Layer::File(value));
    }

    fn byte_stream(&mut self, value: &ByteStream) {
        (self.0)(Layer::Stream(value));
    }

    fn items(&mut self, items: &dyn Items) {
        (self.0)(Layer::Items(items));
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        (self.0)(Layer::Array(items.collect()));
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        let mut layer: Vec<(&str, Option<&dyn Encode>)> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            layer.push((name, Some(*value).filter(|value| !value.is_absent())));
        }
        for (name, value) in rest.into_iter().flatten() {
            layer.push((name, Some(value)));
        }
        (self.0)(Layer::Object(layer));
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, index: usize, value: &dyn Encode) {
        (self.0)(Layer::Choice(index, value));
    }

    fn value(&mut self, value: &Value) {
        let layer = match value {
            Value::Null => Layer::Null,
            Value::Bool(value) => Layer::Word(value.to_string()),
            Value::Number(value) => Layer::Word(value.to_string()),
            Value::String(value) => Layer::Text(value),
            Value::Array(items) => Layer::Array(items.iter().map(|item| item as &dyn Encode).collect()),
            Value::Object(fields) => Layer::Object(
                fields.iter().map(|(name, value)| (name.as_str(), Some(value as &dyn Encode))).collect(),
            ),
        };
        (self.0)(layer);
    }
}

//! Writing: values that can be written, and the writers of the formats.

use super::{ByteStream, Bytes, File, Format, Items, UnionShape, Value, tagged::pass_variant};

/// A value that any [`Writer`] can write.
///
/// Encoding can't fail. Each writer decides how to write a value that its format can't represent, such as NaN
/// in JSON.
pub trait Encode {
    /// Writes this value with exactly one call to a method of `writer`.
    fn encode(&self, writer: &mut dyn Writer);

    /// Returns whether an object leaves this value out if it is a field.
    ///
    /// Only `Option::None`, boxed or not, is left out. The default is `false`.
    fn is_absent(&self) -> bool {
        false
    }
}

/// The entries of a map, in the form that a [`Writer`] takes.
pub type Entries<'a> = dyn Iterator<Item = (&'a str, &'a dyn Encode)> + 'a;

/// A sink of values. Each call writes exactly one value.
pub trait Writer {
    /// Writes `null`.
    fn null(&mut self);

    /// Writes a boolean.
    fn boolean(&mut self, value: bool);

    /// Writes a signed integer.
    fn i64(&mut self, value: i64);

    /// Writes an unsigned integer.
    fn u64(&mut self, value: u64);

    /// Writes a number.
    ///
    /// A format that can't represent NaN and infinities writes null for them. Clients and servers refuse to send such a
    /// value.
    fn f64(&mut self, value: f64);

    /// Writes a string.
    fn str(&mut self, value: &str);

    /// Writes a string that is guaranteed to have this format.
    ///
    /// The types that call this method produce the string themselves, so the validation checker need not
    /// check it. The string can differ from the text that the value was read from. JSON writes dates and UUIDs without
    /// escapes, so any other string for these formats makes the output invalid.
    fn formatted(&mut self, format: Format, value: &str) {
        let _ = format;
        self.str(value);
    }

    /// Writes a string that can differ from the text that the value was read from.
    fn rewritten(&mut self, value: &str) {
        self.str(value);
    }

    /// Writes raw bytes.
    ///
    /// Text formats write them as a string, in base64 if they are not UTF-8.
    fn bytes(&mut self, value: &Bytes);

    /// Writes a file.
    ///
    /// The default implementation writes its bytes.
    fn file(&mut self, value: &File) {
        self.bytes(&value.data);
    }

    /// Writes a streamed body.
    ///
    /// The default implementation writes the bytes if they are all in memory, and otherwise no bytes.
    fn byte_stream(&mut self, value: &ByteStream) {
        self.bytes(&value.held().unwrap_or_default());
    }

    /// Writes a body that is a stream of items.
    ///
    /// The default implementation writes an array of the items that are available without waiting.
    fn items(&mut self, items: &dyn Items) {
        self.value(&Value::Array(items.ready()));
    }

    /// Writes an array.
    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>);

    /// Writes an object: its fields in order, then the entries of `rest`.
    ///
    /// Fields that are [absent](Encode::is_absent) are left out.
    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>);

    /// Writes the value of a union.
    ///
    /// `index` is the position of the value's variant in the schema's list.
    fn variant(&mut self, index: usize, value: &dyn Encode);

    /// Writes the value of a union that may have a discriminator.
    ///
    /// The default implementation [fills in](super::Tagged) the discriminator. A writer that checks values writes them as they are.
    fn tagged(&mut self, union: &'static UnionShape, index: usize, value: &dyn Encode) {
        pass_variant(self, union, index, value);
    }

    /// Writes the documented alternative `index` of a body or response.
    ///
    /// The alternatives are the media types of a body or the statuses of a response.
    fn choice(&mut self, index: usize, value: &dyn Encode);

    /// Writes any value.
    fn value(&mut self, value: &Value);
}

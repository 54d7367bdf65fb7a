//! Reading: values that can be read, and the readers of the formats.

use super::{ByteStream, Bytes, DecodeError, File, Fill, ItemSource, Value};

/// A value that can be read from any [`Reader`].
pub trait Decode: Sized {
    /// Whether this type can hold a null.
    ///
    /// A tolerant reader treats a null in a field of any other type as an absent field. The default is
    /// `false`.
    const HOLDS_NULL: bool = false;

    /// Reads one value.
    ///
    /// # Errors
    /// Fails at the first part of the input that this type can't hold.
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError>;
}

/// The kind of the next value in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Untyped text, such as a parameter or a form field. It may hold any scalar.
    Text,
}

/// A number that was read from the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer that fits in an `i64`; `1.0` and `1e2` are integers too.
    Signed(i64),
    /// An integer above `i64::MAX` that fits in a `u64`.
    Unsigned(u64),
    /// Any other number; an integer that needs more than 64 bits is rounded.
    Float(f64),
}

/// The treatment of additional properties.
///
/// These are the fields of an object that its type does not name.
pub enum AdditionalProperties<'a> {
    /// Readers skip them.
    Ignore,
    /// They are not allowed: a strict reader fails, a tolerant reader skips them.
    Closed,
    /// Readers pass each name and value to this function.
    Keep(&'a mut Entry<'a>),
}

/// A function that receives one entry of an object.
///
/// Its arguments are the entry's name and a reader whose next value is the entry's. The function must consume
/// it.
pub type Entry<'a> = dyn FnMut(&str, &mut dyn Reader) -> Result<(), DecodeError> + 'a;

/// A function that receives one item of an array.
///
/// Its argument is a reader whose next value is the item. The function must consume it.
pub type Item<'a> = dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError> + 'a;

/// A source of values. Each reading method consumes exactly one value or fails.
pub trait Reader {
    /// Returns the kind of the next value and consumes nothing.
    ///
    /// # Errors
    /// Fails if the input ends here or is malformed.
    fn peek(&mut self) -> Result<Kind, DecodeError>;

    /// Returns whether this reader accepts what a newer sender may add.
    ///
    /// See [strict and tolerant readers](super#strict-and-tolerant-readers).
    fn is_tolerant(&self) -> bool;

    /// Returns whether a date-time without an offset is one in UTC, and not an error. The default is `false`.
    fn assumes_utc(&self) -> bool {
        false
    }

    /// Reads `null`.
    ///
    /// # Errors
    /// Fails if the next value is not a null.
    fn null(&mut self) -> Result<(), DecodeError>;

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// Fails if the next value is not a boolean.
    fn boolean(&mut self) -> Result<bool, DecodeError>;

    /// Reads a number.
    ///
    /// # Errors
    /// Fails if the next value is not a number.
    fn number(&mut self) -> Result<Number, DecodeError>;

    /// Reads a string and passes it to `visit`, without a copy where possible.
    ///
    /// # Errors
    /// Fails if the next value is not a string, or if `visit` fails.
    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError>;

    /// Reads a string.
    ///
    /// # Errors
    /// Fails if the next value is not a string.
    fn string(&mut self) -> Result<String, DecodeError>;

    /// Reads raw bytes.
    ///
    /// They are a binary body or part; in a text format they are the bytes of a string, as in the default
    /// implementation.
    ///
    /// # Errors
    /// Fails if the next value is neither.
    fn bytes(&mut self) -> Result<Bytes, DecodeError> {
        self.string().map(Bytes::from)
    }

    /// Reads a file.
    ///
    /// Formats with files also return its name and media type. The default implementation returns the bytes
    /// alone.
    ///
    /// # Errors
    /// Fails if the next value is not a file and has no bytes.
    fn file(&mut self) -> Result<File, DecodeError> {
        self.bytes().map(File::from)
    }

    /// Reads a body as a stream of bytes.
    ///
    /// The default implementation returns a stream of the bytes that are in memory.
    ///
    /// # Errors
    /// Fails if the next value has no bytes.
    fn byte_stream(&mut self) -> Result<ByteStream, DecodeError> {
        self.bytes().map(ByteStream::from)
    }

    /// Reads a body as a stream of items.
    ///
    /// The result is `None` if the format has no such streams. Then the items are an array, which is not read
    /// yet. The default implementation returns `None`.
    ///
    /// # Errors
    /// Fails if the next value is a stream, but not one of items.
    fn items(&mut self) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
        Ok(None)
    }

    /// Reads an array and calls `item` for each item.
    ///
    /// # Errors
    /// Fails if the next value is not an array, or if `item` fails. An error of `item` gains the item's
    /// index.
    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError>;

    /// Reads an object and puts the value of field `names[i]` into `slots[i]`.
    ///
    /// Both slices have the same length. A reader whose input has no field names, such as a whole request,
    /// uses the position instead. Fields that `names` does not list are treated as `rest` says.
    ///
    /// # Errors
    /// Fails if the next value is not an object, if a slot fails (the error gains the field's name), if a
    /// strict reader finds a field more than once, or if `rest` forbids a field.
    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError>;

    /// Reads an object as a map and calls `entry` for each entry, in input order.
    ///
    /// Entries with the same name are not merged: each one is passed to `entry`.
    ///
    /// # Errors
    /// Fails if the next value is not an object, or if `entry` fails. An error of `entry` gains the entry's
    /// name.
    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError>;

    /// Reads any value.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn value(&mut self) -> Result<Value, DecodeError>;

    /// Consumes any value.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn skip(&mut self) -> Result<(), DecodeError>;

    /// Consumes the value of a field that is not in the value that is being read, and remembers that.
    ///
    /// The default implementation does not remember it.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn skip_field(&mut self) -> Result<(), DecodeError> {
        self.skip()
    }

    /// Returns whether this reader [skipped a field](Self::skip_field).
    ///
    /// A value that was read then lacks a part of the input. The default is `false`.
    fn has_skipped(&self) -> bool {
        false
    }

    /// Returns whether the scalars of the input are untyped text, as in parameters and forms.
    ///
    /// The default is `false`.
    fn is_text(&self) -> bool {
        false
    }

    /// Runs `read`, then returns to the current position if `returns` is true for the result.
    ///
    /// # Errors
    /// Returns the error of `read`, or [`DecodeErrorKind::TooDeep`](super::DecodeErrorKind::TooDeep) if this reader has re-read too much of its
    /// input.
    fn read_and_return(
        &mut self,
        read: &mut Item<'_>,
        returns: fn(&Result<(), DecodeError>) -> bool,
    ) -> Result<(), DecodeError>;

    /// Runs `read`, then returns to the current position.
    ///
    /// # Errors
    /// Those of [`read_and_return`](Self::read_and_return).
    fn ahead(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        self.read_and_return(read, |_| true)
    }

    /// Runs `read`, then returns to the current position if `read` failed.
    ///
    /// # Errors
    /// Those of [`read_and_return`](Self::read_and_return).
    fn attempt(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        self.read_and_return(read, Result::is_err)
    }

    /// Returns the index of the documented alternative that the input is.
    ///
    /// The alternatives are the media types of a body or the statuses of a response. A reader of plain values
    /// has none; the default is 0.
    fn choice(&mut self) -> usize {
        0
    }
}

/// Reads an array of untyped values.
pub(crate) fn untyped_array(reader: &mut dyn Reader) -> Result<Value, DecodeError> {
    let mut items = Vec::new();
    reader.array(&mut |reader| {
        items.push(reader.value()?);
        Ok(())
    })?;
    Ok(Value::Array(items))
}

/// Reads an object of untyped values. Of several with one name, the last counts.
pub(crate) fn untyped_object(reader: &mut dyn Reader) -> Result<Value, DecodeError> {
    let mut fields = serde_json::Map::new();
    reader.entries(&mut |name, reader| {
        fields.insert(name.to_owned(), reader.value()?);
        Ok(())
    })?;
    Ok(Value::Object(fields))
}

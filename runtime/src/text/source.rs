//! The [`Reader`] of untyped text, and the trait that each wire format implements.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ReadMode;
use super::raw::{Malformed, Raw};
use crate::codec::{
    AdditionalProperties, ByteStream, Bytes, DecodeError, Entry, File, Fill, Item, ItemSource, Kind, Number,
    Reader, Value, fill_field, untyped_array, untyped_object,
};
use crate::validation::ENCODING;

/// A value in a wire format of text.
///
/// Its meaning depends on the method that reads it: `1,2` is a text and an array. Reading consumes nothing.
pub(crate) trait Source {
    /// Returns the kind of the value, by its schema and its text.
    fn kind(&self) -> Kind;

    /// Returns the value as one text.
    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Err(DecodeError::wrong_kind("a single value", self.kind()))
    }

    /// Returns the text of a number or a boolean.
    fn word(&self) -> Result<Cow<'_, str>, DecodeError> {
        self.text()
    }

    /// Returns the value as bytes.
    fn bytes(&self) -> Result<Bytes, DecodeError> {
        self.text().map(|text| Bytes::from(text.into_owned()))
    }

    /// Returns the value as a file.
    fn file(&self) -> Result<File, DecodeError> {
        self.bytes().map(File::from)
    }

    /// Returns the value as a stream.
    fn byte_stream(&self) -> Result<ByteStream, DecodeError> {
        self.bytes().map(ByteStream::from)
    }

    /// Returns the value as a stream of items, if it is one.
    fn raw_items(&self) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
        Ok(None)
    }

    /// Reads the value without keeping it.
    fn skip(&self) -> Result<(), DecodeError> {
        Ok(())
    }

    /// Reads the value as an array and calls `item` for each item.
    fn items(&self, _item: &mut Item<'_>) -> Result<(), DecodeError> {
        Err(DecodeError::wrong_kind("an array", self.kind()))
    }

    /// Reads the value as an object and calls `entry` for each entry.
    fn entries(&self, _entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        Err(DecodeError::wrong_kind("an object", self.kind()))
    }

    /// Reads the value as an object and puts the value of `names[i]` into `slots[i]`.
    ///
    /// Sets `has_skipped` if a reader inside the value [skipped a field](Reader::has_skipped).
    fn object(
        &self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: &mut AdditionalProperties<'_>,
        has_skipped: &mut bool,
    ) -> Result<(), DecodeError> {
        let mut next = 0;
        self.entries(&mut |name, reader| {
            next = fill_field(reader, name, names, slots, rest, next)?;
            *has_skipped |= reader.has_skipped();
            Ok(())
        })
    }
}

/// A reader of a [`Source`].
pub(crate) struct SourceReader<S> {
    source: S,
    mode: ReadMode,
    choice: usize,
    /// Whether a reader of JSON inside the value skipped a field.
    ///
    /// Fields that are not JSON don't count: constraints apply to their encoded form.
    has_skipped: bool,
}

/// Returns a strict reader of a source.
pub(crate) const fn source_reader<S>(source: S) -> SourceReader<S> {
    SourceReader { source, mode: ReadMode::STRICT, choice: 0, has_skipped: false }
}

impl<S> SourceReader<S> {
    /// Sets how the value is read.
    pub(crate) const fn in_mode(mut self, mode: ReadMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the index of the documented alternative that the source is.
    pub(crate) const fn with_choice(mut self, index: usize) -> Self {
        self.choice = index;
        self
    }
}

impl From<Malformed> for DecodeError {
    fn from(Malformed: Malformed) -> Self {
        Self::malformed(ENCODING)
    }
}

/// One text.
impl Source for Raw<'_> {
    fn kind(&self) -> Kind {
        Kind::Text
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Ok(self.decode()?)
    }
}

impl<S: Source> Reader for SourceReader<S> {
    fn peek(&mut self) -> Result<Kind, DecodeError> {
        Ok(self.source.kind())
    }

    fn is_tolerant(&self) -> bool {
        self.mode.is_tolerant
    }

    fn assumes_utc(&self) -> bool {
        self.mode.assumes_utc
    }

    fn null(&mut self) -> Result<(), DecodeError> {
        match self.source.kind() {
            Kind::Null => Ok(()),
            kind => Err(DecodeError::wrong_kind("null", kind)),
        }
    }

    fn boolean(&mut self) -> Result<bool, DecodeError> {
        match self.source.word()?.as_ref() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DecodeError::wrong_kind("a boolean", Kind::Text)),
        }
    }

    fn number(&mut self) -> Result<Number, DecodeError> {
        Number::parse(&self.source.word()?).ok_or_else(|| DecodeError::wrong_kind("a number", Kind::Text))
    }

    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        visit(&self.source.text()?)
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        self.source.text().map(Cow::into_owned)
    }

    fn bytes(&mut self) -> Result<Bytes, DecodeError> {
        self.source.bytes()
    }

    fn file(&mut self) -> Result<File, DecodeError> {
        self.source.file()
    }

    fn byte_stream(&mut self) -> Result<ByteStream, DecodeError> {
        self.source.byte_stream()
    }

    fn items(&mut self) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
        self.source.raw_items()
    }

    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        let mut index = 0;
        self.source.items(&mut |reader| {
            item(reader).map_err(|error| error.at_index(index))?;
            self.has_skipped |= reader.has_skipped();
            index += 1;
            Ok(())
        })
    }

    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        mut rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError> {
        self.source.object(names, slots, &mut rest, &mut self.has_skipped)
    }

    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        self.source.entries(&mut |name, reader| {
            entry(name, reader).map_err(|error| error.in_field(name.to_owned()))?;
            self.has_skipped |= reader.has_skipped();
            Ok(())
        })
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        match self.source.kind() {
            Kind::Array => untyped_array(self),
            Kind::Object => untyped_object(self),
            Kind::Null => Ok(Value::Null),
            _ => self.string().map(Value::String),
        }
    }

    fn skip(&mut self) -> Result<(), DecodeError> {
        self.source.skip()
    }

    fn has_skipped(&self) -> bool {
        self.has_skipped
    }

    fn is_text(&self) -> bool {
        true
    }

    fn read_and_return(
        &mut self,
        read: &mut Item<'_>,
        _returns: fn(&Result<(), DecodeError>) -> bool,
    ) -> Result<(), DecodeError> {
        read(self)
    }

    fn choice(&mut self) -> usize {
        self.choice
    }
}

/// Passes a reader of a value that can't be read to `read`.
pub(crate) fn refuse(error: DecodeError, read: &mut Item<'_>) -> Result<(), DecodeError> {
    read(&mut source_reader(Refusal(error)))
}

/// A value that can't be read: each method returns the error.
struct Refusal(DecodeError);

impl Source for Refusal {
    fn kind(&self) -> Kind {
        Kind::Text
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Err(self.0.clone())
    }

    fn items(&self, _item: &mut Item<'_>) -> Result<(), DecodeError> {
        Err(self.0.clone())
    }

    fn entries(&self, _entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        Err(self.0.clone())
    }
}

/// Groups values by name, in the order in which each name occurs first.
pub(crate) fn grouped<'n, T>(named: impl Iterator<Item = (&'n str, T)>) -> Vec<(&'n str, Vec<T>)> {
    let mut indices: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<(&str, Vec<T>)> = Vec::new();
    for (name, value) in named {
        let index = *indices.entry(name).or_insert(groups.len());
        match groups.get_mut(index) {
            Some((_, values)) => values.push(value),
            None => groups.push((name, vec![value])),
        }
    }
    groups
}

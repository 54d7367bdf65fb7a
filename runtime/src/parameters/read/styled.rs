//! Reads values in all styles of OpenAPI except `deepObject`.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue};

use super::pairs::{Pair, Pairs};
use super::shape::{Form, form_of};
use super::split::{Delimiter, Items, halves};
use crate::codec::{DecodeError, Entry, Item, Kind};
use crate::table::{Field, Object, Schema};
use crate::text::{Coding, Raw, ReadMode, Source, SourceReader, grouped, source_reader};
use crate::validation::resolve::{field_of, kept_by};

/// The texts that a request has under one name.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    /// No text.
    None,
    /// One text.
    One(Raw<'a>),
    /// A header with one line.
    Line(Raw<'a>),
    /// Several pairs with this name.
    Named(&'a Pairs<'a>, &'a str),
    /// Any number of texts.
    Several(&'a [Raw<'a>]),
    /// A header with several lines, which form one list.
    Lines(&'a HeaderMap, &'static str),
}

impl<'a> Given<'a> {
    /// Returns the values of the pairs with this name.
    #[inline]
    pub(crate) fn named(pairs: &'a Pairs<'a>, name: &'a str) -> Self {
        let mut texts = pairs.named(name);
        match (texts.next(), texts.next()) {
            (None, _) => Self::None,
            (Some(text), None) => Self::One(text),
            (Some(_), Some(_)) => Self::Named(pairs, name),
        }
    }

    /// Returns the lines of this header.
    pub(crate) fn header(headers: &'a HeaderMap, name: &'static str) -> Self {
        let mut lines = headers.get_all(name).iter();
        match (lines.next(), lines.next()) {
            (None, _) => Self::None,
            (Some(value), None) => Self::Line(line(value)),
            (Some(_), Some(_)) => Self::Lines(headers, name),
        }
    }

    /// Calls `visit` for each text.
    pub(crate) fn try_each(
        self,
        visit: &mut dyn FnMut(Raw<'a>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        match self {
            Self::None => Ok(()),
            Self::One(text) | Self::Line(text) => visit(text),
            Self::Named(pairs, name) => pairs.named(name).try_for_each(visit),
            Self::Several(texts) => texts.iter().copied().try_for_each(visit),
            Self::Lines(headers, name) => headers.get_all(name).iter().map(line).try_for_each(visit),
        }
    }

    /// Returns whether there is a text.
    pub(crate) const fn is_present(self) -> bool {
        !matches!(self, Self::None | Self::Several([]))
    }

    /// Returns whether there are several texts.
    pub(crate) const fn is_repeated(self) -> bool {
        match self {
            Self::None | Self::One(_) | Self::Line(_) => false,
            Self::Several(texts) => texts.len() > 1,
            Self::Named(..) | Self::Lines(..) => true,
        }
    }

    /// Returns the only text; fails if there are several.
    #[inline]
    pub(crate) fn single(self) -> Result<Raw<'a>, DecodeError> {
        match self {
            Self::One(text) | Self::Line(text) => Ok(text),
            Self::Several([text]) => Ok(*text),
            Self::None | Self::Several([]) => Ok(Raw::Text("")),
            Self::Several(_) => Err(DecodeError::duplicate("")),
            Self::Named(_, name) | Self::Lines(_, name) => Err(DecodeError::duplicate(name)),
        }
    }
}

fn line(value: &HeaderValue) -> Raw<'_> {
    match value.to_str() {
        Ok(text) => Raw::Text(text.trim_ascii()),
        Err(_) => Raw::new(value.as_bytes(), Coding::Plain).trim(),
    }
}

/// A value whose parts are separated by a delimiter or are texts of their own.
pub(crate) struct Styled<'a> {
    pub(crate) given: Given<'a>,
    /// The delimiter between the parts of one text; without it, each text is a part.
    pub(crate) delimiter: Option<Delimiter>,
    /// Whether the parts of an object are `name=value`.
    ///
    /// Otherwise they are names and values in alternation.
    pub(crate) assigned: bool,
    pub(crate) schema: &'static Schema,
    pub(crate) mode: ReadMode,
}

impl<'a> Styled<'a> {
    /// Creates a value whose parts are texts of their own.
    pub(crate) const fn exploded(given: Given<'a>, schema: &'static Schema) -> Self {
        Self { given, delimiter: None, assigned: false, schema, mode: ReadMode::STRICT }
    }

    /// Creates a value whose parts are between delimiters.
    pub(crate) const fn simple(
        given: Given<'a>,
        delimiter: Delimiter,
        assigned: bool,
        schema: &'static Schema,
    ) -> Self {
        Self { given, delimiter: Some(delimiter), assigned, schema, mode: ReadMode::STRICT }
    }

    /// Returns a reader of the value.
    pub(crate) const fn reader(self) -> SourceReader<Self> {
        let mode = self.mode;
        source_reader(self).in_mode(mode)
    }

    /// Returns the reader of a part.
    const fn part(&self, text: Raw<'a>) -> SourceReader<Raw<'a>> {
        source_reader(text).in_mode(self.mode)
    }

    fn each_part(
        &self,
        visit: &mut dyn FnMut(Raw<'a>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let Some(delimiter) = self.delimiter else { return self.given.try_each(visit) };
        if let Given::Line(_) | Given::Lines(..) = self.given {
            return self
                .given
                .try_each(&mut |line| Items::new(line, delimiter).map(Raw::trim).try_for_each(&mut *visit));
        }
        Items::new(self.given.single()?, delimiter).try_for_each(visit)
    }
}

impl Source for Styled<'_> {
    fn kind(&self) -> Kind {
        match form_of(self.schema) {
            Form::Array => Kind::Array,
            Form::Object => Kind::Object,
            Form::Open if self.given.is_repeated() => Kind::Array,
            Form::Open | Form::Scalar => Kind::Text,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Ok(self.given.single()?.decode()?)
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        self.each_part(&mut |part| item(&mut self.part(part)))
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        if self.assigned {
            return self.each_part(&mut |part| {
                let (name, value) = halves(part.bytes(), b'=');
                entry(&part.with(name).decode()?, &mut self.part(part.with(value)))
            });
        }
        let mut name: Option<Raw<'_>> = None;
        self.each_part(&mut |part| match name.take() {
            Some(name) => entry(&name.decode()?, &mut self.part(part)),
            None => {
                name = Some(part);
                Ok(())
            }
        })?;
        match name {
            Some(_) => Err(DecodeError::malformed("alternating names and values")),
            None => Ok(()),
        }
    }
}

/// An exploded object, whose fields are pairs among those of other values.
pub(crate) struct Spread<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) object: &'static Object,
    /// Whether a name belongs to another value.
    pub(crate) is_taken: &'a dyn Fn(&str) -> bool,
}

impl<'a> Spread<'a> {
    /// Returns the fields that are present.
    fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.object.fields.iter().filter(|field| self.pairs.named(field.name).next().is_some())
    }

    /// Returns the schema and the pairs of additional properties, if they are kept.
    fn others(&self) -> Option<(&'static Schema, impl Iterator<Item = &Pair<'a>>)> {
        let schema = kept_by(self.object)?;
        let is_other = |name: &str| field_of(self.object, name).is_none() && !(self.is_taken)(name);
        Some((schema, self.pairs.iter().filter(move |pair| is_other(&pair.name))))
    }

    pub(crate) fn is_present(&self) -> bool {
        self.fields().next().is_some() || self.others().is_some_and(|(_, mut others)| others.next().is_some())
    }
}

impl Source for Spread<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        for field in self.fields() {
            let given = Given::named(self.pairs, field.name);
            entry(field.name, &mut Styled::exploded(given, field.schema).reader())?;
        }
        if let Some((schema, others)) = self.others() {
            for (name, texts) in grouped(others.map(|pair| (&*pair.name, pair.value))) {
                entry(name, &mut Styled::exploded(Given::Several(&texts), schema).reader())?;
            }
        }
        Ok(())
    }
}

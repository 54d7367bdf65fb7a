//! Reads the parts of a multipart body as an object.

use std::borrow::Cow;

use super::layout::{Among, Layout};
use super::pairs::Pairs;
use super::part::{Rules, Skipped};
use super::parts::Part;
use super::shape::{Form, entry_of, field, items_of, object_of};
use crate::codec::{DecodeError, Entry, Item, Kind};
use crate::table::{Encoding, Schema};
use crate::text::{ReadMode, Source, source_reader};

/// The parts of a body, as the fields of an object.
pub(crate) struct Fields<'a> {
    parts: &'a [Part],
    schema: &'static Schema,
    encodings: &'static [Encoding],
    mode: ReadMode,
    skipped: Skipped,
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(
        parts: &'a [Part],
        schema: &'static Schema,
        encodings: &'static [Encoding],
        mode: ReadMode,
    ) -> Self {
        Self { parts, schema, encodings, mode, skipped: Skipped::new() }
    }

    /// Returns the serializations of the properties that have a style.
    fn layouts(&self) -> impl Iterator<Item = Layout> {
        self.encodings.iter().filter_map(|encoding| {
            let schema = entry_of(self.schema, encoding.property)?;
            let (name, explode) = (encoding.property, encoding.explode);
            Some(Layout { name, style: encoding.style?, explode, is_json: false, schema })
        })
    }

    /// Reads the properties that have a style, each from the parts that it owns.
    fn styled_entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        let mut layouts = self.layouts().peekable();
        if layouts.peek().is_none() {
            return Ok(());
        }
        let pairs = Pairs::of_parts(self.parts);
        let is_taken = |name: &str| object_of(self.schema).is_some_and(|it| field(it, name).is_some());
        let among = Among { pairs: &pairs, is_taken: &is_taken };
        layouts.try_for_each(|layout| layout.read(among, &mut |reader| entry(layout.name, reader)).map(drop))
    }
}

impl Source for Fields<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    fn is_tolerant(&self) -> bool {
        self.mode.is_tolerant
    }

    fn has_skipped(&self) -> bool {
        self.skipped.get()
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        self.styled_entries(entry)?;
        for (index, part) in self.parts.iter().enumerate() {
            let before = self.parts.get(..index).unwrap_or_default();
            let is_styled = || self.layouts().any(|layout| layout.owns(&part.name));
            if before.iter().any(|other| other.name == part.name) || is_styled() {
                continue;
            }
            let encoding = self.encodings.iter().find(|row| row.property == part.name);
            let rules = Rules { schema: entry_of(self.schema, &part.name), encoding, mode: self.mode };
            let field = FieldParts { parts: self.parts, name: &part.name, rules };
            field.read(&mut |reader| self.skipped.watch(reader, &mut |reader| entry(&part.name, reader)))?;
        }
        Ok(())
    }
}

/// The parts with one name.
struct FieldParts<'a> {
    parts: &'a [Part],
    name: &'a str,
    rules: Rules,
}

impl FieldParts<'_> {
    fn iter(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.name == self.name)
    }

    fn read(&self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        let mut parts = self.iter();
        match (parts.next(), parts.next()) {
            (Some(part), None) if self.rules.form() != Form::Array || self.is_whole_array(part) => {
                self.rules.read(part, read)
            }
            _ => read(&mut source_reader(Repeated { field: self, skipped: Skipped::new() })),
        }
    }

    /// Returns whether a part is a whole array and not one of its items.
    fn is_whole_array(&self, part: &Part) -> bool {
        let is_json = self.rules.reads_json(part) && self.item_rules().may_be_json();
        is_json && part.data.trim_ascii_start().starts_with(b"[")
    }

    fn item_rules(&self) -> Rules {
        Rules { schema: self.rules.schema.and_then(items_of), ..self.rules }
    }
}

/// The parts with one name, as an array.
struct Repeated<'a> {
    field: &'a FieldParts<'a>,
    skipped: Skipped,
}

impl Source for Repeated<'_> {
    fn kind(&self) -> Kind {
        match self.field.rules.form() {
            Form::Scalar => Kind::Text,
            _ => Kind::Array,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Err(DecodeError::duplicate(self.field.name))
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        let rules = self.field.item_rules();
        let mut each = |part| rules.read(part, &mut |reader| self.skipped.watch(reader, item));
        self.field.iter().try_for_each(&mut each)
    }

    fn is_tolerant(&self) -> bool {
        self.field.rules.mode.is_tolerant
    }

    fn has_skipped(&self) -> bool {
        self.skipped.get()
    }

    fn entries(&self, _entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        Err(DecodeError::duplicate(self.field.name))
    }
}

//! Reads the parts of a multipart body as an object or an array.

use std::borrow::Cow;

use super::layout::{Among, Layout};
use super::pairs::Pairs;
use super::part::Rules;
use super::parts::Part;
use super::shape::Form;
use crate::codec::{DecodeError, Entry, Item, Kind};
use crate::parameters::media::PartEncodings;
use crate::table::Schema;
use crate::text::{ReadMode, Source, source_reader};
use crate::validation::resolve::{entry_of, field_of, item_of, items_of, object_of};

/// The parts of a body.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) parts: &'a [Part],
    pub(crate) schema: &'static Schema,
    pub(crate) encodings: PartEncodings,
    pub(crate) mode: ReadMode,
}

impl Parts<'_> {
    /// Passes a reader of the parts, which are the documented alternative `index`, to `read`.
    pub(crate) fn read(self, index: usize, read: &mut Item<'_>) -> Result<(), DecodeError> {
        read(&mut source_reader(self).in_mode(self.mode).with_choice(index))
    }

    /// Returns the documented properties of the part at `index`.
    pub(crate) fn rules(&self, index: usize, part: &Part) -> Rules {
        let (schema, encoding) = match self.encodings {
            PartEncodings::Named(_) => (entry_of(self.schema, &part.name), self.encodings.named(&part.name)),
            PartEncodings::Positional(..) => (item_of(self.schema, index), self.encodings.at(index)),
        };
        Rules { schema, encoding, mode: self.mode }
    }

    /// Returns the serializations of the properties that have a style.
    fn layouts(&self) -> impl Iterator<Item = Layout> {
        let encodings = if let PartEncodings::Named(encodings) = self.encodings { encodings } else { &[] };
        encodings.iter().filter_map(|encoding| {
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
        let is_taken = |name: &str| object_of(self.schema).is_some_and(|it| field_of(it, name).is_some());
        let among = Among { pairs: &pairs, is_taken: &is_taken };
        layouts.try_for_each(|layout| layout.read(among, &mut |reader| entry(layout.name, reader)).map(drop))
    }
}

impl Source for Parts<'_> {
    fn kind(&self) -> Kind {
        match self.encodings {
            PartEncodings::Named(_) => Kind::Object,
            PartEncodings::Positional(..) => Kind::Array,
        }
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        if let Kind::Object = self.kind() {
            return Err(DecodeError::wrong_kind("an array", Kind::Object));
        }
        let mut parts = self.parts.iter().enumerate();
        parts.try_for_each(|(index, part)| self.rules(index, part).read(part, item))
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        if let Kind::Array = self.kind() {
            return Err(DecodeError::wrong_kind("an object", Kind::Array));
        }
        self.styled_entries(entry)?;
        for (index, part) in self.parts.iter().enumerate() {
            let before = self.parts.get(..index).unwrap_or_default();
            let is_styled = || self.layouts().any(|layout| layout.owns(&part.name));
            if before.iter().any(|other| other.name == part.name) || is_styled() {
                continue;
            }
            let field = FieldParts { parts: self.parts, name: &part.name, rules: self.rules(index, part) };
            field.read(&mut |reader| entry(&part.name, reader))?;
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
            _ => read(&mut source_reader(self).in_mode(self.rules.mode)),
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

/// An array of the parts.
impl Source for &FieldParts<'_> {
    fn kind(&self) -> Kind {
        match self.rules.form() {
            Form::Scalar => Kind::Text,
            _ => Kind::Array,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Err(DecodeError::duplicate(self.name))
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        let rules = self.item_rules();
        self.iter().try_for_each(|part| rules.read(part, item))
    }

    fn entries(&self, _entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        Err(DecodeError::duplicate(self.name))
    }
}

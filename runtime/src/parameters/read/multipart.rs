//! Reads the parts of a multipart body as an object.

use std::borrow::Cow;
use std::cell::Cell;

use super::layout::{Among, Layout, read_json};
use super::pairs::Pairs;
use super::parts::Part;
use super::raw::{Coding, Raw};
use super::shape::{Form, entry_of, field, form_of, items_of, object_of, type_of};
use super::source::{Of, Source};
use crate::codec::{DecodeError, Entry, Item, Kind};
use crate::parameters::media::{is_json, media_type};
use crate::table::{Content, Schema, Type};
use crate::types::{Bytes, File};

/// The parts of a body, as the fields of an object.
pub(crate) struct Fields<'a> {
    parts: &'a [Part],
    content: &'static Content,
    has_skipped: Cell<bool>,
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(parts: &'a [Part], content: &'static Content) -> Self {
        Self { parts, content, has_skipped: Cell::new(false) }
    }

    /// Returns the serializations of the properties that have a style.
    fn layouts(&self) -> impl Iterator<Item = Layout> {
        self.content.encodings.iter().filter_map(|encoding| {
            let schema = entry_of(self.content.schema, encoding.property)?;
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
        let is_taken =
            |name: &str| object_of(self.content.schema).is_some_and(|it| field(it, name).is_some());
        let among = Among { pairs: &pairs, is_taken: &is_taken };
        layouts.try_for_each(|layout| layout.read(among, &mut |reader| entry(layout.name, reader)).map(drop))
    }
}

impl Source for Fields<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    fn has_skipped(&self) -> bool {
        self.has_skipped.get()
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        self.styled_entries(entry)?;
        for (index, part) in self.parts.iter().enumerate() {
            let before = self.parts.get(..index).unwrap_or_default();
            let is_styled = || self.layouts().any(|layout| layout.owns(&part.name));
            if before.iter().any(|other| other.name == part.name) || is_styled() {
                continue;
            }
            let is_json = self
                .content
                .encodings
                .iter()
                .any(|row| row.property == part.name && is_json(row.content_type));
            let schema = entry_of(self.content.schema, &part.name);
            let field = FieldParts { parts: self.parts, name: &part.name, rules: Rules { schema, is_json } };
            field.read(&mut |reader| {
                entry(&part.name, reader)?;
                self.has_skipped.set(self.has_skipped.get() || reader.has_skipped());
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The documented properties of a part.
#[derive(Clone, Copy)]
struct Rules {
    schema: Option<&'static Schema>,
    /// Whether the document specifies that it is JSON.
    is_json: bool,
}

impl Rules {
    fn form(self) -> Form {
        self.schema.map_or(Form::Open, form_of)
    }

    fn is_binary(self) -> bool {
        self.schema.is_some_and(|schema| matches!(type_of(schema), Type::Bytes))
    }

    /// Returns whether this part is JSON.
    ///
    /// It is JSON if its own media type is. If it has none, or `text/plain`, it is JSON if the document
    /// specifies JSON or an object. Binary parts are never JSON.
    fn reads_json(self, part: &Part) -> bool {
        let media_type = part.content_type.as_deref().map(media_type);
        let says_nothing = media_type.is_none_or(|media_type| media_type.eq_ignore_ascii_case("text/plain"));
        !self.is_binary()
            && (is_json(media_type) || says_nothing && (self.is_json || self.form() == Form::Object))
    }

    /// Passes a reader of this part to `read`.
    fn read(self, part: &Part, read: &mut Item<'_>) -> Result<(), DecodeError> {
        if self.reads_json(part) {
            return read_json(&part.data, read);
        }
        read(&mut Of(Single { part, is_binary: self.is_binary() }))
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
            _ => read(&mut Of(Repeated { field: self })),
        }
    }

    /// Returns whether a part is a whole array and not one of its items.
    fn is_whole_array(&self, part: &Part) -> bool {
        let is_json = self.rules.reads_json(part) && !self.item_rules().is_binary();
        is_json && part.data.trim_ascii_start().starts_with(b"[")
    }

    fn item_rules(&self) -> Rules {
        Rules { schema: self.rules.schema.and_then(items_of), ..self.rules }
    }
}

/// The parts with one name, as an array.
struct Repeated<'a> {
    field: &'a FieldParts<'a>,
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
        self.field.iter().try_for_each(|part| rules.read(part, item))
    }

    fn entries(&self, _entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        Err(DecodeError::duplicate(self.field.name))
    }
}

/// One part that is not JSON.
struct Single<'a> {
    part: &'a Part,
    is_binary: bool,
}

impl Source for Single<'_> {
    fn kind(&self) -> Kind {
        if self.is_binary { Kind::String } else { Kind::Text }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        Ok(Raw::new(&self.part.data, Coding::Plain).decode()?)
    }

    fn bytes(&self) -> Result<Bytes, DecodeError> {
        Ok(self.part.data.clone())
    }

    fn file(&self) -> Result<File, DecodeError> {
        Ok(File {
            file_name: self.part.file_name.clone(),
            content_type: self.part.content_type.clone(),
            data: self.part.data.clone(),
        })
    }
}

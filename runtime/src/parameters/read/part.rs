//! Reads one part of a multipart body.

use std::borrow::Cow;

use super::located::read_header_text;
use super::multipart::Parts;
use super::parts::{Part, split};
use super::shape::{Form, form_of};
use super::styled::Given;
use crate::codec::{DecodeError, Entry, Item, JsonReader, Kind};
use crate::parameters::media::{PartEncodings, is_json, is_multipart, lists, media_type};
use crate::table::{Content, Encoding, Field, Header, Schema, Type};
use crate::text::{Coding, Raw, ReadMode, Source, refuse, source_reader};
use crate::types::{Bytes, File};
use crate::validation::resolve::{items_of, object_of, type_of};

/// The documented properties of a part.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) schema: Option<&'static Schema>,
    pub(crate) encoding: Option<&'static Encoding>,
    pub(crate) mode: ReadMode,
}

impl Rules {
    pub(crate) fn form(self) -> Form {
        self.schema.map_or(Form::Open, form_of)
    }

    /// Returns whether this part may be JSON. Binary parts never are.
    pub(crate) fn may_be_json(self) -> bool {
        !self.schema.is_some_and(|schema| matches!(type_of(schema), Type::Bytes))
    }

    /// Returns whether this part is JSON.
    ///
    /// It is JSON if its own media type is. If it has none, or `text/plain`, the document decides: the part is JSON if
    /// the document specifies JSON or an object. A part without a name is also JSON if the document specifies an array.
    pub(crate) fn reads_json(self, part: &Part) -> bool {
        let media_type = part.content_type.as_deref().map(media_type);
        let says_nothing = media_type.is_none_or(|media_type| media_type.eq_ignore_ascii_case("text/plain"));
        let documented = self.encoding.and_then(|encoding| encoding.content_type);
        let is_structured = match self.form() {
            Form::Object => true,
            Form::Array => part.name.is_empty(),
            Form::Scalar | Form::Open => false,
        };
        self.may_be_json() && (is_json(media_type) || says_nothing && (is_json(documented) || is_structured))
    }

    /// Returns the encoding of this part, if the part is a file of an undocumented media type.
    ///
    /// A file without a media type, or with that of any bytes, can be of each type.
    pub(crate) fn refusing(self, part: &Part) -> Option<&'static Encoding> {
        let encoding = self.encoding?;
        let (documented, given) = (encoding.content_type?, part.content_type.as_deref()?);
        let item = self.schema.map(|schema| items_of(schema).unwrap_or(schema))?;
        let content = match object_of(item) {
            Some(envelope) => envelope.fields.last()?.schema,
            None => item,
        };
        let is_file = matches!(type_of(content), Type::Bytes);
        let says_nothing = media_type(given).eq_ignore_ascii_case("application/octet-stream");
        (is_file && !says_nothing && !lists(documented, given)).then_some(encoding)
    }

    /// Passes a reader of this part to `read`.
    pub(crate) fn read(self, part: &Part, read: &mut Item<'_>) -> Result<(), DecodeError> {
        let envelope = self.encoding.filter(|encoding| encoding.own_type || !encoding.headers.is_empty());
        let fields = self.schema.and_then(object_of).map(|object| object.fields);
        match (envelope, fields) {
            (Some(encoding), Some(fields)) => {
                let envelope = Envelope { part, rules: self, encoding, fields };
                read(&mut source_reader(envelope).in_mode(self.mode))
            }
            _ => self.read_content(part, read),
        }
    }

    /// Passes a reader of the content of this part to `read`.
    fn read_content(self, part: &Part, read: &mut Item<'_>) -> Result<(), DecodeError> {
        if let Some(encoding) = self.encoding.filter(|row| row.content_type.is_some_and(is_multipart)) {
            return self.read_parts(part, encoding, read);
        }
        if !self.reads_json(part) {
            let single = Single { part, is_binary: !self.may_be_json() };
            return read(&mut source_reader(single).in_mode(self.mode));
        }
        // A part that is no JSON is reported where it is, and the parts after it can still be read.
        if !self.mode.is_tolerant && is_malformed(&part.data) {
            return refuse(DecodeError::malformed("valid JSON"), read);
        }
        self.mode.json(&part.data).read_by(read)
    }

    /// Reads a part that is a multipart body itself.
    fn read_parts(
        self,
        part: &Part,
        encoding: &'static Encoding,
        read: &mut Item<'_>,
    ) -> Result<(), DecodeError> {
        let Some(schema) = self.schema else {
            return read(&mut source_reader(Single { part, is_binary: false }).in_mode(self.mode));
        };
        let content_type = part.content_type.as_deref().or(encoding.content_type).unwrap_or_default();
        let encodings = PartEncodings::inside(encoding, object_of(schema).is_some());
        match split(content_type, &part.data, encodings) {
            Ok(parts) => Parts { parts: &parts, schema, encodings, mode: self.mode }.read(0, read),
            Err(_) => refuse(DecodeError::malformed("a valid multipart body"), read),
        }
    }
}

fn is_malformed(text: &[u8]) -> bool {
    JsonReader::tolerant(text).read_by(&mut |reader| reader.skip()).is_err()
}

/// Passes a reader of one part of a stream to `read`.
pub(crate) fn read_streamed_part(
    content: &'static Content,
    index: usize,
    part: &Part,
    mode: ReadMode,
    read: &mut Item<'_>,
) -> Result<(), DecodeError> {
    let encoding = PartEncodings::of(content).at(index);
    Rules { schema: Some(content.schema), encoding, mode }.read(part, read)
}

/// A part whose value is an object of headers, media type and content.
struct Envelope<'a> {
    part: &'a Part,
    rules: Rules,
    encoding: &'static Encoding,
    fields: &'static [Field],
}

impl Envelope<'_> {
    fn read_header(
        &self,
        field: &Field,
        header: &'static Header,
        entry: &mut Entry<'_>,
    ) -> Result<(), DecodeError> {
        let own = self.part.headers.iter().filter(|(name, _)| name == header.name);
        let texts: Vec<Raw<'_>> = own.map(|(_, text)| Raw::Text(text)).collect();
        let given = match texts.as_slice() {
            [] => return Ok(()),
            [text] => Given::Line(*text),
            texts => Given::Several(texts),
        };
        let mode = self.rules.mode;
        let read = read_header_text(header, given, mode, &mut |reader| entry(field.name, reader));
        // As in responses, an optional header that is not as documented counts as absent.
        if mode.is_tolerant && !header.required { Ok(()) } else { read }
    }
}

impl Source for Envelope<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        let mut fields = self.fields.iter();
        for (header, field) in self.encoding.headers.iter().zip(&mut fields) {
            self.read_header(field, header, entry)?;
        }
        if let Some(field) = fields.next().filter(|_| self.encoding.own_type) {
            let media_type = self.part.content_type.as_deref().unwrap_or("text/plain");
            entry(field.name, &mut source_reader(Raw::Text(media_type)).in_mode(self.rules.mode))?;
        }
        let Some(field) = self.fields.last() else { return Ok(()) };
        let rules = Rules { schema: Some(field.schema), ..self.rules };
        rules.read_content(self.part, &mut |reader| entry(field.name, reader))
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

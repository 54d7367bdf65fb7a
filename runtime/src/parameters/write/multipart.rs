//! Writes multipart bodies.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

use memchr::memmem;

use super::encode::header_text;
use super::escapes::Escapes;
use super::style::{Pairs, json, text};
use super::visit::{Layer, present, visit};
use crate::codec::Encode;
use crate::codec::view::View;
use crate::parameters::media::{PartEncodings, is_json, is_multipart};
use crate::stream::{ItemWriter, StreamError};
use crate::table::{Content, Encoding, Header};

/// The parts of a body before a boundary is chosen.
#[derive(Default)]
struct Parts {
    parts: Vec<Written>,
    /// See [`Multipart::unwritable`].
    unwritable: Option<&'static str>,
}

struct Written {
    headers: String,
    data: Vec<u8>,
}

/// A multipart body.
pub(crate) struct Multipart {
    pub(crate) boundary: String,
    pub(crate) bytes: Vec<u8>,
    /// The property whose value can't be written: an item contains the delimiter, so that a reader would get other items.
    ///
    /// It can also be the header of a part whose value has a line break.
    pub(crate) unwritable: Option<&'static str>,
}

/// Writes a value as a multipart body. The same value gives the same bytes.
///
/// Values that are not text are JSON, unless the document names another media type.
pub(crate) fn write_multipart(content: &'static Content, value: &dyn Encode) -> Multipart {
    write(PartEncodings::of(content), value)
}

fn write(encodings: PartEncodings, value: &dyn Encode) -> Multipart {
    let mut parts = Parts::default();
    visit(value, &mut |layer| match (encodings, layer) {
        (PartEncodings::Named(_), Layer::Object(fields)) => {
            for (name, value) in present(fields) {
                parts.add(name, encodings.named(name), value);
            }
        }
        (PartEncodings::Positional(..), Layer::Array(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                parts.add_one(None, encodings.at(index), item);
            }
        }
        _ => {}
    });
    let boundary = parts.boundary();
    let unwritable = parts.unwritable;
    Multipart { bytes: parts.joined(&boundary), boundary, unwritable }
}

impl Parts {
    fn add(&mut self, name: &str, encoding: Option<&'static Encoding>, value: &dyn Encode) {
        if let Some(&Encoding { property, style: Some(style), explode, .. }) = encoding {
            let pairs = Pairs { style, explode, escapes: Escapes::NONE };
            if !pairs.is_readable(value) {
                self.unwritable = Some(property);
            }
            return self.add_styled(pairs, name, value);
        }
        visit(value, &mut |layer| match layer {
            Layer::Array(items) => {
                items.into_iter().for_each(|item| self.add_one(Some(name), encoding, item))
            }
            _ => self.add_one(Some(name), encoding, value),
        });
    }

    /// Adds a part for each pair of a value in a style of forms.
    fn add_styled(&mut self, style: Pairs, name: &str, value: &dyn Encode) {
        let mut pairs = Vec::new();
        style.write(name, value, &mut pairs);
        let part = |(name, text): (String, String)| Written {
            headers: headers(Some(&name), None, None),
            data: text.into_bytes(),
        };
        self.parts.extend(pairs.into_iter().map(part));
    }

    /// Adds a part, whose value may have headers and a media type of its own.
    fn add_one(&mut self, name: Option<&str>, encoding: Option<&'static Encoding>, value: &dyn Encode) {
        // A list or range of media types can't be sent, so the file's own type or the default applies.
        let media_type = encoding
            .and_then(|encoding| encoding.content_type)
            .filter(|media_type| !media_type.contains(['*', ',']));
        let Some(encoding) = encoding.filter(|encoding| encoding.own_type || !encoding.headers.is_empty())
        else {
            return self.add_content(name, encoding, media_type, "", value);
        };
        visit(value, &mut |layer| {
            let Layer::Object(fields) = layer else { return };
            let mut fields = fields.into_iter().map(|(_, value)| value);
            let mut own = String::new();
            for (header, value) in encoding.headers.iter().zip(&mut fields) {
                match value.map(|value| header_line(header, value)) {
                    Some(Some(line)) => own.push_str(&line),
                    Some(None) => self.unwritable = Some(header.name),
                    None => {}
                }
            }
            let own_type = encoding.own_type.then(|| fields.next().flatten().map(text)).flatten();
            if let Some(content) = fields.next().flatten() {
                let media_type = own_type.as_deref().or(media_type);
                self.add_content(name, Some(encoding), media_type, &own, content);
            }
        });
    }

    /// Adds a part with these headers.
    ///
    /// A file without a name gets that of the field, because many servers ignore files without one.
    fn add_content(
        &mut self,
        name: Option<&str>,
        encoding: Option<&'static Encoding>,
        media_type: Option<&str>,
        own: &str,
        value: &dyn Encode,
    ) {
        if let (Some(encoding), Some(media_type)) = (encoding, media_type.filter(|it| is_multipart(it))) {
            return self.add_multipart(name, encoding, media_type, own, value);
        }
        visit(value, &mut |layer| {
            let (file_name, own_type, data) = match layer {
                Layer::Other(View::File(file)) => {
                    let own_type = file.content_type.as_deref().or(media_type);
                    (
                        file.file_name.as_deref().or(name),
                        own_type.or(Some("application/octet-stream")),
                        file.data.to_vec(),
                    )
                }
                Layer::Other(View::Bytes(bytes)) => {
                    (name, media_type.or(Some("application/octet-stream")), bytes.to_vec())
                }
                Layer::Array(_) | Layer::Object(_) => {
                    (None, media_type.or(Some("application/json")), json(value).into_bytes())
                }
                _ if is_json(media_type) => (None, media_type, json(value).into_bytes()),
                _ => (None, media_type, text(value).into_bytes()),
            };
            let has_name = own.lines().any(|line| line.starts_with("content-disposition:"));
            let (name, file_name) = if has_name { (None, None) } else { (name, file_name) };
            self.parts.push(Written { headers: headers(name, file_name, own_type) + own, data });
        });
    }

    /// Adds a part that is a multipart body itself.
    fn add_multipart(
        &mut self,
        name: Option<&str>,
        encoding: &'static Encoding,
        media_type: &str,
        own: &str,
        value: &dyn Encode,
    ) {
        let is_object = visit(value, &mut |layer| matches!(layer, Layer::Object(_)));
        let body = write(PartEncodings::inside(encoding, is_object == Some(true)), value);
        self.unwritable = self.unwritable.or(body.unwritable);
        let content_type = format!("{media_type}; boundary={}", body.boundary);
        let headers = headers(name, None, Some(&content_type)) + own;
        self.parts.push(Written { headers, data: body.bytes });
    }

    /// Returns a boundary that occurs in none of the parts.
    fn boundary(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.parts.iter().for_each(|part| part.data.hash(&mut hasher));
        self.boundary_from(hasher.finish())
    }

    fn boundary_from(&self, mut number: u64) -> String {
        loop {
            let boundary = format!("boundary-{number:016x}");
            let finder = memmem::Finder::new(&boundary);
            if !self.parts.iter().any(|part| finder.find(&part.data).is_some()) {
                return boundary;
            }
            number = number.wrapping_add(1);
        }
    }

    fn joined(self, boundary: &str) -> Vec<u8> {
        let length: usize = self.parts.iter().map(|part| part.headers.len() + part.data.len()).sum();
        let mut body = Vec::with_capacity(length + (self.parts.len() + 1) * (boundary.len() + 8));
        for part in self.parts {
            body.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.headers).as_bytes());
            body.extend_from_slice(&part.data);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        body
    }
}

/// Returns the headers of a part, a line each, from the name of its field and of its file, and its media type.
fn headers(name: Option<&str>, file_name: Option<&str>, content_type: Option<&str>) -> String {
    let mut headers = String::new();
    if name.is_some() || file_name.is_some() {
        let kind = if name.is_some() { "form-data" } else { "attachment" };
        headers.push_str(&format!("Content-Disposition: {kind}"));
        for (parameter, value) in [("name", name), ("filename", file_name)] {
            if let Some(value) = value {
                headers.push_str(&format!("; {parameter}=\"{}\"", escaped(value)));
            }
        }
        headers.push_str("\r\n");
    }
    if let Some(content_type) = content_type {
        // A line break in the media type would inject headers.
        let content_type = content_type.replace(|character: char| character.is_control(), "");
        headers.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    headers
}

/// Returns the line of a documented header, if its value can be sent.
fn header_line(header: &Header, value: &dyn Encode) -> Option<String> {
    let text = header_text(header, value);
    let is_writable = !text.contains(|character: char| character.is_control() && character != '\t');
    is_writable.then(|| format!("{}: {text}\r\n", header.name))
}

/// Escapes a name in quotes, as browsers do, and backslashes in addition.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// Writes the parts of a streamed body. The boundary behind a part is written with it, because it ends the part.
pub(crate) struct PartWriter {
    encodings: PartEncodings,
    pub(crate) boundary: String,
    count: usize,
}

impl PartWriter {
    pub(crate) fn new(content: &'static Content) -> Self {
        // The parts are not known yet, so the boundary must be unguessable.
        let random = || RandomState::new().build_hasher().finish();
        let boundary = format!("boundary-{:016x}{:016x}", random(), random());
        Self { encodings: PartEncodings::of(content), boundary, count: 0 }
    }
}

impl ItemWriter for PartWriter {
    fn item(&mut self, item: &dyn Encode) -> Result<Vec<u8>, StreamError> {
        let mut parts = Parts::default();
        parts.add_one(None, self.encodings.at(self.count), item);
        if let Some(name) = parts.unwritable {
            return Err(StreamError::broken(format!("the value of `{name}` can't be written in a part")));
        }
        let Some(part) = parts.parts.pop() else {
            return Err(StreamError::broken("the item is not a part"));
        };
        if memmem::find(&part.data, self.boundary.as_bytes()).is_some() {
            return Err(StreamError::broken("a part has the boundary between parts in it"));
        }
        let start = if self.count == 0 { format!("--{}", self.boundary) } else { String::new() };
        self.count += 1;
        let mut bytes = format!("{start}\r\n{}\r\n", part.headers).into_bytes();
        bytes.extend_from_slice(&part.data);
        bytes.extend_from_slice(format!("\r\n--{}", self.boundary).as_bytes());
        Ok(bytes)
    }

    fn end(&mut self, _says_done: bool) -> Vec<u8> {
        if self.count == 0 { format!("--{}--\r\n", self.boundary).into_bytes() } else { b"--\r\n".to_vec() }
    }

    fn keep_alive(&self) -> &'static [u8] {
        b""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Bytes, File, Map};

    #[test]
    fn a_boundary_does_not_occur_in_the_content() {
        let with = |data: &[u8]| Parts {
            parts: vec![Written { headers: String::new(), data: data.to_vec() }],
            unwritable: None,
        };
        assert_eq!(with(b"x").boundary(), with(b"x").boundary());
        assert_eq!(with(b"x").boundary_from(7), "boundary-0000000000000007");
        assert_eq!(with(b"-boundary-0000000000000007").boundary_from(7), "boundary-0000000000000008");
    }

    #[test]
    fn names_cannot_add_headers() {
        let file = File::new("a\"\r\nX: y", Bytes::new()).with_content_type("a/b\r\nX: y");
        let mut parts = Parts::default();
        parts.add("n\r\n", None, &file);
        assert_eq!(
            parts.parts[0].headers,
            "Content-Disposition: form-data; name=\"n%0D%0A\"; filename=\"a%22%0D%0AX: y\"\r\nContent-Type: a/bX: y\r\n"
        );
    }

    #[test]
    fn an_object_is_json() {
        let mut parts = Parts::default();
        parts.add("map", None, &Map::from([("a".to_owned(), 1_i64)]));
        assert_eq!(parts.parts[0].data, b"{\"a\":1}");
        assert!(parts.parts[0].headers.contains("Content-Type: application/json\r\n"));
    }
}

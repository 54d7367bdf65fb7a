//! Writes multipart bodies.

use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memmem;

use super::escapes::Escapes;
use super::style::{Pairs, json, text};
use super::visit::{Layer, present, visit};
use crate::codec::Encode;
use crate::parameters::media::is_json;
use crate::table::{Content, Encoding};

/// The parts of a body before a boundary is chosen.
#[derive(Default)]
struct Parts(Vec<Written>);

struct Written {
    headers: String,
    data: Vec<u8>,
}

/// A multipart body.
pub(crate) struct Multipart {
    pub(crate) boundary: String,
    pub(crate) bytes: Vec<u8>,
    /// The property whose value has a delimiter within an item, so that a reader would get other items.
    pub(crate) unwritable: Option<&'static str>,
}

/// Writes a value as a multipart body.
///
/// Each field is a part, and so is each item of an array. Objects are JSON. The same value gives the same
/// bytes.
pub(crate) fn write_multipart(content: &Content, value: &dyn Encode) -> Multipart {
    let mut parts = Parts::default();
    let mut unwritable = None;
    visit(value, &mut |layer| {
        let Layer::Object(fields) = layer else { return };
        for (name, value) in present(fields) {
            let encoding = content.encodings.iter().find(|encoding| encoding.property == name);
            if let Some(&Encoding { property, style: Some(style), explode, .. }) = encoding {
                let pairs = Pairs { style, explode, escapes: Escapes::NONE };
                if !pairs.is_readable(value) {
                    unwritable = Some(property);
                }
                parts.add_styled(pairs, name, value);
                continue;
            }
            // A list or range of media types can't be sent, so the file's own type or the default applies.
            let media_type = encoding.and_then(|encoding| encoding.content_type);
            parts.add(name, media_type.filter(|media_type| !media_type.contains(['*', ','])), value);
        }
    });
    let boundary = parts.boundary();
    Multipart { bytes: parts.joined(&boundary), boundary, unwritable }
}

impl Parts {
    fn add(&mut self, name: &str, media_type: Option<&'static str>, value: &dyn Encode) {
        visit(value, &mut |layer| match layer {
            Layer::Array(items) => {
                for item in items {
                    self.add_one(name, media_type, item);
                }
            }
            _ => self.add_one(name, media_type, value),
        });
    }

    /// Adds a part for each pair of a value in a style of forms.
    fn add_styled(&mut self, style: Pairs, name: &str, value: &dyn Encode) {
        let mut pairs = Vec::new();
        style.write(name, value, &mut pairs);
        let part = |(name, text): (String, String)| Written {
            headers: headers(&name, None, None),
            data: text.into_bytes(),
        };
        self.0.extend(pairs.into_iter().map(part));
    }

    /// Adds a part. A file without a name gets that of the field, because many servers ignore files without one.
    fn add_one(&mut self, name: &str, media_type: Option<&'static str>, value: &dyn Encode) {
        visit(value, &mut |layer| {
            let (file_name, own_type, data) = match layer {
                Layer::File(file) => {
                    let own_type = file.content_type.as_deref().or(media_type);
                    (
                        file.file_name.as_deref().or(Some(name)),
                        own_type.or(Some("application/octet-stream")),
                        file.data.to_vec(),
                    )
                }
                Layer::Bytes(bytes) => {
                    (Some(name), media_type.or(Some("application/octet-stream")), bytes.to_vec())
                }
                Layer::Array(_) | Layer::Object(_) => {
                    (None, media_type.or(Some("application/json")), json(value).into_bytes())
                }
                _ if is_json(media_type) => (None, media_type, json(value).into_bytes()),
                _ => (None, media_type, text(value).into_bytes()),
            };
            self.0.push(Written { headers: headers(name, file_name, own_type), data });
        });
    }

    /// Returns a boundary that occurs in none of the parts.
    fn boundary(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.0.iter().for_each(|part| part.data.hash(&mut hasher));
        self.boundary_from(hasher.finish())
    }

    fn boundary_from(&self, mut number: u64) -> String {
        loop {
            let boundary = format!("boundary-{number:016x}");
            let finder = memmem::Finder::new(&boundary);
            if !self.0.iter().any(|part| finder.find(&part.data).is_some()) {
                return boundary;
            }
            number = number.wrapping_add(1);
        }
    }

    fn joined(self, boundary: &str) -> Vec<u8> {
        let length: usize = self.0.iter().map(|part| part.headers.len() + part.data.len()).sum();
        let mut body = Vec::with_capacity(length + (self.0.len() + 1) * (boundary.len() + 8));
        for part in self.0 {
            body.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.headers).as_bytes());
            body.extend_from_slice(&part.data);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        body
    }
}

fn headers(name: &str, file_name: Option<&str>, content_type: Option<&str>) -> String {
    let mut headers = format!("Content-Disposition: form-data; name=\"{}\"", escaped(name));
    if let Some(file_name) = file_name {
        headers.push_str(&format!("; filename=\"{}\"", escaped(file_name)));
    }
    headers.push_str("\r\n");
    if let Some(content_type) = content_type {
        // A line break in the media type would inject headers.
        let content_type = content_type.replace(|character: char| character.is_control(), "");
        headers.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    headers
}

/// Escapes a name in quotes, as browsers do, and backslashes in addition.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Bytes, File, Map};

    #[test]
    fn a_boundary_is_nowhere_in_the_content() {
        let with = |data: &[u8]| Parts(vec![Written { headers: String::new(), data: data.to_vec() }]);
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
            parts.0[0].headers,
            "Content-Disposition: form-data; name=\"n%0D%0A\"; filename=\"a%22%0D%0AX: y\"\r\nContent-Type: a/bX: y\r\n"
        );
    }

    #[test]
    fn an_object_is_json() {
        let mut parts = Parts::default();
        parts.add("map", None, &Map::from([("a".to_owned(), 1_i64)]));
        assert_eq!(parts.0[0].data, b"{\"a\":1}");
        assert!(parts.0[0].headers.contains("Content-Type: application/json\r\n"));
    }
}

//! The parts of a multipart body, with the names that their headers state.

use std::borrow::Cow;

use crate::parameters::media::{PartEncodings, media_parameter, media_type};
use crate::stream::{self, BadMultipart};
use crate::text::{Coding, Raw};
use crate::types::Bytes;

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The name of the field; empty if parts have no names.
    pub(crate) name: String,
    /// The name of the file, if the part is a file.
    pub(crate) file_name: Option<String>,
    /// The media type in the part's headers.
    pub(crate) content_type: Option<String>,
    /// The names in lower case and the values of all headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The content.
    pub(crate) data: Bytes,
}

/// The maximum length of a boundary (RFC 2046).
const MAX_BOUNDARY: usize = 70;

/// Returns the boundary in a `Content-Type` header.
pub(crate) fn boundary(content_type: &str) -> Result<Cow<'_, str>, BadMultipart> {
    let boundary = media_parameter(content_type, "boundary");
    boundary.filter(|text| (1..=MAX_BOUNDARY).contains(&text.len())).ok_or(BadMultipart::NoBoundary)
}

/// Returns the parts of a body, which have names or not. `content_type` is its `Content-Type` header.
pub(crate) fn split(
    content_type: &str,
    body: &Bytes,
    encodings: PartEncodings,
) -> Result<Vec<Part>, BadMultipart> {
    let parts = stream::split(&boundary(content_type)?, body)?.into_iter();
    match encodings {
        PartEncodings::Named(_) => parts.map(Part::named).collect(),
        PartEncodings::Positional(..) => Ok(parts.map(Part::positional).collect()),
    }
}

impl Part {
    /// Creates a part of a form, whose headers must state its name.
    fn named(part: stream::Part) -> Result<Self, BadMultipart> {
        let disposition = value(&part.headers, "content-disposition").ok_or(BadMultipart::BadHeaders)?;
        if !media_type(disposition).eq_ignore_ascii_case("form-data") {
            return Err(BadMultipart::BadHeaders);
        }
        let name = disposition_parameter(disposition, "name").ok_or(BadMultipart::BadHeaders)?;
        Ok(Self { name, ..Self::positional(part) })
    }

    /// Creates a part without a name.
    pub(crate) fn positional(part: stream::Part) -> Self {
        let disposition = value(&part.headers, "content-disposition");
        let file_name = disposition.and_then(|text| disposition_parameter(text, "filename"));
        let content_type = value(&part.headers, "content-type").map(str::to_owned);
        Self { name: String::new(), file_name, content_type, headers: part.headers, data: part.data }
    }
}

/// Returns the last value of a header.
fn value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().rfind(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

/// Returns a parameter of a `Content-Disposition` header.
///
/// It is `name*=UTF-8''…` if present, and otherwise `name="…"`, where browsers percent-encode quotes and line
/// breaks.
fn disposition_parameter(disposition: &str, name: &str) -> Option<String> {
    let extended = media_parameter(disposition, &format!("{name}*"));
    let extended = extended.as_deref().and_then(|value| {
        let (charset, value) = value.split_once('\'')?;
        let (_, value) = value.split_once('\'')?;
        let value = Raw::new(value.as_bytes(), Coding::Percent).decode().ok()?.into_owned();
        charset.eq_ignore_ascii_case("utf-8").then_some(value)
    });
    extended.or_else(|| media_parameter(disposition, name).map(unescape))
}

fn unescape(value: Cow<'_, str>) -> String {
    if !value.contains('%') {
        return value.into_owned();
    }
    value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(body: &[u8]) -> Result<Vec<Part>, BadMultipart> {
        let body = Bytes::copy_from_slice(body);
        split("multipart/form-data; boundary=XX", &body, PartEncodings::Named(&[]))
    }

    #[test]
    fn reads_names() {
        let body = b"--XX\r\n\
            Content-Disposition: form-data; name=\"text\"\r\n\r\none\r\n--XX\r\n\
            content-type: image/png\r\nCONTENT-DISPOSITION: form-data; name=\"file\"; filename=\"a%22b.png\"\r\n\r\n\
            two\r\n--XX\r\n\
            Content-Disposition: form-data; name*=utf-8''%C3%A9; filename=x; filename*=UTF-8''%20y\r\n\r\n\
            \r\n--XX--";
        let parts = reported(body).unwrap();
        let names = |part: &Part| (part.name.clone(), part.file_name.clone(), part.content_type.clone());
        let reported: Vec<_> = parts.iter().map(names).collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            reported,
            [
                ("text".to_owned(), None, None),
                ("file".to_owned(), text("a\"b.png"), text("image/png")),
                ("é".to_owned(), text(" y"), None),
            ]
        );
    }

    #[test]
    fn a_field_has_a_name() {
        for header in ["", "Content-Disposition: form-data", "Content-Disposition: attachment; name=\"a\""] {
            let body = format!("--XX\r\n{header}\r\n\r\n1\r\n--XX--");
            assert_eq!(reported(body.as_bytes()), Err(BadMultipart::BadHeaders), "{header}");
        }
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        for content_type in [
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\"\"",
            long.as_str(),
        ] {
            let parts = split(content_type, &Bytes::new(), PartEncodings::Named(&[]));
            assert_eq!(parts, Err(BadMultipart::NoBoundary));
        }
    }
}

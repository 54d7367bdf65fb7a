//! Splits a multipart body into its parts.

use std::borrow::Cow;

use memchr::memmem::Finder;
use thiserror::Error;

use super::raw::{Coding, Raw, trim};
use crate::parameters::media::{media_parameter, media_type};
use crate::types::Bytes;

/// The maximum number of parts in a body.
const MAX_PARTS: usize = 1024;

/// The maximum size of the headers of one part, in bytes.
const MAX_HEADERS: usize = 8 * 1024;

/// The maximum length of a boundary (RFC 2046).
const MAX_BOUNDARY: usize = 70;

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The name of the field.
    pub(crate) name: String,
    /// The name of the file, if the part is a file.
    pub(crate) file_name: Option<String>,
    /// The media type in the part's headers.
    pub(crate) content_type: Option<String>,
    /// The content.
    pub(crate) data: Bytes,
}

/// The reason why a body is not a valid multipart body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum BadMultipart {
    /// The `Content-Type` header has no boundary, or an empty or too long one.
    #[error("the content type has no valid boundary")]
    NoBoundary,
    /// The body has no first boundary.
    #[error("the body doesn't begin with its boundary")]
    NoBeginning,
    /// The body ends within a part.
    #[error("the body ends before its last boundary")]
    NoEnd,
    /// The headers of a part are malformed.
    #[error("a part's headers are malformed")]
    BadHeaders,
    /// The body has more than [`MAX_PARTS`] parts.
    #[error("the body has more than 1024 parts")]
    TooManyParts,
}

/// Returns the parts of a body. `content_type` is its `Content-Type` header.
pub(crate) fn parse(content_type: &str, body: &Bytes) -> Result<Vec<Part>, BadMultipart> {
    let boundary = media_parameter(content_type, "boundary").ok_or(BadMultipart::NoBoundary)?;
    if boundary.is_empty() || boundary.len() > MAX_BOUNDARY {
        return Err(BadMultipart::NoBoundary);
    }
    let delimiter = format!("\r\n--{boundary}");
    let finder = Finder::new(delimiter.as_bytes());
    let mut rest = beginning(body, &finder, &delimiter)?;
    let mut parts = Vec::new();
    // `rest` begins after a boundary.
    while !rest.starts_with(b"--") {
        if parts.len() == MAX_PARTS {
            return Err(BadMultipart::TooManyParts);
        }
        rest = behind_padding(rest).ok_or(BadMultipart::BadHeaders)?;
        let (headers, content) = headers(rest)?;
        // The blank line after the headers is searched too: the boundary of an empty part may begin with its
        // line break.
        let end = finder.find(content).ok_or(BadMultipart::NoEnd)?;
        let (content, behind) = content.split_at_checked(end).ok_or(BadMultipart::NoEnd)?;
        let data = content.strip_prefix(b"\r\n").unwrap_or_default();
        parts.push(part(headers, body.slice_ref(data))?);
        rest = behind.get(delimiter.len()..).ok_or(BadMultipart::NoEnd)?;
    }
    Ok(parts)
}

/// Returns the text after the first boundary; ignores the preamble before it.
fn beginning<'a>(body: &'a [u8], finder: &Finder<'_>, delimiter: &str) -> Result<&'a [u8], BadMultipart> {
    let without_line_break = delimiter.trim_start();
    if let Some(rest) = body.strip_prefix(without_line_break.as_bytes()) {
        return Ok(rest);
    }
    let start = finder.find(body).ok_or(BadMultipart::NoBeginning)?;
    body.get(start + delimiter.len()..).ok_or(BadMultipart::NoBeginning)
}

/// Returns the text after the line of a boundary.
fn behind_padding(mut line: &[u8]) -> Option<&[u8]> {
    while let [b' ' | b'\t', rest @ ..] = line {
        line = rest;
    }
    line.strip_prefix(b"\r\n")
}

/// Returns the headers of a part and the remaining text.
///
/// The remaining text is the line break of the blank line, then the content.
fn headers(part: &[u8]) -> Result<(&[u8], &[u8]), BadMultipart> {
    if part.starts_with(b"\r\n") {
        return Ok((&[], part));
    }
    let window = part.get(..MAX_HEADERS).unwrap_or(part);
    let end = memchr::memmem::find(window, b"\r\n\r\n").ok_or(BadMultipart::BadHeaders)?;
    let (headers, behind) = part.split_at_checked(end).ok_or(BadMultipart::BadHeaders)?;
    Ok((headers, behind.strip_prefix(b"\r\n").unwrap_or_default()))
}

fn part(headers: &[u8], data: Bytes) -> Result<Part, BadMultipart> {
    let mut disposition = None;
    let mut content_type = None;
    for line in headers.split(|byte| *byte == b'\n') {
        let line = std::str::from_utf8(trim(line)).map_err(|_| BadMultipart::BadHeaders)?;
        let (name, value) = line.split_once(':').ok_or(BadMultipart::BadHeaders)?;
        if name.eq_ignore_ascii_case("content-disposition") {
            disposition = Some(value);
        } else if name.eq_ignore_ascii_case("content-type") {
            content_type = Some(value.trim().to_owned());
        }
    }
    let disposition = disposition.ok_or(BadMultipart::BadHeaders)?;
    if !media_type(disposition).eq_ignore_ascii_case("form-data") {
        return Err(BadMultipart::BadHeaders);
    }
    let name = disposition_parameter(disposition, "name").ok_or(BadMultipart::BadHeaders)?;
    Ok(Part { name, file_name: disposition_parameter(disposition, "filename"), content_type, data })
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
    use proptest::prelude::*;

    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=XX";

    fn told(body: &[u8]) -> Result<Vec<Part>, BadMultipart> {
        parse(TYPE, &Bytes::copy_from_slice(body))
    }

    fn part(name: &str, file_name: Option<&str>, content_type: Option<&str>, data: &'static [u8]) -> Part {
        Part {
            name: name.to_owned(),
            file_name: file_name.map(str::to_owned),
            content_type: content_type.map(str::to_owned),
            data: Bytes::from_static(data),
        }
    }

    #[test]
    fn cuts_into_parts() {
        let body = b"a preamble\r\n--XX \t\r\n\
            Content-Disposition: form-data; name=\"text\"\r\n\r\n\
            one\r\ntwo\r\n--XX\r\n\
            content-type: image/png\r\nCONTENT-DISPOSITION: form-data; name=\"file\"; filename=\"a%22b.png\"\r\n\r\n\
            \xff\x00\r\n--X\r\n--XX\r\n\
            Content-Disposition: form-data; name*=utf-8''%C3%A9; filename=x; filename*=UTF-8''%20y\r\n\r\n\
            \r\n--XX--\r\nan epilogue";
        assert_eq!(
            told(body).unwrap(),
            [
                part("text", None, None, b"one\r\ntwo"),
                part("file", Some("a\"b.png"), Some("image/png"), b"\xff\x00\r\n--X"),
                part("é", Some(" y"), None, b""),
            ]
        );
    }

    #[test]
    fn a_body_may_have_no_parts() {
        assert_eq!(told(b"--XX--\r\n"), Ok(Vec::new()));
        assert_eq!(told(b"--XX--"), Ok(Vec::new()));
    }

    #[test]
    fn refuses_what_is_no_multipart_body() {
        let whole = b"--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX--";
        assert!(told(whole).is_ok());
        for end in 0..whole.len() {
            assert!(told(&whole[..end]).is_err(), "cut at {end}");
        }
        for (body, expected) in [
            (&b""[..], BadMultipart::NoBeginning),
            (b"no boundary", BadMultipart::NoBeginning),
            (b"--XX\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (b"--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (
                b"--XX\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n--XX--",
                BadMultipart::BadHeaders,
            ),
            (b"--XX\r\nno header\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (b"--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--YY--", BadMultipart::NoEnd),
        ] {
            assert_eq!(told(body), Err(expected), "{}", String::from_utf8_lossy(body));
        }
        for content_type in
            ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\""]
        {
            assert_eq!(parse(content_type, &Bytes::new()), Err(BadMultipart::NoBoundary));
        }
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        assert_eq!(parse(&long, &Bytes::new()), Err(BadMultipart::NoBoundary));
    }

    #[test]
    fn caps_parts_and_headers() {
        let part = "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n";
        assert_eq!(
            told(format!("{}--XX--", part.repeat(MAX_PARTS)).as_bytes()).map(|parts| parts.len()),
            Ok(MAX_PARTS)
        );
        let body = format!("{}--XX--", part.repeat(MAX_PARTS + 1));
        assert_eq!(told(body.as_bytes()), Err(BadMultipart::TooManyParts));
        let header =
            format!("--XX\r\nx: {}\r\n{}", "y".repeat(MAX_HEADERS), part.trim_start_matches("--XX\r\n"));
        assert_eq!(told(format!("{header}--XX--").as_bytes()), Err(BadMultipart::BadHeaders));
    }

    proptest! {
        #[test]
        fn never_panics(body in proptest::collection::vec(prop_oneof![
            Just(b"--XX".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"Content-Disposition: form-data; name=\"a\"".to_vec()),
            Just(b"filename*=utf-8''%".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..8),
        ], 0..12)) {
            let body: Vec<u8> = body.concat();
            let _ = told(&body);
        }
    }
}

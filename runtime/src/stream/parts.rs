//! Splits a multipart body into its parts, whole or while it arrives.

use std::ops::Range;

use memchr::memmem::Finder;
use thiserror::Error;

use crate::codec::Bytes;

/// The maximum number of parts in a body that is read as a whole.
const MAX_PARTS: usize = 1024;

/// The maximum size of the headers of one part, in bytes.
const MAX_HEADERS: usize = 8 * 1024;

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The names in lower case and the values of the headers.
    pub(crate) headers: Vec<(String, String)>,
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
    /// A part is larger than its limit.
    #[error("a part is larger than the limit of {0} bytes")]
    TooLarge(u64),
}

/// A splitter of a multipart body.
#[derive(Debug)]
pub(crate) struct PartSplitter {
    /// The line break before a boundary, and the boundary.
    delimiter: Vec<u8>,
    finder: Finder<'static>,
    step: Step,
    /// The bytes of a part whose end has not arrived yet.
    held: Vec<u8>,
    limit: u64,
}

/// The next part of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The first boundary. `true` if nothing was read before.
    Beginning(bool),
    /// The rest of the line of a boundary, then a part. The end of the part is after this many bytes.
    Part(usize),
    /// Nothing but an epilogue.
    Ended,
}

/// A step in the bytes that were received.
enum Found {
    /// The first boundary, which ends here.
    Beginning(usize),
    /// A part: its headers, its content, and the end of the boundary after it.
    Part(Range<usize>, Range<usize>, usize),
    /// The end of the body.
    End,
}

impl PartSplitter {
    /// Creates a splitter. A part must have at most `limit` bytes.
    pub(crate) fn new(boundary: &str, limit: u64) -> Self {
        let delimiter = format!("\r\n--{boundary}").into_bytes();
        let finder = Finder::new(&delimiter).into_owned();
        Self { delimiter, finder, step: Step::Beginning(true), held: Vec::new(), limit }
    }

    /// Takes the next part from `input`, or all of `input` if no part ends in it.
    ///
    /// A part that is in `input` as a whole is not copied.
    pub(crate) fn next(&mut self, input: &mut Bytes) -> Result<Option<Part>, BadMultipart> {
        loop {
            if !self.held.is_empty() {
                self.held.extend_from_slice(&std::mem::take(input));
            }
            let Some(found) = self.find(if self.held.is_empty() { input } else { &self.held })? else {
                if self.held.is_empty() {
                    self.held = std::mem::take(input).into();
                }
                self.keep();
                return self.check(self.held.len()).map(|()| None);
            };
            if !self.held.is_empty() {
                *input = std::mem::take(&mut self.held).into();
            }
            match found {
                Found::Beginning(end) => {
                    drop(input.split_to(end));
                    self.step = Step::Part(0);
                }
                Found::Part(headers, content, end) => {
                    self.check(end)?;
                    self.step = Step::Part(0);
                    let bytes = input.split_to(end);
                    let headers = header_lines(bytes.get(headers).unwrap_or_default())?;
                    return Ok(Some(Part { headers, data: bytes.slice(content) }));
                }
                Found::End => {
                    self.step = Step::Ended;
                    *input = Bytes::new();
                    return Ok(None);
                }
            }
        }
    }

    /// Returns whether the last boundary was read.
    pub(crate) fn has_ended(&self) -> bool {
        self.step == Step::Ended
    }

    /// Checks that the body ends here.
    pub(crate) fn end(&self) -> Result<(), BadMultipart> {
        match self.step {
            Step::Beginning(_) => Err(BadMultipart::NoBeginning),
            Step::Part(_) => Err(BadMultipart::NoEnd),
            Step::Ended => Ok(()),
        }
    }

    fn check(&self, size: usize) -> Result<(), BadMultipart> {
        if size as u64 > self.limit { Err(BadMultipart::TooLarge(self.limit)) } else { Ok(()) }
    }

    /// Drops the bytes that can't be a part of what the next ones complete.
    fn keep(&mut self) {
        let tail = self.held.len().saturating_sub(self.delimiter.len() - 1);
        let line = self.delimiter.get(2..).unwrap_or_default();
        match &mut self.step {
            Step::Beginning(true) if line.starts_with(&self.held) => {}
            Step::Beginning(is_first) => {
                *is_first = false;
                drop(self.held.drain(..tail));
            }
            Step::Part(searched) => *searched = tail,
            Step::Ended => {}
        }
    }

    /// Finds the next step, or nothing if more bytes are needed.
    fn find(&self, bytes: &[u8]) -> Result<Option<Found>, BadMultipart> {
        match self.step {
            Step::Beginning(is_first) => Ok(self.beginning(bytes, is_first).map(Found::Beginning)),
            Step::Part(searched) => self.part(bytes, searched),
            Step::Ended => Ok(Some(Found::End)),
        }
    }

    /// Finds the end of the first boundary and ignores the preamble before it.
    fn beginning(&self, bytes: &[u8], is_first: bool) -> Option<usize> {
        let line = self.delimiter.get(2..).unwrap_or_default();
        if is_first && bytes.starts_with(line) {
            return Some(line.len());
        }
        Some(self.finder.find(bytes)? + self.delimiter.len())
    }

    /// Finds the end of the part after a boundary. The first `searched` bytes don't contain it.
    fn part(&self, bytes: &[u8], searched: usize) -> Result<Option<Found>, BadMultipart> {
        if bytes.starts_with(b"--") {
            return Ok(Some(Found::End));
        }
        let padding = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if padding > MAX_HEADERS {
            return Err(BadMultipart::BadHeaders);
        }
        let start = padding + 2;
        let (Some(line_end), Some(rest)) = (bytes.get(padding..start), bytes.get(start..)) else {
            let is_start = is_start_of(bytes.get(padding..), &[b"\r\n", b"--"]);
            return if is_start { Ok(None) } else { Err(BadMultipart::BadHeaders) };
        };
        if line_end != b"\r\n" {
            return Err(BadMultipart::BadHeaders);
        }
        let Some(headers) = header_size(rest)? else { return Ok(None) };
        // The line break after the headers is searched too: the boundary of an empty part may begin with it.
        let content = start + headers;
        let from = content.max(searched);
        let Some(found) = bytes.get(from..).and_then(|bytes| self.finder.find(bytes)) else {
            return Ok(None);
        };
        let end = from + found;
        let content = (content + 2).min(end)..end;
        Ok(Some(Found::Part(start..start + headers, content, end + self.delimiter.len())))
    }
}

/// Returns whether bytes are the start of one of these texts.
fn is_start_of(bytes: Option<&[u8]>, texts: &[&[u8]]) -> bool {
    bytes.is_some_and(|bytes| texts.iter().any(|text| text.starts_with(bytes)))
}

/// Returns the size of the headers at the start of a part, without the blank line after them.
///
/// The result is `None` if they have not arrived as a whole. The line break of the last header belongs to the blank
/// line.
fn header_size(part: &[u8]) -> Result<Option<usize>, BadMultipart> {
    if part.starts_with(b"\r\n") {
        return Ok(Some(0));
    }
    let window = part.get(..MAX_HEADERS).unwrap_or(part);
    match memchr::memmem::find(window, b"\r\n\r\n") {
        Some(end) => Ok(Some(end + 2)),
        None if part.len() < MAX_HEADERS => Ok(None),
        None => Err(BadMultipart::BadHeaders),
    }
}

fn header_lines(headers: &[u8]) -> Result<Vec<(String, String)>, BadMultipart> {
    let lines = headers.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let header = |line| {
        let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    lines.map(|line| header(line).ok_or(BadMultipart::BadHeaders)).collect()
}

/// Returns the parts of a whole body.
pub(crate) fn split(boundary: &str, body: &Bytes) -> Result<Vec<Part>, BadMultipart> {
    let mut splitter = PartSplitter::new(boundary, u64::MAX);
    let mut rest = body.clone();
    let mut parts = Vec::new();
    while let Some(part) = splitter.next(&mut rest)? {
        if parts.len() == MAX_PARTS {
            return Err(BadMultipart::TooManyParts);
        }
        parts.push(part);
    }
    splitter.end().map(|()| parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reported(body: &[u8]) -> Result<Vec<Part>, BadMultipart> {
        split("XX", &Bytes::copy_from_slice(body))
    }

    fn part(headers: &[(&str, &str)], data: &'static [u8]) -> Part {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Part { headers: headers.collect(), data: Bytes::from_static(data) }
    }

    /// Splits a body that arrives in pieces of this size.
    fn piecewise(body: &[u8], size: usize, limit: u64) -> Result<Vec<Part>, BadMultipart> {
        let mut splitter = PartSplitter::new("XX", limit);
        let mut parts = Vec::new();
        for piece in body.chunks(size) {
            let mut piece = Bytes::copy_from_slice(piece);
            while let Some(part) = splitter.next(&mut piece)? {
                parts.push(part);
            }
            assert!(piece.is_empty(), "a piece is taken as a whole");
        }
        splitter.end().map(|()| parts)
    }

    const BODY: &[u8] = b"a preamble\r\n--XX \t\r\n\
        A: 1\r\n\r\n\
        one\r\ntwo\r\n--XX\r\n\
        b: 2;\r\nC :  3 \r\n\r\n\
        \xff\x00\r\n--X\r\n--XX\r\n\
        \r\n\r\n--XX\r\n\
        \r\n--XX\r\n\
        d:\r\n\r\n--XX--\r\nan epilogue";

    #[test]
    fn cuts_into_parts() {
        let expected = [
            part(&[("a", "1")], b"one\r\ntwo"),
            part(&[("b", "2;"), ("c ", "3")], b"\xff\x00\r\n--X"),
            part(&[], b""),
            part(&[], b""),
            part(&[("d", "")], b""),
        ];
        assert_eq!(reported(BODY).unwrap(), expected);
        for size in 1..BODY.len() {
            assert_eq!(piecewise(BODY, size, u64::MAX).unwrap(), expected, "{size}");
        }
    }

    #[test]
    fn a_part_arrives_with_the_boundary_behind_it() {
        let mut splitter = PartSplitter::new("XX", u64::MAX);
        let mut next =
            |piece: &'static str| splitter.next(&mut Bytes::from_static(piece.as_bytes())).unwrap();
        assert_eq!(next("--XX\r\n\r\none\r\n--X"), None);
        assert_eq!(next("X"), Some(part(&[], b"one")));
        assert_eq!(next("\r\n\r\ntwo"), None);
        assert_eq!(next("\r\n--XX--"), Some(part(&[], b"two")));
        assert_eq!(next(""), None);
        assert!(!splitter.has_ended(), "the rest of the last piece was not passed on");
        assert_eq!(splitter.next(&mut Bytes::from_static(b"--\r\nmore")), Ok(None));
        assert!(splitter.has_ended() && splitter.end().is_ok());
    }

    #[test]
    fn a_body_may_have_no_parts() {
        assert_eq!(reported(b"--XX--\r\n"), Ok(Vec::new()));
        assert_eq!(reported(b"--XX--"), Ok(Vec::new()));
    }

    #[test]
    fn refuses_what_is_no_multipart_body() {
        let whole = b"--XX\r\na: b\r\n\r\n1\r\n--XX--";
        assert!(reported(whole).is_ok());
        for end in 0..whole.len() {
            assert!(reported(&whole[..end]).is_err(), "cut at {end}");
        }
        for (body, expected) in [
            (&b""[..], BadMultipart::NoBeginning),
            (b"no boundary", BadMultipart::NoBeginning),
            (b"x--XX\r\n\r\n1", BadMultipart::NoBeginning),
            (b"--XXX\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (b"--XX\r\nno header\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (b"--XX\r\na: \xff\r\n\r\n1\r\n--XX--", BadMultipart::BadHeaders),
            (b"--XX\r\na: b\r\n\r\n1\r\n--YY--", BadMultipart::NoEnd),
        ] {
            assert_eq!(reported(body), Err(expected), "{}", String::from_utf8_lossy(body));
            if !body.is_empty() {
                assert_eq!(piecewise(body, 1, u64::MAX), Err(expected), "{}", String::from_utf8_lossy(body));
            }
        }
    }

    #[test]
    fn caps_parts_and_headers() {
        let part = "--XX\r\na: b\r\n\r\n\r\n";
        let parts = |count| format!("{}--XX--", part.repeat(count)).into_bytes();
        assert_eq!(reported(&parts(MAX_PARTS)).map(|parts| parts.len()), Ok(MAX_PARTS));
        assert_eq!(reported(&parts(MAX_PARTS + 1)), Err(BadMultipart::TooManyParts));
        for long in [format!("x: {}\r\n", "y".repeat(MAX_HEADERS)), " ".repeat(MAX_HEADERS + 2)] {
            let body = format!("--XX\r\n{long}\r\n\r\n--XX--").replace("--XX\r\n ", "--XX ");
            assert_eq!(reported(body.as_bytes()), Err(BadMultipart::BadHeaders));
            assert_eq!(piecewise(body.as_bytes(), 100, u64::MAX), Err(BadMultipart::BadHeaders));
        }
    }

    /// A part can't be larger than the limit, whether it ends or not. A preamble is not held.
    #[test]
    fn caps_what_is_held() {
        let data = "y".repeat(100);
        for end in ["", "\r\n--XX--"] {
            let body = format!("--XX\r\n\r\n{data}{end}");
            for size in [1, 30, body.len()] {
                assert_eq!(piecewise(body.as_bytes(), size, 100), Err(BadMultipart::TooLarge(100)), "{size}");
            }
        }
        let body = format!("{data}\r\n--XX\r\n\r\n{data}\r\n--XX--");
        assert_eq!(piecewise(body.as_bytes(), 10, 120).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            body in proptest::collection::vec(prop_oneof![
                Just(b"--XX".to_vec()),
                Just(b"\r\n".to_vec()),
                Just(b"\r\n--XX\r\n\r\n".to_vec()),
                Just(b"a: b".to_vec()),
                Just(b"--".to_vec()),
                proptest::collection::vec(any::<u8>(), 0..8),
            ], 0..12),
            size in 1_usize..20,
        ) {
            let body: Vec<u8> = body.concat();
            prop_assert_eq!(reported(&body), piecewise(&body, size, u64::MAX).or_else(|error| {
                if body.is_empty() { reported(&body) } else { Err(error) }
            }));
        }
    }
}

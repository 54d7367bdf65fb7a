//! Decoding of a raw request into an operation's input, or into its violations.
//!
//! **The fast path** reads the parameters and the body directly into the input, and then validates it once. A
//! valid request needs no other step. **The slow path** runs if either of these fails. It walks every
//! parameter and the body along the table and reports all violations, so that a caller need not fix them one
//! by one. It also runs, and decides, if a constraint depends on something that the decoded input does not hold.

mod refuse;

use std::cell::Cell;

use http::HeaderMap;
use thiserror::Error;

use crate::codec::{AdditionalProperties, Decode, DecodeError, Encode, Fill, Kind, Reader};
pub use crate::parameters::Payload;
use crate::parameters::{BodyError, Located, read_body};
use crate::table::{Content, Operation};
use crate::text::{Source, source_reader};
use crate::validation::{Verdict, Violations, check_decoded_input};

/// A raw request whose operation is known.
#[derive(Debug, Clone, Copy)]
pub struct RawRequest<'a> {
    /// The names and values of the path's parameters, still percent-encoded.
    pub path: &'a [(&'a str, &'a str)],
    /// The query, still percent-encoded and without the `?`.
    pub query: &'a str,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The index of the body's documented content.
    ///
    /// With `None`, the body counts as absent. Bodies of undocumented media types must be rejected before.
    pub content: Option<usize>,
    /// The body.
    pub body: Payload<'a>,
}

/// The reason why a request could not be decoded.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refused {
    /// Parameters or parts of the body violate constraints.
    ///
    /// The violations are in the order path, query, header, cookie, body, and within each of these in the
    /// order of the document. There is at least one.
    #[error("the request is invalid; number of violations: {}", .0.len())]
    Invalid(Violations),
    /// The body can't be parsed. The text describes the problem.
    #[error("the body is malformed: {0}")]
    MalformedBody(String),
    /// A part of the body is a file of an undocumented media type.
    #[error("the media type of the part `{part}` must be one of: {supported}")]
    PartType {
        /// The name of the part.
        part: &'static str,
        /// The documented media types.
        supported: &'static str,
    },
}

/// Decodes and validates an operation's input.
///
/// # Errors
/// Returns the violations of the operation's constraints, or the reason why the body can't be parsed.
pub fn decode_input<I: Decode + Encode>(
    operation: &'static Operation,
    raw: &RawRequest<'_>,
) -> Result<I, Refused> {
    let request = Request::new(operation, raw);
    match I::decode(&mut source_reader(&request)) {
        Ok(input) => request.validate(&input).map(|()| input),
        Err(_) => Err(request.refuse()),
    }
}

/// A request, split into parameters and body.
struct Request<'a> {
    operation: &'static Operation,
    parameters: Located<'a>,
    raw: &'a RawRequest<'a>,
    /// Whether a reader skipped a field that the input can't hold.
    has_skipped: Cell<bool>,
    /// Why the body can't be read, if decoding reached it. It takes precedence over all violations.
    unread: Cell<Option<Refused>>,
}

/// The presence of a body.
enum Presence {
    /// The request has no body, and none is required.
    Absent,
    /// The request has no body, but one is required.
    Missing,
    /// The request has a body of this content, which has this index.
    Here(usize, &'static Content),
}

impl<'a> Request<'a> {
    fn new(operation: &'static Operation, raw: &'a RawRequest<'a>) -> Self {
        let parameters = Located::new(operation, raw.path, raw.query, raw.headers);
        Self { operation, parameters, raw, has_skipped: Cell::new(false), unread: Cell::default() }
    }

    /// Validates the input that was decoded from this request.
    fn validate(&self, input: &dyn Encode) -> Result<(), Refused> {
        match check_decoded_input(self.operation, input, self.has_skipped.get()) {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => Err(self.refuse()),
            Verdict::Unknown => {
                let violations = self.violations()?;
                if violations.is_empty() { Ok(()) } else { Err(Refused::Invalid(violations)) }
            }
        }
    }

    /// Reads a value into the slot at `index`.
    fn fill(
        &self,
        slots: &mut [&mut dyn Fill],
        index: usize,
        reader: &mut dyn Reader,
    ) -> Result<(), DecodeError> {
        let Some(slot) = slots.get_mut(index) else { return Ok(()) };
        if slot.is_filled() {
            return Err(DecodeError::duplicate(""));
        }
        slot.fill(reader)?;
        self.has_skipped.set(self.has_skipped.get() || reader.has_skipped());
        Ok(())
    }

    fn body(&self) -> Presence {
        let Some(body) = &self.operation.body else { return Presence::Absent };
        let content = self.raw.content.and_then(|index| Some((index, body.contents.get(index)?)));
        match content {
            Some((index, content)) if !self.is_empty() => Presence::Here(index, content),
            // A form without fields has no bytes, and neither has a stream without items.
            Some((index, content)) if body.required && content.format.can_be_empty() => {
                Presence::Here(index, content)
            }
            _ if body.required => Presence::Missing,
            _ => Presence::Absent,
        }
    }

    /// Returns whether the body has no bytes.
    ///
    /// A body that is streamed counts as not empty.
    fn is_empty(&self) -> bool {
        matches!(self.raw.body, Payload::Bytes(bytes) if bytes.is_empty())
    }

    fn read_body(
        &self,
        (index, content): (usize, &'static Content),
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError>,
    ) -> Result<(), BodyError> {
        read_body(content, index, self.raw.headers, self.raw.body, read)
    }
}

/// The fields of an input are the parameters in order, then the body.
///
/// An error has no location, because the slow path finds it.
impl Source for &Request<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    /// Reads the parameters of an operation without input, because a closed query must have none.
    fn skip(&self) -> Result<(), DecodeError> {
        self.parameters.read_all(&mut |_, _| Ok(()))
    }

    fn object(
        &self,
        _names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        _rest: &mut AdditionalProperties<'_>,
        _has_skipped: &mut bool,
    ) -> Result<(), DecodeError> {
        self.parameters.read_all(&mut |index, reader| self.fill(slots, index, reader))?;
        let Presence::Here(index, content) = self.body() else { return Ok(()) };
        let slot = self.operation.parameters.len();
        let read = self.read_body((index, content), &mut |reader| self.fill(slots, slot, reader));
        read.map_err(|error| match Refused::of(error) {
            Ok(error) => error,
            Err(refused) => {
                self.unread.set(Some(refused));
                DecodeError::custom("unread")
            }
        })
    }
}

impl Refused {
    /// Returns the error of a value in the body, or why the body has no value.
    fn of(error: BodyError) -> Result<DecodeError, Self> {
        match error {
            BodyError::Value(error) => Ok(error),
            BodyError::Malformed(detail) => Err(Self::MalformedBody(detail)),
            BodyError::PartType(row) => {
                let supported = row.content_type.unwrap_or_default();
                Err(Self::PartType { part: row.property, supported })
            }
        }
    }
}

#[cfg(test)]
mod tests;

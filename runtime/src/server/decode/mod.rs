//! From a raw request to an operation's input, or to everything that is wrong with it.
//!
//! **The fast path** reads each parameter and the body right into the input, and then the engine judges it once; what
//! is fine costs nothing more. **The slow path** is taken where either of them refuses: it walks every parameter and
//! the body along the table and reports all violations, because a caller should not learn of them one by one.

mod refuse;

use http::HeaderMap;
use thiserror::Error;

use crate::codec::{Decode, Encode, Fault, Fill, Kind, Reader, Rest};
pub use crate::parameters::Payload;
use crate::parameters::{BodyFault, Located, Of, Source, read_body};
use crate::table::{Content, ContentFormat, Operation};
use crate::validation::{Violations, check_input};

/// A request whose operation is known, as it came.
#[derive(Debug, Clone, Copy)]
pub struct RawRequest<'a> {
    /// What stands in the path for the template's parameters: names and texts, still percent-encoded.
    pub path: &'a [(&'a str, &'a str)],
    /// The query, still percent-encoded, without the `?`.
    pub query: &'a str,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// Which of the body's documented contents it is. Without one, the body is taken for absent: what is of another
    /// media type must be refused before.
    pub content: Option<usize>,
    /// The body.
    pub body: Payload<'a>,
}

/// Why a request has no input.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refused {
    /// Parameters or parts of the body break rules: all of them, in the order path, query, header, cookie, body, and
    /// within each in the order of the document. There is at least one.
    #[error("the request breaks {} rules", .0.len())]
    Invalid(Violations),
    /// The body is not of its format at all; what is wrong with it.
    #[error("the body is malformed: {0}")]
    MalformedBody(String),
}

/// Reads and checks an operation's input.
///
/// # Errors
/// The request breaks the operation's rules.
pub fn decode_input<I: Decode + Encode>(
    operation: &'static Operation,
    raw: &RawRequest<'_>,
) -> Result<I, Refused> {
    let request = Request::new(operation, raw);
    match I::decode(&mut Of(&request)) {
        Ok(input) if check_input(operation, &input) => Ok(input),
        Ok(_) | Err(_) => Err(request.refuse()),
    }
}

/// A request that is split into parameters and body.
struct Request<'a> {
    operation: &'static Operation,
    parameters: Located<'a>,
    raw: &'a RawRequest<'a>,
}

/// What there is of a body.
enum Presence {
    /// Nothing, and nothing is needed.
    Absent,
    /// Nothing, though it is required.
    Missing,
    /// A body of this content, with its place among the documented ones.
    Here(usize, &'static Content),
}

impl<'a> Request<'a> {
    fn new(operation: &'static Operation, raw: &'a RawRequest<'a>) -> Self {
        let parameters = Located::new(operation.parameters, raw.path, raw.query, raw.headers);
        Self { operation, parameters, raw }
    }

    fn body(&self) -> Presence {
        let Some(body) = &self.operation.body else { return Presence::Absent };
        let content = self.raw.content.and_then(|index| Some((index, body.contents.get(index)?)));
        match content {
            Some((index, content)) if !self.is_empty() => Presence::Here(index, content),
            // A form without fields has no bytes.
            Some((index, content)) if body.required && content.format == ContentFormat::Form => {
                Presence::Here(index, content)
            }
            _ if body.required => Presence::Missing,
            _ => Presence::Absent,
        }
    }

    /// Whether the body has no bytes; one that only begins to come is taken to have some.
    fn is_empty(&self) -> bool {
        matches!(self.raw.body, Payload::Bytes(bytes) if bytes.is_empty())
    }

    fn read_body(
        &self,
        (index, content): (usize, &'static Content),
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<(), Fault>,
    ) -> Result<(), BodyFault> {
        read_body(content, index, self.raw.headers, self.raw.body, read)
    }
}

/// The fields of an input are the parameters in order, then the body.
impl Source for &Request<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    fn object(
        &self,
        _names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        _rest: &mut Rest<'_>,
    ) -> Result<(), Fault> {
        let mut slots = slots.iter_mut();
        for (parameter, slot) in self.operation.parameters.iter().zip(&mut slots) {
            self.parameters
                .read(parameter, &mut |reader| slot.fill(reader))
                .map_err(|fault| fault.in_field(parameter.name))?;
        }
        match (self.body(), slots.next()) {
            (Presence::Here(index, content), Some(slot)) => {
                let read = self.read_body((index, content), &mut |reader| slot.fill(reader));
                read.map_err(|fault| fault.into_fault().in_field("body"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;

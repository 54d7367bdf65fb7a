//! The W3C trace context of a request: `traceparent`.

use std::fmt;

use axum::http::HeaderValue;
use rand::RngExt;

/// The flag of a trace that its beginner records.
const SAMPLED: u8 = 1;

/// The flags that are passed on: sampled, and that the trace id is random.
const FLAGS: u8 = 3;

/// A position in a trace: the trace, and the span that is the parent of what follows.
///
/// It is displayed as the value of `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceContext {
    /// Begins a trace.
    pub(super) fn new(is_sampled: bool) -> Self {
        let trace = rand::rng().random_range(1..=u128::MAX);
        Self { trace, span: random_span(), flags: u8::from(is_sampled) }
    }

    /// Returns the context of a new span of the same trace.
    pub(super) fn child(self) -> Self {
        Self { span: random_span(), ..self }
    }

    /// Parses the value of `traceparent`; returns `None` if it is not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let version = hex(parts.next()?, 2)?;
        let (trace, span, flags) = (hex(parts.next()?, 32)?, hex(parts.next()?, 16)?, hex(parts.next()?, 2)?);
        // Only a later version may have further parts.
        let is_valid = trace != 0 && span != 0 && version != 0xff && (version != 0 || parts.next().is_none());
        let (span, flags) = (u64::try_from(span).ok()?, u8::try_from(flags).ok()? & FLAGS);
        is_valid.then_some(Self { trace, span, flags })
    }

    /// Returns whether the beginner of the trace records it.
    pub(super) const fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// Returns the id of the trace, as 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(self) -> String {
        format!("{:032x}", self.trace)
    }

    /// Returns the id of the span, as 16 hexadecimal digits.
    pub(super) fn span_id(self) -> String {
        format!("{:016x}", self.span)
    }

    /// Returns the value of the header.
    pub(super) fn header(self) -> HeaderValue {
        HeaderValue::from_str(&self.to_string()).unwrap_or(HeaderValue::from_static(""))
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// Parses this many lowercase hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_hex = text.len() == digits && text.bytes().all(is_digit);
    is_hex.then(|| u128::from_str_radix(text, 16).ok())?
}

/// Returns an id that is not 0, which is invalid.
fn random_span() -> u64 {
    rand::rng().random_range(1..=u64::MAX)
}

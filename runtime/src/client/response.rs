//! What came back: decoded, or as it was.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};

use crate::types::ByteStream;

/// A decoded success, with what stood around it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response<T> {
    /// The status.
    pub status: StatusCode,
    /// All headers, documented or not.
    pub headers: HeaderMap,
    /// How many attempts it took; at least 1.
    pub attempts: u32,
    /// The decoded answer.
    pub value: T,
}

impl<T> Response<T> {
    pub(super) fn new(raw: RawResponse, value: T) -> Self {
        Self { status: raw.status, headers: raw.headers, attempts: raw.attempts, value }
    }

    /// The decoded answer alone.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }

    /// The same with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            status: self.status,
            headers: self.headers,
            attempts: self.attempts,
            value: change(self.value),
        }
    }
}

/// An answer as it came, whatever its status. Its `Debug` tells the body's length only.
#[derive(Clone)]
#[non_exhaustive]
pub struct RawResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// How many attempts it took; at least 1.
    pub attempts: u32,
    /// The whole body.
    pub body: Bytes,
    /// Whether it says of itself that no later try changes it, in the field that the API's document names
    /// (`x-permanent`).
    pub is_permanent: bool,
}

impl RawResponse {
    pub(super) const fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, attempts: 1, body, is_permanent: false }
    }

    /// The value of `Content-Type`, or the empty string.
    #[must_use]
    pub fn content_type(&self) -> &str {
        content_type(&self.headers)
    }

    /// How long the server asks to wait before the next try (`Retry-After`, in seconds or as a date).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers, SystemTime::now())
    }
}

/// An answer, of which the body may be still to come.
#[derive(Debug)]
pub struct Answer {
    /// What is here of it; a body that is to come is empty in it.
    pub raw: RawResponse,
    /// The body, if its reader gets it as it comes.
    pub stream: Option<ByteStream>,
}

impl From<RawResponse> for Answer {
    fn from(raw: RawResponse) -> Self {
        Self { raw, stream: None }
    }
}

impl fmt::Debug for RawResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("attempts", &self.attempts)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The media type in `Content-Type`, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    content_type(headers).split(';').next().unwrap_or_default().trim()
}

/// `Retry-After` of `headers`. A date is measured from the answer's own `Date`, so that a wrong clock on this side
/// does not matter, and from `now` only without one; a date in the past is no wait.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More seconds than 64 bits hold are still a wait, only a hopeless one.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let from = headers
        .get(header::DATE)
        .and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok())
        .unwrap_or(now);
    Some(until.duration_since(from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let cases = [
            (Some("0"), None, Some(0)),
            (Some(" 120 "), None, Some(120)),
            (Some("99999999999999999999999"), None, Some(u64::MAX)),
            (Some("Sun, 06 Nov 1994 08:49:47 GMT"), None, Some(10)),
            // The server's clock is an hour behind ours, and the wait is what it meant.
            (Some("Sun, 06 Nov 1994 07:50:00 GMT"), Some("Sun, 06 Nov 1994 07:49:30 GMT"), Some(30)),
            (Some("Sun, 06 Nov 1994 08:49:47 GMT"), Some("yesterday"), Some(10)),
            (Some("Sun, 06 Nov 1994 08:00:00 GMT"), None, Some(0)),
            (Some("-1"), None, None),
            (Some("1.5"), None, None),
            (Some("soon"), None, None),
            (Some(""), None, None),
            (None, None, None),
        ];
        for (text, date, seconds) in cases {
            let mut headers = HeaderMap::new();
            if let Some(text) = text {
                headers.insert(header::RETRY_AFTER, text.parse().unwrap());
            }
            if let Some(date) = date {
                headers.insert(header::DATE, date.parse().unwrap());
            }
            assert_eq!(retry_after(&headers, now), seconds.map(Duration::from_secs), "{text:?} {date:?}");
        }
    }
}

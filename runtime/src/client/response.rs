//! Responses: decoded or raw.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use reqwest::Url;

use super::platform::wall_clock;
use crate::types::ByteStream;

/// A decoded success, with its status and headers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response<T> {
    /// The status.
    pub status: StatusCode,
    /// All headers, documented or not.
    pub headers: HeaderMap,
    /// The number of attempts, at least 1.
    pub attempts: u32,
    /// Whether the operation documents the status.
    ///
    /// If not, the response was decoded as the only documented success.
    pub is_documented: bool,
    /// The output.
    pub value: T,
}

impl<T> Response<T> {
    pub(super) fn new(raw: RawResponse, is_documented: bool, value: T) -> Self {
        let RawResponse { status, headers, attempts, .. } = raw;
        Self { status, headers, attempts, is_documented, value }
    }

    /// Returns the output.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }

    /// Converts the output.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            status: self.status,
            headers: self.headers,
            attempts: self.attempts,
            is_documented: self.is_documented,
            value: change(self.value),
        }
    }
}

/// A complete response with any status.
///
/// Its `Debug` output shows only the body's length.
#[derive(Clone)]
#[non_exhaustive]
pub struct RawResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The number of attempts, at least 1.
    pub attempts: u32,
    /// The whole body.
    pub body: Bytes,
    /// Whether the response states that no later attempt changes it.
    ///
    /// The API's document names the field that states this (`x-permanent`).
    pub is_permanent: bool,
    /// Whether a date-time without an offset is one in UTC.
    pub(super) assumes_utc: bool,
    /// The URL that the response is from, with credentials in its query. References in the response are relative to it.
    pub(super) url: Option<Box<Url>>,
}

impl RawResponse {
    pub(super) const fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, attempts: 1, body, is_permanent: false, assumes_utc: false, url: None }
    }

    /// Returns the value of `Content-Type`, or an empty string.
    #[must_use]
    pub fn content_type(&self) -> &str {
        content_type(&self.headers)
    }

    /// Returns how long the server asks to wait (`Retry-After`).
    ///
    /// The header holds seconds or a date.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers, wall_clock())
    }
}

/// A response whose body may not have been received yet.
#[derive(Debug)]
pub struct Received {
    /// The response. Its body is empty if it is streamed.
    pub raw: RawResponse,
    /// The body, if it is streamed.
    pub stream: Option<ByteStream>,
    /// Whether a success with an undocumented status is an error.
    pub is_strict: bool,
}

impl From<RawResponse> for Received {
    fn from(raw: RawResponse) -> Self {
        Self { raw, stream: None, is_strict: false }
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

/// Returns the value of `Content-Type`, or an empty string.
pub(super) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns the media type in `Content-Type`, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    content_type(headers).split(';').next().unwrap_or_default().trim()
}

/// Returns the wait that `Retry-After` asks for.
///
/// A date is compared with the response's own `Date`, so that a wrong local clock does not matter, and with
/// `now` if there is none. A date in the past is a wait of zero.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number beyond 64 bits is the longest possible wait.
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
            // The server's clock is an hour behind. The wait is relative to its clock.
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

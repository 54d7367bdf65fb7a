//! Request ids: the client's id if it is valid, else a new one.
//!
//! The log and the response carry the id.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use rand::RngExt;

/// The header that carries the id, in requests and responses.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The maximum length of a client's id, in characters.
const LENGTH: usize = 64;

/// Returns the id of a request.
pub(super) fn of(headers: &HeaderMap) -> HeaderValue {
    let mut given = headers.get_all(REQUEST_ID).iter();
    match (given.next(), given.next()) {
        (Some(id), None) if is_id(id) => id.clone(),
        // Other characters or lengths could forge or flood log lines.
        _ => new(),
    }
}

/// Creates an id that sorts by time. `Uuid::now_v7` would ask the system for each.
fn new() -> HeaderValue {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = u64::try_from(now.as_millis()).unwrap_or_default();
    let id = uuid::Builder::from_unix_timestamp_millis(milliseconds, &rand::rng().random()).into_uuid();
    let mut buffer = uuid::Uuid::encode_buffer();
    let id = id.hyphenated().encode_lower(&mut buffer);
    HeaderValue::from_str(id).unwrap_or(HeaderValue::from_static("none"))
}

fn is_id(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    (1..=LENGTH).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_can_be_one_stay() {
        let long = "a".repeat(LENGTH);
        let too_long = "a".repeat(LENGTH + 1);
        for (ids, stays) in [
            (&["0193b7a2-6b1e-7c3a.A_z"][..], true),
            (&[long.as_str()], true),
            (&[too_long.as_str()], false),
            (&[""], false),
            (&["a b"], false),
            (&["a\"b"], false),
            (&["svc\u{e9}"], false),
            (&["a", "b"], false),
        ] {
            let mut headers = HeaderMap::new();
            for id in ids {
                headers.append(REQUEST_ID, HeaderValue::from_bytes(id.as_bytes()).unwrap());
            }
            assert_eq!(of(&headers).as_bytes() == ids[0].as_bytes(), stays, "{ids:?}");
        }
    }
}

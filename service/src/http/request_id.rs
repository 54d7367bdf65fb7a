//! The id of each request: the client's, where it can be one, else a new one. It is in the log and in the answer.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use tower_http::request_id::{MakeRequestId, RequestId};

/// The header that has it.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The most characters of one.
const LENGTH: usize = 64;

/// Takes out ids that can't be one: whoever reads the log must be able to trust its lines.
pub(super) fn strike(mut request: Request) -> Request {
    let headers = request.headers_mut();
    let mut ids = headers.get_all(REQUEST_ID).iter();
    if ids.next().is_some_and(|first| !is_id(first) || ids.next().is_some()) {
        headers.remove(REQUEST_ID);
    }
    request
}

fn is_id(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    (1..=LENGTH).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// New ids, which sort by time.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRequestId;

impl MakeRequestId for NewRequestId {
    fn make_request_id<B>(&mut self, _request: &axum::http::Request<B>) -> Option<RequestId> {
        let id = uuid::Uuid::now_v7().to_string();
        HeaderValue::from_str(&id).ok().map(RequestId::new)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

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
            let mut request = Request::new(Body::empty());
            for id in ids {
                request.headers_mut().append(REQUEST_ID, HeaderValue::from_bytes(id.as_bytes()).unwrap());
            }
            assert_eq!(strike(request).headers().contains_key(REQUEST_ID), stays, "{ids:?}");
        }
    }
}

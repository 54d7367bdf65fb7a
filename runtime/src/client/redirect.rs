//! Redirects: which ones are followed, and to where.

use http::{Method, StatusCode, header::LOCATION};
use reqwest::{Request, Url};

use super::{Outgoing, Transport, TransportError, transport};
use crate::types::ByteStream;

/// The maximum number of redirects in one attempt.
const MAX_REDIRECTS: usize = 10;

/// Sends a request and follows redirects.
///
/// A redirect that is not followed is the response.
pub(super) async fn follow(
    transport: &dyn Transport,
    outgoing: Outgoing,
) -> Result<http::Response<ByteStream>, TransportError> {
    let Outgoing { attempt, mut request } = outgoing;
    for _ in 0..MAX_REDIRECTS {
        let again = request.try_clone();
        let response = transport::send(transport, Outgoing::new(attempt, request)).await?;
        match again.and_then(|again| redirected(again, &response)) {
            Some(next) => request = next,
            None => return Ok(response),
        }
    }
    transport::send(transport, Outgoing::new(attempt, request)).await
}

/// Returns the same request to the location in the response.
fn redirected(mut request: Request, response: &http::Response<ByteStream>) -> Option<Request> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    *request.url_mut() = target(request.method(), request.url(), response.status(), location)?;
    Some(request)
}

/// Returns the target of a redirect, if the redirect is followed.
///
/// Its origin must be the same, because a credential must not reach another one. The method must stay the
/// same, because the response to a `GET` is not that of the `POST` that the caller sent.
fn target(method: &Method, url: &Url, status: StatusCode, location: &str) -> Option<Url> {
    let is_followed = match status.as_u16() {
        301..=303 => matches!(*method, Method::GET | Method::HEAD),
        307 | 308 => true,
        _ => false,
    };
    let target = url.join(location).ok()?;
    (is_followed && target.origin() == url.origin()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_request_to_the_same_origin_is_sent_again() {
        let url = Url::parse("https://a.example/v1/icons?page=1").unwrap();
        let follows = |method: &Method, status: u16, location: &str| {
            target(method, &url, StatusCode::from_u16(status).unwrap(), location).map(String::from)
        };
        for status in [301, 302, 303, 307, 308] {
            let keeps_the_method = status >= 307;
            for method in [Method::GET, Method::HEAD] {
                let found = follows(&method, status, "/v2/icons");
                assert_eq!(found.as_deref(), Some("https://a.example/v2/icons"), "{method} {status}");
            }
            for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
                assert_eq!(follows(&method, status, "x").is_some(), keeps_the_method, "{method} {status}");
            }
            let elsewhere = [
                "http://a.example/",
                "https://a.example:8443/",
                "//b.example/",
                "https://b.example/",
                "mailto:a",
                "https://",
            ];
            for location in elsewhere {
                assert_eq!(follows(&Method::GET, status, location), None, "{location}");
            }
        }
        for status in [200, 300, 304, 305, 399] {
            assert_eq!(follows(&Method::GET, status, "/"), None, "{status}");
        }
    }
}

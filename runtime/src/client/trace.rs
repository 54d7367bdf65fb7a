//! Spans of attempts, with OpenTelemetry's names for HTTP clients (feature `tracing`).

use http::Method;
use reqwest::Url;
use tracing::{Span, field::Empty};

use super::secrets::Secrets;
use super::{Attempt, ErrorKind, Outcome};
use crate::table::Operation;

/// The methods that OpenTelemetry's conventions know. Any other is `_OTHER`, to keep the number of values low.
const KNOWN_METHODS: [&str; 10] =
    ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"];

/// Returns the span of an attempt.
pub(super) fn start(attempt: Attempt, method: &Method, url: &Url) -> Span {
    let Attempt { operation, number } = attempt;
    let sent = method.as_str();
    let is_known = KNOWN_METHODS.contains(&sent);
    let (name, method) = if is_known { (sent, sent) } else { ("HTTP", "_OTHER") };
    tracing::info_span!(
        "http_client_request",
        otel.name = format_args!("{name} {}", operation.path),
        otel.kind = "client",
        http.request.method = method,
        http.request.method_original = (!is_known).then_some(sent),
        url.full = redacted(operation, url),
        url.template = operation.path,
        server.address = url.host_str(),
        server.port = url.port_or_known_default(),
        http.request.resend_count = (number > 1).then(|| number - 1),
        http.response.status_code = Empty,
        error.type = Empty,
        otel.status_code = Empty,
    )
}

/// Records the end of an attempt.
pub(super) fn end(span: &Span, outcome: &Outcome) {
    let error = match outcome {
        Ok(received) => {
            let status = &received.raw.status;
            span.record("http.response.status_code", status.as_u16());
            (status.is_client_error() || status.is_server_error()).then(|| status.as_str())
        }
        Err(ErrorKind::Timeout { .. } | ErrorKind::Deadline { .. }) => Some("timeout"),
        Err(ErrorKind::Connect(_)) => Some("connect"),
        Err(ErrorKind::Transport(_)) => Some("transport"),
        Err(ErrorKind::TooLarge { .. }) => Some("response_too_large"),
        Err(_) => Some("not_sent"),
    };
    if let Some(error) = error {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

/// Returns a URL without secrets: those in its query, by their names, and the user with the password.
fn redacted(operation: &'static Operation, url: &Url) -> String {
    let mut url = url.clone();
    // It fails for URLs without a host, which have no user.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    Secrets::new(Some(operation), &[]).text(url.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_no_secrets() {
        static OPERATION: Operation = Operation::new("it", "tag", "GET", "/");
        for (url, expected) in [
            (
                "https://me:pass@a.example:81/b?X-Amz-Signature=1&X-Amz-Date=2",
                "https://a.example:81/b?X-Amz-Signature=REDACTED&X-Amz-Date=2",
            ),
            (
                "https://a.example/?auth%5Btoken%5D=1&sig=2,3#c",
                "https://a.example/?auth%5Btoken%5D=REDACTED&sig=REDACTED#c",
            ),
            (
                "https://a.example/?AWSAccessKeyId=1&next_token=2",
                "https://a.example/?AWSAccessKeyId=REDACTED&next_token=2",
            ),
        ] {
            assert_eq!(redacted(&OPERATION, &Url::parse(url).unwrap()), expected);
        }
    }
}

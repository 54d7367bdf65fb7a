//! Spans of attempts, with OpenTelemetry's names for HTTP clients (feature `tracing`).

use std::future::Future;

use http::Method;
#[cfg(feature = "tracing")]
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::{exchange::Outcome, hooks::Attempt};
#[cfg(feature = "tracing")]
use crate::table::{Operation, SchemeKind};

/// The methods that OpenTelemetry's conventions know. Any other is `_OTHER`, to keep the number of values low.
#[cfg(feature = "tracing")]
const KNOWN_METHODS: [&str; 10] =
    ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"];

/// Query parameters whose values the conventions redact: signatures of storage services.
#[cfg(feature = "tracing")]
const SIGNATURES: [&str; 4] = ["AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature"];

/// The span of an attempt. Without the feature, it is nothing.
pub(super) struct Trace {
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

#[cfg(feature = "tracing")]
impl Trace {
    pub(super) fn start(attempt: Attempt, method: &Method, url: &Url) -> Self {
        use tracing::field::Empty;

        let Attempt { operation, number } = attempt;
        let sent = method.as_str();
        let is_known = KNOWN_METHODS.contains(&sent);
        let (name, method) = if is_known { (sent, sent) } else { ("HTTP", "_OTHER") };
        let span = tracing::info_span!(
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
        );
        Self { span }
    }

    pub(super) fn within<F: Future>(&self, attempt: F) -> impl Future<Output = F::Output> + use<F> {
        tracing::Instrument::instrument(attempt, self.span.clone())
    }

    pub(super) fn end(&self, outcome: &Outcome) {
        use super::error::ErrorKind;

        let error = match outcome {
            Ok(received) => {
                let status = &received.raw.status;
                self.span.record("http.response.status_code", status.as_u16());
                (status.is_client_error() || status.is_server_error()).then(|| status.as_str())
            }
            Err(ErrorKind::Timeout { .. } | ErrorKind::Deadline { .. }) => Some("timeout"),
            Err(ErrorKind::Connect(_)) => Some("connect"),
            Err(ErrorKind::Transport(_)) => Some("transport"),
            Err(ErrorKind::TooLarge { .. }) => Some("response_too_large"),
            Err(_) => Some("not_sent"),
        };
        if let Some(error) = error {
            self.span.record("error.type", error);
            self.span.record("otel.status_code", "ERROR");
        }
    }
}

/// Returns a URL with `REDACTED` instead of API keys and signatures in the query.
#[cfg(feature = "tracing")]
fn redacted(operation: &Operation, url: &Url) -> String {
    let mut url = url.clone();
    let Some(query) = url.query() else { return url.into() };
    let keys = operation.security.iter().copied().flatten().filter_map(|requirement| {
        if let SchemeKind::ApiKeyQuery(name) = requirement.scheme.kind { Some(name) } else { None }
    });
    let secrets: Vec<&str> = keys.chain(SIGNATURES).collect();
    let pairs = query.split('&').map(|pair| {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let is_secret = secrets.contains(&&*percent_decode_str(name).decode_utf8_lossy());
        if is_secret { format!("{name}=REDACTED") } else { pair.to_owned() }
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    url.set_query(Some(&query));
    url.into()
}

#[cfg(not(feature = "tracing"))]
impl Trace {
    pub(super) const fn start(_: Attempt, _: &Method, _: &Url) -> Self {
        Self {}
    }

    #[expect(clippy::unused_self, reason = "it has the signature of the feature `tracing`")]
    pub(super) fn within<F: Future>(&self, attempt: F) -> F {
        attempt
    }

    #[expect(clippy::unused_self, reason = "it has the signature of the feature `tracing`")]
    pub(super) const fn end(&self, _: &Outcome) {}
}

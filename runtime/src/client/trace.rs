//! Spans of attempts, with OpenTelemetry's names for HTTP clients (feature `tracing`).

use std::future::Future;

use reqwest::Url;

use super::{exchange::Outcome, hooks::Attempt};

/// The span of an attempt. Without the feature, it is nothing.
pub(super) struct Trace {
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

#[cfg(feature = "tracing")]
impl Trace {
    pub(super) fn start(attempt: Attempt, url: &Url) -> Self {
        use tracing::field::Empty;

        let Attempt { operation, number } = attempt;
        let span = tracing::info_span!(
            "http_client_request",
            otel.name = format_args!("{} {}", operation.method, operation.path),
            otel.kind = "client",
            http.request.method = operation.method,
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

#[cfg(not(feature = "tracing"))]
impl Trace {
    pub(super) const fn start(_: Attempt, _: &Url) -> Self {
        Self {}
    }

    #[expect(clippy::unused_self, reason = "it has the signature of the feature `tracing`")]
    pub(super) fn within<F: Future>(&self, attempt: F) -> F {
        attempt
    }

    #[expect(clippy::unused_self, reason = "it has the signature of the feature `tracing`")]
    pub(super) const fn end(&self, _: &Outcome) {}
}

//! Traces: the W3C trace context of a request, and spans of what the service does for it.
//!
//! The context is stored with the task, so that the worker, the engine and the webhook of any process join the trace of the
//! request. The context of the work in progress goes out to providers, programs and receivers of webhooks.
//!
//! Spans are recorded while an [`exporter`](otlp) runs. Without one, the ids and the flags of a client's context pass through, and
//! work without such a context has none: a context that says that the trace is not recorded would stop receivers from
//! recording theirs.
//!
//! An attribute is an id, a name of the API or of the settings, or an outcome. No text of a user is one.

mod context;
pub mod otlp;
pub mod settings;
mod span;

use axum::http::{HeaderMap, HeaderName};

pub use context::TraceContext;
pub use span::{Kind, Span};

/// The header of a trace context.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The environment variable of a trace context, for programs.
pub const VARIABLE: &str = "TRACEPARENT";

tokio::task_local! {
    /// The context of the work in progress.
    static CURRENT: TraceContext;
}

/// Returns the context of the work in progress.
#[must_use]
pub fn current() -> Option<TraceContext> {
    CURRENT.try_with(|context| *context).ok()
}

/// Returns the header of the work in progress, for a request to another server.
#[must_use]
pub fn headers() -> HeaderMap {
    current().map(|context| (TRACEPARENT, context.header())).into_iter().collect()
}

/// Returns the context that a request brings.
#[must_use]
pub fn of_headers(headers: &HeaderMap) -> Option<TraceContext> {
    let mut given = headers.get_all(TRACEPARENT).iter();
    match (given.next(), given.next()) {
        (Some(text), None) => TraceContext::parse(text.to_str().ok()?),
        _ => None,
    }
}

/// Awaits an operation of the store in a span of its own. Work without a trace has none.
pub async fn stored<T, E>(operation: &'static str, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let Some(parent) = current() else { return work.await };
    let mut span = Span::start(Kind::Client, operation, Some(parent));
    span.set("db.operation.name", operation);
    let mut unfinished = Unfinished(Some(span));
    let result = work.await;
    if let Some(mut span) = unfinished.0.take().filter(|_| result.is_err()) {
        span.fail("store");
    }
    result
}

/// The span of an operation that fails if it is dropped before its end.
struct Unfinished(Option<Span>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(mut span) = self.0.take() {
            span.fail("cancelled");
        }
    }
}

#[cfg(test)]
mod tests;

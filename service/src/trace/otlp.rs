//! The exporter: sends spans to a collector, by OTLP over HTTP with bodies in JSON.
//!
//! Recording never blocks. A span is put into a queue with a fixed bound, and a background loop sends the queue in batches. While
//! the collector does not accept them, further spans are dropped and counted.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::span::{Recorded, Value};
use crate::log::redact::without_values_of;

/// The counter of spans by outcome.
pub const SPANS: &str = "trace_spans_total";

/// The maximum number of spans in the queue.
const QUEUE: usize = 8192;

/// The maximum number of spans in a request.
const BATCH: usize = 512;

/// The time for which spans are collected before a batch is sent.
const PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of attempts to send a batch.
const TRIES: u32 = 4;

/// The wait after the first failed attempt; it doubles.
const BACKOFF: Duration = Duration::from_millis(500);

/// How long a request to the collector may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the spans that wait are sent when the process stops.
const FLUSH: Duration = Duration::from_secs(5);

static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Takes the spans of this process.
#[derive(Debug)]
pub(super) struct Recorder {
    queue: mpsc::Sender<Recorded>,
    sample_ratio: f64,
}

impl Recorder {
    pub(super) const fn new(queue: mpsc::Sender<Recorded>, sample_ratio: f64) -> Self {
        Self { queue, sample_ratio }
    }

    /// Returns the recorder, if an exporter runs.
    pub(super) fn get() -> Option<&'static Self> {
        RECORDER.get()
    }

    /// Decides whether a new trace is recorded.
    pub(super) fn samples(&self) -> bool {
        self.sample_ratio >= 1.0 || rand::random::<f64>() < self.sample_ratio
    }

    /// Takes a span, or drops and counts it if there is no room.
    pub(super) fn record(&self, span: Recorded) {
        if self.queue.try_send(span).is_err() {
            count("dropped", 1);
        }
    }
}

/// The reason why no exporter starts.
#[derive(Debug, thiserror::Error)]
pub enum NotExported {
    /// The endpoint is not the URL of an HTTP server.
    #[error("the endpoint of the collector must be a URL such as http://127.0.0.1:4318")]
    Endpoint,
    /// The headers are not pairs of names and values.
    #[error("the headers for the collector must have the form name=value,other=value")]
    Headers,
    /// A process has one exporter.
    #[error("an exporter of traces runs already")]
    Running,
}

/// Sends spans to a collector.
#[derive(Debug)]
pub struct Exporter {
    queue: mpsc::Receiver<Recorded>,
    collector: Collector,
}

#[derive(Debug)]
struct Collector {
    client: reqwest::Client,
    url: url::Url,
    headers: HeaderMap,
    /// The attributes of this process.
    resource: Json,
}

impl Exporter {
    /// Starts to record spans for the collector at this base URL.
    ///
    /// `sample_ratio` is the part of the traces that is recorded, of those that begin here. `headers` have the form of the variable
    /// `OTEL_EXPORTER_OTLP_HEADERS`.
    ///
    /// # Errors
    /// The endpoint or the headers can't be used.
    pub fn start(
        endpoint: &str,
        headers: &str,
        sample_ratio: f64,
        client: reqwest::Client,
        instance: &str,
    ) -> Result<Self, NotExported> {
        let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let url = url::Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let (url, headers) =
            (url.ok_or(NotExported::Endpoint)?, parsed(headers).ok_or(NotExported::Headers)?);
        let (sender, queue) = mpsc::channel(QUEUE);
        let resource = attributes(&[
            ("service.name", Value::Text("asset-service".to_owned())),
            ("service.version", Value::Text(env!("CARGO_PKG_VERSION").to_owned())),
            ("service.instance.id", Value::Text(instance.to_owned())),
        ]);
        let collector = Collector { client, url, headers, resource };
        RECORDER.set(Recorder::new(sender, sample_ratio)).map_err(|_| NotExported::Running)?;
        Ok(Self { queue, collector })
    }

    /// Sends spans until `stop` resolves, then those that wait.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        let Self { mut queue, collector } = self;
        let mut batch = Vec::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = gather(&mut queue, &mut batch) => {}
                () = &mut stop => break,
            }
            tokio::select! {
                () = collector.export(&mut batch, TRIES) => {}
                () = &mut stop => break,
            }
        }
        let flush = async {
            loop {
                while let Some(span) = (batch.len() < BATCH).then(|| queue.try_recv().ok()).flatten() {
                    batch.push(span);
                }
                if batch.is_empty() {
                    return;
                }
                collector.export(&mut batch, 1).await;
            }
        };
        // A collector that hangs must not delay the end of the process.
        let _ = timeout(FLUSH, flush).await;
        let lost = (batch.len() + queue.len()) as u64;
        if lost > 0 {
            tracing::warn!(
                spans = lost,
                "the process stops before the collector of traces accepted all spans"
            );
            count("dropped", lost);
        }
    }
}

/// Waits for a span, and for others for a while.
async fn gather(queue: &mut mpsc::Receiver<Recorded>, batch: &mut Vec<Recorded>) {
    queue.recv_many(batch, BATCH).await;
    let end = Instant::now() + PAUSE;
    while batch.len() < BATCH {
        let left = BATCH - batch.len();
        if timeout_at(end, queue.recv_many(batch, left)).await.is_err() {
            return;
        }
    }
}

impl Collector {
    /// Sends a batch, up to this many times if the collector fails, and empties it at the end.
    async fn export(&self, batch: &mut Vec<Recorded>, tries: u32) {
        if batch.is_empty() {
            return;
        }
        let body = bytes::Bytes::from(body(&self.resource, batch).to_string());
        let spans = batch.len() as u64;
        let outcome = self.send(body, spans, tries).await;
        batch.clear();
        count(outcome, spans);
    }

    /// Sends a body, and returns the outcome of its spans.
    async fn send(&self, body: bytes::Bytes, spans: u64, tries: u32) -> &'static str {
        for attempt in 1..=tries {
            let (is_temporary, why) = match self.post(body.clone()).await {
                Ok(status) if status.is_success() => return "exported",
                Ok(status) => (matches!(status.as_u16(), 429 | 502..=504), format!("status {status}")),
                Err(error) => (true, without_values_of(&error)),
            };
            if !is_temporary || attempt == tries {
                tracing::warn!(spans, why, "the collector of traces did not accept spans");
                break;
            }
            sleep(BACKOFF * 2_u32.pow(attempt - 1)).await;
        }
        "refused"
    }

    async fn post(&self, body: bytes::Bytes) -> reqwest::Result<StatusCode> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone());
        let request = request.header(header::CONTENT_TYPE, "application/json").timeout(TIMEOUT).body(body);
        Ok(request.send().await?.status())
    }
}

fn count(outcome: &'static str, spans: u64) {
    metrics::counter!(SPANS, "outcome" => outcome).increment(spans);
}

/// Parses headers in the form of the variable: `name=value,other=value`.
fn parsed(headers: &str) -> Option<HeaderMap> {
    let pairs = headers.split(',').filter(|pair| !pair.trim().is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_bytes(&decoded(value.trim())?).ok()?;
        value.set_sensitive(true);
        Some((name.trim().parse::<HeaderName>().ok()?, value))
    };
    pairs.map(pair).collect()
}

/// Decodes the escapes of a value: `%20` is a space.
fn decoded(value: &str) -> Option<Vec<u8>> {
    let mut parts = value.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(bytes)
}

/// Returns the body of a request: an `ExportTraceServiceRequest`.
fn body(resource: &Json, spans: &[Recorded]) -> Json {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    let scope = json!({"name": "asset-service", "version": env!("CARGO_PKG_VERSION")});
    json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    }]})
}

fn span(span: &Recorded) -> Json {
    let mut json = json!({
        "traceId": span.context.trace_id(),
        "spanId": span.context.span_id(),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": nanoseconds(span.start),
        "endTimeUnixNano": nanoseconds(span.end.max(span.start)),
        "attributes": attributes(&span.attributes),
        "status": {"code": if span.has_failed { 2 } else { 0 }},
    });
    if let (Some(parent), Json::Object(json)) = (span.parent, &mut json) {
        json.insert("parentSpanId".to_owned(), Json::from(parent.span_id()));
    }
    json
}

fn attributes(attributes: &[(&'static str, Value)]) -> Json {
    let attribute = |(key, value): &(&'static str, Value)| match value {
        Value::Text(text) => json!({"key": key, "value": {"stringValue": text}}),
        // Numbers of 64 bits are texts in OTLP's JSON.
        Value::Number(number) => json!({"key": key, "value": {"intValue": number.to_string()}}),
    };
    attributes.iter().map(attribute).collect()
}

/// Returns a time in nanoseconds, as a text.
fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

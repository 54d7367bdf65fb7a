//! A small collector: it receives OTLP over HTTP, and draws a trace.

use std::sync::{Arc, Mutex};

use crate::service::outside::serve;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;

/// The page with the drawing of a trace.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operate.md");

/// The lines around the drawing.
const BEGIN: &str = "<!-- The trace of a request, written by `cargo xtask pages`. -->\n```text\n";
const END: &str = "```\n";

/// The order of spans with the same parent. Some of them begin at the same time.
const ORDER: [&str; 6] = ["create_task", "queue", "attempt", "engine", "end_task", "webhook"];

/// The kinds by their numbers in OTLP.
const KINDS: [&str; 6] = ["", "internal", "server", "client", "producer", "consumer"];

/// A collector.
#[derive(Clone)]
pub struct Collector {
    /// Its base URL.
    pub url: String,
    received: Arc<Mutex<Vec<Value>>>,
}

/// A received span.
#[derive(Debug, Clone)]
pub struct Span {
    pub id: String,
    pub name: String,
    parent: String,
    kind: &'static str,
    start: u128,
    end: u128,
    attributes: Vec<(String, String)>,
}

impl Collector {
    /// Starts a collector on a free port. It is not available for the first request.
    pub async fn start() -> Self {
        let received = Arc::<Mutex<Vec<Value>>>::default();
        let app = axum::Router::new().route("/v1/traces", post(receive)).with_state(Arc::clone(&received));
        Self { url: format!("http://{}", serve(app).await), received }
    }

    /// Returns everything that was received.
    pub fn text(&self) -> String {
        self.received.lock().unwrap().iter().map(Value::to_string).collect()
    }

    /// Returns the spans of a trace. The first request was refused, so each span arrives once.
    pub fn trace(&self, trace: &str) -> Vec<Span> {
        let received = self.received.lock().unwrap();
        let array = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
        let resources = received.iter().skip(1).flat_map(|body| array(body, "resourceSpans"));
        let scopes = resources.flat_map(|resource| array(&resource, "scopeSpans"));
        let spans = scopes.flat_map(|scope| array(&scope, "spans"));
        spans.filter(|span| span["traceId"] == trace).map(|span| Span::of(&span)).collect()
    }
}

async fn receive(
    State(received): State<Arc<Mutex<Vec<Value>>>>,
    headers: HeaderMap,
    body: String,
) -> StatusCode {
    assert_eq!(headers["authorization"], "Bearer hush");
    let mut received = received.lock().unwrap();
    received.push(serde_json::from_str(&body).unwrap());
    if received.len() == 1 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

impl Span {
    fn of(span: &Value) -> Self {
        let text = |name: &str| span[name].as_str().unwrap_or_default().to_owned();
        let time = |name: &str| text(name).parse().unwrap();
        let attributes = span["attributes"].as_array().unwrap().iter().map(|attribute| {
            let value = &attribute["value"];
            let value = value["stringValue"].as_str().or_else(|| value["intValue"].as_str()).unwrap();
            (attribute["key"].as_str().unwrap().to_owned(), value.to_owned())
        });
        Self {
            id: text("spanId"),
            name: text("name"),
            parent: text("parentSpanId"),
            kind: KINDS[usize::try_from(span["kind"].as_u64().unwrap()).unwrap()],
            start: time("startTimeUnixNano"),
            end: time("endTimeUnixNano"),
            attributes: attributes.collect(),
        }
    }

    fn order(&self) -> (Option<usize>, u128) {
        (ORDER.iter().position(|name| self.name.starts_with(name)), self.start)
    }
}

/// Draws a trace as a tree: a line for each span.
fn draw(spans: &[Span]) -> String {
    let is_root = |span: &&Span| spans.iter().all(|other| other.id != span.parent);
    let root = spans.iter().find(is_root).unwrap();
    let mut lines =
        vec!["span                                    kind        begins ms    took ms".to_owned()];
    add(spans, root, "", "", root.start, &mut lines);
    lines.join("\n") + "\n"
}

fn add(spans: &[Span], span: &Span, before: &str, below: &str, begin: u128, lines: &mut Vec<String>) {
    let milliseconds = |nanoseconds: u128| format!("{:.1}", nanoseconds as f64 / 1e6);
    let (begins, took) =
        (milliseconds(span.start.saturating_sub(begin)), milliseconds(span.end - span.start));
    let name = format!("{before}{}", span.name);
    lines.push(format!("{name:<40}{:<12}{begins:>9}{took:>11}", span.kind));
    let is_shown = |(key, value): &&(String, String)| !key.ends_with(".id") && !span.name.contains(&**value);
    for (key, value) in span.attributes.iter().filter(is_shown) {
        lines.push(format!("{below}    {key} = {value}"));
    }
    let mut children: Vec<&Span> = spans.iter().filter(|child| child.parent == span.id).collect();
    children.sort_by_key(|child| child.order());
    let last = children.len().saturating_sub(1);
    for (index, child) in children.into_iter().enumerate() {
        let (branch, stem) = if index == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        add(spans, child, &format!("{below}{branch}"), &format!("{below}{stem}"), begin, lines);
    }
}

/// Returns the words of a drawing without its times, which differ each time.
fn words(drawing: &str) -> Vec<&str> {
    drawing.split_whitespace().filter(|word| word.parse::<f64>().is_err()).collect()
}

/// Checks that the page shows this trace, or writes it for `cargo xtask pages`.
pub fn check_page(spans: &[Span]) {
    let (drawn, page) = (draw(spans), std::fs::read_to_string(PAGE).unwrap());
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os("ACCEPT_PAGES").is_some() {
        std::fs::write(PAGE, format!("{before}{BEGIN}{drawn}{END}{after}")).unwrap();
    } else {
        let advice = "docs/operate.md shows another trace; to write it: cargo xtask pages";
        assert_eq!(words(&drawn), words(shown), "{advice}\n{drawn}");
    }
}

//! Tests of nonsensical requests: the server stays up, and nothing panics.

use std::time::Duration;

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use tokio::time::timeout;

use super::Raw;
use crate::http::{
    spec,
    wire::{ENTERPRISE_KEY, Server},
};

const CASES: usize = 400;

/// Every request that is valid HTTP gets a response without a server error.
#[tokio::test]
async fn strange_requests_get_responses() {
    let server = Server::start().await;
    for request in samples(&request()) {
        let reply = timeout(Duration::from_secs(20), request.send(&server)).await;
        let reply = reply.unwrap_or_else(|_| panic!("no response to {request:?}"));
        let body = String::from_utf8_lossy(&reply.body);
        assert!((200..500).contains(&reply.status), "{request:?}: {} {body}", reply.status);
        // The decoder's reason for a refused request in which the walk finds no violation.
        assert!(!body.contains("must be as documented"), "{request:?}: {body}");
    }
}

/// After bytes that are not HTTP, the server still serves other connections.
#[tokio::test]
async fn other_connections_work_after_noise() {
    let server = Server::start().await;
    for bytes in samples(&noise()) {
        server.send_noise(&bytes).await;
    }
    assert_eq!(Raw::get("/v1/icons/1").send(&server).await.status, 200);
}

/// Returns the same samples in every run.
fn samples<S: Strategy>(strategy: &S) -> Vec<S::Value> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..CASES)
        .map(|_| strategy.new_tree(&mut runner).expect("the strategy does not filter").current())
        .collect()
}

fn request() -> impl Strategy<Value = Raw> {
    let operations: Vec<_> = spec::operations().collect();
    let path = prop_oneof![
        3 => (prop::sample::select(operations), segment()).prop_map(|(operation, segment)| {
            let mut path = String::new();
            for (index, part) in operation.path.split(['{', '}']).enumerate() {
                path.push_str(if index % 2 == 0 { part } else { &segment });
            }
            (operation.method, path)
        }),
        1 => prop::collection::vec(segment(), 0..5)
            .prop_map(|segments| ("GET", format!("/{}", segments.join("/")))),
    ];
    let pair = (prop::sample::select(NAMES), segment()).prop_map(|(name, value)| format!("{name}={value}"));
    let query = prop::collection::vec(prop_oneof![pair, segment()], 0..4).prop_map(|pairs| pairs.join("&"));
    let value = prop::collection::vec(prop::sample::select(VALUE_BYTES), 0..20);
    let content_type = prop::sample::select(CONTENT_TYPES);
    let body = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..100),
        prop::collection::vec(prop::sample::select(JSON_PIECES), 0..30)
            .prop_map(|pieces| pieces.concat().into_bytes()),
    ];
    (path, query, value, content_type, body).prop_map(|((method, path), query, value, content_type, body)| {
        let target = if query.is_empty() { path } else { format!("{path}?{query}") };
        Raw::new(method, target)
            .key(ENTERPRISE_KEY)
            .header("content-type", content_type)
            .header("accept-language", &value)
            .header("idempotency-key", &value)
            .header("cookie", &value)
            .body(body)
    })
}

/// Returns part of a path or a query: URL characters, often misused.
fn segment() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(URL_PIECES), 0..6).prop_map(|pieces| pieces.concat())
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(HTTP_PIECES).prop_map(<[u8]>::to_vec),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

const NAMES: &[&str] = &[
    "page",
    "limit",
    "q",
    "id",
    "term",
    "order",
    "genre[]",
    "genre%5B%5D",
    "filters",
    "filters[",
    "filters[]",
    "filters[people]",
    "filters[people][age]",
    "filters[people][age][x]",
    "filters[color]",
    "filters]color[",
    "filters[a][b][c][d][e]",
    "%66ilters[color]",
    "search",
    "offset",
    "",
];
const URL_PIECES: &[&str] = &[
    "%",
    "%zz",
    "%00",
    "%FF",
    "%C3%A4",
    "%2F",
    "%2E%2E",
    "..",
    ".",
    "+",
    "-",
    "-pro",
    "-image-edit",
    "a",
    "1",
    "-1",
    "1e400",
    "true",
    "null",
    "[",
    "]",
    "[0]",
    "{",
    "}",
    "|",
    ";",
    ":",
    "@",
    "=",
    "&",
    "'",
    "*",
    ",",
    "046b6c7f-0b8a-43b9-b35d-6489e6daee91",
    "9223372036854775808",
];
const VALUE_BYTES: &[u8] = b"az09 ,;=\"\\\t\xC3\xA4\xFF%";
const CONTENT_TYPES: &[&str] = &[
    "application/json",
    "application/json; charset=utf-8",
    "application/json;",
    ";",
    "/",
    "",
    "text/plain",
    "multipart/form-data; boundary=",
    "application/x-www-form-urlencoded",
    "application/json; charset=\"",
];
const JSON_PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "null",
    "true",
    "1",
    "-",
    "1e999",
    "0.",
    "\"text\"",
    "\"prompt\"",
    "\"image\"",
    "\"voice_id\"",
    "\u{0}",
    " ",
    "\n",
    "ä",
    "{\"text\":\"a\",\"voice_id\":\"b\"}",
];
const HTTP_PIECES: &[&[u8]] = &[
    b"GET ",
    b"POST ",
    b"/v1/icons/1",
    b"/v1/ai/voiceover",
    b" HTTP/1.1",
    b" HTTP/9.9",
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"host: x",
    b"content-length: 5",
    b"content-length: -1",
    b"content-length: 99999999999999999999",
    b"transfer-encoding: chunked",
    b"5\r\nhello\r\n",
    b"ffffffffffffffff\r\n",
    b"0\r\n\r\n",
    b"expect: 100-continue",
    b"connection: upgrade",
    b"upgrade: websocket",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b":",
    b"\0",
    b"{}",
];

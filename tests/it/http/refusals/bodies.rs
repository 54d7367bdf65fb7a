//! Tests of invalid request bodies.

use super::{Raw, assert_message, assert_problem};
use crate::http::wire::{KEY, Server};

const PATH: &str = "/v1/ai/voiceover";
const GOOD: &str = r#"{"text": "hi", "voice_id": "v"}"#;
/// The limit that the spec sets for this body.
const LIMIT: usize = 1024 * 1024;

const NOT_JSON: &str = "The request body is not valid JSON";
const TOO_LARGE: &str = "The request body is too large";
const NO_SUCH_TYPE: &str = "The request body must be application/json";

#[tokio::test]
async fn no_json_at_all() {
    let server = Server::start().await;
    let bodies: [&[u8]; 18] = [
        b"",
        b" ",
        b"{",
        b"}",
        b"nul",
        b"not json",
        b"<text>hi</text>",
        b"text=hi",
        b"{\"text\": \"hi\", \"voice_id\": \"v\"",
        b"{\"text\": \"hi\", \"voice_id\": \"v\",}",
        b"{\"text\": \"hi\", \"voice_id\": \"v\"} x",
        b"{\"text\": \"hi\", \"voice_id\": \"v\"}{}",
        b"{'text': 'hi', 'voice_id': 'v'}",
        b"{\"text\": \"hi\", \"voice_id\": \"v\", \"speed\": 01}",
        b"{\"text\": \"hi\", \"voice_id\": \"v\", \"speed\": NaN}",
        b"{\"text\": \"h\ni\", \"voice_id\": \"v\"}",
        b"{\"text\": \"\\ud800\", \"voice_id\": \"v\"}",
        b"{\"text\": \"\xff\", \"voice_id\": \"v\"}",
    ];
    for body in bodies {
        let reply = Raw::post(PATH, body).send(&server).await;
        assert_eq!(reply.status, 400, "{}", String::from_utf8_lossy(body));
        assert_message(&reply, 400, NOT_JSON);
    }
    // This error has priority over all others in the request.
    let both = Raw::post(PATH, r#"{"text": 1, "speed": 100, "#).header("Idempotency-Key", "");
    assert_message(&both.send(&server).await, 400, NOT_JSON);
}

#[tokio::test]
async fn json_of_another_kind() {
    let server = Server::start().await;
    for body in ["[]", "\"text\"", "1", "true", " [ 1 ] "] {
        let reply = Raw::post(PATH, body).send(&server).await;
        assert_problem(&reply, &[("body", "Parameter 'body' is not valid: must be an object")]);
    }
    let reply = Raw::post(PATH, "null").send(&server).await;
    assert_problem(&reply, &[("body", "Parameter 'body' is not valid: must not be null")]);
    let reply = Raw::post(PATH, r#"{"text": "a", "voice_id": "v", "text": "b"}"#).send(&server).await;
    assert_problem(
        &reply,
        &[("text", "Parameter 'text' is not valid: must not be given twice in one object")],
    );
}

#[tokio::test]
async fn json_that_is_nested_too_deeply() {
    let server = Server::start().await;
    const WRONG_TEXT: (&str, &str) = ("text", "Parameter 'text' is not valid: must be a string");
    const TOO_DEEP: (&str, &str) = ("body", "Parameter 'body' is not valid: must not be nested so deeply");
    let deep = |depth: usize| {
        format!("{{\"voice_id\": \"v\", \"text\": {}{}}}", "[".repeat(depth), "]".repeat(depth))
    };
    // The object counts as a level.
    assert_problem(&Raw::post(PATH, deep(127)).send(&server).await, &[WRONG_TEXT]);
    for (body, expected) in [
        (deep(128), &[WRONG_TEXT, TOO_DEEP][..]),
        (deep(100_000), &[WRONG_TEXT, TOO_DEEP]),
        // The end of the body is never read.
        (format!("{{\"text\": {}", "[".repeat(100_000)), &[WRONG_TEXT, TOO_DEEP]),
        ("{\"a\":".repeat(50_000), &[TOO_DEEP]),
        (format!("{{\"text\": 1, \"x\": {}", "[".repeat(200)), &[WRONG_TEXT, TOO_DEEP]),
    ] {
        assert_problem(&Raw::post(PATH, body).send(&server).await, expected);
    }
}

#[tokio::test]
async fn of_another_content_type() {
    let server = Server::start().await;
    let post = || Raw::new("POST", PATH).key(KEY);
    for content_type in [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application",
        "json",
        "",
        "*/*",
        "application/jsonx",
        "text/json",
    ] {
        let reply = post().header("content-type", content_type).body(GOOD).send(&server).await;
        assert_eq!(reply.status, 415, "{content_type}");
        assert_message(&reply, 415, NO_SUCH_TYPE);
    }
    assert_message(&post().body(GOOD).send(&server).await, 415, NO_SUCH_TYPE);
    let binary = post().header("content-type", b"\xFF\xFF").body(GOOD);
    assert_message(&binary.send(&server).await, 415, NO_SUCH_TYPE);
    for content_type in [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json;x=\"a;b\"",
    ] {
        let reply = post().header("content-type", content_type).body(GOOD).send(&server).await;
        assert_eq!(reply.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn in_a_form_that_is_not_read() {
    let server = Server::start().await;
    let json = || Raw::new("POST", PATH).key(KEY).header("content-type", "application/json");
    let accepts = |reply: &crate::http::wire::Reply| {
        assert_eq!(reply.header("accept"), "application/json");
        reply.header("accept-encoding").to_owned()
    };
    // Compressed.
    for coding in ["gzip", "GZIP", "identity, br", "x"] {
        let reply = json().header("content-encoding", coding).body(GOOD).send(&server).await;
        assert_message(&reply, 415, "The request body must be application/json without a content encoding");
        assert_eq!(accepts(&reply), "identity", "{coding}");
    }
    for coding in ["", "identity", "Identity"] {
        let reply = json().header("content-encoding", coding).body(GOOD).send(&server).await;
        assert_eq!(reply.status, 200, "{coding}");
    }
    // In another charset.
    let typed = |content_type: &str| Raw::new("POST", PATH).key(KEY).header("content-type", content_type);
    for charset in ["utf-16", "\"UTF-16LE\"", "iso-8859-1", ""] {
        let content_type = format!("application/json; charset={charset}");
        let reply = typed(&content_type).body(GOOD).send(&server).await;
        assert_message(&reply, 415, "The request body must be application/json in UTF-8");
        assert_eq!(accepts(&reply), "", "{charset}");
    }
    for charset in ["UTF-8", "\"utf-8\"", "utf8", "US-ASCII"] {
        let content_type = format!("application/json; Charset={charset}");
        assert_eq!(typed(&content_type).body(GOOD).send(&server).await.status, 200, "{charset}");
    }
    // With two content types: a proxy in front may have used the other one.
    let doubled = json().header("content-type", "text/plain").body(GOOD);
    assert_message(&doubled.send(&server).await, 415, NO_SUCH_TYPE);
    let twice = json().header("content-type", "application/json").body(GOOD);
    assert_eq!(twice.send(&server).await.status, 200);
}

#[tokio::test]
async fn without_a_body() {
    let server = Server::start().await;
    // Without a body and a content type, the body is missing.
    assert_message(&Raw::new("POST", PATH).key(KEY).send(&server).await, 400, NOT_JSON);
    assert_message(&Raw::new("POST", PATH).key(KEY).body("").send(&server).await, 400, NOT_JSON);
    // A body that the spec does not document is ignored.
    let reply = Raw::get("/v1/icons/1").header("content-type", "x/y").body("hello").send(&server).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn over_the_limit() {
    let server = Server::start().await;
    let post = || Raw::new("POST", PATH).key(KEY).header("content-type", "application/json");
    let padded = |length: usize| GOOD.to_owned() + &" ".repeat(length - GOOD.len());

    assert_eq!(post().body(padded(LIMIT)).send(&server).await.status, 200);
    assert_message(&post().body(padded(LIMIT + 1)).send(&server).await, 413, TOO_LARGE);
    // The length is announced, but the body is never sent and need not be read.
    let announced = post().header("content-length", (LIMIT + 1).to_string());
    assert_message(&announced.send(&server).await, 413, TOO_LARGE);

    let chunk = vec![b' '; LIMIT / 4];
    let almost = &chunk[..LIMIT / 4 - GOOD.len()];
    let fits: [&[u8]; 5] = [GOOD.as_bytes(), &chunk, &chunk, &chunk, almost];
    assert_eq!(post().chunked(&fits).send(&server).await.status, 200);
    let too_large: [&[u8]; 6] = [GOOD.as_bytes(), &chunk, &chunk, &chunk, almost, b" "];
    assert_message(&post().chunked(&too_large).send(&server).await, 413, TOO_LARGE);
}

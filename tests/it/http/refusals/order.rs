//! Tests of the order in which reasons to refuse a request are reported.

use super::{Raw, assert_message};
use crate::http::wire::{ENTERPRISE_KEY, KEY, Server};

/// The only operation with a body that requires an enterprise key.
const RUN: &str = "/v1/ai/apps/abc123/run";
const LIMIT: usize = 1024 * 1024;

#[tokio::test]
async fn the_first_reason_of_a_refusal_wins() {
    let server = Server::start().await;
    let huge = (LIMIT * 100).to_string();
    // The first request has all errors. Each following request fixes one more.
    let all = |method: &str, path: &str| Raw::new(method, path).header("Idempotency-Key", "k".repeat(256));
    let typed = |key: &str| all("POST", RUN).key(key).header("content-type", "application/json");
    for (request, status, message) in [
        (all("PUT", "/v1/ai/nothing/here/at/all"), 404, "Not found"),
        (all("PUT", RUN).header("content-length", &huge), 405, "Method not allowed"),
        (all("POST", RUN).header("content-length", &huge), 401, "Missing API key"),
        (all("POST", RUN).key("wrong").header("content-length", &huge), 401, "Invalid API key"),
        (
            all("POST", RUN).key(KEY).header("content-length", &huge),
            403,
            "The API key does not permit this operation",
        ),
        (
            all("POST", RUN).key(ENTERPRISE_KEY).header("content-length", &huge),
            415,
            "The request body must be application/json",
        ),
        (typed(ENTERPRISE_KEY).header("content-length", &huge), 413, "The request body is too large"),
        (typed(ENTERPRISE_KEY).body("{"), 400, "The request body is not valid JSON"),
        (
            typed(ENTERPRISE_KEY).body("{}"),
            400,
            "Parameter 'Idempotency-Key' is not valid: must be at most 255 characters long",
        ),
    ] {
        let reply = request.send(&server).await;
        assert_eq!((reply.status, reply.message().as_str()), (status, message), "{request:?}");
    }
    let good = Raw::post(RUN, r#"{"inputs": {}}"#);
    assert_eq!(good.send(&server).await.status, 403);
    let good = Raw::new("POST", RUN).key(ENTERPRISE_KEY).header("content-type", "application/json");
    assert_eq!(good.body(r#"{"inputs": {}}"#).send(&server).await.status, 202);
}

#[tokio::test]
async fn keys() {
    let server = Server::start().await;
    let get = || Raw::new("GET", "/v1/icons/1");
    assert_message(&get().send(&server).await, 401, "Missing API key");
    assert_message(&get().key("").send(&server).await, 401, "Missing API key");
    assert_message(&get().key("wrong").send(&server).await, 401, "Invalid API key");
    assert_message(&get().key(&KEY.to_uppercase()).send(&server).await, 401, "Invalid API key");
    assert_message(&get().key(KEY).key(KEY).send(&server).await, 401, "Invalid API key");
    let binary = get().header("x-service-api-key", b"\xFF");
    assert_message(&binary.send(&server).await, 401, "Invalid API key");
    let elsewhere = Raw::new("GET", format!("/v1/icons/1?x-service-api-key={KEY}"));
    assert_message(&elsewhere.send(&server).await, 401, "Missing API key");
    let shouted = get().header("X-SERVICE-API-KEY", KEY);
    assert_eq!(shouted.send(&server).await.status, 200);
}

#[tokio::test]
async fn every_operation_asks_for_a_key() {
    let server = Server::start().await;
    for operation in crate::http::spec::operations() {
        let target = crate::http::draft::Draft::example(operation).target();
        let reply = Raw::new(operation.method, &target).send(&server).await;
        assert_message(&reply, 401, "Missing API key");
        let forbidden = Raw::new(operation.method, &target).key(KEY).send(&server).await.status == 403;
        assert_eq!(forbidden, operation.requires == ["enterprise"], "{}", operation.id);
    }
}

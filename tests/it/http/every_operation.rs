//! Tests a round trip of every operation with the spec's examples.
//!
//! The generated client sends the example request, and the generated server returns the example response.
//! Both must arrive unchanged.

use std::collections::BTreeSet;

use asset_api_client::Client;
use serde_json::Value;

use super::{
    draft::Draft,
    json::is_same,
    service::TYPED,
    spec::{self, SPEC},
    wire::{ENTERPRISE_KEY, Server},
};

#[tokio::test]
async fn client_and_server_understand_each_other() {
    let server = Server::start().await;
    let client = Client::builder().base_url(server.url()).api_key(ENTERPRISE_KEY).build().expect("a client");
    let mut exercised = BTreeSet::new();
    let mut failures = Vec::new();
    for operation in spec::operations() {
        let input = spec::input_example(operation);
        let (status, expected) = spec::success_example(operation);
        let call = client.call(operation.id, &input).expect("the example is valid");
        match call.send_with_response().await {
            Ok(response) if response.status.as_u16() != status => {
                failures.push(format!("{}: {}, not {status}", operation.id, response.status));
            }
            Ok(response) if !is_same(&response.value, expected) => {
                failures.push(format!("{}: {}, not {expected}", operation.id, response.value));
            }
            Ok(_) => {}
            Err(error) => failures.push(format!("{}: {error:?}", operation.id)),
        }
        match server.examples.inputs(operation.id) {
            None => failures.push(format!("{}: the implementation was not called", operation.id)),
            Some(Value::Null) if operation.parameters.is_empty() && operation.body.is_none() => {}
            Some(asked) if is_same(&asked, &input) => {}
            Some(asked) => failures.push(format!("{}: asked {asked}, not {input}", operation.id)),
        }
        exercised.insert(format!("{} {}", operation.method, operation.path));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(exercised, of_the_spec());
}

#[tokio::test]
async fn no_operation_is_missing_in_the_server() {
    let server = Server::start().await;
    for operation in spec::operations() {
        let reply = server.send(&Draft::example(operation)).await;
        let (status, expected) = spec::success_example(operation);
        assert_eq!(reply.status, status, "{}: {}", operation.id, String::from_utf8_lossy(&reply.body));
        assert_eq!(reply.header("content-type"), "application/json", "{}", operation.id);
        assert_eq!(reply.header("x-operation"), operation.id);
        assert!(is_same(&reply.json(), expected), "{}: {}, not {expected}", operation.id, reply.json());
    }
}

#[test]
fn every_operation_is_implemented_for_these_tests() {
    let implemented: BTreeSet<&str> = TYPED.iter().map(|typed| typed.id).collect();
    let operations: BTreeSet<&str> = spec::operations().map(|operation| operation.id).collect();
    let missing: Vec<_> = operations.difference(&implemented).collect();
    assert!(
        missing.is_empty(),
        "add these operations to `services!` in tests/it/http/service.rs: {missing:?}"
    );
    let gone: Vec<_> = implemented.difference(&operations).collect();
    assert!(
        gone.is_empty(),
        "remove these operations from `services!`, because the spec does not have them: {gone:?}"
    );
    assert_eq!(TYPED.len(), operations.len());
}

/// Returns the method and path of every operation in the spec.
fn of_the_spec() -> BTreeSet<String> {
    let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let paths = SPEC["paths"].as_object().expect("the spec has paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let has = move |method: &&str| item.get(*method).is_some();
        methods.into_iter().filter(has).map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}

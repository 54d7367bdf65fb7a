//! Constraints that count what a type does not name, and violations in items of parameters.

use std::sync::Arc;

use fixture_constraints_client::{Client, models};
use fixture_constraints_server::{
    Server,
    limits::LimitsApi,
    runtime::{Context, Failure},
};
use fixture_constraints_validation::common::LIMITS;
use models::{common::Limits, limits::PutLimitsInput, types::NoError};

use crate::{assert_violations, serving};

struct Store;

impl LimitsApi for Store {
    async fn put_limits(&self, _: Context<()>, input: PutLimitsInput) -> Result<Limits, Failure<NoError>> {
        Ok(input.body)
    }
}

async fn start() -> String {
    let service = Server::builder().limits(Arc::new(Store)).build().expect("a service");
    serving::start(service).await
}

/// Sends a body, and returns the response.
async fn put(url: &str, path: &str, body: &str) -> String {
    let headers = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    serving::send(url, "PUT", path, &headers, body).await
}

/// The type is also in a response, so it ignores unknown properties. They still count.
#[tokio::test]
async fn unknown_properties_count() {
    let url = start().await;
    let many = r#"{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "text": "text"}"#;
    for (body, status, part) in [
        ("{}", 400, "min-properties"),
        (r#"{"other": 1}"#, 200, "{}"),
        (r#"{"other": 1, "text": "text"}"#, 200, r#"{"text":"text"}"#),
        (many, 400, "max-properties"),
    ] {
        let response = put(&url, "/limits/ab1", body).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{body}: {response}");
    }
    assert_violations::<Limits>(&LIMITS, &[("{}", &["body min-properties"]), (r#"{"text": "text"}"#, &[])]);
}

/// Each item of a parameter has its own violation, with its index.
#[tokio::test]
async fn items_of_parameters_have_an_index() {
    let url = start().await;
    let body = r#"{"text": "text"}"#;
    let response = put(&url, "/limits/ab1?ids=1&ids=2&ids=0&ids=-1", body).await;
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(response.contains("\"ids[2]\"") && response.contains("\"ids[3]\""), "{response}");
    assert!(!response.contains("\"ids[1]\"") && !response.contains("\"ids\""), "{response}");

    let client = Client::builder().base_url(&url).build().expect("a client");
    let mut limits = Limits::default();
    limits.text = Some("text".to_owned());
    let mut input = PutLimitsInput::new("ab1", limits.clone());
    input.ids = Some(vec![1, 2]);
    assert_eq!(client.put_limits(input.clone()).await.expect("it is stored"), limits);
    input.ids = Some(vec![1, 2, 0]);
    let error = client.put_limits(input).await.expect_err("it is refused");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(400), "{error}");
}

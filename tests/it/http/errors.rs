//! Tests of documented errors as the generated client reports them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use asset_api_client::{
    Client,
    models::{
        common::{TaskCreatedResponse, UnavailableMessage},
        responses::{ApiError, BadRequestContent, ServiceUnavailableResponse},
        voiceover::{CreateVoiceoverInput, VoiceoverRequest},
    },
    runtime::{Error, ErrorKind, RetryPolicy},
};
use asset_api_server::voiceover::VoiceoverApi;
use axum::Router;
use openapi_crates_runtime::server::{Context, Failure, NoSecurity};

use super::{
    spec,
    wire::{KEY, Server},
};

fn client(server: &Server, key: &str) -> Client {
    Client::builder().base_url(server.url()).api_key(key).build().expect("the settings are valid")
}

#[tokio::test]
async fn every_operation_documents_a_wrong_key() {
    let server = Server::start().await;
    let client = client(&server, "wrong");
    for operation in spec::operations() {
        let call = client.call(operation.id, &spec::input_example(operation)).expect("the example is valid");
        match call.await.map_err(Error::into_kind) {
            Err(ErrorKind::Api(failure)) => {
                assert_eq!(failure.status.as_u16(), 401, "{}", operation.id);
                assert_eq!(failure.body["message"], "Invalid API key", "{}", operation.id);
            }
            other => panic!("{}: {other:?}", operation.id),
        }
    }
}

#[tokio::test]
async fn are_typed() {
    let server = Server::start().await;
    let mut request = VoiceoverRequest::new("", "voice");
    request.stability = Some(1.5);
    let error = client(&server, KEY).create_voiceover(request.clone()).await.unwrap_err();
    let line = "POST /v1/ai/voiceover: 400 Bad Request: ";
    assert!(error.to_string().starts_with(line), "{error}");
    let ErrorKind::Api(failure) = error.into_kind() else {
        panic!("the request must have two violations");
    };
    let ApiError::BadRequest(BadRequestContent::ProblemJson(problem)) = failure.body else {
        panic!("not {:?}", failure.body);
    };
    let names: Vec<&str> = problem.invalid_params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["text", "stability"]);
    assert_eq!(problem.message, problem.invalid_params[0].reason);

    let error = client(&server, "wrong").create_voiceover(request).await.unwrap_err();
    let ErrorKind::Api(failure) = error.into_kind() else {
        panic!("the key must be rejected");
    };
    assert!(matches!(failure.body, ApiError::Unauthorized(_)), "not {:?}", failure.body);
}

/// The client finds the same violations as the server without sending the request.
#[tokio::test]
async fn are_found_before_anything_is_sent() {
    let server = Server::start().await;
    let builder = Client::builder().base_url(server.url()).api_key(KEY).preflight(true);
    let client = builder.build().expect("the settings are valid");
    let mut input = CreateVoiceoverInput::from(VoiceoverRequest::new("hi", ""));
    input.idempotency_key = Some(String::new());
    let error = client.create_voiceover(input).await.unwrap_err();
    let ErrorKind::Invalid { violations } = error.into_kind() else {
        panic!("the request must have two violations");
    };
    let names: Vec<&str> = violations.iter().map(|violation| violation.name.as_str()).collect();
    assert_eq!(names, ["Idempotency-Key", "voice_id"]);
    assert_eq!(server.examples.inputs("create_voiceover"), None);
}

/// The client retries an overloaded service, but not a permanent error of the spec.
#[tokio::test]
async fn that_are_permanent_are_not_retried() {
    let services = ["no_engine", "overloaded"].map(|name| {
        let attempts = Arc::new(AtomicU32::new(0));
        (name, Unavailable { example: name, attempts: Arc::clone(&attempts) }, attempts)
    });
    for (name, service, attempts) in services {
        let builder = asset_api_server::Server::builder(NoSecurity).voiceover(Arc::new(service));
        let service = builder.build().expect("a single tag has no conflicting routes");
        let server = Server::of(Router::new().fallback_service(service)).await;
        let retry = RetryPolicy::default().base_delay(Duration::ZERO);
        let client = Client::builder().base_url(server.url()).api_key(KEY).retry(retry).build();
        let client = client.expect("the settings are valid");
        let error = client
            .create_voiceover(VoiceoverRequest::new("hi", "voice"))
            .send()
            .await
            .expect_err("it is unavailable");
        let is_permanent = name == "no_engine";
        assert!(matches!(error.api_body(), Some(ApiError::ServiceUnavailable(_))), "{name}: {error:?}");
        assert_eq!(error.is_retryable(), !is_permanent, "{name}");
        assert_eq!(attempts.load(Ordering::Relaxed), if is_permanent { 1 } else { 3 }, "{name}");
    }
}

/// A service that always responds with 503 and an example of the spec.
struct Unavailable {
    example: &'static str,
    attempts: Arc<AtomicU32>,
}

impl VoiceoverApi for Unavailable {
    type Principal = ();

    async fn create_voiceover(
        &self,
        _context: Context<()>,
        _input: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        let response = &spec::SPEC["components"]["responses"]["ServiceUnavailable"];
        let reference = &response["content"]["application/json"]["examples"][self.example]["$ref"];
        let name = reference.as_str().and_then(|text| text.rsplit('/').next()).expect("it is a reference");
        let body = spec::SPEC["components"]["examples"][name]["value"].clone();
        let body: UnavailableMessage = serde_json::from_value(body).expect("the example is valid");
        Err(ApiError::ServiceUnavailable(ServiceUnavailableResponse::new(body)).into())
    }
}

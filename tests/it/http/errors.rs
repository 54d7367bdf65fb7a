//! The documented errors, as the generated client tells them.

use asset_api_client::{
    Client,
    models::{
        responses::{ApiError, BadRequestContent},
        voiceover::{CreateVoiceoverInput, VoiceoverRequest},
    },
    runtime::Error,
};

use super::{
    spec,
    wire::{KEY, Server},
};

fn client(server: &Server, key: &str) -> Client {
    Client::builder().base_url(server.url()).api_key(key).build().expect("these are good settings")
}

#[tokio::test]
async fn every_operation_documents_a_wrong_key() {
    let server = Server::start().await;
    let client = client(&server, "wrong");
    for operation in spec::operations() {
        match client.call(operation.id, spec::input_example(operation)).await {
            Err(Error::Api(failure)) => {
                assert_eq!(failure.status.as_u16(), 401, "{}", operation.id);
                assert_eq!(failure.body["message"], "Invalid API key", "{}", operation.id);
            }
            other => panic!("{}: {other:?}", operation.id),
        }
    }
}

#[tokio::test]
async fn are_types() {
    let server = Server::start().await;
    let mut request = VoiceoverRequest::new("", "voice");
    request.stability = Some(1.5);
    let Err(Error::Api(failure)) = client(&server, KEY).create_voiceover(request.clone()).send().await else {
        panic!("the request breaks two rules");
    };
    let ApiError::BadRequest(BadRequestContent::ProblemJson(problem)) = failure.body else {
        panic!("not {:?}", failure.body);
    };
    let names: Vec<&str> = problem.invalid_params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["text", "stability"]);
    assert_eq!(problem.message, problem.invalid_params[0].reason);

    let Err(Error::Api(failure)) = client(&server, "wrong").create_voiceover(request).send().await else {
        panic!("the key is wrong");
    };
    assert!(matches!(failure.body, ApiError::Unauthorized(_)), "not {:?}", failure.body);
}

/// The client finds the same as the server, without asking it.
#[tokio::test]
async fn are_found_before_anything_is_sent() {
    let server = Server::start().await;
    let builder = Client::builder().base_url(server.url()).api_key(KEY).preflight(true);
    let client = builder.build().expect("these are good settings");
    let mut input = CreateVoiceoverInput::from(VoiceoverRequest::new("hi", ""));
    input.idempotency_key = Some(String::new());
    let Err(Error::Invalid { violations }) = client.create_voiceover(input).send().await else {
        panic!("the request breaks two rules");
    };
    let names: Vec<&str> = violations.iter().map(|violation| violation.name.as_str()).collect();
    assert_eq!(names, ["idempotency-key", "voice_id"]);
    assert_eq!(server.examples.asked("create_voiceover"), None);
}

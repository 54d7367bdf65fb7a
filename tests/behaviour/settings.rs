//! Settings that change names and clients: other names, FastAPI's names, naive date-times, no setters, null as absent.

use fixture_settings_client::{
    Client,
    models::{
        common::{Flow, FlowState, NewFlow, Refusal},
        flows::{CreateFlowError, FindFlowFlowId},
        types::{NoError, Nullable, Uuid},
    },
};
use fixture_settings_server::{
    Server,
    flows::FlowsApi,
    runtime::{Context, Failure},
};
use fixture_settings_client::models::flows::{CreateFlowInput, FindFlow};
use openapi_crates_runtime::codec::{from_json, to_json};

use crate::serving;

const FLOW: &str = r#"{"name":"f","created":"2024-01-01T10:00:00.5","meta_info_v2":"m"}"#;

struct Flows;

impl FlowsApi for Flows {
    async fn create_flow(
        &self,
        _: Context<()>,
        input: CreateFlowInput,
    ) -> Result<Flow, Failure<CreateFlowError>> {
        Err(CreateFlowError::UnprocessableContent(Refusal::new(input.body.name)).into())
    }

    async fn find_flow(&self, _: Context<()>, input: FindFlow) -> Result<Flow, Failure<NoError>> {
        let created = "2024-01-01T10:00:00Z".parse().expect("a date-time");
        let name = match input.flow_id {
            FindFlowFlowId::String(name) => name,
            FindFlowFlowId::Uuid(id) => format!("flow {id}"),
        };
        let mut flow = Flow::new(name, input.since.unwrap_or(created));
        flow.owner = input.owner;
        flow.meta = Some("m".to_owned());
        Ok(flow)
    }
}

async fn start() -> (Client, String) {
    let service = Server::builder().flows(std::sync::Arc::new(Flows)).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

/// `create_flow` is FastAPI's name, `find_flow`, `Refusal` and `meta` are the settings'. The wire has the document's.
#[tokio::test]
async fn names_are_those_of_the_settings() {
    let (client, url) = start().await;
    let flow = client.find_flow("f").await.expect("a flow");
    assert_eq!((flow.name.as_str(), flow.meta.as_deref()), ("f", Some("m")));
    let response = serving::request(&url, "GET", "/flows/f", "").await;
    assert!(response.contains("\"meta_info_v2\":\"m\""), "{response}");

    let error = client.create_flow(NewFlow::new("refused")).await.expect_err("it is refused");
    assert_eq!(error.api_body(), Some(&CreateFlowError::UnprocessableContent(Refusal::new("refused"))));
}

/// Only clients assume UTC, and only in responses: a server refuses a naive date-time in a request.
#[tokio::test]
async fn naive_date_times_are_in_utc() {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{FLOW}",
        FLOW.len()
    );
    let url = serving::response(vec![head.into_bytes()], false).await;
    let client = Client::builder().base_url(&url).build().expect("a client");
    let flow = client.find_flow("f").await.expect("the client reads it");
    assert_eq!(flow.created.to_string(), "2024-01-01T10:00:00.5Z");
    let strict = Client::builder().base_url(&url).assume_utc(false).build().expect("a client");
    strict.find_flow("f").await.expect_err("a client can be strict");

    assert!(from_json::<Flow>(FLOW.as_bytes()).is_err());
    let (_, url) = start().await;
    for (since, status) in [("2024-01-01T10:00:00", 400), ("2024-01-01T10:00:00Z", 200)] {
        let response = serving::request(&url, "GET", &format!("/flows/f?since={since}"), "").await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{response}");
    }
}

/// A setter of the type would be preferred to that of this trait, and return another type.
trait NoSetter {
    fn with_note(self, note: &str) -> &'static str;
    fn with_since(self, since: &str) -> &'static str;
}

impl<T> NoSetter for T {
    fn with_note(self, _: &str) -> &'static str {
        "no setter"
    }

    fn with_since(self, _: &str) -> &'static str {
        "no setter"
    }
}

#[test]
fn there_are_no_setters() {
    let words: [&'static str; 2] = [NewFlow::new("f").with_note("n"), FindFlow::new("f").with_since("s")];
    assert_eq!(words, ["no setter"; 2]);
    let mut flow = NewFlow::new("f");
    flow.note = Some("n".to_owned());
    assert_eq!(to_json(&flow), br#"{"name":"f","note":"n"}"#);
}

/// A parameter of several types takes each of them, without a name of the union.
#[tokio::test]
async fn a_union_is_made_of_its_alternatives() {
    let (client, _) = start().await;
    let name = "f".to_owned();
    for call in [client.find_flow(&name), client.find_flow(name.clone()), client.find_flow("f")] {
        assert_eq!(call.await.expect("a flow").name, "f");
    }
    let id: Uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8".parse().expect("a UUID");
    let flow = client.find_flow(FindFlow::new(id)).await.expect("a flow");
    assert_eq!(flow.name, format!("flow {id}"));
}

#[test]
fn null_is_absent_in_responses_and_parameters() {
    let text = FLOW.replace(r#""m""#, r#""m","owner":null,"speed":null,"state":"1""#).replace("00.5", "00Z");
    let flow: Flow = from_json(text.as_bytes()).expect("a flow");
    assert_eq!((flow.owner.as_deref(), flow.state), (None, Some(FlowState::New)));
    assert_eq!(flow.speed, Some(Nullable::Null), "absent would be 3");
    let mut find = FindFlow::new("f");
    find.owner = Some("me".to_owned());
    let new: NewFlow = from_json(br#"{"name":"f","label":null}"#).expect("a new flow");
    assert_eq!(new.label, Some(Nullable::Null), "a request can remove the label");
}

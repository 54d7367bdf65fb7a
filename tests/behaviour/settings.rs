//! Settings that change names and clients: other names, FastAPI's names, naive date-times, no setters.

use fixture_settings_client::{
    Client,
    models::{
        common::{Flow, NewFlow, Refusal},
        flows::CreateFlowError,
        types::NoError,
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
        let mut flow = Flow::new(input.flow_id, input.since.unwrap_or(created));
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

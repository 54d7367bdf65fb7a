//! Documents in practice: a generated server and client on documents that break rules in common ways.

use std::sync::Arc;

use fixture_in_practice_client::{Client, models};
use fixture_in_practice_server::{
    Server,
    bodies::BodiesApi,
    runtime::{Context, Failure},
    values::ValuesApi,
};
use models::{
    bodies::{
        AnySuccessInput, AnySuccessOutput, GetThingInput, OnlyDefaultDefaultResponse, OnlyDefaultError, OnlyDefaultInput,
        OnlyDefaultOutput, ProbeError, ProbeOutput, SendThingOutput, SendThingInput,
    },
    common::{Bounds, Item, Rate, Thing},
    paths::StartInput,
    responses::ApiError,
    types::{Map, NoError, Nullable},
    values::{
        EchoBoundsInput, EchoItemInput, EchoNumberBody, EchoNumberInput, ReadTextsInput, ReadTextsVersion,
    },
};
use openapi_crates_runtime::codec::{from_json, to_json};

use crate::serving;

struct Practice;

impl BodiesApi for Practice {
    async fn no_content(&self, _: Context<()>) -> Result<(), Failure<NoError>> {
        Ok(())
    }

    async fn probe(&self, _: Context<()>) -> Result<ProbeOutput, Failure<ProbeError>> {
        Ok(ProbeOutput::new(3))
    }

    async fn any_success(
        &self,
        _: Context<()>,
        input: AnySuccessInput,
    ) -> Result<AnySuccessOutput, Failure<ApiError>> {
        let mut response = AnySuccessOutput::new(u16::try_from(input.status).expect("a status"));
        response.body = Some(Thing::new(1));
        Ok(response)
    }

    async fn only_default(
        &self,
        _: Context<()>,
        input: OnlyDefaultInput,
    ) -> Result<OnlyDefaultOutput, Failure<OnlyDefaultError>> {
        let status = u16::try_from(input.status).expect("a status");
        if status >= 300 {
            let response = OnlyDefaultDefaultResponse::new(status, Thing::new(2));
            return Err(OnlyDefaultError::Default(response).into());
        }
        let mut response = OnlyDefaultOutput::new(status);
        response.body = Some(Thing::new(1));
        Ok(response)
    }

    async fn send_thing(
        &self,
        _: Context<()>,
        input: SendThingInput,
    ) -> Result<SendThingOutput, Failure<NoError>> {
        Ok(SendThingOutput::Json(input.body))
    }

    async fn get_thing(&self, _: Context<()>, input: GetThingInput) -> Result<Thing, Failure<ApiError>> {
        let filter = input.filter.unwrap_or_default();
        match filter.get("a[b") {
            Some(text) => Ok(Thing::new(text.parse().expect("a number"))),
            None => Ok(Thing::new(input.limit)),
        }
    }
}

impl ValuesApi for Practice {
    async fn read_texts(
        &self,
        _: Context<()>,
        input: ReadTextsInput,
    ) -> Result<Vec<String>, Failure<NoError>> {
        let ReadTextsInput { flag, text, tags, must, version, .. } = &input;
        Ok(vec![format!("{flag:?} {text:?} {tags:?} {must:?} {}", version.as_ref().map_or("-", ReadTextsVersion::as_str))])
    }

    async fn echo_number(&self, _: Context<()>, input: EchoNumberInput) -> Result<Rate, Failure<NoError>> {
        let (EchoNumberBody::Json(rate) | EchoNumberBody::Form(rate)) = input.body;
        let mut response = Rate::new(rate.rate);
        // The server divides by zero.
        response.others = Some(vec![1.0, 1.0 / rate.rate]);
        Ok(response)
    }

    async fn echo_item(&self, _: Context<()>, input: EchoItemInput) -> Result<Item, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_bounds(&self, _: Context<()>, input: EchoBoundsInput) -> Result<Bounds, Failure<NoError>> {
        Ok(input.body)
    }
}

async fn start() -> (Client, String) {
    let api = Arc::new(Practice);
    let server = Server::builder().bodies(Arc::clone(&api)).values(api);
    let url = serving::start(server.build().expect("a service")).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

/// Starts a server that sends this status line, these headers and this body. Returns a client of it.
async fn foreign(head: &str, body: &str) -> Client {
    let response = format!("HTTP/1.1 {head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let url = serving::response(vec![response.into_bytes()], false).await;
    Client::builder().base_url(url).build().expect("a client")
}

#[tokio::test]
async fn bodies_are_empty_where_http_has_none() {
    let (client, url) = start().await;
    client.no_content().await.expect("204 has no body");
    assert_eq!(client.probe().await.expect("HEAD has no body").x_count, 3);
    let response = serving::request(&url, "GET", "/empty", "").await;
    assert!(response.starts_with("HTTP/1.1 204 ") && response.ends_with("\r\n\r\n"), "{response}");
    let conflict = foreign("409 Conflict\r\ncontent-type: application/json\r\n", "").await;
    let error = conflict.probe().await.expect_err("a conflict");
    assert_eq!(error.api_body(), Some(&ProbeError::Conflict));
}

#[tokio::test]
async fn a_range_of_successes_includes_those_without_a_body() {
    let (client, url) = start().await;
    for (status, body) in [(200, Some(Thing::new(1))), (201, Some(Thing::new(1))), (204, None), (205, None)] {
        let output = client.any_success(i64::from(status)).await.expect("a success");
        assert_eq!((output.status, output.body), (status, body.clone()));
        let output = client.only_default(i64::from(status)).await.expect("a success");
        assert_eq!((output.status, output.body), (status, body));
    }
    let response = serving::request(&url, "PUT", "/empty?status=204", "").await;
    assert!(response.ends_with("\r\n\r\n") && !response.contains("content-type"), "{response}");
    let other = client.only_shared_default().await.expect_err("it is not implemented");
    assert_eq!(other.status().map(|status| status.as_u16()), Some(501));
}

#[tokio::test]
async fn a_default_alone_is_also_an_error() {
    let (client, _) = start().await;
    for status in [302, 404, 500] {
        let error = client.only_default(status).await.expect_err("an error");
        let Some(OnlyDefaultError::Default(response)) = error.api_body() else { panic!("{error:?}") };
        assert_eq!((i64::from(response.status), &response.body), (status, &Thing::new(2)));
    }
    let shared = foreign("409 Conflict\r\ncontent-type: application/json\r\n", "{\"t\":5}").await;
    let error = shared.only_shared_default().await.expect_err("an error");
    assert!(matches!(error.api_body(), Some(ApiError::ConflictAnyStatus(it)) if it.body == Thing::new(5)), "{error:?}");
}

#[tokio::test]
async fn equal_media_types_are_one_type() {
    let (client, url) = start().await;
    let SendThingOutput::Json(thing) = client.send_thing(Thing::new(7)).await.expect("a response") else {
        panic!("the server sends JSON")
    };
    assert_eq!(thing, Thing::new(7));
    for content_type in ["application/json", "application/json; charset=utf-8", "text/json", "application/vnd.x+json"] {
        let response = serving::post(&url, "/things", content_type, "{\"t\":7}").await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{content_type}: {response}");
        assert!(response.contains("content-type: application/json\r\n"), "{content_type}: {response}");
    }
    let response = serving::post(&url, "/things", "text/plain", "{\"t\":7}").await;
    assert!(response.starts_with("HTTP/1.1 415 "), "{response}");
    let other = foreign("200 OK\r\ncontent-type: text/json\r\n", "{\"t\":8}").await;
    assert_eq!(other.send_thing(Thing::new(1)).await.expect("JSON"), SendThingOutput::Json(Thing::new(8)));
    let plain = foreign("200 OK\r\ncontent-type: text/plain; charset=utf-8\r\n", "{\"t\":9}").await;
    assert_eq!(plain.get_plain().await.expect("JSON"), Thing::new(9));
}

#[tokio::test]
async fn an_empty_value_is_an_absent_parameter() {
    let (_, url) = start().await;
    for (query, expected) in [
        ("must=x", r#"None None None \"x\" -"#),
        ("flag=&text=&tags=&must=", r#"None None None \"\" -"#),
        ("flag&text&tags&must", r#"None None None \"\" -"#),
        ("flag=true&text=a&tags=b&tags=&must=x&version=1.10", r#"Some(true) Some(\"a\") Some([\"b\"]) \"x\" 1.10"#),
    ] {
        let response = serving::request(&url, "GET", &format!("/values?{query}"), "").await;
        assert!(response.starts_with("HTTP/1.1 200 ") && response.contains(expected), "{query}: {response}");
    }
    for query in ["flag=maybe&must=x", "must=x&version=1.1", "must=x&rate="] {
        let response = serving::request(&url, "GET", &format!("/values?{query}"), "").await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{query}: {response}");
    }
}

#[test]
fn texts_are_as_they_are_written() {
    let input = ReadTextsInput::new("x");
    assert_eq!(input.version_or_default().as_str(), "1.10");
    assert_eq!(input.count_or_default(), "3");
    for text in ["1.0", "1.10"] {
        let version: ReadTextsVersion = from_json(format!("\"{text}\"").as_bytes()).expect("a version");
        assert!(!format!("{version:?}").contains("Unknown"), "{version:?}");
    }
}

#[tokio::test]
async fn numbers_that_are_not_finite_are_errors() {
    let (client, url) = start().await;
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut nested = Rate::new(1.0);
        nested.others = Some(vec![0.0, number]);
        for (body, path) in [
            (EchoNumberBody::Json(Rate::new(number)), "body.rate"),
            (EchoNumberBody::Form(Rate::new(number)), "body.rate"),
            (EchoNumberBody::Json(nested), "body.others[1]"),
        ] {
            let error = client.echo_number(body).await.expect_err("no format has it").to_string();
            assert!(error.contains(&format!("the number at `{path}` is not finite")), "{error}");
        }
        let mut input = ReadTextsInput::new("x");
        input.rate = Some(number);
        let error = client.read_texts(input).await.expect_err("no query has it").to_string();
        assert!(error.contains("the number at `rate` is not finite"), "{error}");
    }
    let response = serving::post(&url, "/values", "application/json", "{\"rate\":0}").await;
    assert!(response.starts_with("HTTP/1.1 500 "), "{response}");
    let response = serving::post(&url, "/values", "application/json", "{\"rate\":2}").await;
    assert!(response.ends_with("{\"rate\":2,\"others\":[1,0.5]}"), "{response}");
}

#[tokio::test]
async fn null_is_read_beside_a_reference() {
    let (client, url) = start().await;
    let mut item = Item::new(None, None);
    item.optional = Some(Nullable::Null);
    item.list = Some(vec![None, Some(Thing::new(1))]);
    item.map = Some(Map::from_iter([("a".to_owned(), None)]));
    item.union = Some(Nullable::Null);
    assert_eq!(client.echo_item(item.clone()).await.expect("the server accepts null"), item);
    let text = r#"{"thing":null,"through":null,"optional":null,"list":[null,{"t":1}],"map":{"a":null},"union":null}"#;
    assert_eq!(to_json(&item), text.as_bytes());
    for (body, status) in [
        (r#"{"thing":null}"#, 400),
        (r#"{"thing":null,"through":null,"list":null}"#, 400),
    ] {
        let head = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        let response = serving::send(&url, "PUT", "/values", &head, body).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{body}: {response}");
    }
}

#[tokio::test]
async fn bounds_count_more_than_the_format() {
    let (client, url) = start().await;
    let mut bounds = Bounds::default();
    bounds.unsigned = Some(u32::MAX);
    (bounds.large, bounds.negative) = (Some(u64::MAX), Some(-1));
    assert_eq!(client.echo_bounds(bounds.clone()).await.expect("all are within the bounds"), bounds);
    for body in [r#"{"unsigned":4294967296}"#, r#"{"negative":-2}"#] {
        let head = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        let response = serving::send(&url, "PATCH", "/values", &head, body).await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{body}: {response}");
    }
}

#[tokio::test]
async fn merge_keys_are_read() {
    let (client, url) = start().await;
    assert_eq!(client.get_thing(("x", 5)).await.expect("a thing"), Thing::new(5));
    for query in ["limit=0", "page=1", "limit=1&page=0"] {
        let response = serving::request(&url, "GET", &format!("/things/x?{query}"), "").await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{query}: {response}");
    }
    let conflict = foreign("409 Conflict\r\ncontent-type: application/json\r\n", "{\"t\":5}").await;
    let error = conflict.get_thing(("x", 1)).await.expect_err("a conflict");
    assert_eq!(error.api_body(), Some(&ApiError::Conflict(Thing::new(5))));
}

#[tokio::test]
async fn a_key_with_a_bracket_round_trips() {
    let (client, _) = start().await;
    let filter = |key: &str| {
        let mut input = GetThingInput::new("x", 1);
        input.filter = Some(Map::from_iter([(key.to_owned(), "9".to_owned())]));
        input
    };
    assert_eq!(client.get_thing(filter("a[b")).await.expect("a thing"), Thing::new(9));
    let error = client.get_thing(filter("a]b")).await.expect_err("a key ends at the bracket").to_string();
    assert!(error.contains("the value of `filter` has a character that can't be sent there"), "{error}");
}

/// Returns the URL and the headers of the request that a call would send.
async fn sent<T>(
    builder: fixture_in_practice_client::ClientBuilder,
    call: impl AsyncFnOnce(Client) -> Result<T, String>,
) -> String {
    let client = builder.before_attempt(|_, request| {
        let headers = request.headers().iter().map(|(name, value)| format!("{name}: {};", value.to_str().unwrap_or("")));
        Err(format!("{} {}", request.url(), headers.collect::<String>()).into())
    });
    let Err(error) = call(client.build().expect("a client")).await else { panic!("the hook refuses the request") };
    error
}

#[tokio::test]
async fn a_query_joins_that_of_the_path() {
    let fast = StartInput::default().with_speed(3);
    let url = sent(Client::builder(), async |client| client.start(fast).await.map_err(|error| error.to_string()));
    assert!(url.await.contains("https://api.example.com/v1/run?action=start&speed=3 "));
    let url = sent(Client::builder(), async |client| client.start(()).await.map_err(|error| error.to_string()));
    assert!(url.await.contains("https://api.example.com/v1/run?action=start "));
}

#[tokio::test]
async fn a_pattern_keeps_its_slashes() {
    let cancel = async |name: &'static str| {
        sent(Client::builder(), async |client| client.cancel(name).await.map_err(|error| error.to_string())).await
    };
    let url = cancel("projects/a b/things/1").await;
    assert!(url.contains("https://api.example.com/v1/v1/projects/a%20b/things/1:cancel "), "{url}");
    for name in ["projects/../things/b", "projects/a", "others/a/things/b", "projects/a/things/b/c"] {
        let error = cancel(name).await;
        assert!(error.contains("which would change the path"), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_reserved_expansion_keeps_its_slashes() {
    let get = async |name: &'static str| {
        sent(Client::builder(), async |client| client.get_named(name).await.map_err(|error| error.to_string())).await
    };
    let url = get("projects/a b/things").await;
    assert!(url.contains("https://api.example.com/v1/v2/projects/a%20b/things "), "{url}");
    for name in ["", "a/../b", "a//b"] {
        let error = get(name).await;
        assert!(error.contains("which would change the path"), "{name}: {error}");
    }
}

#[tokio::test]
async fn operations_go_to_their_own_servers() {
    let builder = Client::builder;
    let status = async |builder| {
        sent(builder, async |client: Client| client.upload_status().await.map_err(|error| error.to_string())).await
    };
    let url = status(builder()).await;
    assert!(url.contains("https://upload.example.com/v2/upload "), "{url}");
    assert!(status(builder().base_url("http://localhost:1")).await.contains("http://localhost:1/upload "));
    let reported = builder().base_url("http://localhost:1").operation_servers(true);
    assert!(status(reported).await.contains("https://upload.example.com/v2/upload "));
    assert!(status(builder().operation_servers(false)).await.contains("https://api.example.com/v1/upload "));

    let upload = async |builder| {
        sent(builder, async |client: Client| client.upload().await.map_err(|error| error.to_string())).await
    };
    assert!(upload(builder()).await.contains("https://api.example.com/files/upload "));
}

//! Values of OpenAPI 3.2: delimited objects, cookies of several pairs, a query string of text, links in a header, and
//! security requirements by URI.

use std::sync::{Arc, Mutex};

use fixture_openapi_3_2_values_client::{Client, models};
use fixture_openapi_3_2_values_server::{
    Server,
    runtime::{Attempt, Authenticate, Context, Denied, Failure},
    values::ValuesApi,
};
use models::{
    common::{Point, Values},
    types::NoError,
    values::{GetLabelInput, GetValuesInput, GetValuesOutput, SearchInput},
};

use crate::serving;

const LINKS: &str = "<https://example.com/a,b>; rel=\"next\", <c%20d>; rel=\"item\"";

/// Accepts every credential, and passes on its secret.
struct Any;

impl Authenticate for Any {
    type Principal = String;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<String, Denied> {
        match attempt.credentials {
            [one] => Ok(format!("{}={}", one.scheme.name, one.secret())),
            _ => Err(Denied::Invalid),
        }
    }
}

/// Responds with what it read, and keeps the URI and the cookies of the last request.
#[derive(Default)]
struct Mirror(Mutex<String>);

impl Mirror {
    fn note<P>(&self, context: &Context<P>) {
        let cookie = context.headers.get("cookie").and_then(|value| value.to_str().ok());
        let seen = format!("{} {}", context.uri(), cookie.unwrap_or("-"));
        *self.0.lock().expect("no test panics here") = seen;
    }

    fn seen(&self) -> String {
        self.0.lock().expect("no test panics here").clone()
    }
}

impl ValuesApi for Mirror {
    type Principal = String;

    async fn get_values(
        &self,
        context: Context<String>,
        input: GetValuesInput,
    ) -> Result<GetValuesOutput, Failure<NoError>> {
        self.note(&context);
        let mut values = Values::new(input.label);
        (values.spaces, values.pipes) = (input.spaces, input.pipes);
        (values.flags, values.point) = (input.flags, input.point);
        values.credential = Some(context.principal);
        let mut response = GetValuesOutput::new(values);
        response.link = Some(LINKS.to_owned());
        Ok(response)
    }

    async fn get_label(&self, context: Context<()>, input: GetLabelInput) -> Result<Point, Failure<NoError>> {
        self.note(&context);
        Ok(input.point)
    }

    async fn search(&self, context: Context<()>, input: SearchInput) -> Result<String, Failure<NoError>> {
        self.note(&context);
        Ok(input.text)
    }
}

async fn start() -> (Client, String, Arc<Mirror>) {
    let mirror = Arc::new(Mirror::default());
    let service = Server::builder(Any).values(Arc::clone(&mirror)).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).device("token").build().expect("a client"), url, mirror)
}

fn point(x: i64, y: i64) -> Point {
    Point::new(x).with_y(y)
}

#[tokio::test]
async fn values_are_delimited_by_their_styles() {
    let (client, url, mirror) = start().await;
    let input = GetValuesInput::new(vec!["blue".to_owned(), "a.b".to_owned()])
        .with_spaces(point(1, 2))
        .with_pipes(point(3, 4))
        .with_flags(vec!["x".to_owned(), "y".to_owned()])
        .with_point(point(5, 6));
    let response = client.get_values(input.clone()).await.expect("a response");
    let seen = response.body;
    assert_eq!((seen.label, seen.spaces, seen.pipes), (input.label, input.spaces, input.pipes));
    assert_eq!((seen.flags, seen.point), (input.flags, input.point));
    assert_eq!(
        mirror.seen(),
        "/values/.blue,a%2Eb?spaces=x%201%20y%202&pipes=x%7C3%7Cy%7C4 flags=x; flags=y; x=5; y=6"
    );
    assert_eq!(client.get_label(point(-1, 2)).await.expect("a point"), point(-1, 2));
    assert_eq!(mirror.seen(), "/labels/.x,-1,y,2 -");

    let headers = "authorization: Bearer t\r\ncookie: flags=x; x=7\r\n";
    for (path, status, part) in [
        ("/values/.a,b?spaces=x+1&pipes=x|2", 200, "\"spaces\":{\"x\":1},\"pipes\":{\"x\":2},\"flags\":[\"x\"],\"point\":{\"x\":7}"),
        ("/values/.a?spaces=y%201", 400, "\"name\":\"spaces\""),
        ("/values/.a?pipes=x%7Cone", 400, "\"name\":\"pipes\""),
        ("/values/a", 400, "label"),
    ] {
        let response = serving::request(&url, "GET", path, headers).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{path}: {response}");
    }
}

#[tokio::test]
async fn a_header_with_links_is_text() {
    let (client, url, _) = start().await;
    let response = client.get_values(vec!["a".to_owned()]).await.expect("a response");
    assert_eq!(response.link.as_deref(), Some(LINKS));
    let raw = serving::request(&url, "GET", "/values/.a", "authorization: Bearer t\r\n").await;
    assert!(raw.contains(&format!("link: {LINKS}\r\n")), "{raw}");
}

#[tokio::test]
async fn a_query_string_may_be_text() {
    let (client, url, mirror) = start().await;
    assert_eq!(client.search("a b&c=d/ü").await.expect("a text"), "a b&c=d/ü");
    assert_eq!(mirror.seen(), "/search?a%20b%26c%3Dd%2F%C3%BC -");
    for (query, status, part) in
        [("a+b", 200, "\"a+b\""), ("", 400, "text"), ("123456789012345678901", 400, "max-length"), ("%zz", 400, "query")]
    {
        let response = serving::request(&url, "GET", &format!("/search?{query}"), "").await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{query}: {response}");
    }
}

#[tokio::test]
async fn requirements_by_uri_and_deprecated_schemes() {
    let (client, url, _) = start().await;
    let response = client.get_values(vec!["a".to_owned()]).await.expect("a response");
    assert_eq!(response.body.credential.as_deref(), Some("device=token"));
    #[expect(deprecated, reason = "the scheme is")]
    let client = Client::builder().base_url(&url).old_key("key").build().expect("a client");
    let response = client.get_values(vec!["a".to_owned()]).await.expect("a response");
    assert_eq!(response.body.credential.as_deref(), Some("old_key=key"));
    let response = serving::request(&url, "GET", "/values/.a", "").await;
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
}

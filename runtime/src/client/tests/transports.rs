//! Transports: services of tower, mocks, recordings, and blocking calls.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Instant,
};

use futures_core::Stream;
use http::{Method, StatusCode};

use super::*;
use crate::{
    client::mock::{Mock, Recorder, Replay, Reply as Scripted},
    types::ByteStream,
};

/// The attempts and the URLs of the requests that a server got.
type Requests = Arc<Mutex<Vec<(Option<u32>, String)>>>;

/// A server of icons without sockets, which redirects from one path.
#[derive(Clone, Default)]
struct Icons(Requests);

impl tower_service::Service<http::Request<ByteStream>> for Icons {
    type Response = http::Response<ByteStream>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<ByteStream>) -> Self::Future {
        let attempt = request.extensions().get::<Attempt>().map(|attempt| attempt.number);
        self.0.lock().unwrap().push((attempt, request.uri().to_string()));
        let response = http::Response::builder().header("content-type", "application/json");
        let response = match (request.method(), request.uri().path().trim_start_matches("/api")) {
            (&Method::GET, "/v1/icons/old") => response.status(307).header("location", "/v1/icons/7"),
            (&Method::GET, "/v1/icons/none") => response.status(404),
            (&Method::POST, _) => response.status(200),
            _ => response.header("set-cookie", "session=hunter2").header("etag", "\"1\""),
        };
        ready(Ok(response.body(r#"{"id":"7","access_token":"hunter2"}"#.into()).unwrap()))
    }
}

/// Creates a client with two secrets and without waits.
fn client_of(transport: impl Transport) -> Client {
    let retry = RetryPolicy::default().random(|| 0.0);
    let builder = Client::builder().base_url("http://icons.example/api").retry(retry);
    builder.credential(&KEY, "hunter2").credential(&TOKEN, "hunter2").transport(transport).build().unwrap()
}

fn of_icons() -> (Icons, Client) {
    let icons = Icons::default();
    let client = Client::builder().base_url("http://icons").require_credentials(false);
    (icons.clone(), client.transport(icons).build().unwrap())
}

#[tokio::test]
async fn a_service_is_a_transport() {
    let (icons, client) = of_icons();
    assert_eq!(get(&client, "old").await.unwrap()["id"], "7");
    let error = get(&client, "none").await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::NOT_FOUND));
    create(&client, None).await.unwrap();
    let seen = icons.0.lock().unwrap().clone();
    let urls: Vec<&str> = seen.iter().map(|(_, url)| url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "http://icons/v1/icons/old",
            "http://icons/v1/icons/7",
            "http://icons/v1/icons/none",
            "http://icons/v1/icons"
        ]
    );
    assert!(seen.iter().all(|(attempt, _)| *attempt == Some(1)), "{seen:?}");
}

#[tokio::test]
async fn the_limits_of_a_response_hold_for_each_transport() {
    let mock = Mock::new().on("getIcon", Scripted::json(200, &"x".repeat(100)));
    let builder = Client::builder().base_url("http://mock").require_credentials(false).response_limit(50);
    let client = builder.transport(mock).build().unwrap();
    let error = get(&client, "7").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooLarge { limit: 50, .. }), "{error}");
}

#[tokio::test]
async fn a_mock_replies_in_order_and_records_calls() {
    let mock = Mock::new()
        .on("getIcon", Scripted::no_connection())
        .on("getIcon", Scripted::new(503).header("retry-after", "0"))
        .on("getIcon", Scripted::json(200, &json!({"id": "7"})));
    let clone = mock.clone();
    mock.on_call("createIcon", move |call| {
        assert_eq!(clone.calls_of("createIcon").len(), 1, "a function can use the mock");
        Scripted::json(200, &call.json().unwrap()["secret"])
    });
    let client = client_of(mock.clone());
    for _ in 0..2 {
        assert_eq!(get(&client, "7").await.unwrap()["id"], "7");
    }
    assert_eq!(create(&client, Some("k")).await.unwrap(), "hunter2");
    let attempts: Vec<u32> = mock.calls_of("getIcon").iter().map(|call| call.attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 1]);
    let calls = mock.calls();
    let [.., created] = calls.as_slice() else { panic!("there are calls") };
    assert_eq!((created.operation, created.url.path()), ("createIcon", "/api/v1/icons"));
    assert_eq!(created.header("idempotency-key"), Some("k"));
    assert!(format!("{mock:?}").starts_with("Mock { replies: "), "{mock:?}");
}

#[tokio::test(start_paused = true)]
async fn a_mock_fails_as_servers_do() {
    let mock = Mock::new()
        .on("submitIcon", Scripted::no_response())
        .on("submitIcon", Scripted::json(200, &json!(1)).cut_off())
        .on("submitIcon", Scripted::new(200).after(Duration::MAX))
        .on("submitIcon", Scripted::new(1000));
    let client = client_of(mock.clone());
    let failed = async || submit(&client).await.unwrap_err();
    for _ in 0..2 {
        let error = failed().await;
        assert!(matches!(error.kind(), ErrorKind::Transport(_)), "{error:?}");
    }
    assert!(matches!(failed().await.kind(), ErrorKind::Timeout { .. }));
    assert!(matches!(failed().await.kind(), ErrorKind::Refused(_)));
    assert_eq!(mock.calls().len(), 4);
}

#[tokio::test]
async fn a_call_without_a_reply_is_named_and_not_repeated() {
    let mock = Mock::new().on("createIcon", Scripted::new(200));
    let client = client_of(mock.clone());
    let error = get(&client, "7").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: the transport refused the request: the mock has no reply for `getIcon` (GET \
         /api/v1/icons/7), only for createIcon"
    );
    assert_eq!((error.attempts(), error.is_retryable(), mock.calls().len()), (1, false, 1));
}

#[tokio::test]
async fn tokens_come_from_the_transport() {
    let token = json!({"access_token": "t", "expires_in": 3600});
    let mock = Mock::new().on(Mock::TOKEN, Scripted::json(200, &token)).on("ping", Scripted::new(200));
    let grant = OAuth2::client_credentials("id", "hunter2").token_url("http://tokens.example/token");
    let builder = Client::builder().base_url("http://mock").credential(&TOKEN, grant);
    let client = builder.transport(mock.clone()).build().unwrap();
    client.call::<(), NotFound>(&PING, &()).send_raw().await.unwrap();
    let calls = mock.calls();
    assert_eq!(calls[0].url.as_str(), "http://tokens.example/token");
    assert_eq!(calls[1].header("authorization"), Some("Bearer t"));
}

/// Calls operations of [`Icons`], with secrets in headers, bodies and queries.
async fn use_icons(client: &Client) {
    assert_eq!(get(client, "7").await.unwrap()["id"], "7");
    get(client, "none").await.unwrap_err();
    create(client, None).await.unwrap();
}

#[tokio::test]
async fn recordings_are_replayed() {
    let recorder = Recorder::new(Icons::default());
    use_icons(&client_of(recorder.clone())).await;
    let file = recorder.to_json();
    assert!(!file.contains("hunter2"), "{file}");
    let exchanges: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        exchanges[0],
        json!({
            "operation": "getIcon",
            "request": "GET /api/v1/icons/7",
            "response": 200,
            "response_body": {"access_token": "REDACTED", "id": "7"},
            "response_headers": {"content-type": "application/json", "etag": "\"1\""},
        })
    );
    assert_eq!(exchanges[2]["request_body"], json!({"secret": "REDACTED"}));

    let replay = Replay::parse(&file).unwrap();
    let client = client_of(replay.clone());
    use_icons(&client).await;
    assert_eq!(replay.unused(), [""; 0]);
    let again = get(&client, "7").await.unwrap_err().to_string();
    assert!(
        again.ends_with("`getIcon` (GET /api/v1/icons/7): all 2 exchanges of the operation are used"),
        "{again}"
    );
}

#[tokio::test]
async fn a_request_that_differs_from_its_recording_is_refused() {
    let file = r#"[
        {"operation": "createIcon", "request": "POST /api/v1/icons", "request_body": {"secret": "a"}, "response": 200},
        {"operation": "getIcon", "request": "GET /api/v1/icons/7", "response": 200, "response_body": {}}
    ]"#;
    let replay = Replay::parse(file).unwrap();
    let client = client_of(replay.clone());
    let error = create(&client, None).await.unwrap_err().to_string();
    assert!(error.contains("POST /api/v1/icons differs in the body at `/secret`"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    let error = get(&client, "8").await.unwrap_err().to_string();
    assert!(error.contains("GET /api/v1/icons/7 differs in the path or the query"), "{error}");
    assert_eq!(replay.unused(), ["createIcon: POST /api/v1/icons", "getIcon: GET /api/v1/icons/7"]);
    for wrong in [
        "{}",
        "[{}]",
        r#"[{"operation": "a", "request": "GET /", "response": 200, "respnse_body": 1}]"#,
        r#"[{"operation": "a", "request": "GET /", "response": 200, "response_headers": ["etag"]}]"#,
    ] {
        assert!(Replay::parse(wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn a_recording_has_names_of_the_callers_own() {
    let mock = Mock::new()
        .on("createIcon", Scripted::json(200, &json!({"pin": "1234", "url": "/?pin=1234&page=2"})));
    let recorder = Recorder::new(mock).redact("pin");
    create(&client_of(recorder.clone()), None).await.unwrap();
    let file = recorder.to_json();
    assert!(!file.contains("1234") && file.contains("/?pin=REDACTED&page=2"), "{file}");
}

#[test]
fn calls_block_without_async() {
    let mock = Mock::new()
        .on("getIcon", Scripted::new(503).header("retry-after", "0"))
        .on("getIcon", Scripted::json(200, &json!({"id": "7"})).after(Duration::from_millis(5)));
    let client = client_of(mock);
    let began = Instant::now();
    assert_eq!(get(&client, "7").block().unwrap()["id"], "7");
    assert!(began.elapsed() >= Duration::from_millis(5));
    let response = get(&client, "7").send_with_response().block().unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (200, 1));
    let threads = [(); 4].map(|()| {
        let client = client.clone();
        std::thread::spawn(move || get(&client, "7").block().is_ok())
    });
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
}

#[test]
fn connections_outlive_a_blocking_call() {
    let server = async { Server::start(&[ICON]).await };
    let server = server.block();
    let client = client(&server);
    for _ in 0..2 {
        assert_eq!(get(&client, "7").block().unwrap()["id"], "7");
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn streams_block_item_by_item() {
    struct Count(u32);
    impl Stream for Count {
        type Item = u32;
        fn poll_next(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u32>> {
            self.0 += 1;
            Poll::Ready((self.0 < 4).then_some(self.0))
        }
    }
    assert_eq!(Count(0).block_each().collect::<Vec<_>>(), [1, 2, 3]);
}

//! Results of calls: outputs, errors, raw responses, preflight, dynamic calls.

use super::*;

const NOT_FOUND: Reply = Reply::Response(404, IS_JSON, r#"{"message":"Icon not found"}"#);

#[tokio::test]
async fn a_call_returns_its_value() {
    let server =
        Server::start(&[Reply::Response(200, &["content-type: application/json", "x-a: b"], "[1]")]).await;
    let client = client(&server);
    assert_eq!(get(&client, "7").send().await.unwrap(), json!([1]));
    assert_eq!(get(&client, "7").await.unwrap(), json!([1]));
    let response = get(&client, "7").send_with_response().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (200, 1));
    assert_eq!(response.headers["x-a"], "b");
    assert_eq!(response.map(|value| value[0].clone()).into_value(), json!(1));
    client.call::<(), NotFound>(&PING, &()).await.unwrap();
}

#[tokio::test]
async fn errors_are_typed_or_kept_as_they_are() {
    let server = Server::start(&[
        NOT_FOUND,
        Reply::Response(404, &["content-type: text/html"], "<p>proxy</p>"),
        Reply::Response(418, &[], "teapot"),
        Reply::Response(200, IS_JSON, "{\"id\""),
        Reply::CutOff,
    ])
    .await;
    let client = builder(&server).retry(RetryPolicy::never()).build().unwrap();

    let error = get(&client, "7").send().await.unwrap_err();
    assert_eq!(error.as_api().unwrap().body, NotFound(json!({"message": "Icon not found"})));
    assert_eq!(error.api_body().unwrap().0["message"], "Icon not found");
    assert_eq!(error.to_string(), "GET /v1/icons/{id}: 404 Not Found: Icon not found");
    assert_eq!((error.operation().unwrap().id, error.attempts()), ("getIcon", 1));
    assert!(!error.is_retryable());

    match get(&client, "7").send().await.unwrap_err().into_kind() {
        ErrorKind::Unexpected(unexpected) => {
            assert_eq!(&unexpected.body[..], b"<p>proxy</p>");
            assert!(unexpected.error.is_some());
        }
        other => panic!("{other:?}"),
    }
    let teapot = get(&client, "7").send().await.unwrap_err();
    assert_eq!(teapot.to_string(), "GET /v1/icons/{id}: 418 I'm a teapot, which isn't documented: teapot");
    match get(&client, "7").send().await.unwrap_err().into_kind() {
        ErrorKind::Decode(undecodable) => assert!(undecodable.error.is_syntax(), "{undecodable}"),
        other => panic!("{other:?}"),
    }
    let cut_off = get(&client, "7").send().await.unwrap_err();
    assert!(matches!(cut_off.kind(), ErrorKind::Transport(_)), "{cut_off:?}");
    assert!(std::error::Error::source(&cut_off).is_some());
}

#[tokio::test]
async fn a_raw_response_has_any_status() {
    let server = Server::start(&[NOT_FOUND]).await;
    let raw = get(&client(&server), "7").send_raw().await.unwrap();
    assert_eq!(raw.status.as_u16(), 404);
    assert_eq!(raw.content_type(), "application/json");
    assert_eq!(&raw.body[..], br#"{"message":"Icon not found"}"#);
}

#[tokio::test]
async fn no_more_of_a_response_is_read_than_the_client_takes() {
    const LONG: &str = r#"{"id":"0123456789"}"#;
    for reply in [Reply::Response(200, IS_JSON, LONG), Reply::Endless(LONG)] {
        let server = Server::start(vec![reply].leak()).await;
        let limited = builder(&server).response_limit(18).build().unwrap();
        let error = get(&limited, "7").send().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "GET /v1/icons/{id}: 200 OK: the response is larger than the client's limit of 18 bytes"
        );
        assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
        assert!(!error.is_retryable());
        let raw = get(&limited, "7").send_raw().await.unwrap_err();
        assert!(matches!(raw.kind(), ErrorKind::TooLarge { limit: 18, .. }), "{raw:?}");
        assert_eq!(server.requests().len(), 2, "it is not tried again");
    }
    let server = Server::start(&[Reply::Response(200, IS_JSON, LONG)]).await;
    let client = builder(&server).response_limit(19).build().unwrap();
    assert_eq!(get(&client, "7").await.unwrap(), json!({"id": "0123456789"}));
}

#[tokio::test]
async fn a_preflight_refuses_before_anything_is_sent() {
    const LONG: &str = "0123456789012345678901234567890123456789";
    let server = Server::start(&[ICON]).await;
    let strict = builder(&server).preflight(true).build().unwrap();
    match get(&strict, LONG).send().await.unwrap_err().into_kind() {
        ErrorKind::Invalid { violations } => {
            assert_eq!(violations.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["id"]);
        }
        other => panic!("{other:?}"),
    }
    let error = get(&strict, LONG).send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: the input violates the API's constraints, so it wasn't sent: `id` must be at most 36 characters long"
    );
    assert_eq!((server.requests().len(), error.attempts()), (0, 0));
    get(&strict, "7").send().await.unwrap();
    get(&client(&server), LONG).send().await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

static DYNAMIC: &[&[Dynamic]] = &[
    &[Dynamic::new::<GetIcon, Value, NotFound>(&GET_ICON)],
    &[],
    &[Dynamic::new::<(), (), NotFound>(&PING)],
];

#[tokio::test]
async fn an_operation_is_called_by_its_id() {
    let server = Server::start(&[ICON, NOT_FOUND, ICON]).await;
    let client = client(&server);
    let call = |id, input| client.call_dynamic(DYNAMIC, id, &input);
    let response = call("getIcon", json!({"id": "7"})).unwrap().send_with_response().await.unwrap();
    assert_eq!((response.status.as_u16(), response.value), (200, json!({"id": "7"})));
    let error = call("getIcon", json!({"id": "8"})).unwrap().await.unwrap_err();
    assert_eq!(error.as_api().unwrap().body, json!({"message": "Icon not found"}));
    assert_eq!(call("ping", json!({})).unwrap().await.unwrap(), Value::Null);
    assert_eq!(server.requests().len(), 3);

    // A dynamic call has the options of every call.
    let raw = call("ping", json!({})).unwrap().header("x-trace", "t").retry(RetryPolicy::never()).send_raw();
    assert_eq!(&raw.await.unwrap().body[..], br#"{"id":"7"}"#);
    assert!(server.requests()[3].contains("x-trace: t\r\n"));

    let error = call("getIcon", json!({"id": 7})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: the input doesn't match the operation: id: expected a string, found a number"
    );
    let error = call("getIcons", json!({})).unwrap_err();
    assert_eq!(error.to_string(), "the operation `getIcons` does not exist");
    assert_eq!(server.requests().len(), 4);
}

/// Calls and their results can move between threads.
#[test]
fn calls_are_send() {
    fn is_send<T: Send>(_: T) {}
    fn is_shared<T: Send + Sync>() {}
    let client = Client::builder().base_url("http://127.0.0.1:1").build().unwrap();
    is_send(get(&client, "7").send());
    is_send(get(&client, "7").send_raw());
    is_send(client.call_dynamic(DYNAMIC, "ping", &Value::Null).unwrap().send());
    is_shared::<(Client, Call<Value, NotFound>, Error<NotFound>, Response<Value>)>();
    assert!(size_of::<Error<NotFound>>() == size_of::<usize>(), "{}", size_of::<Error<NotFound>>());
}

/// The types that a generated crate declares.
#[allow(dead_code, missing_docs, reason = "it stands for generated code, whose callers are elsewhere")]
mod generated {
    use super::*;

    #[derive(Debug, Clone)]
    pub struct Client(crate::client::Client);

    #[derive(Debug, Clone)]
    pub struct ClientBuilder(crate::client::ClientBuilder);

    crate::implement_client! { server: Some("https://api.example.com/v1"), user_agent: "example/1.0" }

    impl ClientBuilder {
        #[must_use]
        pub fn api_key(self, key: impl Into<Credential>) -> Self {
            Self(self.0.credential(&KEY, key))
        }
    }

    impl Client {
        pub fn get_icon(&self, id: &'static str) -> Call<Value, NotFound> {
            self.0.call(&GET_ICON, &GetIcon(id))
        }
    }
}

#[tokio::test]
async fn a_generated_client_wraps_it() {
    assert_eq!(
        generated::Client::builder().build().unwrap().runtime().base_url(),
        Some("https://api.example.com/v1")
    );
    let server = Server::start(&[ICON]).await;
    let client =
        generated::Client::builder().base_url(&server.url).api_key("k").preflight(true).build().unwrap();
    assert_eq!(client.get_icon("7").await.unwrap(), json!({"id": "7"}));
    let request = server.requests().remove(0);
    assert!(
        request.contains("user-agent: example/1.0\r\n") && request.contains("x-api-key: k\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn a_success_with_another_status_is_taken_unless_the_client_is_strict() {
    let server =
        Server::start(&[Reply::Response(201, IS_JSON, "[1]"), Reply::Response(201, IS_JSON, "no")]).await;
    let response = get(&client(&server), "7").send_with_response().await.unwrap();
    assert_eq!((response.status.as_u16(), response.is_documented), (201, false));
    assert!(!response.map(|value| value).is_documented);
    let error = get(&client(&server), "7").send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: 201 Created, which isn't documented, with a body that isn't as documented \
         (expected a value (line 1, column 1), `no`): no"
    );
    let server = Server::start(&[Reply::Response(201, IS_JSON, "[1]")]).await;
    let strict = builder(&server).strict_status(true).build().unwrap();
    let error = get(&strict, "7").send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: 201 Created, which isn't documented (3 bytes of application/json)"
    );
}

#[tokio::test]
async fn times_without_an_offset_are_in_utc_if_the_client_assumes_so() {
    const NAIVE: Reply = Reply::Response(200, IS_JSON, r#"["2024-01-01T10:00:00"]"#);
    let time =
        |client: &Client| client.call::<Vec<crate::types::Timestamp>, NotFound>(&GET_ICON, &GetIcon("7"));
    let server = Server::start(&[NAIVE, NAIVE]).await;
    let assuming = builder(&server).assume_utc(true).build().unwrap();
    let found = time(&assuming).send().await.unwrap();
    assert_eq!(found.first().unwrap().to_string(), "2024-01-01T10:00:00Z");
    let error = time(&client(&server)).send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /v1/icons/{id}: 200 OK, but the response isn't as documented: \
         [0]: expected an RFC 3339 date and time, `\"2024-01-01T10:00:00\"`"
    );
}

#[tokio::test]
async fn hooks_are_called_at_each_attempt() {
    const REFUSED: Reply = Reply::Response(503, IS_JSON, "{}");
    let server = Server::start(&[REFUSED, Reply::Close, ICON]).await;
    let log = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let written = std::sync::Arc::clone(&log);
    let client = builder(&server)
        .before_attempt(|attempt, request| {
            request.headers_mut().insert("x-attempt", attempt.number.into());
            Ok(())
        })
        .after_attempt(move |finished| {
            let status = finished.status.map(|status| status.as_u16());
            let line = (finished.attempt.number, status, finished.body_size, finished.error.is_some());
            written.lock().unwrap().push(line);
        })
        .build()
        .unwrap();
    let response = get(&client, "7").send_with_response().await.unwrap();
    assert_eq!((response.attempts, response.is_documented), (3, true));
    let expected = [(1, Some(503), Some(2), false), (2, None, None, true), (3, Some(200), Some(10), false)];
    assert_eq!(*log.lock().unwrap(), expected);
    assert!(server.requests()[2].contains("x-attempt: 3\r\n"), "{:?}", server.requests());

    let silent = Server::start(&[Reply::Silence]).await;
    let (sender, ended) = std::sync::mpsc::channel();
    let impatient = builder(&silent)
        .after_attempt(move |finished| sender.send(finished.error.map(ToString::to_string)).unwrap())
        .build()
        .unwrap();
    create(&impatient, None).timeout(Duration::from_millis(20)).send().await.unwrap_err();
    assert_eq!(ended.recv().unwrap().as_deref(), Some("the server didn't respond within 20ms"));

    let refusing = builder(&server).before_attempt(|_, _| Err("no key".into())).build().unwrap();
    let error = get(&refusing, "7").send().await.unwrap_err();
    assert_eq!(error.to_string(), "GET /v1/icons/{id}: a hook rejected the request: no key");
    assert_eq!((server.requests().len(), error.is_retryable()), (3, false));
}

/// A buffer that a subscriber writes to.
#[cfg(feature = "tracing")]
#[derive(Clone, Default)]
struct Buffer(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

#[cfg(feature = "tracing")]
impl std::io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(feature = "tracing")]
#[tokio::test]
async fn each_attempt_has_a_span() {
    static SEARCH: Operation = Operation {
        method: "SEARCH",
        path: "/v1/icons",
        parameters: &[
            Parameter { style: Style::Form, ..parameter("key", Location::Query) },
            Parameter { style: Style::Form, ..parameter("word", Location::Query) },
        ],
        body: None,
        security: &[&[needs(&QUERY_KEY)]],
        ..PING
    };
    struct Search;
    impl Encode for Search {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("key", &"hunter2".to_owned()), ("word", &"cat & dog".to_owned())], None);
        }
    }
    let server = Server::start(&[Reply::Response(503, IS_JSON, "{}"), Reply::Close, ICON]).await;
    let buffer = Buffer::default();
    let writer = buffer.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    // A subscriber of one thread would miss spans whose call site another test reached first.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let client = builder(&server).credential(&QUERY_KEY, "hunter2").build().unwrap();
    get(&client, "7").await.unwrap();
    client.call::<(), NotFound>(&SEARCH, &Search).await.unwrap();

    let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
    let port = server.url.rsplit(':').next().unwrap();
    let server_port = format!("server.port={port} ");
    let spans: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(&server_port))
        .map(|line| line.split_once("http_client_request{").unwrap().1.split_once("}: ").unwrap().0)
        .collect();
    let attributes = |name: &str, method: &str, url: &str, template: &str| {
        format!(
            "otel.name={name} otel.kind=\"client\" http.request.method={method} url.full=\"{}{url}\" \
             url.template=\"{template}\" server.address=\"127.0.0.1\" server.port={port}",
            server.url
        )
    };
    let get = attributes("GET /v1/icons/{id}", "\"GET\"", "/v1/icons/7", "/v1/icons/{id}");
    let search = attributes(
        "HTTP /v1/icons",
        "\"_OTHER\" http.request.method_original=\"SEARCH\"",
        "/v1/icons?key=REDACTED&word=cat%20%26%20dog",
        "/v1/icons",
    );
    let resent = |count: u32| format!("http.request.resend_count={count}");
    let failed = |error: &str| format!("error.type=\"{error}\" otel.status_code=\"ERROR\"");
    assert_eq!(
        spans,
        [
            format!("{get} http.response.status_code=503 {}", failed("503")),
            format!("{get} {} {}", resent(1), failed("transport")),
            format!("{get} {} http.response.status_code=200", resent(2)),
            format!("{search} http.response.status_code=200"),
        ]
    );
    assert!(!text.contains("hunter2"), "{text}");
}

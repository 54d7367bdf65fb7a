//! Retries: what is retried and what is not.

use super::*;

async fn attempts(script: &'static [Reply], call: impl Fn(&Client) -> Call<Value, NotFound>) -> usize {
    let server = Server::start(script).await;
    let last = call(&client(&server)).send().await;
    let count = server.requests().len();
    // The result is that of the last attempt, for any number of attempts.
    let retried_into_success =
        script.get(count - 1).is_some_and(|reply| matches!(reply, Reply::Response(200, ..)));
    assert_eq!(last.is_ok(), retried_into_success, "{last:?}");
    count
}

const REFUSED: Reply = Reply::Response(503, IS_JSON, "{}");
const LIMITED: Reply = Reply::Response(429, &["retry-after: 0"], "");

#[tokio::test]
async fn refused_requests_of_any_method_are_repeated() {
    assert_eq!(attempts(&[REFUSED, LIMITED, ICON], |client| get(client, "7")).await, 3);
    assert_eq!(attempts(&[REFUSED, LIMITED, ICON], |client| create(client, None)).await, 3);
    assert_eq!(attempts(&[REFUSED, REFUSED, REFUSED, ICON], |client| create(client, None)).await, 3);
}

#[tokio::test]
async fn a_lost_query_is_repeated() {
    static QUERY: Operation = Operation {
        method: "QUERY",
        path: "/v1/icons",
        parameters: &[],
        body: Some(Body { required: true, limit: None, contents: &JSON }),
        ..CREATE_ICON
    };
    struct Search;
    impl Encode for Search {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &json!({"name": "cat"}))], None);
        }
    }
    assert_eq!(attempts(&[Reply::Close, ICON], |client| client.call(&QUERY, &Search)).await, 2);
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    const GONE: Reply = Reply::Response(503, IS_JSON, r#"{"message":"none","permanent":true}"#);
    const BACK: Reply = Reply::Response(503, IS_JSON, r#"{"a":{"permanent":true},"permanent":false}"#);
    const ODD: Reply = Reply::Response(503, IS_JSON, r#"{"permanent":"true"}"#);
    const HTML: Reply = Reply::Response(503, &["content-type: text/html"], r#"{"permanent":true"#);
    assert_eq!(attempts(&[GONE, ICON], |client| get(client, "7")).await, 1);
    for temporary in [BACK, ODD, HTML] {
        assert_eq!(attempts(vec![temporary, ICON].leak(), |client| get(client, "7")).await, 2);
    }

    let server = Server::start(&[GONE]).await;
    let client = client(&server);
    let error = get(&client, "7").send().await.unwrap_err();
    assert!(!error.is_retryable() && error.as_api().unwrap().is_permanent, "{error:?}");
    assert!(!error.map_api(|body| body).is_retryable());
    assert!(get(&client, "7").send_raw().await.unwrap().is_permanent);
    let server = Server::start(&[BACK]).await;
    let error = get(&self::client(&server), "7").send().await.unwrap_err();
    assert!(error.is_retryable() && !error.as_api().unwrap().is_permanent, "{error:?}");
}

#[tokio::test]
async fn lost_requests_are_repeated_only_where_that_is_safe() {
    for script in [&[Reply::Close, ICON], &[Reply::CutOff, ICON]] {
        assert_eq!(attempts(script, |client| get(client, "7")).await, 2);
        assert_eq!(attempts(script, submit).await, 1);
        assert_eq!(attempts(script, |client| create(client, Some(""))).await, 1);
        assert_eq!(attempts(script, |client| create(client, Some("k-1"))).await, 2);
        assert_eq!(attempts(script, |client| submit(client).header("idempotency-key", "k-1")).await, 2);
        assert_eq!(attempts(script, |client| submit(client).idempotent()).await, 2);
        assert_eq!(attempts(script, |client| get(client, "7").retry(RetryPolicy::never())).await, 1);
    }
    let silence = &[Reply::Silence, ICON];
    let timeout = Duration::from_secs(1);
    assert_eq!(attempts(silence, |client| get(client, "7").timeout(timeout)).await, 2);
    assert_eq!(attempts(silence, |client| submit(client).timeout(timeout)).await, 1);
}

#[tokio::test]
async fn the_client_makes_a_key_for_each_call_and_sends_it_with_each_attempt() {
    let server = Server::start(&[Reply::Close, REFUSED, ICON]).await;
    let client = client(&server);
    create(&client, None).send().await.unwrap();
    create(&client, None).send().await.unwrap();
    create(&client, Some("k-1")).send().await.unwrap();
    let requests = server.requests();
    let keys: Vec<&str> = requests
        .iter()
        .map(|request| request.split_once("idempotency-key: ").unwrap().1.split_once("\r\n").unwrap().0)
        .collect();
    assert!(keys[0] == keys[1] && keys[1] == keys[2] && keys[2] != keys[3], "{keys:?}");
    assert!(keys[3].len() == 36 && keys[4] == "k-1", "{keys:?}");
}

#[tokio::test]
async fn clones_share_the_budget_of_retries() {
    let server = Server::start(&[REFUSED]).await;
    let client = builder(&server).retry_budget(RetryBudget::new(1)).build().unwrap();
    assert_eq!(get(&client, "7").send().await.unwrap_err().attempts(), 2);
    assert_eq!(get(&client.clone(), "7").send().await.unwrap_err().attempts(), 1);
}

#[tokio::test]
async fn every_attempt_sends_the_same_with_a_fresh_credential() {
    static PUBLISH: Operation = Operation {
        id: "publishIcon",
        tag: "icons",
        method: "PUT",
        path: "/v1/icons",
        parameters: &[Parameter { required: false, ..parameter("Idempotency-Key", Location::Header) }],
        body: Some(Body { required: true, limit: None, contents: &JSON }),
        responses: OK,
        errors: ERRORS,
        security: &[&[needs(&TOKEN)]],
        requires: &[],
        closed_query: false,
        server: None,
    };
    let server = Server::start(&[Reply::Close, ICON]).await;
    let count = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(1));
    let token = Credential::provider(move || {
        let token = format!("token-{}", count.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        async move { Ok::<_, std::convert::Infallible>(token) }
    });
    let client = builder(&server).credential(&TOKEN, token).build().unwrap();
    let input = CreateIcon { key: Some("k-1"), body: json!([1, 2]) };
    let response = client.call::<Value, NotFound>(&PUBLISH, &input).send_with_response().await.unwrap();
    assert_eq!(response.attempts, 2);
    let requests = server.requests();
    assert!(requests[0].contains("authorization: Bearer token-1\r\n"), "{requests:?}");
    assert_eq!(requests[0].replace("token-1", "token-2"), requests[1]);
    assert!(requests[1].ends_with("\r\n\r\n[1,2]"), "{requests:?}");
}

#[tokio::test]
async fn a_connection_that_was_never_made_is_repeated_for_any_method() {
    // A socket that does not listen refuses connections.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let silent = socket.local_addr().unwrap();
    let client = Client::builder()
        .base_url(format!("http://{silent}"))
        .credential(&TOKEN, "t")
        .retry(RetryPolicy::default().random(|| 0.0).attempts(3))
        .build()
        .unwrap();
    let error = create(&client, None).send().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect(_)), "{error:?}");
    assert!(error.is_retryable());
    assert_eq!((error.status(), error.attempts()), (None, 3));
    assert!(error.to_string().ends_with(" (3 attempts)"), "{error}");
}

#[tokio::test]
async fn the_last_response_is_the_outcome_with_its_retry_after() {
    let server = Server::start(&[Reply::Response(
        503,
        &["content-type: application/json", "retry-after: 3600"],
        "{}",
    )])
    .await;
    let error = get(&client(&server), "7").send().await.unwrap_err();
    assert_eq!(server.requests().len(), 1, "an hour is not waited for");
    assert_eq!(error.as_api().map(|failure| &failure.body), Some(&NotFound(json!({}))));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_timeout_and_a_deadline_are_distinguished() {
    let server = Server::start(&[Reply::Silence]).await;
    let client = client(&server);
    let timeout = submit(&client).timeout(Duration::from_millis(20)).send().await.unwrap_err();
    assert_eq!(timeout.to_string(), "POST /v1/icons: the server didn't respond within 20ms");
    let deadline = get(&client, "7").deadline(Duration::from_millis(20)).send().await.unwrap_err();
    assert_eq!(
        deadline.to_string(),
        "GET /v1/icons/{id}: the call didn't finish within its deadline of 20ms"
    );
}

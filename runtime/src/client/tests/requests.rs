//! Requests: URL, headers and credentials; secrets don't go anywhere else.

use super::*;

/// Returns the first request after `send` sends one call.
async fn request(
    build: impl Fn(ClientBuilder) -> ClientBuilder,
    call: fn(&Client) -> Call<Value, NotFound>,
) -> String {
    let server = Server::start(&[ICON]).await;
    let client = build(builder(&server)).build().unwrap();
    call(&client).send_raw().await.unwrap();
    server.requests().remove(0)
}

fn ping(client: &Client) -> Call<Value, NotFound> {
    client.call(&PING, &())
}

#[tokio::test]
async fn the_path_prefix_is_kept() {
    let server = Server::start(&[ICON]).await;
    let client = builder(&server).base_url(format!("{}/api/v9/", server.url)).build().unwrap();
    get(&client, "a b").send().await.unwrap();
    assert!(
        server.requests()[0].starts_with("GET /api/v9/v1/icons/a%20b HTTP/1.1\r\n"),
        "{:?}",
        server.requests()
    );
}

/// Returns the operation at this server of its own.
fn at(server: &str) -> &'static Operation {
    let security: &'static [&'static [Requirement]] = Box::leak(Box::new([&*vec![needs(&KEY)].leak()]));
    let operation = Operation::new("at", "icons", "GET", "/at").security(security);
    Box::leak(Box::new(operation.server(server.to_owned().leak())))
}

#[tokio::test]
async fn operations_have_servers_of_their_own() {
    let (own, usual) = (Server::start(&[ICON, ICON, ICON, ICON]).await, Server::start(&[ICON, ICON]).await);
    let build = || Client::builder().credential(&KEY, "k1");
    let of_document = build().server(format!("{}/v1", usual.url)).build().unwrap();
    let call = async |client: &Client, server: &str| {
        client.call::<Value, NotFound>(at(server), &()).send_raw().await.unwrap();
    };
    call(&of_document, &format!("{}/v2/", own.url)).await;
    call(&of_document, &own.url).await;
    let kept = build().base_url(&usual.url).build().unwrap();
    call(&kept, &own.url).await;
    let reported = build().base_url(&usual.url).operation_servers(true).build().unwrap();
    call(&reported, &own.url).await;
    call(&of_document, "/v3").await;
    let alone = build().needs_server(false).build().unwrap();
    call(&alone, &own.url).await;
    let paths = |server: &Server| {
        let requests = server.requests();
        assert!(requests.iter().all(|request| request.contains("\r\nx-api-key: k1\r\n")), "{requests:?}");
        requests.iter().map(|request| request.split(' ').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&own), ["/v2/at", "/at", "/at", "/at"]);
    assert_eq!(paths(&usual), ["/at", "/v3/at"]);
    for server in ["/v3", "v3"] {
        let error = alone.call::<Value, NotFound>(at(server), &()).send_raw().await.unwrap_err();
        assert!(error.to_string().contains("`GET /at` has no server: set the client's base URL"), "{error}");
    }
    let broken =
        of_document.call::<Value, NotFound>(at("ftp://a.example"), &()).send_raw().await.unwrap_err();
    assert!(broken.to_string().contains("is not a valid method and URL"), "{broken}");
}

#[tokio::test]
async fn headers_of_the_call_win() {
    let build = |builder: ClientBuilder| {
        builder
            .user_agent("tests/1")
            .header("x-a", "client")
            .header("x-b", "client")
            .credential(&KEY, "fixed")
    };
    let request = request(build, |client| {
        get(client, "7")
            .header("X-B", "call")
            .header("x-api-key", "of the call")
            .header("accept", "text/plain")
    })
    .await;
    for line in
        ["user-agent: tests/1", "x-a: client", "x-b: call", "x-api-key: of the call", "accept: text/plain"]
    {
        assert!(request.contains(&format!("\r\n{line}\r\n")), "{line}\n{request}");
    }
    assert!(!request.contains("fixed"));
}

#[tokio::test]
async fn documented_media_types_are_accepted() {
    assert!(
        request(|builder| builder, |client| get(client, "7"))
            .await
            .contains("\r\naccept: application/json\r\n")
    );
    assert!(request(|builder| builder, ping).await.contains("\r\naccept: */*\r\n"));
}

#[tokio::test]
async fn credentials_follow_the_operation() {
    let get = |client: &Client| get(client, "7");
    let sent = request(|builder| builder.credential(&KEY, "k1").credential(&QUERY_KEY, "k2"), get).await;
    assert!(
        sent.contains("\r\nx-api-key: k1\r\n") && !sent.contains("k2"),
        "the first alternative is enough: {sent}"
    );
    let sent = request(|builder| builder.credential(&QUERY_KEY, "a&b c"), get).await;
    assert!(sent.starts_with("GET /v1/icons/7?key=a%26b%20c HTTP/1.1\r\n"), "{sent}");
    let sent = request(|builder| builder.credential(&TOKEN, "t"), get).await;
    assert!(!sent.contains("authorization"), "a credential that isn't asked for isn't sent: {sent}");

    let sent = request(|builder| builder, ping).await;
    assert!(!sent.contains("authorization"), "{sent}");
    let sent = request(|builder| builder.credential(&TOKEN, "t"), ping).await;
    assert!(sent.contains("\r\nauthorization: Bearer t\r\n"), "an optional credential is sent: {sent}");
    let pair =
        |builder: ClientBuilder| builder.credential(&PASSWORD, Credential::basic("Aladdin", "open sesame"));
    let sent = request(pair, ping).await;
    assert!(!sent.contains("authorization"), "half of an alternative is not sent: {sent}");
    let sent = request(|builder| pair(builder).credential(&COOKIE_KEY, "c"), ping).await;
    assert!(sent.contains("\r\nauthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"), "{sent}");
    assert!(sent.contains("\r\ncookie: session=c\r\n"), "{sent}");
    let sent = request(|builder| builder.credential(&DIGEST, "x=y"), ping).await;
    assert!(sent.contains("\r\nauthorization: Custom x=y\r\n"), "{sent}");
}

#[tokio::test]
async fn unsendable_values_are_reported_and_not_sent() {
    let server = Server::start(&[ICON]).await;
    let client = client(&server);
    let other = get(&client, "").send().await.unwrap_err();
    assert!(
        matches!(other.kind(), ErrorKind::Encode(EncodeError::Path { path: "/v1/icons/{id}" })),
        "{other:?}"
    );
    let broken = get(&client, "7").header("x", "a\r\nb: c").send().await.unwrap_err();
    assert!(matches!(broken.kind(), ErrorKind::Encode(EncodeError::Header { .. })), "{broken:?}");
    let failing = Credential::provider(|| async { Err::<String, _>("the vault is closed") });
    let client = builder(&server).credential(&KEY, failing).build().unwrap();
    let error = get(&client, "7").send().await.unwrap_err();
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the vault is closed");
    let split = Credential::provider(|| async { Ok::<_, BoxError>("a\nb".to_owned()) });
    let client = builder(&server).credential(&KEY, split).build().unwrap();
    let error = get(&client, "7").send().await.unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Encode(EncodeError::Credential { scheme: "api_key" })),
        "{error:?}"
    );
    assert_eq!(server.requests(), Vec::<String>::new());
    let refused = builder(&server).credential(&COOKIE_KEY, "a;b").build().unwrap_err();
    assert!(matches!(refused, BuildError::Credential { scheme: "cookie_key" }));
    let refused = builder(&server).credential(&PASSWORD, Credential::basic("a:b", "c")).build().unwrap_err();
    assert!(matches!(refused, BuildError::Credential { scheme } if scheme == PASSWORD.name));
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_a_response() {
    let elsewhere = Server::start(&[ICON]).await;
    let location: &'static str = format!("location: {}/v1/icons/8", elsewhere.url).leak();
    let headers: &'static [&'static str] = vec![location].leak();
    let script: &'static [Reply] =
        vec![Reply::Response(307, &["location: /v1/icons/9"], ""), Reply::Response(307, headers, "")].leak();
    let server = Server::start(script).await;
    let client = builder(&server).credential(&KEY, "k").build().unwrap();
    let error = get(&client, "7").send().await.unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(307));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "the key stays at its origin");
}

/// The response to a `GET` of the new location is not the response to the `POST`.
#[tokio::test]
async fn a_redirect_that_changes_the_method_is_a_response() {
    for status in [301, 302, 303] {
        let script: &'static [Reply] =
            vec![Reply::Response(status, &["location: /v1/icons/9"], ""), ICON].leak();
        let server = Server::start(script).await;
        let error = create(&client(&server), None).send().await.unwrap_err();
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(server.requests().len(), 1);

        let server = Server::start(script).await;
        get(&client(&server), "7").send().await.unwrap();
        assert!(server.requests()[1].starts_with("GET /v1/icons/9 "), "{:?}", server.requests());
    }
    let server = Server::start(&[Reply::Response(308, &["location: /v2/icons"], ""), ICON]).await;
    create(&client(&server), Some("k-1")).send().await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].replace("/v1/icons", "/v2/icons"), requests[1]);
}

#[tokio::test]
async fn cyclic_redirects_stop() {
    let server = Server::start(&[Reply::Response(307, &["location: /v1/icons/7"], "")]).await;
    let error = get(&client(&server), "7").send().await.unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(307));
    assert_eq!(server.requests().len(), 11);
}

#[tokio::test]
async fn secrets_are_never_shown() {
    let server = Server::start(&[Reply::Close]).await;
    let build = builder(&server)
        .credential(&KEY, "hunter2")
        .credential(&PASSWORD, Credential::basic("me", "hunter2"))
        .credential(&QUERY_KEY, Credential::from("hunter2".to_owned()))
        .header("authorization", "hunter2");
    let client = build.clone().build().unwrap();
    let call = create(&client, Some("hunter2")).header("x-token", "hunter2");
    let shown = format!("{build:?} {client:?} {call:?} {:?}", Credential::from("hunter2"));
    assert!(
        shown.contains("api_key") && shown.contains("authorization") && shown.contains("x-token"),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");

    // Errors don't show secrets either: here the key is in the URL.
    let client = builder(&server).credential(&QUERY_KEY, "hunter2").build().unwrap();
    let mut source: Option<&dyn std::error::Error> = Some(&get(&client, "7").send().await.unwrap_err());
    while let Some(error) = source {
        assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
        source = error.source();
    }
}

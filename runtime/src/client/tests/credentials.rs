//! Credentials: missing ones, one for several schemes, tokens of OAuth 2.0.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::*;
use crate::{
    table::{Flow, FlowKind},
    types::ByteStream,
};

static SIGN_IN: Scheme = Scheme::new("sign-in", SchemeKind::Bearer)
    .setter("sign_in")
    .flows(&[
        Flow::new(FlowKind::ClientCredentials, "/token"),
        Flow::new(FlowKind::AuthorizationCode, "/token").refresh_url("refresh"),
        Flow::new(FlowKind::Password, "https://elsewhere.example/token"),
    ])
    .scopes(&["read", "write"]);
static SIGNED_IN: Operation =
    Operation::new("signedIn", "icons", "POST", "/signed").security(&[&[Requirement::new(&SIGN_IN)]]);

const REJECTED: Reply = Reply::Response(401, &[], "");
const TOKEN_1: Reply = Reply::Response(200, IS_JSON, r#"{"access_token": "t1", "expires_in": 3600}"#);
const TOKEN_2: Reply = Reply::Response(200, IS_JSON, r#"{"access_token": "t2", "expires_in": "3600"}"#);

fn signed(client: &Client) -> Call<(), NotFound> {
    client.call(&SIGNED_IN, &())
}

/// Returns a client with a grant whose secrets are `hunter2`.
fn client_of(server: &Server, grant: OAuth2) -> Client {
    builder(server).credential(&SIGN_IN, grant).build().unwrap()
}

fn grant() -> OAuth2 {
    OAuth2::client_credentials("my id", "hunter2/")
}

/// Returns the paths of the requests, and their tokens or forms.
fn seen(server: &Server) -> Vec<(String, String)> {
    let requests = server.requests();
    let facts = requests.iter().map(|request| {
        let path = request.split(' ').nth(1).unwrap().to_owned();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let token = head.split_once("authorization: Bearer ").map(|(_, token)| token.lines().next().unwrap());
        (path, token.unwrap_or(body).to_owned())
    });
    facts.collect()
}

fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
    expected.map(|(path, fact)| (path.to_owned(), fact.to_owned())).into()
}

/// Moves the clock without waiting.
async fn pass(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_missing_credential_is_named_before_anything_is_sent() {
    let server = Server::start(&[ICON]).await;
    let plain = || Client::builder().base_url(&server.url);
    for builder in [plain(), plain().credential(&TOKEN, "t"), plain().bearer_credential("t")] {
        let client = builder.build().unwrap();
        let error = get(&client, "7").send().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MissingCredential(_)), "{error:?}");
        assert_eq!(
            error.to_string(),
            "GET /v1/icons/{id}: no credential is set: set `api_key` with `ClientBuilder::api_key`, or `query_key` \
             with `ClientBuilder::query_key` (`require_credentials(false)` sends calls without)"
        );
        assert_eq!((error.attempts(), error.is_retryable(), server.requests().len()), (0, false, 0));
    }
    let client = plain().build().unwrap();
    let error = signed(&client).send().await.unwrap_err();
    assert!(error.to_string().contains("set `sign-in` with `ClientBuilder::sign_in` ("), "{error}");

    // Operations for which security is optional, or that have none
    client.call::<Value, NotFound>(&PING, &()).send_raw().await.unwrap();
    submit(&client).send().await.unwrap();
    // Headers and hooks that can set the credential
    get(&client, "7").header("X-Api-Key", "k").send().await.unwrap();
    let others = [
        plain().header("x-api-key", "k"),
        plain().before_attempt(|_, _| Ok(())),
        plain().require_credentials(false),
        plain().credential(&QUERY_KEY, "k"),
    ];
    for builder in others {
        get(&builder.build().unwrap(), "7").send().await.unwrap();
    }
    assert_eq!(server.requests().len(), 7);
}

static ID: Scheme = Scheme::new("id", SchemeKind::ApiKeyCookie("id"));
static BY_COOKIE: Operation =
    Operation::new("byCookie", "icons", "GET", "/").security(&[&[Requirement::new(&ID)]]);

#[tokio::test]
async fn a_cookie_is_a_credential_by_its_whole_name() {
    let server = Server::start(&[ICON]).await;
    let client = Client::builder().base_url(&server.url).build().unwrap();
    for (cookies, is_sent) in [("sid=1", false), ("a=id=1", false), ("sid=1; id=2", true)] {
        let call = client.call::<Value, NotFound>(&BY_COOKIE, &()).header("cookie", cookies);
        assert_eq!(call.send_raw().await.is_ok(), is_sent, "{cookies}");
    }
}

#[tokio::test]
async fn a_provider_adds_no_other_cookie() {
    let server = Server::start(&[ICON]).await;
    let provider =
        Credential::provider(|| async { Ok::<_, std::convert::Infallible>("1; admin=1".to_owned()) });
    let client = Client::builder().base_url(&server.url).credential(&ID, provider).build().unwrap();
    let error = client.call::<Value, NotFound>(&BY_COOKIE, &()).send_raw().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Encode(EncodeError::Credential { scheme: "id" })), "{error:?}");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn one_token_serves_all_schemes_that_take_one() {
    let server = Server::start(&[ICON]).await;
    let client =
        Client::builder().base_url(&server.url).credential(&TOKEN, "own").bearer_credential("shared");
    let client = client.build().unwrap();
    signed(&client).send_raw().await.unwrap();
    client.call::<Value, NotFound>(&PING, &()).send_raw().await.unwrap();
    assert_eq!(seen(&server), pairs([("/signed", "shared"), ("/ping", "own")]));
    let refused = Client::builder().base_url(&server.url).bearer_credential("a\nb").build().unwrap_err();
    assert!(matches!(refused, BuildError::Credential { scheme: "bearer_credential" }), "{refused}");
}

#[tokio::test]
async fn a_certificate_does_not_hide_another_credential() {
    static EITHER: Operation = Operation::new("either", "icons", "GET", "/either")
        .security(&[&[Requirement::new(&CERTIFICATE)], &[Requirement::new(&TOKEN)]]);
    let server = Server::start(&[ICON]).await;
    for (builder, expected) in [(Client::builder(), ""), (Client::builder().credential(&TOKEN, "t"), "t")] {
        let client = builder.base_url(&server.url).build().unwrap();
        client.call::<Value, NotFound>(&EITHER, &()).send_raw().await.unwrap();
        assert_eq!(seen(&server).last().unwrap().1, expected);
    }
}

#[tokio::test]
async fn clones_share_a_token_of_the_flow() {
    let server = Server::start(&[TOKEN_1, ICON]).await;
    let client = client_of(&server, grant().parameter("audience", "a b"));
    let calls: Vec<_> = (0..10).map(|_| tokio::spawn(signed(&client.clone()).send_raw())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let mut expected = vec![("/signed".to_owned(), "t1".to_owned()); 11];
    let form = "grant_type=client_credentials&scope=read+write&audience=a+b";
    expected[0] = ("/token".to_owned(), form.to_owned());
    assert_eq!(seen(&server), expected);
    let basic = STANDARD.encode("my+id:hunter2%2F");
    assert!(server.requests()[0].contains(&format!("\r\nauthorization: Basic {basic}\r\n")));
}

#[tokio::test]
async fn an_expired_token_is_replaced_before_the_call() {
    let server = Server::start(&[TOKEN_1, ICON, TOKEN_2, ICON]).await;
    let client = client_of(&server, grant().scopes([""; 0]).secret_in_body());
    signed(&client).send_raw().await.unwrap();
    pass(3600).await;
    signed(&client).send_raw().await.unwrap();
    let form = "grant_type=client_credentials&client_id=my+id&client_secret=hunter2%2F";
    assert_eq!(
        seen(&server),
        pairs([("/token", form), ("/signed", "t1"), ("/token", form), ("/signed", "t2")])
    );
}

#[tokio::test]
async fn a_rejected_token_is_replaced_and_the_call_repeated_once() {
    let server = Server::start(&[TOKEN_1, ICON, REJECTED, TOKEN_2, ICON, REJECTED, TOKEN_1, REJECTED]).await;
    let client = client_of(&server, grant().scopes(["read"]));
    signed(&client).send_raw().await.unwrap();
    pass(60).await;
    let response = signed(&client).retry(RetryPolicy::never()).send_raw().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (200, 2));
    pass(60).await;
    let response = signed(&client).send_raw().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (401, 2), "once for each call");
    let response = signed(&client).send_raw().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (401, 1), "the token is new");
    let form = "grant_type=client_credentials&scope=read";
    let expected = pairs([
        ("/token", form),
        ("/signed", "t1"),
        ("/signed", "t1"),
        ("/token", form),
        ("/signed", "t2"),
        ("/signed", "t2"),
        ("/token", form),
        ("/signed", "t1"),
        ("/signed", "t1"),
    ]);
    assert_eq!(seen(&server), expected);
}

#[tokio::test]
async fn a_rejected_header_of_the_call_is_not_the_token() {
    let server = Server::start(&[TOKEN_1, ICON, REJECTED, ICON]).await;
    let client = client_of(&server, grant().scopes(["read"]));
    signed(&client).send_raw().await.unwrap();
    pass(60).await;
    let response = signed(&client).header("Authorization", "Bearer own").send_raw().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (401, 1));
    signed(&client).send_raw().await.unwrap();
    let form = "grant_type=client_credentials&scope=read";
    let expected = pairs([("/token", form), ("/signed", "t1"), ("/signed", "own"), ("/signed", "t1")]);
    assert_eq!(seen(&server), expected);
}

#[tokio::test]
async fn a_body_that_is_a_stream_is_not_repeated() {
    static BYTES: [Content; 1] = [Content::new("application/octet-stream", ContentFormat::Bytes, &ANY)];
    static UPLOAD: Operation = Operation::new("upload", "icons", "POST", "/upload")
        .body(Body::required(&BYTES))
        .security(&[&[Requirement::new(&SIGN_IN)]]);
    struct Piece(Option<bytes::Bytes>);
    impl futures_core::Stream for Piece {
        type Item = Result<bytes::Bytes, BoxError>;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut task::Context<'_>) -> task::Poll<Option<Self::Item>> {
            task::Poll::Ready(self.0.take().map(Ok))
        }
    }
    struct Upload(ByteStream);
    impl Encode for Upload {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &self.0)], None);
        }
    }
    let server = Server::start(&[TOKEN_1, ICON, REJECTED, TOKEN_2, ICON]).await;
    let client = client_of(&server, grant());
    signed(&client).send_raw().await.unwrap();
    pass(60).await;
    let upload = Upload(ByteStream::new(Piece(Some(bytes::Bytes::from_static(b"picture")))));
    let response = client.call::<(), NotFound>(&UPLOAD, &upload).send_raw().await.unwrap();
    assert_eq!((response.status.as_u16(), response.attempts), (401, 1));
    signed(&client).send_raw().await.unwrap();
    assert_eq!(seen(&server).last().unwrap().1, "t2", "but the next call has a new token");
}

#[tokio::test]
async fn a_refresh_token_is_replaced_by_its_successor() {
    const FIRST: &str = r#"{"access_token": "t1", "refresh_token": "r2", "expires_in": 0}"#;
    const SECOND: &str = r#"{"access_token": "t2", "refresh_token": "r2"}"#;
    let script = &[Reply::Response(200, IS_JSON, FIRST), ICON, Reply::Response(200, IS_JSON, SECOND), ICON];
    let server = Server::start(script).await;
    let stored = Arc::new(Mutex::new(Vec::new()));
    let store = Arc::clone(&stored);
    let grant = OAuth2::refresh_token("r1").public_client("cli");
    let client =
        client_of(&server, grant.on_refresh_token(move |token| store.lock().unwrap().push(token.to_owned())));
    signed(&client).send_raw().await.unwrap();
    signed(&client).send_raw().await.unwrap();
    let form = |token: &str| format!("grant_type=refresh_token&refresh_token={token}&client_id=cli");
    let expected =
        pairs([("/refresh", &form("r1")), ("/signed", "t1"), ("/refresh", &form("r2")), ("/signed", "t2")]);
    assert_eq!(seen(&server), expected);
    assert_eq!(*stored.lock().unwrap(), ["r2"]);

    // Fewer scopes than the user granted have to be asked for.
    let server = Server::start(&[TOKEN_1, ICON]).await;
    signed(&client_of(&server, OAuth2::refresh_token("r1").scopes(["read"]))).send_raw().await.unwrap();
    assert_eq!(seen(&server)[0].1, "grant_type=refresh_token&refresh_token=r1&scope=read");
}

#[tokio::test]
async fn the_reason_of_a_token_endpoint_is_shown_without_secrets() {
    let because = |reason: &str| {
        format!("POST /signed: the provider of the credential failed: the token endpoint responded {reason}")
    };
    const UNKNOWN: &str = r#"{"error": "invalid_client", "error_description": "hunter2/ is not the secret"}"#;
    const LEAKY: &str = r#"{"refresh_token": "hunter2"}"#;
    let lost = "POST /signed: the provider of the credential failed: the response of the token endpoint ";
    for (reply, expected) in [
        (
            Reply::Response(400, IS_JSON, UNKNOWN),
            because("400 Bad Request: invalid_client: REDACTED is not the secret"),
        ),
        (
            Reply::Response(503, &["content-type: text/plain"], "down"),
            because("503 Service Unavailable: down"),
        ),
        (Reply::Response(302, &["location: /elsewhere"], ""), because("302 Found")),
        (Reply::Response(200, IS_JSON, LEAKY), format!("{lost}has no `access_token`")),
        (Reply::Response(200, IS_JSON, "hunter2"), format!("{lost}is not JSON")),
    ] {
        let server = Server::start(vec![reply].leak()).await;
        let error = signed(&client_of(&server, grant())).send().await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(
            !format!("{error:?} {:?}", std::error::Error::source(&error)).contains("hunter2"),
            "{error:?}"
        );
        assert_eq!((error.attempts(), server.requests().len()), (1, 1));
    }
}

#[tokio::test]
async fn the_deadline_covers_the_fetch_of_a_token() {
    let server = Server::start(&[Reply::Silence]).await;
    let client = client_of(&server, grant());
    let error = signed(&client).deadline(Duration::from_millis(20)).send().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Deadline { .. }), "{error:?}");
}

#[test]
fn a_grant_needs_a_token_endpoint() {
    let build = |scheme: &'static Scheme, grant: OAuth2| {
        let builder = Client::builder().base_url("https://example.com/v1").credential(scheme, grant);
        builder.build().map_err(|error| error.to_string()).map(drop)
    };
    assert_eq!(build(&SIGN_IN, OAuth2::password("me", "hunter2")), Ok(()));
    assert_eq!(build(&TOKEN, grant().token_url("https://example.com/token")), Ok(()));
    let refused = |reason: &str| Err(format!("The token URL for `token` can't be used: {reason}."));
    assert_eq!(
        build(&TOKEN, grant()),
        refused("the document has no such flow: set the URL with `OAuth2::token_url`")
    );
    assert_eq!(build(&TOKEN, grant().token_url("ftp://a.example")), refused("it is neither http nor https"));
    let shared = Client::builder().base_url("https://example.com").bearer_credential(grant()).build();
    assert!(matches!(shared, Err(BuildError::TokenUrl { scheme: "bearer_credential", .. })), "{shared:?}");
}

#[tokio::test]
async fn tokens_and_grants_show_nowhere() {
    let server = Server::start(&[Reply::Close]).await;
    let provider = || async { Ok::<_, BoxError>(Token::new("hunter2")) };
    let grants = [
        OAuth2::client_credentials("id", "hunter2"),
        OAuth2::password("me", "hunter2").client("id", "hunter2").parameter("pin", "hunter2"),
        OAuth2::refresh_token("hunter2").token_url("https://example.com/token?key=hunter2"),
    ];
    for credential in grants.map(Credential::from).into_iter().chain([Credential::tokens(provider)]) {
        let build = builder(&server).credential(&SIGN_IN, credential.clone()).bearer_credential("hunter2");
        let client = build.clone().build().unwrap();
        let call = signed(&client);
        let shown = format!("{credential:?} {build:?} {client:?} {call:?}");
        assert!(shown.contains("sign-in") && shown.contains("bearer_credential"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let shown = format!("{:?} {:?}", OAuth2::password("me", "hunter2"), Token::new("hunter2"));
    assert!(shown.contains("password") && !shown.contains("hunter2"), "{shown}");

    // The token is in the request that is lost.
    let client = builder(&server).credential(&SIGN_IN, Credential::tokens(provider)).build().unwrap();
    let mut source: Option<&dyn std::error::Error> = Some(&signed(&client).send().await.unwrap_err());
    while let Some(error) = source {
        assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
        source = error.source();
    }
}

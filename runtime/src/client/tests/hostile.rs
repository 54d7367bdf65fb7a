//! Servers that attack the client: its errors, its time and its secrets.

use std::fmt;

use super::*;
use crate::client::mock::{Mock, Reply as Scripted};

static GET_TASK: Operation = Operation::new("getTask", "tasks", "GET", "/tasks/{id}")
    .parameters(&[parameter("id", Location::Path)])
    .responses(OK);

static TASK: Task = Task {
    get: TaskStep { operation: &GET_TASK, id: Some("id") },
    cancel: None,
    status: &["status"],
    done: &["DONE"],
    failed: &["FAILED"],
    message: Some(&["message"]),
    progress: Some(&["progress"]),
};

static LIST: Operation = Operation::new("list", "icons", "GET", "/icons").responses(OK);

const fn paging(step: PageStep) -> Paging {
    Paging { step, items: &["data"], more: None }
}

static BY_CURSOR: Paging = paging(PageStep::Cursor { at: PageSlot::Query("at"), next: &["next"] });
static BY_URL: Paging = paging(PageStep::Url { next: &["next"] });

type Waited = TaskCall<Value, NotFound, Value, NotFound>;

fn of(mock: &Mock) -> ClientBuilder {
    let retry = RetryPolicy::default().random(|| 0.0);
    Client::builder().base_url("http://mock").retry(retry).require_credentials(false).transport(mock.clone())
}

fn client_of(mock: &Mock) -> Client {
    of(mock).build().unwrap()
}

fn ok(body: &Value) -> Scripted {
    Scripted::json(200, body)
}

fn list(mock: &Mock, paging: &'static Paging) -> Items<Value, NotFound, Value> {
    let items = |page: Value| page.get("data")?.as_array().cloned();
    client_of(mock).paged(&LIST, &(), paging, items).items()
}

/// Returns the error of a call that needs a token, which `mock` has or has not.
async fn sign_in(mock: &Mock, grant: OAuth2) -> Result<RawResponse, Error<NotFound>> {
    let client = of(mock).credential(&TOKEN, grant.token_url("/token")).build().unwrap();
    client.call::<(), NotFound>(&PING, &()).send_raw().await
}

/// Asserts that a text is one line of moderate length, which does nothing to a terminal.
fn assert_line(error: &impl fmt::Display) {
    let text = error.to_string();
    assert!(!text.contains(char::is_control) && text.len() < 4000, "{} bytes: {text:?}", text.len());
}

/// A value whose field is not as documented.
#[derive(Debug)]
struct Undocumented;

impl Decode for Undocumented {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let error =
            |name: &str, found: String| DecodeError::not_allowed(found, vec!["a"]).in_field(name.to_owned());
        reader.entries(&mut |name, reader| Err(error(name, reader.string()?)))?;
        Ok(Self)
    }
}

#[tokio::test]
async fn texts_of_a_server_add_no_lines_to_errors() {
    const FORGED: &str = "x\r\n2026-01-01 ERROR forged\u{1b}[2J";
    for text in [FORGED.to_owned(), format!("{FORGED}{}", "y".repeat(100_000))] {
        let failed = json!({"id": text, "status": "FAILED", "message": text});
        let mock = Mock::new().on("submitIcon", ok(&failed)).on("getTask", ok(&failed));
        let call: Waited = client_of(&mock).task(&SUBMIT_ICON, &SubmitIcon, &TASK, Some(&["id"]));
        assert_line(&call.wait().interval(Duration::ZERO, Duration::ZERO).await.unwrap_err());

        for (paging, next) in [(&BY_CURSOR, text.clone()), (&BY_URL, format!("http://x.example/{text}"))] {
            let mock = Mock::new().on("list", ok(&json!({"data": [1], "next": next})));
            let mut items = list(&mock, paging);
            let error = loop {
                if let Err(error) = items.next().await.unwrap() {
                    break error;
                }
            };
            assert_line(&error);
        }

        let client = client_of(&Mock::new().on("getIcon", ok(&json!({(text.as_str()): text}))));
        let call: Call<Undocumented, NotFound> = client.call(&GET_ICON, &GetIcon("7"));
        assert_line(&call.await.unwrap_err());

        let refusal = Scripted::json(400, &json!({"error": text, "error_description": text}));
        let mock = Mock::new().on(Mock::TOKEN, refusal);
        assert_line(&sign_in(&mock, OAuth2::client_credentials("id", "secret")).await.unwrap_err());
    }
}

/// The pages are ready at once, so a stream without an end would keep the thread, and no timeout would end it.
#[tokio::test]
async fn a_list_of_empty_pages_ends() {
    let mock = Mock::new().on_call("list", |call| {
        let at: u64 = call.query("at").map_or(0, |at| at.parse().unwrap());
        assert!(at < 1500, "the list does not end");
        ok(&json!({"data": [], "next": (at + 1).to_string()}))
    });
    let mut items = list(&mock, &BY_CURSOR);
    let error = items.next().await.unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Paging(PagingError::Empty { pages: 1000 })), "{error}");
    assert!(items.next().await.is_none());
}

#[tokio::test]
async fn urls_of_pages_leave_no_server() {
    for next in [
        "//x.example/",
        "\\\\x.example/",
        "/\\x.example/",
        "\t//x.example/",
        "http:\\\\x.example",
        "ht\ntp://x.example",
        "http://mock@x.example/",
        "http://mock:80@x.example/",
        "http://mock.x.example/",
        "https://mock/",
        "http://mock:81/",
        "file:///etc/passwd",
        "data:,x",
    ] {
        let mock = Mock::new().on("list", ok(&json!({"data": [1], "next": next})));
        let mut items = list(&mock, &BY_URL);
        items.next().await.unwrap().unwrap();
        let error = items.next().await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Elsewhere { .. }), "{next}: {error}");
        assert_eq!(mock.calls().len(), 1, "{next}");
    }
}

#[tokio::test]
async fn progress_is_a_finite_number() {
    for progress in ["NaN", "inf", "1e999"] {
        let runs = ok(&json!({"status": "RUNS", "progress": progress}));
        let mock = Mock::new().on("getTask", runs.clone()).on("getTask", runs);
        let mock = mock.on("getTask", ok(&json!({"status": "DONE"})));
        let call: Waited = client_of(&mock).task(&GET_TASK, &GetIcon("7"), &TASK, None);
        let mut running = call.wait().interval(Duration::ZERO, Duration::ZERO).start().await.unwrap();
        let mut changes = Vec::new();
        while let Some(change) = running.next().await {
            changes.push(change.unwrap().progress);
        }
        assert_eq!(changes, [None, None], "{progress}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_no_header_can_hold_is_not_kept() {
    let token = |token: &str| ok(&json!({"access_token": token}));
    let mock = Mock::new().on(Mock::TOKEN, token("a\r\nx-admin: 1")).on(Mock::TOKEN, token("t"));
    let grant = OAuth2::client_credentials("id", "secret").token_url("/token");
    let mock = mock.on("ping", Scripted::new(204));
    let client = of(&mock).credential(&TOKEN, grant).build().unwrap();
    let call = || client.call::<(), NotFound>(&PING, &()).send_raw();
    let error = call().await.unwrap_err().to_string();
    assert!(error.ends_with("the token has characters that can't be sent"), "{error}");
    tokio::time::advance(Duration::from_secs(2)).await;
    call().await.unwrap();
}

#[tokio::test]
async fn a_token_endpoint_that_repeats_the_request_puts_no_secret_into_an_error() {
    const SECRET: &str = "hunter2+/&";
    let mock = Mock::new().on_call(Mock::TOKEN, |call| {
        let form = String::from_utf8_lossy(&call.body).into_owned();
        let url = reqwest::Url::parse(&format!("http://mock/?{form}")).unwrap();
        let values: Vec<_> = url.query_pairs().map(|(_, value)| value.into_owned()).collect();
        let header = call.header("authorization").unwrap_or_default();
        Scripted::json(400, &json!({"message": format!("{form} {} {header}", values.join(" "))}))
    });
    let grants = [
        OAuth2::client_credentials("id", SECRET),
        OAuth2::client_credentials("id", SECRET).secret_in_body(),
        OAuth2::password("me", SECRET).public_client("id"),
        OAuth2::refresh_token(SECRET),
        OAuth2::refresh_token("r").parameter("client_assertion", SECRET),
    ];
    for grant in grants {
        let text = format!("{:?}", sign_in(&mock, grant).await.unwrap_err());
        // The second one is the beginning of the base64 of `id:hunter2`.
        assert!(!text.contains("hunter2") && !text.contains("aWQ6aH") && text.contains("REDACTED"), "{text}");
    }
}

#[tokio::test]
async fn each_status_ends_a_call() {
    for status in (100..1000).step_by(7) {
        let reply = Scripted::json(status, &json!({"id": 7})).header("retry-after", "0");
        let mock = Mock::new().on("getIcon", reply);
        // It is a response or an error, never a panic.
        get(&client_of(&mock), "7").await.ok();
        assert!(mock.calls().len() <= 3, "{status}");
    }
}

/// An HTTP client that was made for its proxy or its certificates.
#[tokio::test]
async fn an_http_client_of_the_caller_leaks_no_secrets() {
    let other = serve([ICON]).await;
    let away: &'static str = format!("location: {}/x", other.url).leak();
    let away = Reply::Response(307, vec![away].leak(), "");
    let server = serve([away, away, Reply::Response(307, &["location: /here"], ""), ICON]).await;
    let headers = http::HeaderMap::from_iter([(http::header::AUTHORIZATION, "hunter2".parse().unwrap())]);
    let http = http_builder().default_headers(headers).build().unwrap();
    assert_eq!(format!("{:?}", Http::from(http.clone())), "Http");
    let client = builder(&server).http(http.clone()).credential(&KEY, "hunter2").build().unwrap();
    get(&client, "7").await.unwrap_err();
    let grant = OAuth2::client_credentials("id", "hunter2").secret_in_body().token_url("/token");
    let signed = builder(&server).http(http).credential(&TOKEN, grant).build().unwrap();
    signed.call::<Value, NotFound>(&PING, &()).await.unwrap_err();
    assert_eq!(other.requests(), [""; 0]);
    assert_eq!(get(&client, "7").await.unwrap()["id"], "7");
}

//! Lists: the requests of their pages, their ends, and servers that never end them.

use futures_core::Stream;

use super::*;

static LIST: Operation = Operation {
    id: "listIcons",
    path: "/v1/icons",
    parameters: &[
        Parameter { required: false, style: Style::Form, ..parameter("page", Location::Query) },
        Parameter { required: false, style: Style::Form, ..parameter("q", Location::Query) },
    ],
    security: &[],
    body: None,
    ..GET_ICON
};

static SEARCH: Operation = Operation {
    id: "searchIcons",
    parameters: &[],
    body: Some(Body { required: true, limit: None, contents: &JSON }),
    ..CREATE_ICON
};

struct List(Option<i64>);

impl Encode for List {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("page", &self.0), ("q", &Some("a b&c".to_owned()))], None);
    }
}

struct Search;

impl Encode for Search {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("body", &json!({"q": "a"}))], None);
    }
}

const PAGE: PageSlot = PageSlot::Query("page");

const fn paging(step: PageStep) -> Paging {
    Paging { step, items: &["data"], more: None }
}

static BY_PAGE: Paging = paging(PageStep::Page { at: PAGE, first: 1, last: Some(&["meta", "last"]) });
static BY_OFFSET: Paging = paging(PageStep::Offset { at: PAGE, total: Some(&["count"]) });
static BY_CURSOR: Paging =
    Paging { more: Some(&["more"]), ..paging(PageStep::Cursor { at: PAGE, next: &["next"] }) };
static BY_BODY: Paging = paging(PageStep::Cursor { at: PageSlot::Body(&["page", "after"]), next: &["next"] });
static BY_URL: Paging = paging(PageStep::Url { next: &["next"] });
static BY_LINK: Paging = paging(PageStep::Link);

type Listed = PagedCall<Value, NotFound, Value>;

fn items(page: Value) -> Option<Vec<Value>> {
    page.get("data")?.as_array().cloned()
}

fn list(client: &Client, page: Option<i64>, paging: &'static Paging) -> Listed {
    client.paged(&LIST, &List(page), paging, items)
}

const fn page(body: &'static str) -> Reply {
    Reply::Response(200, IS_JSON, body)
}

/// Returns all items, and the error at the end.
async fn all(
    mut items: impl Stream<Item = Result<Value, Error<NotFound>>> + Unpin,
) -> (Vec<i64>, Option<String>) {
    let mut all = Vec::new();
    loop {
        let next = std::future::poll_fn(|context| std::pin::Pin::new(&mut items).poll_next(context));
        match next.await {
            Some(Ok(item)) => all.push(item.as_i64().unwrap()),
            Some(Err(error)) => return (all, Some(error.to_string())),
            None => return (all, None),
        }
    }
}

/// Returns the targets of the requests.
fn targets(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| request.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn pages_follow_until_the_document_says_that_it_is_the_last() {
    const ONE: &str = r#"{"data": [1, 2], "meta": {"last": 2}}"#;
    const TWO: &str = r#"{"data": [3], "meta": {"last": 2}}"#;
    let server = serve([page(ONE), Reply::Response(503, &[], ""), page(TWO)]).await;
    assert_eq!(all(list(&client(&server), None, &BY_PAGE).items()).await, (vec![1, 2, 3], None));
    let query = "/v1/icons?q=a%20b%26c&page=2";
    assert_eq!(targets(&server), ["/v1/icons?q=a%20b%26c", query, query]);

    let server = serve([page(r#"{"data": [8, 9]}"#), page(r#"{"data": []}"#)]).await;
    assert_eq!(all(list(&client(&server), Some(4), &BY_PAGE).items()).await, (vec![8, 9], None));
    assert_eq!(targets(&server), ["/v1/icons?page=4&q=a%20b%26c", "/v1/icons?q=a%20b%26c&page=5"]);

    let server = serve([page(r#"{"data": [1, 2], "count": 3}"#), page(r#"{"data": [3], "count": 3}"#)]).await;
    assert_eq!(all(list(&client(&server), None, &BY_OFFSET).items()).await, (vec![1, 2, 3], None));
    assert!(targets(&server)[1].ends_with("&page=2"), "{:?}", targets(&server));
}

#[tokio::test]
async fn cursors_and_urls_follow_until_there_is_none() {
    // An empty page is not the end, and a cursor is, if there is no more.
    let script = [
        page(r#"{"data": [1], "next": "a b"}"#),
        page(r#"{"data": [], "next": 7, "more": true}"#),
        page(r#"{"data": [2], "next": "z", "more": false}"#),
    ];
    let server = serve(script).await;
    assert_eq!(all(list(&client(&server), None, &BY_CURSOR).items()).await, (vec![1, 2], None));
    let requested = targets(&server);
    assert!(requested[1].ends_with("&page=a%20b") && requested[2].ends_with("&page=7"), "{requested:?}");

    let server = serve([page(r#"{"data": [1], "next": "x"}"#), page(r#"{"data": [2], "next": null}"#)]).await;
    let search: Listed = client(&server).paged(&SEARCH, &Search, &BY_BODY, items);
    assert_eq!(all(search.items()).await, (vec![1, 2], None));
    let requests = server.requests();
    let (_, body) = requests[1].split_once("\r\n\r\n").unwrap();
    assert_eq!(body.parse::<Value>().unwrap(), json!({"page": {"after": "x"}, "q": "a"}));

    let server =
        serve([page(r#"{"data": [1], "next": "?skip=1"}"#), page(r#"{"data": [2], "next": ""}"#)]).await;
    assert_eq!(all(list(&client(&server), None, &BY_URL).items()).await, (vec![1, 2], None));
    assert_eq!(targets(&server)[1], "/v1/icons?skip=1");

    // The URL of the next page is fetched, also after a search.
    let server =
        serve([page(r#"{"data": [1], "next": "?skip=1"}"#), page(r#"{"data": [2], "next": ""}"#)]).await;
    let search: Listed = client(&server).paged(&SEARCH, &Search, &BY_URL, items);
    assert_eq!(all(search.items()).await, (vec![1, 2], None));
    let second = server.requests().swap_remove(1);
    assert!(second.starts_with("GET /v1/icons?skip=1 ") && second.ends_with("\r\n\r\n"), "{second}");
    assert!(!second.to_ascii_lowercase().contains("content-type"), "{second}");

    const LINKS: &[&str] = &["content-type: application/json", "link: </v1/icons?x=2>; rel=\"next\""];
    let server = serve([Reply::Response(200, LINKS, r#"{"data": [1]}"#), page(r#"{"data": [2]}"#)]).await;
    let mut pages = list(&client(&server), None, &BY_LINK).pages();
    assert_eq!(pages.next().await.unwrap().unwrap(), json!({"data": [1]}));
    assert_eq!(pages.position(), Some("/v1/icons?x=2"));
    assert_eq!(pages.next().await.unwrap().unwrap(), json!({"data": [2]}));
    assert!(pages.next().await.is_none() && pages.position().is_none());
}

#[tokio::test]
async fn a_relative_url_is_relative_to_its_page() {
    const AT: &[&str] = &["content-type: application/json", "location: /v3/list/"];
    let script = [
        page(r#"{"data": [1], "next": "/v2/list/first?a=1#top"}"#),
        page(r#"{"data": [2], "next": "../second"}"#),
        Reply::Response(302, AT, ""),
        page(r#"{"data": [3], "next": "?skip=3"}"#),
        page(r#"{"data": [4], "next": "//elsewhere.example/"}"#),
    ];
    let server = serve(script).await;
    let (found, error) = all(list(&client(&server), None, &BY_URL).items()).await;
    assert_eq!(found, [1, 2, 3, 4]);
    assert!(error.unwrap().contains("the URL `http://elsewhere.example/` that the response names"));
    assert_eq!(targets(&server)[1..], ["/v2/list/first?a=1", "/v2/second", "/v3/list/", "/v3/list/?skip=3"]);
}

#[tokio::test]
async fn the_own_credential_replaces_one_that_a_page_has() {
    static WITH_KEY: Operation = Operation { security: &[&[needs(&QUERY_KEY)]], body: None, ..LIST };
    let script = [
        page(r#"{"data": [1], "next": "/v1/icons?k%65y=echoed&sig=%7e&page=2"}"#),
        page(r#"{"data": [2], "next": "?page=3&key=echoed"}"#),
        page(r#"{"data": [3]}"#),
    ];
    let server = serve(script).await;
    let client = builder(&server).credential(&QUERY_KEY, "own").build().unwrap();
    let call: Listed = client.paged(&WITH_KEY, &List(None), &BY_URL, items);
    let mut pages = call.pages();
    pages.next().await.unwrap().unwrap();
    assert_eq!(pages.position(), Some("/v1/icons?sig=%7e&page=2"));
    assert_eq!(all(pages.items()).await, (vec![2, 3], None));
    assert_eq!(targets(&server)[1..], ["/v1/icons?sig=%7e&page=2&key=own", "/v1/icons?page=3&key=own"]);

    // A position from elsewhere may have a credential, too.
    let server = serve([page(r#"{"data": [1]}"#)]).await;
    let client = builder(&server).credential(&QUERY_KEY, "own").build().unwrap();
    let call: Listed = client.paged(&WITH_KEY, &List(None), &BY_URL, items);
    all(call.pages().resume_at("/v1/icons?key=old&page=4").items()).await;
    assert_eq!(targets(&server), ["/v1/icons?page=4&key=own"]);
}

#[tokio::test]
async fn lists_without_end_are_errors() {
    let script = [
        page(r#"{"data": [1], "next": "a"}"#),
        page(r#"{"data": [2], "next": "b"}"#),
        page(r#"{"data": [3], "next": "a"}"#),
    ];
    let server = serve(script).await;
    let (found, error) = all(list(&client(&server), None, &BY_CURSOR).items()).await;
    assert_eq!(found, [1, 2, 3]);
    assert_eq!(error.unwrap(), "GET /v1/icons: the response repeats the position `a` of an earlier page");

    // The server ignores the number of the page.
    let server = serve([page(r#"{"data": [1]}"#)]).await;
    let (found, error) = all(list(&client(&server), None, &BY_PAGE).items()).await;
    assert_eq!((found, server.requests().len()), (vec![1], 2));
    assert_eq!(error.unwrap(), "GET /v1/icons: the page at `2` equals the one before");
}

#[tokio::test]
async fn credentials_stay_on_the_server() {
    let server = serve([page(r#"{"data": [1], "next": "http://127.0.0.1:1/v1/icons"}"#)]).await;
    let (found, error) = all(list(&client(&server), None, &BY_URL).items()).await;
    assert_eq!((found, server.requests().len()), (vec![1], 1));
    let expected = "GET /v1/icons: the URL `http://127.0.0.1:1/v1/icons` that the response names isn't on the server of the operation";
    assert_eq!(error.unwrap(), expected);
}

#[tokio::test]
async fn a_list_is_resumed_at_the_page_that_failed() {
    const GONE: Reply = Reply::Response(404, IS_JSON, r#"{"message": "gone"}"#);
    let server = serve([page(r#"{"data": [1], "next": "a"}"#), GONE, page(r#"{"data": [2]}"#)]).await;
    let mut pages = list(&client(&server), None, &BY_CURSOR).pages();
    pages.next().await.unwrap().unwrap();
    let error = pages.next().await.unwrap().unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(404));
    assert!(pages.next().await.is_none());
    let position = pages.position().unwrap().to_owned();
    let again = list(&client(&server), None, &BY_CURSOR).pages().resume_at(position);
    assert_eq!(all(again.items()).await, (vec![2], None));
    assert!(targets(&server)[2].ends_with("&page=a"), "{:?}", targets(&server));
}

#[tokio::test]
async fn pages_are_requested_ahead_up_to_a_bound() {
    let script = [
        page(r#"{"data": [1], "next": "a"}"#),
        page(r#"{"data": [2], "next": "b"}"#),
        page(r#"{"data": [3], "next": "c"}"#),
        page(r#"{"data": [4]}"#),
    ];
    let server = serve(script).await;
    let mut pages = list(&client(&server), None, &BY_CURSOR).pages().prefetch(2);
    pages.next().await.unwrap().unwrap();
    while server.requests().len() < 3 {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(server.requests().len(), 3, "two pages ahead of the first one");
    assert_eq!(pages.position(), Some("a"));
    assert_eq!(all(pages.items()).await, (vec![2, 3, 4], None));
}

#[tokio::test]
async fn any_number_of_pages_can_be_requested_ahead() {
    let server = serve([page(r#"{"data": [1], "next": "a"}"#), page(r#"{"data": [2]}"#)]).await;
    let pages = list(&client(&server), None, &BY_CURSOR).pages().prefetch(usize::MAX);
    assert_eq!(all(pages.items()).await, (vec![1, 2], None));
}

#[tokio::test]
async fn a_panic_ahead_of_time_is_no_end_of_the_list() {
    let server = serve([page(r#"{"data": [1], "next": "a"}"#)]).await;
    let count = std::sync::atomic::AtomicU32::new(0);
    let hook = move |_: Attempt, _: &mut reqwest::Request| -> Result<(), BoxError> {
        assert!(count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0, "on purpose");
        Ok(())
    };
    let client = builder(&server).before_attempt(hook).build().unwrap();
    let (found, error) = all(list(&client, None, &BY_CURSOR).pages().prefetch(1).items()).await;
    assert_eq!(found, [1]);
    assert_eq!(error.unwrap(), "GET /v1/icons: the task that requests pages ahead of time has ended");
}

#[tokio::test]
async fn each_page_is_a_request_of_its_own() {
    let server = serve([page(r#"{"data": [1], "next": "x"}"#), page(r#"{"data": [2]}"#)]).await;
    let search: Listed = client(&server).paged(&SEARCH, &Search, &BY_BODY, items);
    assert_eq!(all(search.header("Idempotency-Key", "once").items()).await, (vec![1, 2], None));
    let has_key = |request: &String| request.to_ascii_lowercase().contains("idempotency-key");
    assert_eq!(server.requests().iter().map(has_key).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test]
async fn a_body_takes_the_cursor_as_the_response_has_it() {
    static OPTIONAL: Operation =
        Operation { body: Some(Body { required: false, limit: None, contents: &JSON }), ..SEARCH };
    struct Null;
    impl Encode for Null {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &json!({"page": null}))], None);
        }
    }
    struct NoPlace;
    impl Encode for NoPlace {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &json!({"page": 5}))], None);
        }
    }
    struct Absent;
    impl Encode for Absent {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &None::<Value>)], None);
        }
    }
    for input in [&Null as &dyn Encode, &Absent] {
        let server = serve([page(r#"{"data": [1], "next": 7}"#), page(r#"{"data": [2]}"#)]).await;
        let search: Listed = client(&server).paged(&OPTIONAL, input, &BY_BODY, items);
        assert_eq!(all(search.items()).await, (vec![1, 2], None));
        assert!(server.requests()[1].ends_with(r#"{"page":{"after":7}}"#), "{:?}", server.requests());
    }
    let server = serve([page(r#"{"data": [1], "next": 7}"#)]).await;
    let search: Listed = client(&server).paged(&OPTIONAL, &NoPlace, &BY_BODY, items);
    let (found, error) = all(search.items()).await;
    assert_eq!((found, server.requests().len()), (vec![1], 1));
    assert!(error.unwrap().ends_with("can't take the position of the next page at `page.after`"));
}

#[tokio::test]
async fn a_cursor_that_is_no_text_is_an_error() {
    for (next, is_error) in [("{}", true), ("[1]", true), ("true", true), ("false", false), ("null", false)] {
        let body = format!(r#"{{"data": [1], "next": {next}}}"#).leak();
        let server = serve([page(body)]).await;
        let (found, error) = all(list(&client(&server), None, &BY_CURSOR).items()).await;
        assert_eq!((found, error.is_some(), server.requests().len()), (vec![1], is_error, 1), "{next}");
    }
}

#[tokio::test]
async fn errors_and_debug_output_have_no_queries() {
    let server = serve([page(r#"{"data": [1], "next": "/v1/icons?secret=1"}"#)]).await;
    let mut pages = list(&client(&server), None, &BY_URL).pages();
    pages.next().await.unwrap().unwrap();
    assert!(!format!("{pages:?}").contains("secret"), "{pages:?}");
    pages.next().await.unwrap().unwrap();
    let error = pages.next().await.unwrap().unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}

#[tokio::test]
async fn a_call_of_a_list_is_its_first_page() {
    let server = serve([page(r#"{"data": [1], "next": "a"}"#)]).await;
    let first = list(&client(&server), None, &BY_CURSOR).header("x-a", "b").await.unwrap();
    assert_eq!(first["data"], json!([1]));
    assert!(server.requests()[0].contains("x-a: b"));
}

//! Response headers as styled text and as JSON, from server to client.

use std::sync::Arc;

use fixture_response_headers_client::{Client, models};
use fixture_response_headers_server::{
    Server,
    pages::PagesApi,
    runtime::{Context, Failure},
};
use models::pages::{AddPageOutput, GetPageError, GetPageOutput, GetPageOkResponse};
use models::types::NoError;

use crate::serving;

/// The date has a comma, which other headers have between values.
const COOKIES: [&str; 2] = ["lang=en; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "theme=dark"];

struct Pages;

impl PagesApi for Pages {
    async fn get_page(&self, _: Context<()>) -> Result<GetPageOutput, Failure<GetPageError>> {
        let mut page = GetPageOkResponse::new(3, vec!["a".to_owned()]);
        page.x_rate_limit = Some(vec![1, 2]);
        page.set_cookie = Some(COOKIES.map(str::to_owned).to_vec());
        page.x_marks = Some(vec!["a, b".to_owned(), "\"c\"".to_owned()]);
        Ok(GetPageOutput::Ok(page))
    }

    async fn add_page(&self, _: Context<()>) -> Result<AddPageOutput, Failure<NoError>> {
        Ok(AddPageOutput::new("https://example.com/a,b"))
    }
}

#[tokio::test]
async fn headers_with_content_are_json() {
    let service = Server::builder().pages(Arc::new(Pages)).build().expect("a service");
    let url = serving::start(service).await;
    let client = Client::builder().base_url(&url).build().expect("a client");
    let output = client.get_page().await.expect("a response");
    let GetPageOutput::Ok(page) = output else { panic!("a page: {output:?}") };
    assert_eq!((page.x_total, page.x_rate_limit), (3, Some(vec![1, 2])));
    assert_eq!(page.x_marks, Some(vec!["a, b".to_owned(), "\"c\"".to_owned()]));
    assert_eq!(page.set_cookie.as_deref(), Some(&COOKIES.map(str::to_owned)[..]));
    let raw = serving::request(&url, "GET", "/pages", "").await;
    assert!(raw.contains("x-marks: [\"a, b\",\"\\\"c\\\"\"]\r\n"), "{raw}");
    assert!(raw.contains("x-rate-limit: 1,2\r\n"), "{raw}");
    for cookie in COOKIES {
        assert!(raw.contains(&format!("set-cookie: {cookie}\r\n")), "{raw}");
    }
}

/// Starts a server that sends these headers and this body as JSON. Returns its URL.
async fn json(headers: &str, body: &str) -> String {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let response = format!("{head}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len());
    serving::response(vec![response.into_bytes()], false).await
}

#[tokio::test]
async fn an_error_quotes_the_header_or_the_body_that_it_is_about() {
    for (headers, body, expected) in [
        ("x-total: 3\r\n", r#"["a", 17]"#, "[1]: expected a string, found a number, `17`"),
        (
            "x-total: many\r\n",
            r#"{"x-total": 17}"#,
            "header `x-total`: expected a number, found text, `many`",
        ),
        ("", "[]", "the header `x-total` is missing"),
    ] {
        let client = Client::builder().base_url(json(headers, body).await).build().expect("a client");
        let error = client.get_page().await.expect_err("it is not as documented");
        let prefix = "GET /pages: 200 OK, but the response isn't as documented";
        assert_eq!(error.to_string(), format!("{prefix}: {expected}"));
    }
}

#[tokio::test]
async fn a_time_without_an_offset_is_in_utc_if_the_client_assumes_so() {
    let url = json("x-total: 0\r\nx-seen: 2024-01-01T10:00:00\r\n", "[]").await;
    for (assumes_utc, expected) in [(true, Some("2024-01-01T10:00:00Z")), (false, None)] {
        let client = Client::builder().base_url(&url).assume_utc(assumes_utc).build().expect("a client");
        let output = client.get_page().await.expect("a response");
        let GetPageOutput::Ok(page) = output else { panic!("a page: {output:?}") };
        assert_eq!(page.x_seen.map(|time| time.to_string()).as_deref(), expected);
    }
}

/// HEAD has the headers of GET and no body.
#[tokio::test]
async fn head_is_served_where_get_is() {
    let service = Server::builder().pages(Arc::new(Pages)).build().expect("a service");
    let url = serving::start(service).await;
    let of_get = serving::request(&url, "GET", "/pages", "").await;
    let of_head = serving::request(&url, "HEAD", "/pages", "").await;
    let (get_head, body) = of_get.split_once("\r\n\r\n").expect("a response");
    assert_eq!(body, "[\"a\"]");
    let (head, nothing) = of_head.split_once("\r\n\r\n").expect("a response");
    assert_eq!(nothing, "");
    let plain = |head: &str| {
        let lines = head.lines().filter(|line| !line.starts_with("date:"));
        lines.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("x-total: 3\r\n"), "{head}");
    assert_eq!(plain(head), plain(get_head));
}

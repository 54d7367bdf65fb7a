//! Response headers as styled text and as JSON, from server to client.

use std::sync::Arc;

use fixture_response_headers_client::{Client, models};
use fixture_response_headers_server::{
    Server,
    pages::PagesApi,
    runtime::{Context, Failure},
};
use models::pages::{AddPageResponse, GetPageError, GetPageOutput, GetPageOkResponse};
use models::types::NoError;

use crate::serving;

struct Pages;

impl PagesApi for Pages {
    async fn get_page(&self, _: Context<()>) -> Result<GetPageOutput, Failure<GetPageError>> {
        let mut page = GetPageOkResponse::new(3, vec!["a".to_owned()]);
        page.x_rate_limit = Some(vec![1, 2]);
        page.x_marks = Some(vec!["a, b".to_owned(), "\"c\"".to_owned()]);
        Ok(GetPageOutput::Ok(page))
    }

    async fn add_page(&self, _: Context<()>) -> Result<AddPageResponse, Failure<NoError>> {
        Ok(AddPageResponse::new("https://example.com/a,b"))
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
    let raw = serving::request(&url, "GET", "/pages", "").await;
    assert!(raw.contains("x-marks: [\"a, b\",\"\\\"c\\\"\"]\r\n"), "{raw}");
    assert!(raw.contains("x-rate-limit: 1,2\r\n"), "{raw}");
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

//! Downloads from well-behaved and hostile servers.

use super::*;
use crate::net::testing::{Reaction, ScriptedResolver, Server, inner_guard};

const LIMITS: Limits = Limits { bytes: 1000, deadline: Duration::from_secs(60) };
/// For downloads that would never end.
const SHORT: Limits = Limits { bytes: 1000, deadline: Duration::from_millis(300) };

async fn fetch(url: &str, limits: Limits) -> Result<Bytes, FetchError> {
    Fetcher::new(inner_guard(&[])).unwrap().fetch(url, limits).await
}

#[tokio::test]
async fn a_file_is_downloaded() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "a file")).await;
    assert_eq!(fetch(&server.url("/a?b=c"), LIMITS).await.unwrap(), "a file");
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.starts_with("get /a?b=c http/1.1\r\n"), "{request}");
    assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
    assert!(request.contains("user-agent: asset-service/"), "{request}");
}

#[tokio::test]
async fn a_name_is_connected_to_at_the_address_that_was_checked() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "a file")).await;
    let fetcher = Fetcher::new(inner_guard(&[
        ("files.test", &[&["127.0.0.1"]]),
        ("mixed.test", &[&["127.0.0.1", "169.254.169.254"]]),
    ]));
    let fetcher = fetcher.unwrap();
    assert_eq!(fetcher.fetch(&server.url_as("files.test", "/"), LIMITS).await.unwrap(), "a file");
    assert_eq!(server.connections(), 1);
    let error = fetcher.fetch(&server.url_as("mixed.test", "/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Address), "{error:?}");
    assert!(error.is_temporary(), "a task must not end sooner than with a dead host");
    assert_eq!(
        server.connections(),
        1,
        "a refused host must get no connection, not even at an allowed address"
    );
}

#[tokio::test]
async fn inner_urls_are_refused_without_a_connection() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "secret")).await;
    let guard = Guard::with_resolver(Policy::default(), std::sync::Arc::new(ScriptedResolver::new(&[])));
    let fetcher = Fetcher::new(guard).unwrap();
    assert!(matches!(
        fetcher.fetch(&server.url("/"), LIMITS).await,
        Err(FetchError::Url(UrlRefused::Scheme))
    ));
    let literal = fetcher.fetch("https://127.0.0.1/", LIMITS).await;
    assert!(matches!(literal, Err(FetchError::Url(UrlRefused::Host))));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn redirects_are_followed_three_times() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/0") => Reaction::response("200 OK", "", "the end"),
        Some("/1") => Reaction::redirect("0"),
        Some("/2") => Reaction::redirect("/1"),
        Some("/3") => Reaction::redirect("/2"),
        Some("/4") => Reaction::redirect("/3"),
        Some("/loop") => Reaction::redirect("/loop"),
        _ => Reaction::response("302 Found", "", ""),
    })
    .await;
    assert_eq!(fetch(&server.url("/3"), LIMITS).await.unwrap(), "the end");
    for path in ["/4", "/loop", "/nowhere"] {
        let error = fetch(&server.url(path), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Redirects), "{path}: {error:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_checked_as_the_first_url_is() {
    let cases = [
        ("http://169.254.169.254/latest/meta-data/", UrlRefused::Host),
        ("http://0xa9fea9fe/", UrlRefused::Host),
        ("//169.254.169.254./", UrlRefused::Host),
        ("http://[::ffff:127.0.0.1]/", UrlRefused::Host),
        ("http://user@127.0.0.1/", UrlRefused::UserInfo),
        ("file:///etc/passwd", UrlRefused::Scheme),
        ("ftp://example.com/", UrlRefused::Scheme),
    ];
    for (location, reason) in cases {
        let server = Server::start(move |_| Reaction::redirect(location)).await;
        let error = fetch(&server.url("/"), LIMITS).await.unwrap_err();
        assert!(matches!(&error, FetchError::Url(refused) if *refused == reason), "{location}: {error:?}");
    }
}

#[test]
fn where_a_redirect_may_lead() {
    let strict = Policy::default();
    let inner = Policy { allow_private_networks: true, ..Policy::default() };
    let go = |policy: &Policy, from: &str, to: &'static str| {
        let headers = HeaderMap::from_iter([(LOCATION, to.parse().unwrap())]);
        redirect(policy, &policy.check_url(from).unwrap(), &headers).map(|target| target.url().to_string())
    };
    assert_eq!(go(&strict, "https://a.test/b/c", "../d?e").unwrap(), "https://a.test/d?e");
    assert_eq!(go(&strict, "https://a.test/", "https://b.test/").unwrap(), "https://b.test/");
    assert_eq!(go(&inner, "http://a.test/", "https://b.test/").unwrap(), "https://b.test/");
    for (policy, to) in [
        (&strict, "http://a.test/"),
        (&inner, "http://a.test/"),
        (&strict, "https://localhost/"),
        (&strict, "https://10.0.0.1/"),
        (&strict, "https://a.test:8443/"),
        (&strict, "https://u:p@a.test/"),
        (&strict, "javascript:0"),
    ] {
        assert!(matches!(go(policy, "https://a.test/", to), Err(FetchError::Url(_))), "{to}");
    }
}

#[tokio::test]
async fn a_name_that_a_redirect_leads_to_is_checked_as_well() {
    let server = Server::start(|_| Reaction::redirect("http://inner.test/")).await;
    let fetcher = Fetcher::new(inner_guard(&[("inner.test", &[&["169.254.169.254"]])])).unwrap();
    let error = fetcher.fetch(&server.url("/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Address), "{error:?}");
}

#[tokio::test]
async fn an_endless_body_ends_at_the_limit() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n"] {
        let server = Server::start(move |_| Reaction::ThenZeros(head.into())).await;
        let error = fetch(&server.url("/"), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { limit: 1000 }), "{error:?}");
        assert_eq!(error.code(), "media_too_large");
    }
}

#[tokio::test]
async fn a_body_at_the_limit_is_accepted() {
    let server = Server::start(|_| Reaction::response("200 OK", "", &"a".repeat(1000))).await;
    assert_eq!(fetch(&server.url("/"), LIMITS).await.unwrap().len(), 1000);
}

#[tokio::test]
async fn slow_servers_end_at_the_deadline() {
    let heads = ["", "HTTP/1.1 200 OK\r\ncontent-", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"];
    for head in heads {
        let server = Server::start(move |_| Reaction::ThenHang(head.into())).await;
        let error = fetch(&server.url("/"), SHORT).await.unwrap_err();
        assert!(matches!(error, FetchError::Deadline), "{head}: {error:?}");
    }
}

#[tokio::test]
async fn an_incomplete_body_is_an_error() {
    let server = Server::start(|_| Reaction::text("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")).await;
    let error = fetch(&server.url("/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn compressed_bodies_are_refused() {
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 10\r\n\r\n";
    let server =
        Server::start(move |_| Reaction::All([head.as_bytes(), b"\x1f\x8b\x08\0\0\0\0\0\0\0"].concat()))
            .await;
    let error = fetch(&server.url("/"), LIMITS).await.unwrap_err();
    assert!(matches!(error, FetchError::Encoded), "{error:?}");
}

#[tokio::test]
async fn other_statuses_return_no_file() {
    for status in [204, 206, 304, 404, 429, 503] {
        let server = Server::start(move |_| Reaction::response(&format!("{status} X"), "", "")).await;
        let error = fetch(&server.url("/"), LIMITS).await.unwrap_err();
        assert!(matches!(error, FetchError::Status(found) if found == status), "{error:?}");
        assert_eq!(error.is_temporary(), status == 429 || status == 503);
    }
}

/// Users must not learn from an error whether a host refuses connections, hangs, breaks off, does not exist
/// or is refused.
#[tokio::test]
async fn errors_do_not_reveal_whether_a_host_exists() {
    let closed = Server::start(|_| Reaction::text("")).await;
    let hanging = Server::start(|_| Reaction::ThenHang(Vec::new())).await;
    let refusing = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let fetcher = Fetcher::new(inner_guard(&[("inner.test", &[&["169.254.169.254"]])])).unwrap();
    let rows = [
        (closed.url("/"), "the connection closed before a response"),
        (hanging.url("/"), "no complete response in time"),
        (refusing, "connection refused"),
        ("http://inner.test/".into(), "host resolves to a private or reserved address"),
        ("http://none.test/".into(), "can't connect: the host has no address"),
    ];
    for (url, why) in rows {
        let error = fetcher.fetch(&url, SHORT).await.unwrap_err();
        assert_eq!(error.to_string(), NO_RESPONSE, "{url}");
        let message = error.for_operator();
        assert!(message.starts_with(why), "{url}: {message}");
        assert_eq!(error.code(), "fetch_failed");
    }
}

#[tokio::test]
async fn neither_texts_nor_details_show_the_url() {
    let server = Server::start(|_| Reaction::text("")).await;
    let error = fetch(&server.url("/?signature=hunter2"), LIMITS).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

/// A test can't change its own environment, so this runs another test in a process with a proxy.
#[test]
fn the_environments_proxy_is_not_asked() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "net::fetch::tests::a_file_is_downloaded"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, "http://127.0.0.1:1");
    }
    let output = again.env_remove("no_proxy").env_remove("NO_PROXY").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

//! CORS: which pages of other origins may read responses in a browser.

use reqwest::Method;
use reqwest::header::HeaderMap;

use super::bare::Bare;
use super::running::Running;
use crate::service::http_client;

/// A page that the settings don't list.
const OTHER: &str = "https://other.example";

/// A page that the settings list.
const LISTED: &str = "https://app.example.com";

/// The response to a request of a page.
struct Reply {
    status: u16,
    headers: HeaderMap,
}

impl Reply {
    async fn of(method: Method, url: &str, headers: &[(&str, &str)]) -> Self {
        let request = http_client::new().request(method, url);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        Self { status: response.status().as_u16(), headers: response.headers().clone() }
    }

    /// Returns a header; several lines are joined.
    fn header(&self, name: &str) -> Option<String> {
        let lines: Vec<&str> = self.headers.get_all(name).iter().map(|line| line.to_str().unwrap()).collect();
        (!lines.is_empty()).then(|| lines.join(", "))
    }

    /// Returns whether a page of this origin may read the response.
    fn is_readable_by(&self, origin: &str) -> bool {
        self.header("access-control-allow-origin").is_some_and(|allowed| allowed == "*" || allowed == origin)
    }

    fn lists(&self, name: &str, value: &str) -> bool {
        self.header(name).is_some_and(|all| all.split(", ").any(|one| one.eq_ignore_ascii_case(value)))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_page_may_read_files_and_documents() {
    let bare = Bare::new("[http]\nopen = { burst = 40, per-second = 0.001 }\n");
    let service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    for (folder, name) in [("catalogue/ab12", "1-0.svg"), ("results/ab/ab12", "1-0.png")] {
        let folder = bare.data().join("files").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), "0123456789").unwrap();
    }
    let paths = [
        "/catalogue/ab12/1-0.svg",
        "/files/ab12/1-0.png",
        "/openapi.yaml",
        "/openapi.json",
        "/openapi-plain-filters.json",
    ];
    for path in paths {
        let url = format!("{}{path}", service.url());
        let preflight = [
            ("origin", OTHER),
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "range,if-range"),
        ];
        let preflight = Reply::of(Method::OPTIONS, &url, &preflight).await;
        assert_eq!(preflight.status, 200, "{path}");
        assert!(preflight.is_readable_by(OTHER), "{path}");
        assert!(preflight.lists("access-control-allow-headers", "range,if-range"), "{:?}", preflight.headers);
        assert_eq!(preflight.header("access-control-allow-methods").as_deref(), Some("GET,HEAD"), "{path}");
        assert!(preflight.header("access-control-max-age").is_some(), "{path}");

        let got = Reply::of(Method::GET, &url, &[("origin", OTHER)]).await;
        assert_eq!(
            (got.status, got.header("access-control-allow-origin").as_deref()),
            (200, Some("*")),
            "{path}"
        );
        assert_eq!(got.header("cross-origin-resource-policy").as_deref(), Some("cross-origin"), "{path}");
        assert_eq!(got.header("access-control-allow-credentials"), None, "{path}");
        // The response is the same for all pages, so caches may share it.
        assert_eq!(got.header("vary"), None, "{path}");
    }
    let url = format!("{}/catalogue/ab12/1-0.svg", service.url());
    let part = Reply::of(Method::GET, &url, &[("origin", OTHER), ("range", "bytes=2-4")]).await;
    assert_eq!((part.status, part.is_readable_by(OTHER)), (206, true));
    let exposed: Vec<String> =
        part.header("access-control-expose-headers").unwrap().split(',').map(str::to_owned).collect();
    for name in ["content-range", "etag", "accept-ranges", "content-length", "retry-after", "x-request-id"] {
        assert!(exposed.iter().any(|one| one == name), "{name} is not in {exposed:?}");
    }
    let beyond = Reply::of(Method::GET, &url, &[("origin", OTHER), ("range", "bytes=90-")]).await;
    assert_eq!((beyond.status, beyond.is_readable_by(OTHER)), (416, true));
    let gone =
        Reply::of(Method::HEAD, &format!("{}/files/x/y.png", service.url()), &[("origin", OTHER)]).await;
    assert_eq!((gone.status, gone.is_readable_by(OTHER)), (404, true));
    let tag = part.header("etag").unwrap();
    let known = Reply::of(Method::GET, &url, &[("origin", OTHER), ("if-none-match", &tag)]).await;
    assert_eq!((known.status, known.is_readable_by(OTHER)), (304, true));
    // Refusals, too.
    let mut limited = Reply::of(Method::GET, &url, &[("origin", OTHER)]).await;
    for _ in 0..40 {
        limited = Reply::of(Method::GET, &url, &[("origin", OTHER)]).await;
    }
    assert_eq!((limited.status, limited.is_readable_by(OTHER)), (429, true));
    let preflight = [("origin", OTHER), ("access-control-request-method", "GET")];
    assert_eq!(Reply::of(Method::OPTIONS, &url, &preflight).await.status, 429, "preflights count, too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_may_read_anything_else() {
    let running = Running::start(&["--threads", "0"]);
    for (path, status) in
        [("/docs", 200), ("/metrics", 200), ("/readyz", 200), ("/v1/resources", 200), ("/v1/x", 404)]
    {
        let url = format!("{}{path}", running.url);
        let headers = [("origin", OTHER), ("x-service-api-key", running.key.as_str())];
        let reply = Reply::of(Method::GET, &url, &headers).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (status, None), "{path}");
        assert_eq!(reply.header("cross-origin-resource-policy"), None, "{path}");
        let preflight = [("origin", OTHER), ("access-control-request-method", "GET")];
        let preflight = Reply::of(Method::OPTIONS, &url, &preflight).await;
        assert_eq!(preflight.header("access-control-allow-origin"), None, "{path}");
        assert!(matches!(preflight.status, 404 | 405), "{path}: {}", preflight.status);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listed_pages_may_call_the_api() {
    let settings = format!(
        "[http]\ncors-origins = ['{LISTED}', 'http://localhost:5173']\n[tiers.default]\nburst = 4\nper-second = 0.001\n"
    );
    let running = Running::start_with(&settings, &["--threads", "0"], &[]);
    let url = format!("{}/v1/resources", running.url);
    let preflight = |origin| {
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type,x-service-api-key"),
        ];
        let url = format!("{}/v1/ai/voiceover", running.url);
        async move { Reply::of(Method::OPTIONS, &url, &headers).await }
    };
    for origin in [LISTED, "http://localhost:5173"] {
        let allowed = preflight(origin).await;
        assert_eq!(
            (allowed.status, allowed.header("access-control-allow-origin").as_deref()),
            (200, Some(origin))
        );
        assert!(allowed.lists("access-control-allow-headers", "content-type,x-service-api-key"));
        assert!(allowed.lists("access-control-allow-methods", "POST"), "{:?}", allowed.headers);
        assert!(allowed.lists("vary", "origin"), "{:?}", allowed.headers);
        assert_eq!(allowed.header("access-control-allow-credentials"), None);
    }
    for origin in [OTHER, "null", "https://app.example.com.other.example", "http://app.example.com"] {
        assert!(!preflight(origin).await.is_readable_by(origin), "{origin}");
    }
    let key = ("x-service-api-key", running.key.as_str());
    let got = Reply::of(Method::GET, &url, &[("origin", LISTED), key]).await;
    assert_eq!((got.status, got.header("access-control-allow-origin").as_deref()), (200, Some(LISTED)));
    assert!(got.lists("vary", "origin") && got.lists("vary", "accept-language"), "{:?}", got.headers);
    let exposed = got.header("access-control-expose-headers").unwrap();
    for name in
        ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-request-id"]
    {
        assert!(exposed.split(',').any(|one| one == name), "{name} is not in {exposed}");
    }
    // Caches must not give the response for one page, or for none, to another.
    for headers in [&[key][..], &[("origin", OTHER), key]] {
        let reply = Reply::of(Method::GET, &url, headers).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, None));
        assert!(reply.lists("vary", "origin"), "{:?}", reply.headers);
    }
    // Errors and refusals are readable.
    let page = ("origin", LISTED);
    for (method, path, headers, status) in [
        (Method::GET, "/v1/resources?page=0", &[page, key][..], 400),
        (Method::GET, "/v1/resources", &[page], 401),
        (Method::GET, "/v1/resources", &[page, ("x-service-api-key", "nonsense")], 401),
        (Method::GET, "/v1/nothing", &[page], 404),
        (Method::PUT, "/v1/resources", &[page], 405),
        (Method::GET, "/v1/resources", &[page, key], 429),
    ] {
        let reply = Reply::of(method, &format!("{}{path}", running.url), headers).await;
        assert_eq!((reply.status, reply.is_readable_by(LISTED)), (status, true), "{path}");
    }
    // An OPTIONS that is not a preflight is a request like any other.
    for (path, status) in [("/v1/nothing", 404), ("/v1/resources", 405)] {
        let reply = Reply::of(Method::OPTIONS, &format!("{}{path}", running.url), &[page]).await;
        assert_eq!(reply.status, status, "{path}");
    }
    // Files stay readable by all pages, and the pages of the service by none.
    let document = Reply::of(Method::GET, &format!("{}/openapi.json", running.url), &[page]).await;
    assert_eq!(document.header("access-control-allow-origin").as_deref(), Some("*"));
    let metrics = Reply::of(Method::GET, &format!("{}/metrics", running.url), &[page]).await;
    assert_eq!((metrics.status, metrics.header("access-control-allow-origin")), (200, None));
}

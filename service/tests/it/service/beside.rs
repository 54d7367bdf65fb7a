//! What is served beside the API.

use super::running::Running;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_beside_the_api() {
    let running = Running::start(&["--threads", "0"]);
    for (path, text) in [
        ("/healthz", "ok"),
        ("/readyz", "ready"),
        ("/metrics", "# HELP http_request_seconds"),
        ("/metrics", "http_request_seconds_bucket{"),
        ("/docs", "/docs/page.js"),
        ("/openapi.yaml", "openapi: 3.0"),
        ("/openapi.json", "\"/v1/icons/{id}\""),
    ] {
        let response = reqwest::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert!(response.headers().contains_key("x-request-id"));
        assert!(response.text().await.unwrap().contains(text), "{path} {text}");
    }
    for path in ["/files/x/y.png", "/files/..%2f/service.db", "/catalogue/a/b.svg", "/nothing"] {
        let response = reqwest::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}

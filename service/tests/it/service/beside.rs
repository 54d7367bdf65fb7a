//! The routes outside the API.

use super::bare::Bare;
use super::running::{Running, setting};
use crate::service::http_client;
use crate::store::cluster::Cluster;

/// The headers of a request.
type Headers<'a> = &'a [(&'a str, &'a str)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_beside_the_api() {
    let running = Running::start(&["--threads", "0"]);
    until(&running.url, 200).await;
    for (path, text) in [
        ("/healthz", "ok"),
        ("/readyz", "ready"),
        ("/metrics", "# HELP http_server_request_duration_seconds"),
        ("/metrics", "http_server_request_duration_seconds_bucket{"),
        ("/docs", "/docs/page.js"),
        ("/openapi.yaml", "openapi: 3.0"),
        ("/openapi.json", "\"/v1/icons/{id}\""),
        // `/` redirects to the page.
        ("/", "/docs/page.js"),
        ("/docs/capabilities.json", "\"path\":\"/v1/ai/lip-sync/{model}\",\"family\":\"lip-sync\""),
        ("/docs/overlay.json", "This instance has no engine for it"),
        // The document contains the service's real URL.
        ("/openapi.yaml", &format!("  - url: \"{}\"\n", running.url)),
    ] {
        let response = http_client::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert!(response.headers().contains_key("x-request-id"));
        assert!(response.text().await.unwrap().contains(text), "{path} {text}");
    }
    let page = http_client::get(format!("{}/docs", running.url)).await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    let script =
        http_client::get(format!("{}/docs/page.js", running.url)).await.unwrap().text().await.unwrap();
    assert!(script.contains("sessionStorage") && !script.contains("localStorage"));
    for path in ["/files/x/y.png", "/files/..%2f/service.db", "/catalogue/a/b.svg", "/nothing"] {
        let response = http_client::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_served_whole_in_parts_or_not_again() {
    let bare = Bare::new("");
    let service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    let folder = bare.data().join("files/catalogue/ab12");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("1-0.svg"), "<svg>0123456789</svg>").unwrap();
    let client = http_client::new();
    let url = format!("{}/catalogue/ab12/1-0.svg", service.url());
    let get = async |headers: Headers<'_>| {
        let request =
            headers.iter().fold(client.get(&url), |request, (name, value)| request.header(*name, *value));
        let reply = request.send().await.unwrap();
        (reply.status().as_u16(), reply.headers().clone(), reply.text().await.unwrap())
    };
    let (status, headers, body) = get(&[]).await;
    assert_eq!((status, body.as_str()), (200, "<svg>0123456789</svg>"));
    assert_eq!(headers["content-type"], "image/svg+xml");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert!(headers["cache-control"].to_str().unwrap().contains("immutable"));

    let tag = headers["etag"].to_str().unwrap();
    let old = "\"another-file\"";
    let rows: [(Headers<'_>, u16, &str); 7] = [
        (&[("if-none-match", tag)], 304, ""),
        (&[("if-none-match", old)], 200, "<svg>0123456789</svg>"),
        (&[("range", "bytes=5-9")], 206, "01234"),
        (&[("range", "bytes=5-9"), ("if-range", tag)], 206, "01234"),
        (&[("range", "bytes=5-9"), ("if-range", old)], 200, "<svg>0123456789</svg>"),
        (&[("range", "bytes=90-")], 416, ""),
        (&[("range", "bytes=5-9"), ("if-none-match", tag)], 304, ""),
    ];
    for (headers, expected, text) in rows {
        let (status, response_headers, body) = get(headers).await;
        assert_eq!((status, body.as_str()), (expected, text), "{headers:?}");
        let range = response_headers.get("content-range").map(|range| range.to_str().unwrap().to_owned());
        let expected_range = match expected {
            206 => Some("bytes 5-9/21".to_owned()),
            416 => Some("bytes */21".to_owned()),
            _ => None,
        };
        assert_eq!(range, expected_range, "{headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_without_a_key_are_limited_by_address() {
    let settings = "[http]\nopen = { burst = 2, per-second = 0.001 }\n";
    let running = Running::start_with(settings, &["--threads", "0"], &[]);
    let status = async |path: &str| http_client::get(format!("{}{path}", running.url)).await.unwrap();
    assert_eq!(status("/files/ab/1-0.png").await.status(), 404);
    assert_eq!(status("/docs").await.status(), 200);
    for path in ["/files/ab/1-0.png", "/catalogue/a/b.png", "/readyz", "/metrics", "/docs", "/openapi.json"] {
        let refused = status(path).await;
        assert_eq!(refused.status(), 429, "{path}");
        assert!(refused.headers().contains_key("retry-after"));
    }
    // Liveness has no rate limit: an orchestrator would end a process that fails it.
    assert_eq!(status("/healthz").await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_can_not_write_is_not_ready() {
    use sqlx::{Connection as _, Executor as _};

    let bare = Bare::new("");
    let service = bare.serve("error", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    until(&service.url(), 200).await;
    let url = format!("sqlite://{}", bare.data().join("service.db").display());
    let mut other = sqlx::SqliteConnection::connect(&url).await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    assert_eq!(until(&service.url(), 503).await, "the database does not respond\n");
    other.execute("ROLLBACK").await.unwrap();
    until(&service.url(), 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_loads_the_catalogue_is_not_ready() {
    use sqlx::{Connection as _, Executor as _};

    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let bare = Bare::new(&setting(&url));
    bare.key(&[]);
    let mut other = sqlx::PgConnection::connect(&url).await.unwrap();
    other.execute("BEGIN").await.unwrap();
    other.execute("LOCK TABLE resources").await.unwrap();
    let service = bare.serve("error", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    assert!(until(&service.url(), 503).await.starts_with("the catalogue is loading"));
    other.execute("ROLLBACK").await.unwrap();
    until(&service.url(), 200).await;
}

/// Waits until `/readyz` responds with this status, and returns the body.
async fn until(url: &str, status: u16) -> String {
    for _ in 0..100 {
        let response = http_client::get(format!("{url}/readyz")).await.unwrap();
        if response.status().as_u16() == status {
            return response.text().await.unwrap();
        }
        // The service reuses a probe's result for a second.
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    }
    panic!("/readyz never responds {status}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_have_ids_that_a_log_can_hold() {
    let bare = Bare::new("");
    let key = bare.key(&[]);
    let service = bare.serve("info", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    let post = async |id: &str| {
        let request = http_client::new().post(format!("{}/v1/ai/sound-effects", service.url()));
        let request = request.header("x-service-api-key", &key).header("x-request-id", id);
        let body = serde_json::json!({"text": "wind", "duration_seconds": 1});
        let reply = request.json(&body).send().await.unwrap();
        assert_eq!(reply.status(), 200);
        reply.headers()["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(post("mine-1.a_B").await, "mine-1.a_B");
    let replaced = post("a forged line").await;
    assert_eq!(uuid::Uuid::parse_str(&replaced).unwrap().get_version_num(), 7);
    // An orderly stop flushes the log.
    service.stop();
    let log = bare.log();
    let accepted: Vec<&str> = log.lines().filter(|line| line.contains("task accepted")).collect();
    assert_eq!(accepted.len(), 2, "{log}");
    // The log line of an accepted task has both ids: the request's and the task's.
    assert!(accepted[0].contains("mine-1.a_B") && accepted[0].contains("task="), "{log}");
    assert!(accepted[1].contains(&replaced) && !log.contains("forged"), "{log}");
}

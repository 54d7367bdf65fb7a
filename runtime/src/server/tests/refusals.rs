//! Rejections and their order.

use std::sync::Mutex;

use super::*;

const JSON: (&str, &str) = ("content-type", "application/json");
const GOOD: (&str, &str) = ("x-api-key", "good");

#[tokio::test]
async fn each_refusal_comes_before_the_errors_that_follow_it() {
    const UNREAD: &[&str] = &["<unread>"];
    let plain = ("content-type", "text/plain");
    let long = ("content-length", "41");
    type Case<'a> = (&'a str, &'a str, Headers<'a>, &'a [&'static str], u16, &'a str);
    let cases: &[Case<'_>] = &[
        ("POST", "/v1/nowhere", &[plain, long], UNREAD, 404, "There is nothing at this path."),
        ("PATCH", "/v1/notes", &[plain, long], UNREAD, 405, "This path supports only these methods: POST."),
        ("DELETE", "/v1/open", &[plain, long], UNREAD, 501, "The operation `deleteOpen` is not implemented."),
        ("POST", "/v1/notes", &[plain, long], UNREAD, 401, "Credentials are required."),
        ("POST", "/v1/notes", &[("x-api-key", "bad"), plain], UNREAD, 401, "The credentials are not valid."),
        (
            "POST",
            "/v1/notes",
            &[("x-api-key", "forbidden"), plain],
            UNREAD,
            403,
            "The credentials do not permit this operation.",
        ),
        ("POST", "/v1/notes", &[("x-api-key", "fast"), plain], UNREAD, 429, "Too many requests."),
        (
            "POST",
            "/v1/notes",
            &[("x-api-key", "down"), plain],
            UNREAD,
            503,
            "The service is temporarily unavailable.",
        ),
        (
            "POST",
            "/v1/notes",
            &[GOOD, plain, long],
            UNREAD,
            415,
            "The body must be one of: application/json.",
        ),
        ("POST", "/v1/notes", &[GOOD, long], UNREAD, 415, "The body must be one of: application/json."),
        ("POST", "/v1/notes", &[GOOD, JSON, long], UNREAD, 413, "The body must have at most 40 bytes."),
        ("POST", "/v1/notes", &[GOOD, JSON], &["0123456789"; 5], 413, "The body must have at most 40 bytes."),
        (
            "POST",
            "/v1/notes",
            &[GOOD, JSON],
            &["{", "<broken>"],
            400,
            "The body can't be read: the transfer was interrupted: reset.",
        ),
        ("POST", "/v1/notes", &[GOOD, JSON], &["{}"], 400, "`text` is required"),
    ];
    let service = service();
    for (method, path, headers, body, status, detail) in cases {
        let response = send(&service, request(method, path, headers, Chunks::new(body))).await;
        let case = format!("{method} {path} {headers:?}");
        assert_eq!(response.status.as_u16(), *status, "{case}");
        assert_eq!(response.header("content-type"), "application/problem+json", "{case}");
        let body: serde_json::Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(body["detail"], *detail, "{case}");
        assert_eq!(body["status"], *status, "{case}");
        assert_eq!(body["type"], "about:blank", "{case}");
        assert_eq!(body["title"], response.status.canonical_reason().unwrap(), "{case}");
    }
}

#[tokio::test]
async fn refusals_carry_their_headers() {
    let service = service();
    let cases: &[(&str, &str, Headers<'_>, &str, &str)] = &[
        ("PUT", "/v1/open", &[], "allow", "GET, DELETE, HEAD"),
        ("HEAD", "/v1/notes/a", &[GOOD], "content-length", "25"),
        ("OPTIONS", "/v1/notes", &[], "allow", "POST"),
        ("POST", "/v1/notes", &[], "www-authenticate", "APIKey"),
        ("POST", "/v1/notes", &[("x-api-key", "fast")], "retry-after", "2"),
        ("POST", "/v1/notes", &[("x-api-key", "fast")], "x-ratelimit-limit", "50"),
        ("POST", "/v1/notes", &[("x-api-key", "forbidden")], "x-ratelimit-limit", "50"),
        ("POST", "/v1/notes", &[("x-api-key", "down")], "x-ratelimit-limit", "50"),
        ("POST", "/v1/notes", &[("x-api-key", "down")], "retry-after", "3"),
        ("POST", "/v1/notes", &[GOOD, ("content-type", "a/b")], "accept", "application/json"),
        ("POST", "/v1/notes", &[GOOD, ("content-type", "a/b")], "x-caller", "good"),
        ("GET", "/v1/notes/busy", &[GOOD], "retry-after", "9"),
        ("GET", "/v1/notes/busy", &[GOOD], "x-caller", "good"),
    ];
    for (method, path, headers, name, value) in cases {
        let response = send(&service, request(method, path, headers, Body::from("x"))).await;
        assert_eq!(response.header(name), *value, "{method} {path} {headers:?}");
    }
    let response = send(&service, request("GET", "/v1/both", &[], Body::empty())).await;
    let challenges: Vec<_> = response.headers.get_all("www-authenticate").iter().collect();
    assert_eq!(challenges, ["APIKey", "Basic realm=\"basic\", charset=\"UTF-8\"", "Bearer"]);
    let response =
        send(&service, request("GET", "/v1/both", &[("authorization", "bearer no")], Body::empty())).await;
    let challenges: Vec<_> = response.headers.get_all("www-authenticate").iter().collect();
    assert_eq!(
        challenges,
        ["APIKey", "Basic realm=\"basic\", charset=\"UTF-8\"", "Bearer error=\"invalid_token\""]
    );
}

#[tokio::test]
async fn a_body_is_measured_while_it_is_read() {
    let service = service();
    let exact = "{\"text\":\"12345678901234567890\"}         ";
    assert_eq!(exact.len(), 40);
    let whole = send(&service, request("POST", "/v1/notes", &[GOOD, JSON], Body::from(exact))).await;
    assert_eq!((whole.status.as_u16(), whole.header("location")), (201, "/v1/notes/20"));
    let pieces = Chunks::new(&["{\"text\":\"1", "234567890", "1234567890\"}", "         "]);
    let pieces = send(&service, request("POST", "/v1/notes", &[GOOD, JSON], pieces)).await;
    assert_eq!(pieces.body, "{\"text\":\"12345678901234567890\"}");

    // The service stops reading an endless body at the limit.
    let endless = Chunks::new(&["{\"text\":\"12345678901234567890\"}         ", " ", "<unread>"]);
    let endless = send(&service, request("POST", "/v1/notes", &[GOOD, JSON], endless)).await;
    assert_eq!(endless.status.as_u16(), 413);
}

#[tokio::test]
async fn the_default_limit_holds_where_the_document_has_none() {
    let mut builder = builder();
    builder.default_body_limit(15);
    let service = builder.build().unwrap();
    for (body, status) in [("{\"text\":\"1234\"}", 200), ("{\"text\":\"12345\"}", 413)] {
        let response = send(&service, request("PUT", "/v1/check", &[JSON], Body::from(body))).await;
        assert_eq!(response.status.as_u16(), status, "{body}");
    }
}

#[tokio::test]
async fn a_hook_runs_the_decoding_of_bodies() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut builder = builder();
    let sizes = Arc::clone(&seen);
    builder.decode_body(move |bytes, decode| {
        sizes.lock().unwrap().push(bytes);
        decode();
    });
    let service = builder.build().unwrap();
    for (body, status) in [("{\"text\":\"12\"}", 200), ("", 200), ("{\"text\":1}", 400), ("{", 400)] {
        let response = send(&service, request("PUT", "/v1/check", &[JSON], Body::from(body))).await;
        assert_eq!(response.status.as_u16(), status, "{body}");
    }
    assert_eq!(*seen.lock().unwrap(), [13, 10, 1]);
}

#[tokio::test]
async fn a_hook_that_decodes_nothing_is_an_internal_error() {
    let mut builder = builder();
    builder.decode_body(|_, _| ());
    let service = builder.build().unwrap();
    let note = request("PUT", "/v1/check", &[JSON], Body::from("{\"text\":\"12\"}"));
    assert_eq!(send(&service, note).await.status.as_u16(), 500);
}

#[tokio::test]
async fn absence_of_a_body() {
    let plain = ("content-type", "text/plain");
    type Case<'a> = (&'a str, Headers<'a>, &'a [&'static str], u16);
    let cases: &[Case<'_>] = &[
        // Optional: an empty body is accepted with any media type.
        ("/v1/check", &[], &[], 200),
        ("/v1/check", &[("content-length", "0")], &[], 200),
        ("/v1/check", &[plain], &[], 200),
        ("/v1/check", &[JSON], &[], 200),
        ("/v1/check", &[], &["{}"], 415),
        ("/v1/check", &[], &["", ""], 200),
        // Required: an empty body is a violation, unless its media type is already rejected.
        ("/v1/notes", &[GOOD], &[], 400),
        ("/v1/notes", &[GOOD, plain], &[], 415),
        ("/v1/notes", &[GOOD, JSON], &[], 400),
        // The service does not read a body that the document does not describe.
        ("/v1/open", &[plain], &["<unread>"], 204),
    ];
    let service = service();
    for (path, headers, body, status) in cases {
        let method = match *path {
            "/v1/check" => "PUT",
            "/v1/notes" => "POST",
            _ => "GET",
        };
        let response = send(&service, request(method, path, headers, Chunks::new(body))).await;
        assert_eq!(response.status.as_u16(), *status, "{path} {headers:?} {body:?}: {}", response.body);
    }
}

#[tokio::test]
async fn errors_of_handlers_become_responses() {
    let service = service();
    let cases = [
        ("7", 200, "{\"text\":\"good 7 getNote\"}"),
        // This operation documents it as 410, although the row's own status is 404.
        ("gone", 410, "{\"text\":\"gone\"}"),
        ("raw", 200, "raw"),
    ];
    for (id, status, body) in cases {
        let path = format!("/v1/notes/{id}");
        let response = send(&service, request("GET", &path, &[GOOD], Body::empty())).await;
        assert_eq!((response.status.as_u16(), response.body.as_str()), (status, body), "{id}");
        assert_eq!(response.header("x-caller"), "good", "{id}");
    }
    for (id, status) in [("later", 501), ("broken", 500), ("panic", 500), ("busy", 503), ("refused", 400)] {
        let path = format!("/v1/notes/{id}");
        let response = send(&service, request("GET", &path, &[GOOD], Body::empty())).await;
        assert_eq!(response.status.as_u16(), status, "{id}");
        assert!(!response.body.contains("secret") && !response.body.contains("words"), "{}", response.body);
    }
}

#[test]
fn a_style_that_is_no_header_breaks_nothing() {
    let style = RejectionStyle::PROBLEM_DETAILS.content_type("text/é\n");
    let response = style.respond(&Rejection::NoRoute);
    assert_eq!(response.status().as_u16(), 404);
    assert!(!response.headers().contains_key("content-type"));
}

//! The builder of services.

use std::sync::Mutex;

use http::Method;

use super::*;

static BROKEN: Operation = Operation { id: "broken", path: "/v1/{", ..BARE };
static SAME: Operation = Operation { id: "same", path: "/v1/notes/{name}", ..BARE };

fn fails(operations: &[&[&'static Operation]], mounted: &[&'static Operation]) -> String {
    let mut builder = Builder::new(operations, Keys, &RejectionStyle::PROBLEM_DETAILS);
    for operation in mounted {
        let handler = open(&Arc::new(()), |_, _, ()| async { Ok::<_, Failure<Gone>>(()) });
        builder.mount(operation, handler);
    }
    builder.build().unwrap_err().to_string()
}

#[test]
fn mistakes_are_reported() {
    assert_eq!(
        fails(&[&[&GET_OPEN, &BROKEN]], &[]),
        "the path `/v1/{` of the operation `broken` can't be routed: its braces do not match"
    );
    assert_eq!(
        fails(&[&[&GET_OPEN, &GET_NOTE], &[&SAME]], &[]),
        "the operations `getNote` and `same` have the same route `GET /v1/notes/{name}`"
    );
    assert_eq!(
        fails(&[&[&GET_OPEN]], &[&GET_NOTE]),
        "the operation `getNote` was mounted, but the service does not have it"
    );
    assert_eq!(fails(&[&[&GET_OPEN]], &[&GET_OPEN, &GET_OPEN]), "the operation `getOpen` was mounted twice");
}

#[tokio::test]
async fn the_hook_sees_every_refusal() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let mut builder = builder();
    builder.reject(move |rejection| {
        log.lock().unwrap().push(match &rejection {
            Rejection::Internal { error } => error.to_string(),
            other => RejectionStyle::PROBLEM_DETAILS.message(other),
        });
        let mut response = Response::new(Body::from("hooked"));
        *response.status_mut() = StatusCode::IM_A_TEAPOT;
        response
    });
    let service = builder.build().unwrap();
    let good = ("x-api-key", "good");
    for (method, path) in [
        ("GET", "/"),
        ("PUT", "/v1/notes"),
        ("DELETE", "/v1/open"),
        ("POST", "/v1/notes"),
        ("GET", "/v1/notes/broken"),
        ("GET", "/v1/notes/panic"),
    ] {
        let response = send(&service, request(method, path, &[good], Body::from("x"))).await;
        assert_eq!((response.status.as_u16(), response.body.as_str()), (418, "hooked"), "{method} {path}");
    }
    let expected = [
        "There is nothing at this path.",
        "This path supports only these methods: POST.",
        "The operation `deleteOpen` is not implemented.",
        "The body must be one of: application/json.",
        "the secret reason",
        "a handler panicked: the handler's own words",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn the_match_is_in_context_and_response() {
    let mut builder = Builder::new(OPERATIONS, NoSecurity, &RejectionStyle::PROBLEM_DETAILS);
    builder.mount(
        &GET_OPEN,
        open(&Arc::new(()), |_, context, ()| async move {
            let text = format!("{} {} {}", context.method(), context.uri(), context.operation.path);
            Err::<(), Failure<Gone>>(Failure::response(Response::new(text.into())))
        }),
    );
    let service = builder.build().unwrap();
    let response = send(&service, request("GET", "/v1/open?a=b", &[], Body::empty())).await;
    assert_eq!(response.body, "GET /v1/open?a=b /v1/open");
    for (method, path, status, operation) in [
        (Method::GET, "/v1/open", 200, Some("getOpen")),
        (Method::DELETE, "/v1/open", 501, Some("deleteOpen")),
        (Method::PUT, "/v1/open", 405, None),
        (Method::GET, "/v1/shut", 404, None),
    ] {
        let response = send(&service, request(method.as_str(), path, &[], Body::empty())).await;
        assert_eq!(response.status.as_u16(), status, "{method} {path}");
        let found = service.operation(&method, path).map(|operation| operation.id);
        assert_eq!(found, operation, "{method} {path}");
    }
}

//! All shapes of a response.

use super::*;
use crate::codec::Writer;
use crate::server::tests::BARE;
use crate::table::{Header, Schema, Type};

static ANY: Schema = Schema::new(Type::Any);

const fn content(media_type: &'static str, format: ContentFormat) -> Content {
    Content::new(media_type, format, &ANY)
}

static JSON: &[Content] = &[content("application/json", ContentFormat::Json)];
static MANY: &[Content] = &[
    content("application/vnd.x+json", ContentFormat::Json),
    content("text/plain", ContentFormat::Text),
    content("text/csv", ContentFormat::Text),
    content("image/*", ContentFormat::Bytes),
    content("image/png", ContentFormat::Bytes),
    content("application/x-www-form-urlencoded", ContentFormat::Form),
    content("multipart/form-data", ContentFormat::Multipart),
    content("application/*+json", ContentFormat::Json),
    content("text/*", ContentFormat::Text),
];
static HEADERS: &[Header] = &[Header::new("x-count", &ANY).required(), Header::new("body", &ANY)];

const fn row(status: Status, headers: &'static [Header], contents: &'static [Content]) -> table::Response {
    table::Response { status, headers, contents, permanent: None }
}

/// A value that consists of calls of a writer.
struct Value<F>(F);

impl<F: Fn(&mut dyn Writer)> Encode for Value<F> {
    fn encode(&self, writer: &mut dyn Writer) {
        (self.0)(writer);
    }
}

fn choice(index: usize, value: impl Encode) -> impl Encode {
    Value(move |writer: &mut dyn Writer| writer.choice(index, &value))
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// Returns status, headers and body as one line.
fn shown(response: Result<Response<Body>, ReplyError>) -> String {
    let response = match response {
        Ok(response) => response,
        Err(error) => return format!("error: {error}"),
    };
    let (parts, body) = response.into_parts();
    let body = http_body_util::BodyExt::collect(body);
    let body = futures_now(body).to_bytes();
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| format!(" {name}={}", String::from_utf8_lossy(value.as_bytes())));
    format!("{}{}: {}", parts.status.as_u16(), headers.collect::<String>(), String::from_utf8_lossy(&body))
}

/// Returns the output of a future that is ready at once.
fn futures_now<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(outcome) => outcome.unwrap(),
        std::task::Poll::Pending => panic!("the body is not ready"),
    }
}

fn response(responses: &'static [table::Response], output: &dyn Encode) -> String {
    shown(success(&Operation { responses, ..BARE }, output))
}

#[test]
fn one_response() {
    static OK: &[table::Response] = &[row(Status::Code(200), &[], JSON)];
    static EMPTY: &[table::Response] = &[row(Status::Code(202), &[], &[])];
    static HEADED: &[table::Response] = &[row(Status::Code(200), HEADERS, JSON)];
    static HEADERS_ONLY: &[table::Response] = &[row(Status::Code(200), HEADERS, &[])];
    static CLASS: &[table::Response] = &[row(Status::Class(2), &[], JSON)];
    static DEFAULT: &[table::Response] = &[row(Status::Default, HEADERS, JSON)];
    let json = " content-type=application/json";
    assert_eq!(response(OK, &text("a\"b")), format!("200{json}: \"a\\\"b\""));
    assert_eq!(response(OK, &()), format!("200{json}: null"));
    assert_eq!(response(EMPTY, &()), "202: ");
    assert_eq!(response(&[], &()), "204: ");

    let headed = |count: i64, other: Option<String>| {
        Value(move |writer: &mut dyn Writer| {
            writer.object(&[("x-count", &count), ("body", &other), ("body", &true)], None);
        })
    };
    assert_eq!(response(HEADED, &headed(7, None)), format!("200 x-count=7{json}: true"));
    assert_eq!(response(HEADED, &headed(7, Some(text("é")))), format!("200 x-count=7 body=é{json}: true"));
    assert_eq!(
        response(HEADED, &headed(7, Some(text("a\nb")))),
        "error: the response header `body` has a value that can't be sent"
    );
    let no_body =
        Value(|writer: &mut dyn Writer| writer.object(&[("x-count", &1_i64), ("body", &text("x"))], None));
    assert_eq!(response(HEADERS_ONLY, &no_body), "200 x-count=1 body=x: ");

    let classed = |status: i64| {
        Value(move |writer: &mut dyn Writer| writer.object(&[("status", &status), ("body", &true)], None))
    };
    assert_eq!(response(CLASS, &classed(207)), format!("207{json}: true"));
    for status in [199, 300, 0, 999] {
        assert_eq!(
            response(CLASS, &classed(status)),
            format!("error: the response status {status} is not documented")
        );
    }
    let all = Value(|writer: &mut dyn Writer| {
        let none: Option<String> = None;
        writer.object(&[("status", &418_i64), ("x-count", &0_i64), ("body", &none), ("body", &false)], None);
    });
    assert_eq!(response(DEFAULT, &all), format!("418 x-count=0{json}: false"));
    assert!(response(DEFAULT, &text("x")).starts_with("error: "));
    assert!(
        response(CLASS, &Value(|writer: &mut dyn Writer| writer.object(&[], None))).starts_with("error: ")
    );
}

#[test]
fn a_form_has_the_styles_of_requests() {
    static FORM: &[Content] = &[content("application/x-www-form-urlencoded", ContentFormat::Form)];
    static OK: &[table::Response] = &[row(Status::Code(200), &[], FORM)];
    let tags = vec![text("a"), text("b c")];
    let form = Value(move |writer: &mut dyn Writer| writer.object(&[("tag", &tags), ("n", &1.0)], None));
    assert_eq!(
        response(OK, &form),
        "200 content-type=application/x-www-form-urlencoded: tag=a&tag=b%20c&n=1"
    );
    let bytes = Bytes::from(vec![0xff, b'a']);
    let form = Value(move |writer: &mut dyn Writer| writer.object(&[("file", &bytes)], None));
    assert_eq!(response(OK, &form), "200 content-type=application/x-www-form-urlencoded: file=%FFa");
    assert!(response(OK, &text("x")).starts_with("error: "), "a text has no fields");
}

#[test]
fn several_responses_and_contents() {
    static SEVERAL: &[table::Response] = &[
        row(Status::Code(200), &[], JSON),
        row(Status::Code(206), &[], MANY),
        row(Status::Code(204), &[], &[]),
        row(Status::Code(303), HEADERS, JSON),
    ];
    let object = || {
        Value(|writer: &mut dyn Writer| {
            let none: Option<String> = None;
            writer.object(&[("a b", &text("1&2")), ("x", &none), ("c", &3_i64)], None);
        })
    };
    let bytes = || Bytes::from_static(b"PNG");
    assert_eq!(response(SEVERAL, &choice(0, true)), "200 content-type=application/json: true");
    assert_eq!(response(SEVERAL, &choice(2, ())), "204: ");
    let cases: [(usize, Box<dyn Encode>, &str); 11] = [
        (0, Box::new(true), "application/vnd.x+json: true"),
        (1, Box::new(text("a\"b")), "text/plain; charset=utf-8: a\"b"),
        (1, Box::new(1.5), "text/plain; charset=utf-8: 1.5"),
        (1, Box::new(vec![1_i64, 2]), "text/plain; charset=utf-8: [1,2]"),
        (2, Box::new(text("a,b")), "text/csv: a,b"),
        (3, Box::new(bytes()), "application/octet-stream: PNG"),
        (4, Box::new(bytes()), "image/png: PNG"),
        (5, Box::new(object()), "application/x-www-form-urlencoded: a%20b=1%262&c=3"),
        (7, Box::new(false), "application/json: false"),
        (8, Box::new(()), "text/plain; charset=utf-8: "),
        (8, Box::new(text("t")), "text/plain; charset=utf-8: t"),
    ];
    for (index, value, expected) in cases {
        let value = Value(move |writer: &mut dyn Writer| writer.choice(index, &*value));
        assert_eq!(response(SEVERAL, &choice(1, value)), format!("206 content-type={expected}"));
    }
    let parts = response(SEVERAL, &choice(1, choice(6, true)));
    assert!(parts.starts_with("206 content-type=multipart/form-data; boundary="), "{parts}");
    let wrong: [&dyn Encode; 3] = [&choice(9, true), &choice(1, choice(9, true)), &true];
    for wrong in wrong {
        assert!(response(SEVERAL, wrong).starts_with("error: "));
    }
}

#[test]
fn a_documented_content_type_wins() {
    static TYPED: &[table::Response] = &[row(
        Status::Code(200),
        &[Header::new("content-type", &ANY).required()],
        &[content("image/*", ContentFormat::Bytes)],
    )];
    let output = Value(|writer: &mut dyn Writer| {
        writer.object(&[("content-type", &text("image/png")), ("body", &Bytes::from_static(b"PNG"))], None);
    });
    assert_eq!(response(TYPED, &output), "200 content-type=image/png: PNG");
}

#[test]
fn errors_have_the_status_that_the_operation_documents() {
    static INVALID: table::Response = row(Status::Code(400), &[], JSON);
    static FAILED: table::Response = row(Status::Code(500), &[], JSON);
    static CLIENT: table::Response = row(Status::Class(4), &[], JSON);
    static UNAVAILABLE: table::Response = row(Status::Code(503), &[], &[]);
    static ERRORS: Errors = Errors {
        rows: &[&INVALID, &FAILED, &CLIENT, &UNAVAILABLE],
        documented: Some(&[
            INVALID.at(422),
            INVALID.at(400),
            FAILED.at(502),
            CLIENT.at_class(4),
            UNAVAILABLE.at_class(5),
        ]),
    };
    let classed =
        || Value(|writer: &mut dyn Writer| writer.object(&[("status", &409_i64), ("body", &true)], None));
    let shown = |value: &dyn Encode| shown(error(&ERRORS, value));
    assert_eq!(shown(&choice(0, true)), "400 content-type=application/json: true");
    assert_eq!(shown(&choice(1, true)), "502 content-type=application/json: true");
    assert_eq!(shown(&choice(2, classed())), "409 content-type=application/json: true");
    assert_eq!(shown(&choice(3, ())), "503: ");
    assert!(shown(&true).starts_with("error: "));
}

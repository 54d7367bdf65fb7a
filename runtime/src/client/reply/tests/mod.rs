//! Responses of all shapes that the table describes, and of some others.

mod errors;

use bytes::Bytes;
use http::{HeaderMap, HeaderName};

use super::*;
use crate::{
    codec::AdditionalProperties,
    table::{Errors, Header, Integer, Schema, Text, Type},
    types,
};

static TEXT: Schema = Schema::new(Type::Text(Text::ANY));
static INTEGER: Schema = Schema::new(Type::Integer(Integer::ANY));
static BYTES: Schema = Schema::new(Type::Bytes);
static ANY: Schema = Schema::new(Type::Any);

const JSON: Content = content("application/json", ContentFormat::Json, &ANY);
const PROBLEM: Content = content("application/problem+json", ContentFormat::Json, &ANY);
const PLAIN: Content = content("text/plain", ContentFormat::Text, &TEXT);
const COUNT: Content = content("text/plain", ContentFormat::Text, &INTEGER);
const IMAGE: Content = content("image/*", ContentFormat::Bytes, &BYTES);

const fn content(media_type: &'static str, format: ContentFormat, schema: &'static Schema) -> Content {
    Content::new(media_type, format, schema)
}

const fn row(status: Status, headers: &'static [Header], contents: &'static [Content]) -> table::Response {
    table::Response { status, headers, contents, permanent: None }
}

const fn operation(responses: &'static [table::Response], errors: Errors) -> Operation {
    Operation {
        id: "test",
        tag: "test",
        method: "GET",
        path: "/",
        parameters: &[],
        body: None,
        responses,
        errors,
        security: &[],
        requires: &[],
        closed_query: false,
        server: None,
    }
}

const NO_ERRORS: Errors = Errors { rows: &[], documented: None };
static REMAINING: [Header; 2] =
    [Header::new("x-remaining", &INTEGER).required(), Header::new("x-note", &INTEGER)];

fn raw(status: u16, headers: &[(&'static str, &str)], body: &'static [u8]) -> RawResponse {
    let headers: HeaderMap =
        headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
    RawResponse::new(StatusCode::from_u16(status).unwrap(), headers, Bytes::from_static(body))
}

const IS_JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

/// An output with several rows and contents, one of them with headers.
#[derive(Debug, PartialEq)]
enum Output {
    Icon(Value),
    Image(Bytes),
    Limited(Limited),
    Nothing,
}

impl Decode for Output {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.choice() {
            0 => match reader.choice() {
                0 => Ok(Self::Icon(Decode::decode(reader)?)),
                1 => Ok(Self::Image(Decode::decode(reader)?)),
                other => Err(DecodeError::unknown_choice(other)),
            },
            1 => Ok(Self::Limited(Decode::decode(reader)?)),
            2 => <()>::decode(reader).map(|()| Self::Nothing),
            other => Err(DecodeError::unknown_choice(other)),
        }
    }
}

#[derive(Debug, PartialEq)]
struct Limited {
    status: i64,
    remaining: i64,
    note: Option<i64>,
    body: String,
}

impl Decode for Limited {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut status, mut remaining, mut note, mut body) = (None, None, None, None);
        reader.object(
            &["status", "x-remaining", "x-note", "body"],
            &mut [&mut status, &mut remaining, &mut note, &mut body],
            AdditionalProperties::Closed,
        )?;
        Ok(Self {
            status: status.ok_or_else(|| DecodeError::missing("status"))?,
            remaining: remaining.ok_or_else(|| DecodeError::missing("x-remaining"))?,
            note,
            body: body.ok_or_else(|| DecodeError::missing("body"))?,
        })
    }
}

#[derive(Debug, PartialEq)]
enum Failure {
    BadRequest(Value),
    Gone,
    Other(i64, Value),
}

impl Decode for Failure {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.choice() {
            0 => match reader.choice() {
                0 | 1 => Ok(Self::BadRequest(Decode::decode(reader)?)),
                other => Err(DecodeError::unknown_choice(other)),
            },
            1 => <()>::decode(reader).map(|()| Self::Gone),
            2 => {
                let (mut status, mut body) = (None, None);
                reader.object(
                    &["status", "body"],
                    &mut [&mut status, &mut body],
                    AdditionalProperties::Closed,
                )?;
                Ok(Self::Other(
                    status.ok_or_else(|| DecodeError::missing("status"))?,
                    body.ok_or_else(|| DecodeError::missing("body"))?,
                ))
            }
            other => Err(DecodeError::unknown_choice(other)),
        }
    }
}

static OPERATION: Operation = operation(
    &[
        row(Status::Code(200), &[], &[JSON, IMAGE]),
        row(Status::Class(2), &REMAINING, &[PLAIN]),
        row(Status::Code(204), &[], &[]),
    ],
    Errors {
        rows: &[&INVALID, &GONE, &OTHERS],
        // 404 uses the row of 410, because components have no status of their own.
        documented: Some(&[INVALID.at(400), GONE.at(404), INVALID.at_class(5), OTHERS.at_default()]),
    },
);
static INVALID: table::Response = row(Status::Code(400), &[], &[JSON, PROBLEM]);
static GONE: table::Response = row(Status::Code(410), &[], &[]);
static OTHERS: table::Response = row(Status::Default, &[], &[JSON]);

fn decoded(raw: RawResponse) -> Result<Output, Error<Failure>> {
    super::decode::<Output, Failure>(&OPERATION, raw).map(Response::into_value)
}

/// Decodes a response, with the cause as the error.
fn decode<T, E>(
    operation: &'static Operation,
    received: impl Into<Received>,
) -> Result<Response<T>, ErrorKind<E>>
where
    T: Decode,
    E: Decode + fmt::Debug,
{
    super::decode(operation, received).map_err(Error::into_kind)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn reads_the_documented_successes() {
    let limited =
        |status, note| Output::Limited(Limited { status, remaining: 7, note, body: "hi".to_owned() });
    let cases = [
        (raw(200, &[IS_JSON], b" {\"a\": 1} "), Output::Icon(json("{\"a\":1}"))),
        (
            raw(200, &[("content-type", "image/png")], b"\xff\x00"),
            Output::Image(Bytes::from_static(b"\xff\x00")),
        ),
        (raw(200, &[], b"[]"), Output::Icon(json("[]"))),
        (raw(200, &[("content-type", "application/hal+json")], b"[]"), Output::Icon(json("[]"))),
        (raw(202, &[("x-remaining", "7"), ("x-note", "3")], b"hi"), limited(202, Some(3))),
        (raw(299, &[("x-remaining", "7")], b"hi"), limited(299, None)),
        // A note that is not as documented counts as absent.
        (raw(202, &[("x-remaining", "7"), ("x-note", "many")], b"hi"), limited(202, None)),
        (raw(204, &[], b""), Output::Nothing),
        (raw(204, &[IS_JSON], b"ignored"), Output::Nothing),
    ];
    for (raw, expected) in cases {
        let shown = format!("{raw:?}");
        assert_eq!(decoded(raw).unwrap(), expected, "{shown}");
    }
}

#[test]
fn reads_the_documented_errors() {
    let problem = ("content-type", "application/problem+json");
    let cases = [
        (raw(400, &[IS_JSON], b"{}"), Failure::BadRequest(json("{}"))),
        (raw(400, &[problem], b"{}"), Failure::BadRequest(json("{}"))),
        (raw(404, &[IS_JSON], b"whatever"), Failure::Gone),
        (raw(503, &[IS_JSON], b"{}"), Failure::BadRequest(json("{}"))),
        (raw(410, &[IS_JSON], b"[1]"), Failure::Other(410, json("[1]"))),
        (raw(302, &[IS_JSON], b"[1]"), Failure::Other(302, json("[1]"))),
    ];
    for (raw, expected) in cases {
        let (status, shown) = (raw.status, format!("{raw:?}"));
        let error = decoded(raw).unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.as_api().map(|failure| &failure.body), Some(&expected), "{shown}: {error}");
    }
}

#[test]
fn bytes_may_have_an_undocumented_type() {
    for (media_type, is_bytes) in [
        ("audio/x-unheard", true),
        ("application/pdf; a=b", true),
        ("text/html", false),
        ("TEXT/plain", false),
        ("application/xml; charset=utf-8", false),
        ("application/problem+xml", false),
        ("application/x-www-form-urlencoded", false),
    ] {
        static MEDIA: table::Response = row(
            Status::Code(200),
            &[],
            &[
                content("application/json", ContentFormat::Json, &ANY),
                content("image/*", ContentFormat::Bytes, &ANY),
                content("video/*", ContentFormat::Bytes, &ANY),
            ],
        );
        let row = Row { response: &MEDIA, index: 0, has_choice: false, is_success: true };
        let found = row.content(&raw(200, &[("content-type", media_type)], b"x"));
        let found = found.ok().flatten().map(|matched| (matched.index, matched.is_loose));
        assert_eq!(found, is_bytes.then_some((1, true)), "{media_type}");
    }
}

#[test]
fn times_in_headers_and_texts_are_in_utc_if_the_client_assumes_so() {
    static TIMES: [Header; 2] = [
        Header::new("x-time", &TEXT).required(),
        Header::new("x-times", &LIST).content(ContentFormat::Json).required(),
    ];
    static LIST: Schema = Schema::new(Type::Any);
    static TIMED: Operation = operation(&[row(Status::Code(200), &TIMES, &[PLAIN])], NO_ERRORS);
    #[derive(Debug)]
    struct Timed([types::Timestamp; 3]);
    impl Decode for Timed {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let (mut one, mut list, mut body) = (None, None::<Vec<types::Timestamp>>, None);
            reader.object(
                &["x-time", "x-times", "body"],
                &mut [&mut one, &mut list, &mut body],
                AdditionalProperties::Closed,
            )?;
            Ok(Self([one.unwrap(), list.unwrap().remove(0), body.unwrap()]))
        }
    }
    let response = |assumes_utc| {
        let headers = [("x-time", "2024-01-01T10:00:00"), ("x-times", r#"["2024-01-01T11:00:00"]"#)];
        let mut raw = raw(200, &headers, b"2024-01-01T12:00:00");
        raw.assumes_utc = assumes_utc;
        decode::<Timed, types::NoError>(&TIMED, raw)
    };
    let times = response(true).unwrap().into_value().0.map(|time| time.to_string());
    assert_eq!(times, ["2024-01-01T10:00:00Z", "2024-01-01T11:00:00Z", "2024-01-01T12:00:00Z"]);
    assert_eq!(
        response(false).unwrap_err().to_string(),
        "200 OK, but the response isn't as documented: header `x-time`: expected an RFC 3339 date and time, \
         `2024-01-01T10:00:00`"
    );
}

#[test]
fn an_undocumented_status_keeps_its_body() {
    static STRICT: Operation = operation(&[row(Status::Code(200), &[], &[JSON])], NO_ERRORS);
    let long: &'static [u8] = "é".repeat(5000).leak().as_bytes();
    for (status, body) in [(201, &b"{}"[..]), (418, b""), (500, long), (301, b"moved")] {
        let response = Received { is_strict: true, ..raw(status, &[IS_JSON], body).into() };
        let error = decode::<Value, types::NoError>(&STRICT, response).unwrap_err();
        assert!(error.to_string().chars().count() < 1100, "{error}");
        match error {
            ErrorKind::Unexpected(unexpected) => {
                assert_eq!((unexpected.status.as_u16(), &unexpected.body[..]), (status, body));
                assert_eq!(unexpected.headers.len(), 1);
                assert_eq!(unexpected.error, None);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_undocumented_2xx_uses_the_only_documented_success() {
    static MOVED: Operation = operation(&[row(Status::Code(302), &[], &[])], NO_ERRORS);
    static CACHED: Operation =
        operation(&[row(Status::Code(304), &[], &[]), row(Status::Code(200), &[], &[])], NO_ERRORS);
    static TWO: Operation =
        operation(&[row(Status::Code(200), &[], &[]), row(Status::Code(204), &[], &[])], NO_ERRORS);
    let index = |operation, status| Row::only_success(operation, status).map(|row| row.index);
    assert_eq!(index(&MOVED, StatusCode::OK), None);
    assert_eq!(index(&CACHED, StatusCode::CREATED), Some(1));
    assert_eq!(index(&CACHED, StatusCode::NOT_FOUND), None);
    assert_eq!(index(&TWO, StatusCode::CREATED), None);
    static FILE: Operation =
        operation(&[row(Status::Code(200), &[], &[content("a/b", ContentFormat::Bytes, &ANY)])], NO_ERRORS);
    let head = raw(206, &[("content-type", "a/b")], b"");
    assert_eq!([true, false].map(|is_strict| is_streamed(&FILE, &head, is_strict)), [false, true]);
}

#[test]
fn defaults_are_for_their_own_side() {
    static ONLY_DEFAULT: Operation = operation(&[row(Status::Default, &[], &[JSON])], NO_ERRORS);
    static NOTHING: Operation = operation(&[], OPERATION.errors);
    let status = |raw| decode::<Class, types::NoError>(&ONLY_DEFAULT, raw).map(|response| response.value.0);
    assert_eq!(status(raw(203, &[IS_JSON], b"{}")).unwrap(), 203);
    assert!(matches!(status(raw(404, &[IS_JSON], b"{}")), Err(ErrorKind::Unexpected(_))));

    assert!(decode::<(), Failure>(&NOTHING, raw(201, &[IS_JSON], b"{}")).is_ok());
    assert!(matches!(decode::<(), Failure>(&NOTHING, raw(409, &[IS_JSON], b"{}")), Err(ErrorKind::Api(_))));
    // The default among the errors does not turn a success into an error.
    static GET: Operation = operation(&[row(Status::Code(200), &[], &[])], OPERATION.errors);
    assert!(!decode::<(), Failure>(&GET, raw(206, &[IS_JSON], b"{}")).unwrap().is_documented);
    let strict = Received { is_strict: true, ..raw(206, &[IS_JSON], b"{}").into() };
    assert!(matches!(decode::<(), Failure>(&GET, strict), Err(ErrorKind::Unexpected(_))));
}

/// An output with one row and no fixed status.
struct Class(u16);

impl Decode for Class {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut status, mut body) = (None::<i64>, None::<Value>);
        reader.object(&["status", "body"], &mut [&mut status, &mut body], AdditionalProperties::Closed)?;
        body.ok_or_else(|| DecodeError::missing("body"))?;
        Ok(Self(u16::try_from(status.ok_or_else(|| DecodeError::missing("status"))?).unwrap()))
    }
}

#[test]
fn one_documented_content_has_precedence_over_the_media_type() {
    static GET: Operation = operation(&[row(Status::Code(200), &[], &[JSON])], NO_ERRORS);
    static TEXT: Operation = operation(&[row(Status::Code(200), &[], &[PLAIN])], NO_ERRORS);
    static NUMBER: Operation = operation(&[row(Status::Code(200), &[], &[COUNT])], NO_ERRORS);
    static FILE: Operation = operation(&[row(Status::Code(200), &[], &[IMAGE])], NO_ERRORS);
    let label = ("content-type", "text/plain");
    let value = decode::<Value, types::NoError>(&GET, raw(200, &[label], b"{\"a\":[]}")).unwrap();
    assert_eq!(value.into_value(), json("{\"a\":[]}"));
    let error = decode::<Value, types::NoError>(&GET, raw(200, &[label], b"hello")).unwrap_err();
    assert!(error.to_string().contains("expected application/json, found text/plain"), "{error}");

    let text =
        decode::<String, types::NoError>(&TEXT, raw(200, &[("content-type", "text/css")], b"a{}")).unwrap();
    assert_eq!(text.into_value(), "a{}");
    assert_eq!(
        decode::<i64, types::NoError>(&NUMBER, raw(200, &[label], b" 42\n")).unwrap().into_value(),
        42
    );
    assert!(decode::<i64, types::NoError>(&NUMBER, raw(200, &[label], b"many")).is_err());
    let bytes = decode::<Bytes, types::NoError>(&FILE, raw(200, &[], b"\x00")).unwrap();
    assert_eq!(&bytes.into_value()[..], b"\x00");
}

#[test]
fn responses_may_have_unknown_fields() {
    static GET: Operation = operation(&[row(Status::Code(200), &[], &[JSON])], NO_ERRORS);
    #[derive(Debug, PartialEq)]
    struct Task(String, Option<i64>);
    impl Decode for Task {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let (mut id, mut size) = (None, None);
            reader.object(&["id", "size"], &mut [&mut id, &mut size], AdditionalProperties::Closed)?;
            Ok(Self(id.ok_or_else(|| DecodeError::missing("id"))?, size))
        }
    }
    let body = br#"{"id": "a", "size": null, "new": {"x": [1]}}"#;
    let task = decode::<Task, types::NoError>(&GET, raw(200, &[IS_JSON], body)).unwrap();
    assert_eq!(task.into_value(), Task("a".to_owned(), None));
    // Unknown fields are ignored, but not text after the body.
    let twice = raw(200, &[IS_JSON], br#"{"id": "a"} {"id": "b"}"#);
    assert!(matches!(decode::<Task, types::NoError>(&GET, twice), Err(ErrorKind::Decode(_))));
}

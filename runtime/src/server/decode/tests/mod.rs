//! Whole requests to an operation with parameters in all locations.

use http::{HeaderMap, HeaderName, HeaderValue};

mod closed;
mod json_schemas;
mod properties;
mod refusals;
mod streams;

use super::*;
use crate::codec::Writer;
use crate::table::{
    Additional, Array, Body, ContentFormat, Errors, Field, Integer, Location, Object, Parameter, Schema,
    Style, Text, Type,
};
use crate::validation::{Code, In, Violation};

static STRING: Schema = Schema::new(Type::Text(Text::ANY));
static SHORT: Schema = Schema::new(Type::Text(Text { max_length: Some(3), ..Text::ANY }));
static POSITIVE: Schema = Schema::new(Type::Integer(Integer { minimum: Some(1), ..Integer::ANY }));
static NUMBERS: Schema =
    Schema::new(Type::Array(Array { items: &POSITIVE, min_items: None, max_items: Some(2), unique: false }));
static FILTER: Schema = Schema::new(Type::Object(Object {
    additional: Additional::Forbidden,
    ..Object::new(&[Field::optional("age", &POSITIVE)])
}));
static NOTE: Schema = Schema::new(Type::Object(Object {
    additional: Additional::Forbidden,
    ..Object::new(&[Field::required("text", &SHORT), Field::optional("size", &POSITIVE)])
}));

const fn parameter(
    name: &'static str,
    location: Location,
    style: Style,
    schema: &'static Schema,
) -> Parameter {
    Parameter {
        name,
        location,
        required: false,
        style,
        explode: true,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: &[],
        schema,
        reason: None,
    }
}

/// Parameters in an order that is not that of the locations.
static PARAMETERS: &[Parameter] = &[
    parameter("X-Size", Location::Header, Style::Simple, &POSITIVE),
    parameter("ids", Location::Query, Style::Form, &NUMBERS),
    Parameter { required: true, ..parameter("id", Location::Path, Style::Simple, &POSITIVE) },
    parameter("theme", Location::Cookie, Style::Form, &SHORT),
    parameter("filter", Location::Query, Style::DeepObject, &FILTER),
    Parameter { required: true, ..parameter("q", Location::Query, Style::Form, &STRING) },
];

static CONTENTS: &[Content] = &[
    Content::new("application/json", ContentFormat::Json, &NOTE),
    Content::new("application/x-www-form-urlencoded", ContentFormat::Form, &NOTE),
    Content::new("text/plain", ContentFormat::Text, &SHORT),
];

const fn operation(parameters: &'static [Parameter], body: Option<Body>) -> Operation {
    Operation {
        id: "save",
        tag: "notes",
        method: "POST",
        path: "/notes/{id}",
        parameters,
        body,
        responses: &[],
        errors: Errors { rows: &[], documented: None },
        security: &[],
        requires: &[],
        closed_query: false,
        server: None,
    }
}

static SAVE: Operation =
    operation(PARAMETERS, Some(Body { required: true, limit: None, contents: CONTENTS }));
static OPTIONAL: Operation = operation(&[], Some(Body { required: false, limit: None, contents: CONTENTS }));
static NOTHING: Operation = operation(&[], None);

#[derive(Debug, Clone, PartialEq)]
struct Note {
    text: String,
    size: Option<i64>,
}

impl Decode for Note {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut text, mut size) = (None, None);
        reader.object(&["text", "size"], &mut [&mut text, &mut size], AdditionalProperties::Closed)?;
        Ok(Self { text: text.ok_or_else(|| DecodeError::missing("text"))?, size })
    }
}

impl Encode for Note {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("text", &self.text), ("size", &self.size)], None);
    }
}

#[derive(Debug, Clone, PartialEq)]
enum NoteBody {
    Json(Note),
    Form(Note),
    Text(String),
}

impl Decode for NoteBody {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.choice() {
            0 => Note::decode(reader).map(Self::Json),
            1 => Note::decode(reader).map(Self::Form),
            2 => String::decode(reader).map(Self::Text),
            index => Err(DecodeError::unknown_choice(index)),
        }
    }
}

impl Encode for NoteBody {
    fn encode(&self, writer: &mut dyn Writer) {
        match self {
            Self::Json(note) => writer.choice(0, note),
            Self::Form(note) => writer.choice(1, note),
            Self::Text(text) => writer.choice(2, text),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Filter {
    age: Option<i64>,
}

impl Decode for Filter {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut age = None;
        reader.object(&["age"], &mut [&mut age], AdditionalProperties::Closed)?;
        Ok(Self { age })
    }
}

impl Encode for Filter {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("age", &self.age)], None);
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Save {
    size: Option<i64>,
    ids: Option<Vec<i64>>,
    id: i64,
    theme: Option<String>,
    filter: Option<Filter>,
    q: String,
    body: NoteBody,
}

const NAMES: [&str; 7] = ["X-Size", "ids", "id", "theme", "filter", "q", "body"];

impl Decode for Save {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut size, mut ids, mut id) = (None, None, None);
        let (mut theme, mut filter, mut q, mut body) = (None, None, None, None);
        reader.object(
            &NAMES,
            &mut [&mut size, &mut ids, &mut id, &mut theme, &mut filter, &mut q, &mut body],
            AdditionalProperties::Closed,
        )?;
        Ok(Self {
            size,
            ids,
            id: id.ok_or_else(|| DecodeError::missing("id"))?,
            theme,
            filter,
            q: q.ok_or_else(|| DecodeError::missing("q"))?,
            body: body.ok_or_else(|| DecodeError::missing("body"))?,
        })
    }
}

impl Encode for Save {
    fn encode(&self, writer: &mut dyn Writer) {
        let fields: [&dyn Encode; 7] =
            [&self.size, &self.ids, &self.id, &self.theme, &self.filter, &self.q, &self.body];
        let fields: Vec<(&'static str, &dyn Encode)> = NAMES.into_iter().zip(fields).collect();
        writer.object(&fields, None);
    }
}

/// A request as a test describes it.
#[derive(Debug, Clone, Copy)]
struct Sent<'a> {
    id: &'a str,
    query: &'a str,
    headers: &'a [(&'a str, &'a [u8])],
    content: Option<usize>,
    body: &'a [u8],
}

const GOOD: Sent<'_> =
    Sent { id: "7", query: "q=a+b", headers: &[], content: Some(0), body: br#"{"text":"abc"}"# };

impl Sent<'_> {
    fn decode<I: Decode + Encode>(&self, operation: &'static Operation) -> Result<I, Refused> {
        self.with_raw(|raw| decode_input(operation, raw))
    }

    /// Returns the result of the slow path, even if the fast path accepts the request.
    fn walked(&self) -> Refused {
        self.with_raw(|raw| Request::new(&SAVE, raw).refuse())
    }

    fn with_raw<T>(&self, use_it: impl FnOnce(&RawRequest<'_>) -> T) -> T {
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_bytes(value).unwrap_or(HeaderValue::from_static("x")),
            );
        }
        let body = crate::types::Bytes::copy_from_slice(self.body);
        let raw = RawRequest {
            path: &[("id", self.id)],
            query: self.query,
            headers: &headers,
            content: self.content,
            body: (&body).into(),
        };
        use_it(&raw)
    }

    /// Returns the violations in this request.
    #[track_caller]
    fn reported(&self) -> Vec<(In, String, Code)> {
        match self.decode::<Save>(&SAVE) {
            Err(Refused::Invalid(violations)) => violations
                .iter()
                .map(|violation: &Violation| (violation.location, violation.name.clone(), violation.code()))
                .collect(),
            other => panic!("expected violations, got {other:?}"),
        }
    }
}

#[test]
fn reads_a_good_request() {
    let sent = Sent {
        query: "ids=1&q=a%20b&ids=2&filter%5Bage%5D=3&unknown=x",
        headers: &[("x-size", b"4"), ("cookie", b"a=b; theme=x%20y")],
        ..GOOD
    };
    let expected = Save {
        size: Some(4),
        ids: Some(vec![1, 2]),
        id: 7,
        theme: Some("x y".into()),
        filter: Some(Filter { age: Some(3) }),
        q: "a b".into(),
        body: NoteBody::Json(Note { text: "abc".into(), size: None }),
    };
    assert_eq!(sent.decode(&SAVE), Ok(expected));
}

#[test]
fn reads_each_content() {
    let note = Note { text: "abc".into(), size: Some(2) };
    for (content, body, expected) in [
        (0, &br#" {"size":2,"text":"abc"} "#[..], NoteBody::Json(note.clone())),
        (1, b"text=abc&size=2", NoteBody::Form(note)),
        (2, b"abc", NoteBody::Text("abc".into())),
    ] {
        let sent = Sent { content: Some(content), body, ..GOOD };
        assert_eq!(sent.decode::<Save>(&SAVE).unwrap().body, expected);
    }
}

#[test]
fn an_optional_body_may_be_absent() {
    #[derive(Debug, PartialEq)]
    struct Input(Option<NoteBody>);
    impl Decode for Input {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let mut body = None;
            reader.object(&["body"], &mut [&mut body], AdditionalProperties::Closed)?;
            Ok(Self(body))
        }
    }
    impl Encode for Input {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &self.0)], None);
        }
    }
    for content in [None, Some(0), Some(1)] {
        assert_eq!(Sent { content, body: b"", ..GOOD }.decode(&OPTIONAL), Ok(Input(None)));
    }
    assert!(Sent { body: b"{}", ..GOOD }.decode::<Input>(&OPTIONAL).is_err());
}

#[test]
fn no_input_is_read_from_anything() {
    assert_eq!(Sent { body: b"{", query: "%", ..GOOD }.decode::<()>(&NOTHING), Ok(()));
}

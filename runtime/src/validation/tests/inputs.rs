//! Whole inputs: parameters and body by position.

use super::models::{COLOR, FIGURE, Figure};
use super::*;
use crate::codec::Writer;
use crate::table::{
    Body, Content, ContentFormat, Errors, Integer, Location, Operation, Parameter, Style, Text,
};

struct Input {
    page: Option<i64>,
    key: Option<String>,
    body: Option<AnyBody>,
}

enum AnyBody {
    Figure(Figure),
    Text(String),
}

impl Encode for AnyBody {
    fn encode(&self, writer: &mut dyn Writer) {
        match self {
            Self::Figure(value) => writer.choice(0, value),
            Self::Text(value) => writer.choice(1, value),
        }
    }
}

impl Encode for Input {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("page", &self.page), ("Key", &self.key), ("body", &self.body)], None);
    }
}

const fn parameter(
    name: &'static str,
    location: Location,
    required: bool,
    schema: &'static Schema,
) -> Parameter {
    Parameter {
        name,
        location,
        required,
        style: Style::Form,
        explode: true,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: &[],
        schema,
        reason: None,
    }
}

const fn content(media_type: &'static str, format: ContentFormat, schema: &'static Schema) -> Content {
    Content::new(media_type, format, schema)
}

static OPERATION: Operation = Operation {
    id: "x",
    tag: "x",
    method: "POST",
    path: "/x",
    parameters: &[
        parameter(
            "page",
            Location::Header,
            false,
            &Schema::new(Type::Integer(Integer { exclusive_minimum: Some(0), ..Integer::ANY })),
        ),
        parameter("Key", Location::Query, true, &COLOR),
    ],
    body: Some(Body {
        required: true,
        limit: None,
        contents: &[
            content("application/json", ContentFormat::Json, &FIGURE),
            content(
                "text/plain",
                ContentFormat::Text,
                &Schema::new(Type::Text(Text { max_length: Some(2), ..Text::ANY })),
            ),
        ],
    }),
    responses: &[],
    errors: Errors { rows: &[], documented: None },
    security: &[],
    requires: &[],
    closed_query: false,
    server: None,
};

#[test]
fn parts_by_position() {
    let text = |text: &str| Some(AnyBody::Text(text.into()));
    let figure = |name: &str| Some(AnyBody::Figure(Figure::Name(name.into())));
    for (page, key, body, expected) in [
        (Some(1), Some("red"), text("ab"), &[][..]),
        (None, Some("red"), figure("abcd"), &[]),
        (Some(0), Some("red"), text("ab"), &["header page exclusive-minimum"]),
        (Some(1), None, text("ab"), &["query Key missing"]),
        (Some(1), Some("red"), text("abc"), &["body body max-length"]),
        (Some(1), Some("red"), figure("abcde"), &["body body max-length"]),
        (
            Some(0),
            Some("x"),
            None,
            &["query Key not-allowed", "header page exclusive-minimum", "body body missing"],
        ),
    ] {
        let input = Input { page, key: key.map(Into::into), body };
        let violations = input_violations(&OPERATION, &input);
        let reported: Vec<String> =
            violations.iter().map(|it| format!("{} {} {}", it.location, it.name, it.code())).collect();
        assert_eq!(reported, expected);
        assert_eq!(check_input(&OPERATION, &input), expected.is_empty(), "{expected:?}");
    }
}

#[test]
fn operations_without_input_accept_the_unit_type() {
    static NONE: Operation = Operation {
        parameters: &[],
        body: None,
        id: "y",
        tag: "y",
        method: "GET",
        path: "/y",
        responses: &[],
        errors: Errors { rows: &[], documented: None },
        security: &[],
        requires: &[],
        closed_query: false,
        server: None,
    };
    assert!(check_input(&NONE, &()));
    assert!(input_violations(&NONE, &()).is_empty());
}

//! Requests whose rows have a JSON Schema that is more specific than the types.

use super::*;
use crate::table::{Format, JsonSchema, Keyword, Pattern};
use crate::types::Uuid;

/// A note that forgets the fields that it does not name.
#[derive(Debug, Clone, PartialEq)]
struct Loose {
    text: String,
    nested: Option<Box<Loose>>,
}

impl Decode for Loose {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut text, mut nested) = (None, None);
        reader.object(&["text", "nested"], &mut [&mut text, &mut nested], AdditionalProperties::Ignore)?;
        Ok(Self { text: text.ok_or_else(|| DecodeError::missing("text"))?, nested })
    }
}

impl Encode for Loose {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("text", &self.text), ("nested", &self.nested)], None);
    }
}

/// The fields `a` and `b` exclude each other, and the text is not `no`.
static RULES: JsonSchema = JsonSchema(&[
    Keyword::Not(&JsonSchema(&[Keyword::Required(&["a", "b"])])),
    Keyword::Properties {
        listed: &[("nested", &RULES), ("text", &JsonSchema(&[Keyword::Not(&NO)]))],
        patterns: &[],
        others: None,
    },
]);
static NO: JsonSchema = JsonSchema(&[Keyword::Enum(&[crate::table::Literal::Text("no")])]);
static LOOSE: Schema = Schema {
    also: Some(&RULES),
    ..Schema::new(Type::Object(Object::new(&[
        Field::required("text", &STRING),
        Field::optional("nested", &LOOSE),
    ])))
};

/// The model writes lower case.
static LOWER: Pattern = Pattern::new("^[0-9a-f-]+$");
static UUID: Schema = Schema {
    also: Some(&JsonSchema(&[Keyword::Pattern(&LOWER)])),
    ..Schema::new(Type::Text(Text { format: Some(Format::Uuid), ..Text::ANY }))
};
static CONTENTS: &[Content] = &[
    Content::new("application/json", ContentFormat::Json, &LOOSE),
    Content::new("application/x-www-form-urlencoded", ContentFormat::Form, &LOOSE),
];
static SEND: Operation = operation(
    &[
        parameter("key", Location::Query, Style::Form, &UUID),
        Parameter {
            content: Some(ContentFormat::Json),
            ..parameter("filter", Location::Query, Style::Form, &LOOSE)
        },
    ],
    Some(Body { required: true, limit: None, contents: CONTENTS }),
);

#[derive(Debug, Clone, PartialEq)]
struct Send {
    key: Option<Uuid>,
    filter: Option<Loose>,
    body: Loose,
}

impl Decode for Send {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut key, mut filter, mut body) = (None, None, None::<Bodies>);
        let slots: &mut [&mut dyn Fill] = &mut [&mut key, &mut filter, &mut body];
        reader.object(&["key", "filter", "body"], slots, AdditionalProperties::Closed)?;
        Ok(Self { key, filter, body: body.ok_or_else(|| DecodeError::missing("body"))?.0 })
    }
}

impl Encode for Send {
    fn encode(&self, writer: &mut dyn Writer) {
        let body = Bodies(self.body.clone());
        writer.object(&[("key", &self.key), ("filter", &self.filter), ("body", &body)], None);
    }
}

/// A body in one of two formats.
struct Bodies(Loose);

impl Decode for Bodies {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        Loose::decode(reader).map(Self)
    }
}

impl Encode for Bodies {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.choice(0, &self.0);
    }
}

/// Returns the violations in a request as `name code`.
fn refused(query: &str, content: usize, body: &str) -> Vec<String> {
    let sent = Sent { query, content: Some(content), body: body.as_bytes(), ..GOOD };
    match sent.decode::<Send>(&SEND) {
        Ok(_) => Vec::new(),
        Err(Refused::Invalid(found)) => found.iter().map(|it| format!("{} {}", it.name, it.code())).collect(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_raw_body_decides_if_fields_were_skipped() {
    for (body, expected) in [
        (r#"{"text": "x"}"#, &[][..]),
        (r#"{"text": "x", "a": 1}"#, &[]),
        (r#"{"text": "x", "b": 1, "c": 2}"#, &[]),
        (r#"{"text": "x", "a": 1, "b": 1}"#, &["body forbidden"]),
        (r#"{"text": "no"}"#, &["text forbidden"]),
        (r#"{"text": "no", "a": 1}"#, &["text forbidden"]),
        (r#"{"text": "x", "nested": {"text": "y", "a": 1, "b": 1}}"#, &["nested forbidden"]),
        (r#"{"text": "x", "nested": {"text": "y", "a": 1}}"#, &[]),
        (r#"{"a": 1, "b": 1}"#, &["body forbidden", "text missing"]),
    ] {
        assert_eq!(refused("", 0, body), expected, "{body}");
    }
}

#[test]
fn the_input_is_that_of_the_model() {
    let sent = Sent { query: "", body: br#"{"text": "x", "a": 1}"#, ..GOOD };
    let expected = Send { key: None, filter: None, body: Loose { text: "x".into(), nested: None } };
    assert_eq!(sent.decode(&SEND), Ok(expected));
}

#[test]
fn forms_count_as_the_model_writes_them() {
    for (body, expected) in [
        ("text=x", &[][..]),
        ("text=x&a=1&b=1", &[]),
        ("text=no", &["text forbidden"]),
        // This field is JSON, but the schema of the whole form covers it.
        (r#"text=x&nested={"text":"y","a":1,"b":1}"#, &[]),
        (r#"text=x&nested={"text":"no","a":1,"b":1}"#, &["nested.text forbidden"]),
    ] {
        assert_eq!(refused("", 1, body), expected, "{body}");
    }
}

#[test]
fn parameters_count_as_the_model_writes_them() {
    let good = r#"{"text": "x"}"#;
    for (query, expected) in [
        ("key=67E55044-10B1-426F-9247-BB680E5FE0C8", &[][..]),
        ("key=67", &["key format"]),
        // JSON in a parameter is raw, as it is in a body.
        (r#"filter={"text":"x","a":1}"#, &[]),
        (r#"filter={"text":"x","a":1,"b":1}"#, &["filter forbidden"]),
        (r#"filter={"text":"no","a":1}"#, &["filter.text forbidden"]),
    ] {
        assert_eq!(refused(query, 0, good), expected, "{query}");
    }
}

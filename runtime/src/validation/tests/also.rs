//! Rows with a JSON Schema that is more specific than their types.

use super::models::{COLOR, Circle, field};
use super::*;
use crate::codec::Kinds;
use crate::stream::ItemStream;
use crate::table::{
    Additional, Array, Field, Format, JsonSchema, Keyword, Literal, Names, Number, Object, Text,
};
use crate::types::{Map, Nullable, Uuid, Value};

static NUMBER: Schema = Schema::new(Type::Number(Number::ANY));
static TEXT: Schema = Schema::new(Type::Text(Text::ANY));
static CIRCLE_FIELDS: &[Field] = &[field("radius", true, &NUMBER), field("color", false, &COLOR)];

/// No circle has both a color and another field; the radius is not 7.
static RULES: JsonSchema = JsonSchema(&[
    Keyword::Properties { listed: &[("radius", &NOT_SEVEN)], patterns: &[], others: None },
    Keyword::Not(&JsonSchema(&[Keyword::Required(&["color", "more"])])),
]);
static NOT_SEVEN: JsonSchema =
    JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Enum(&[Literal::Integer(7)])]))]);
static CIRCLE: Schema =
    Schema { also: Some(&RULES), ..Schema::new(Type::Object(Object::new(CIRCLE_FIELDS))) };

#[test]
fn violations_of_type_and_json_schema_come_together() {
    assert_violations::<Circle>(
        &CIRCLE,
        &[
            (r#"{"radius": 1}"#, &[]),
            (r#"{"radius": 7}"#, &["radius forbidden"]),
            (r#"{"radius": 7.0, "color": "blue"}"#, &["radius forbidden"]),
            (r#"{"radius": 7, "color": "green"}"#, &["radius forbidden", "color not-allowed"]),
            (r#"{"radius": 1, "color": "red", "more": 1}"#, &["forbidden"]),
            (r#"{"radius": 1, "more": 1e999}"#, &["more out-of-range"]),
        ],
    );
}

#[test]
fn a_field_that_was_skipped_leaves_the_verdict_to_the_walk() {
    for (json, expected) in [
        (r#"{"radius": 1}"#, Verdict::Valid),
        (r#"{"radius": 7}"#, Verdict::Invalid),
        (r#"{"radius": 1, "color": "red", "more": 1}"#, Verdict::Unknown),
        (r#"{"radius": 1, "more": 1}"#, Verdict::Unknown),
        (r#"{"radius": 1, "color": "green"}"#, Verdict::Invalid),
    ] {
        let found = checked::<Circle>(&CIRCLE, json);
        assert_eq!(found.clone().unwrap_or(Verdict::Invalid), expected, "{json} {found:?}");
    }
}

#[test]
fn a_text_that_was_rewritten_leaves_the_verdict_to_the_walk() {
    static UPPER: JsonSchema = JsonSchema(&[
        Keyword::Format(Format::Uuid),
        Keyword::Enum(&[Literal::Text("67E55044-10B1-426F-9247-BB680E5FE0C8")]),
    ]);
    static SCHEMA: Schema = Schema {
        also: Some(&UPPER),
        ..Schema::new(Type::Text(Text { format: Some(Format::Uuid), ..Text::ANY }))
    };
    let upper = r#""67E55044-10B1-426F-9247-BB680E5FE0C8""#;
    assert_violations::<Uuid>(&SCHEMA, &[(upper, &[]), (&upper.to_lowercase(), &["not-allowed"])]);
    assert_eq!(checked::<Uuid>(&SCHEMA, upper), Ok(Verdict::Unknown));
}

#[test]
fn an_outer_schema_covers_inner_ones() {
    static ANYTHING: JsonSchema = JsonSchema(&[]);
    static INNER: Schema = Schema { also: Some(&NOT_SEVEN), ..Schema::new(Type::Number(Number::ANY)) };
    const ARRAY: Array = Array { items: &INNER, min_items: None, max_items: None, unique: false };
    static LOOSE: Schema = Schema { also: Some(&ANYTHING), ..Schema::new(Type::Array(ARRAY)) };
    assert_violations::<Vec<f64>>(
        schema(Type::Array(ARRAY)),
        &[("[1, 7, 7]", &["[1] forbidden", "[2] forbidden"])],
    );
    assert_violations::<Vec<f64>>(&LOOSE, &[("[7]", &[])]);
    assert_violations::<Value>(
        leak(Schema { also: Some(&NOT_SEVEN), ..Schema::new(Type::Any) }),
        &[("7", &["forbidden"]), ("[7]", &[])],
    );
}

#[test]
fn references_and_null() {
    static STRING: JsonSchema = JsonSchema(&[Keyword::Type(Kinds::STRING), Keyword::MinLength(2)]);
    static NAME: Schema = Schema { also: Some(&STRING), ..Schema::new(Type::Text(Text::ANY)) };
    static MAYBE: Schema = Schema { nullable: true, ..Schema::new(Type::Same(&NAME)) };
    static NEVER: Schema = Schema { nullable: true, also: Some(&STRING), ..Schema::new(Type::Same(&TEXT)) };
    assert_violations::<Nullable<String>>(
        &MAYBE,
        &[("null", &[]), (r#""ab""#, &[]), (r#""a""#, &["min-length"])],
    );
    assert_violations::<Nullable<String>>(&NEVER, &[("null", &["null"]), (r#""ab""#, &[])]);
}

#[test]
fn a_row_that_a_json_schema_covers_adds_no_constraints() {
    // The model is that of the first branch, and the value is one of the second.
    static SMALL: Schema = Schema::new(Type::Number(Number { maximum: Some(10.0), ..Number::ANY }));
    static EITHER: JsonSchema = JsonSchema(&[Keyword::AnyOf(&[
        &JsonSchema(&[Keyword::Maximum(Literal::Integer(10))]),
        &JsonSchema(&[Keyword::Enum(&[Literal::Integer(20)])]),
    ])]);
    static FIELDS: &[Field] = &[field("radius", true, &SMALL), field("color", false, &COLOR)];
    static OUTER: JsonSchema =
        JsonSchema(&[Keyword::Properties { listed: &[("radius", &EITHER)], patterns: &[], others: None }]);
    static FIGURE: Schema = Schema { also: Some(&OUTER), ..Schema::new(Type::Object(Object::new(FIELDS))) };
    assert_violations::<Circle>(
        &FIGURE,
        &[(r#"{"radius": 10}"#, &[]), (r#"{"radius": 20}"#, &[]), (r#"{"radius": 15}"#, &["radius maximum"])],
    );
}

#[test]
fn properties_that_the_model_drops_are_counted() {
    static FEW: Schema = Schema::new(Type::Object(Object {
        fields: CIRCLE_FIELDS,
        min_properties: Some(2),
        max_properties: Some(3),
        ..Object::new(&[])
    }));
    assert_violations::<Circle>(
        &FEW,
        &[
            (r#"{"radius": 1}"#, &["body min-properties"]),
            (r#"{"radius": 1, "color": "red"}"#, &[]),
            (r#"{"radius": 1, "more": 1, "most": 2}"#, &[]),
            (r#"{"radius": 1, "more": 1, "most": 2, "even": 3}"#, &["body max-properties"]),
        ],
    );
}

#[test]
fn names_of_additional_properties() {
    static NAME: Schema = Schema { also: Some(&NOT_MAIN), ..Schema::new(Type::Text(Text::ANY)) };
    static NOT_MAIN: JsonSchema =
        JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Enum(&[Literal::Text("main")])]))]);
    static NAMES: Names = Names { each: Some(&NAME), patterns: &[], others: None, closed: false };
    static MAP: Schema = Schema::new(Type::Object(Object {
        additional: Additional::Kept(&NUMBER),
        names: Some(&NAMES),
        ..Object::new(&[])
    }));
    assert_violations::<Map<f64>>(
        &MAP,
        &[(r#"{"a": 1}"#, &[]), (r#"{"a": 1, "main": 1}"#, &["main unknown"])],
    );
}

#[test]
fn variants_and_tuples() {
    static SQUARE: Schema = Schema { also: Some(&NOT_FOUR), ..Schema::new(Type::Tuple(&[&NUMBER, &EVEN])) };
    static EVEN: Schema = Schema { also: Some(&NOT_SEVEN), ..Schema::new(Type::Number(Number::ANY)) };
    static NOT_FOUR: JsonSchema = JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Contains {
        schema: &JsonSchema(&[Keyword::Enum(&[Literal::Integer(4)])]),
        minimum: 1,
        maximum: None,
    }]))]);
    assert_violations::<(f64, f64)>(
        &SQUARE,
        &[("[1, 2]", &[]), ("[1, 4]", &["forbidden"]), ("[1, 7]", &[]), ("[1, 2, 3]", &["max-items"])],
    );
    assert_violations::<(f64, f64)>(
        schema(Type::Tuple(leak([&NUMBER, &EVEN]))),
        &[("[7, 1]", &[]), ("[1, 7]", &["[1] forbidden"])],
    );
}

#[test]
fn lists_of_allowed_arrays() {
    // Such a list is compared with the untyped value, which does not know that a date was rewritten.
    static ITEM: Schema = Schema {
        also: Some(&JsonSchema(&[Keyword::MinLength(1)])),
        ..Schema::new(Type::Text(Text { format: Some(Format::Uuid), ..Text::ANY }))
    };
    let allowed = &[Literal::Json(r#"["67e55044-10b1-426f-9247-bb680e5fe0c8"]"#)];
    let array = Array { items: &ITEM, min_items: None, max_items: None, unique: false };
    let row = leak(Schema { allowed, ..Schema::new(Type::Array(array)) });
    let json = r#"["67E55044-10B1-426F-9247-BB680E5FE0C8"]"#;
    assert_eq!(checked::<Vec<Uuid>>(row, json), Ok(Verdict::Unknown));
    assert_violations::<Vec<Uuid>>(row, &[(json, &[])]);
}

#[test]
fn streams_are_not_taken() {
    let items = ItemStream::from(vec![1_i64, 2]);
    let row = leak(Schema { also: Some(&NOT_SEVEN), ..Schema::new(Type::Any) });
    assert!(check(row, &items));
    assert_eq!(crate::codec::to_value(&items), serde_json::json!([1, 2]));
}

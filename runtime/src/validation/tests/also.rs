//! Rows with a JSON Schema that says more than their types.

use super::models::{COLOR, Circle, FIGURE, Figure, field};
use super::*;
use crate::codec::Kinds;
use crate::table::{Array, Field, Format, JsonSchema, Keyword, Literal, Number, Object, Text};
use crate::types::{Nullable, Uuid, Value};

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
fn the_type_is_checked_first() {
    judge_all::<Circle>(
        &CIRCLE,
        &[
            (r#"{"radius": 1}"#, &[]),
            (r#"{"radius": 7}"#, &["radius forbidden"]),
            (r#"{"radius": 7.0, "color": "blue"}"#, &["radius forbidden"]),
            (r#"{"radius": 7, "color": "green"}"#, &["color not-allowed"]),
            (r#"{"radius": 1, "color": "red", "more": 1}"#, &["forbidden"]),
            (r#"{"radius": 1, "more": 1e999}"#, &["out-of-range"]),
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
    judge_all::<Uuid>(&SCHEMA, &[(upper, &[]), (&upper.to_lowercase(), &["not-allowed"])]);
    assert_eq!(checked::<Uuid>(&SCHEMA, upper), Ok(Verdict::Unknown));
}

#[test]
fn an_outer_schema_covers_inner_ones() {
    static ANYTHING: JsonSchema = JsonSchema(&[]);
    static INNER: Schema = Schema { also: Some(&NOT_SEVEN), ..Schema::new(Type::Number(Number::ANY)) };
    const ARRAY: Array = Array { items: &INNER, min_items: None, max_items: None, unique: false };
    static LOOSE: Schema = Schema { also: Some(&ANYTHING), ..Schema::new(Type::Array(ARRAY)) };
    judge_all::<Vec<f64>>(schema(Type::Array(ARRAY)), &[("[1, 7, 7]", &["[1] forbidden", "[2] forbidden"])]);
    judge_all::<Vec<f64>>(&LOOSE, &[("[7]", &[])]);
    judge_all::<Value>(
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
    judge_all::<Nullable<String>>(&MAYBE, &[("null", &[]), (r#""ab""#, &[]), (r#""a""#, &["min-length"])]);
    judge_all::<Nullable<String>>(&NEVER, &[("null", &["null"]), (r#""ab""#, &[])]);
}

#[test]
fn another_variant_of_a_union_may_allow_a_value() {
    /// A small side, or any object without a color.
    static SMALL: JsonSchema = JsonSchema(&[Keyword::Properties {
        listed: &[("side", &JsonSchema(&[Keyword::Maximum(Literal::Integer(9))]))],
        patterns: &[],
        others: None,
    }]);
    static PLAIN: JsonSchema = JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Required(&["color"])]))]);
    static EITHER: JsonSchema = JsonSchema(&[Keyword::AnyOf(&[&SMALL, &PLAIN])]);
    static FIGURES: Schema = Schema { also: Some(&EITHER), ..Schema::new(Type::Same(&FIGURE)) };
    static LIST: Schema = Schema {
        also: Some(&EACH),
        ..Schema::new(Type::Array(Array {
            items: &FIGURE,
            min_items: None,
            max_items: Some(2),
            unique: false,
        }))
    };
    static EACH: JsonSchema =
        JsonSchema(&[Keyword::Items { prefix: &[], others: Some(&EITHER) }, Keyword::MaxItems(2)]);
    judge_all::<Figure>(
        &FIGURES,
        &[
            (r#"{"side": 9, "color": "green"}"#, &[]),
            (r#"{"side": 10}"#, &[]),
            (r#"{"side": 10, "color": "green"}"#, &["side maximum"]),
            (r#"{"side": "10"}"#, &["side wrong-type"]),
        ],
    );
    judge_all::<Vec<Figure>>(
        &LIST,
        &[
            (r#"[{"side": 10}, {"side": 1}]"#, &[]),
            (r#"[{"side": 10}, {"side": 10, "color": "x"}]"#, &["[0].side maximum", "[1].side maximum"]),
            (
                r#"[{"side": 10}, 1, 2]"#,
                &["[1] no-variant", "[2] no-variant", "max-items", "[0].side maximum"],
            ),
        ],
    );
}

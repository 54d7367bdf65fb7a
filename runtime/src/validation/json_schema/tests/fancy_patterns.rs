//! The limits of patterns that step back.

use super::*;
use crate::codec::Kinds;
use crate::table::{Array, Keyword, Literal, Pattern, Schema, Text, Type};
use crate::validation::json_schema::budget::Stop;
use crate::validation::{Code, Verdict, ViolationKind, check, check_decoded, violations_of};

fn outcome(schema: &'static JsonSchema, value: &Value) -> Result<bool, Stop> {
    Context::new().evaluate(schema, value)
}

#[test]
fn a_pattern_that_gives_up_stops() {
    static SLOW: Pattern = Pattern::fancy("slow", r"^(?:(a+)(?=\1|a|!))+$");
    static SCHEMA: JsonSchema = JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Pattern(&SLOW)]))]);
    let text = json!("a".repeat(40) + "?");
    assert_eq!(outcome(&SCHEMA, &text), Err(Stop::Pattern("slow")));
    let found = violations(&SCHEMA, &text, &Position::body(), &Context::new());
    assert_eq!(found.first().map(|it| it.code()), Some(Code::PatternLimit));
    for (kind, expected) in [
        (ViolationKind::PatternLimit("slow"), Code::PatternLimit),
        (ViolationKind::TooComplex, Code::TooComplex),
        (ViolationKind::Pattern("slow"), Code::Unknown),
    ] {
        assert_eq!(ViolationKind::Name(Box::new(kind)).code(), expected);
    }
}

/// Takes 2^n steps back for n letters `a` before a question mark, and matches.
static DOUBLING_PATTERN: Pattern = Pattern::fancy("doubling", r"^(?!(?:(a+)(?=\1|a|!))+$)");

#[test]
fn any_number_of_short_searches_is_allowed() {
    static TEXTS: JsonSchema = JsonSchema(&[
        Keyword::Items {
            prefix: &[],
            others: Some(&JsonSchema(&[Keyword::Type(Kinds::STRING), Keyword::Pattern(&DOUBLING_PATTERN)])),
        },
        Keyword::Contains {
            schema: &JsonSchema(&[Keyword::Enum(&[Literal::Text("a?")])]),
            minimum: 1,
            maximum: None,
        },
    ]);
    let mut value = vec![json!("b"); 50_000];
    value.push(json!("a?"));
    assert_eq!(outcome(&TEXTS, &json!(value)), Ok(true));
}

#[test]
fn long_searches_share_the_steps_of_a_request() {
    static ITEM: Schema = Schema::new(Type::Text(Text { pattern: Some(&DOUBLING_PATTERN), ..Text::ANY }));
    static ROW: Schema =
        Schema::new(Type::Array(Array { items: &ITEM, min_items: None, max_items: None, unique: false }));
    let text = "a".repeat(7) + "?";
    let value = |count| vec![text.clone(); count];
    assert!(check(&ROW, &value(100)));
    // The value of a model and the raw value.
    let many = value(10_000);
    assert_eq!(check_decoded(&ROW, &many, false), Verdict::Unknown);
    let found = violations_of(&ROW, &json!(many));
    assert_eq!(found.first().map(|it| it.code()), Some(Code::PatternLimit));
    // Short searches need none.
    assert!(check(&ROW, &vec!["b".to_owned(); 10_000]));
}

//! The limits of an evaluation.

use std::time::{Duration, Instant};

use super::*;
use crate::codec::Kinds;
use crate::table::{Array, Keyword, Literal, Pattern, Schema, Text, Type};
use crate::validation::json_schema::budget::{Outcome, Stop};
use crate::validation::{Code, Verdict, ViolationKind, check, check_decoded, violations_of};

/// Both parts of the list apply the schema again: the number of evaluations doubles per level.
static DOUBLING: JsonSchema = JsonSchema(&[Keyword::AllOf(&[&NEXT, &NEXT])]);
static NEXT: JsonSchema =
    JsonSchema(&[Keyword::Properties { listed: &[("next", &DOUBLING)], patterns: &[], others: None }]);

/// A tree, whose nodes are visited once.
static TREE: JsonSchema = JsonSchema(&[
    Keyword::AllOf(&[&CHEAP, &CHEAP, &CHEAP, &CHEAP, &CHEAP]),
    Keyword::Items { prefix: &[], others: Some(&TREE) },
]);
static CHEAP: JsonSchema =
    JsonSchema(&[Keyword::MinItems(0), Keyword::MaxItems(u64::MAX), Keyword::Type(Kinds::ARRAY)]);

static LOOP: JsonSchema = JsonSchema(&[Keyword::Ref(&LOOP)]);

fn chain(depth: usize) -> Value {
    (0..depth).fold(json!({}), |inner, _| json!({"next": inner}))
}

fn outcome(schema: &'static JsonSchema, value: &Value) -> Outcome {
    Context::new().evaluate(schema, value)
}

#[test]
fn recursion_that_doubles_is_stopped() {
    assert_eq!(outcome(&DOUBLING, &chain(10)), Outcome::Valid);
    let deep = chain(100);
    assert_eq!(outcome(&DOUBLING, &deep), Outcome::Stopped(Stop::Steps));
    let found = violations(&DOUBLING, &deep, &Place::body(), &Context::new());
    let found: Vec<Code> = found.iter().map(|it| it.code()).collect();
    assert_eq!(found, [Code::TooComplex]);
}

#[test]
fn a_schema_of_itself_is_stopped() {
    assert_eq!(outcome(&LOOP, &json!(1)), Outcome::Stopped(Stop::Steps));
}

#[test]
fn a_stop_is_not_inverted() {
    static NOT: JsonSchema = JsonSchema(&[Keyword::Not(&LOOP)]);
    static EITHER: JsonSchema = JsonSchema(&[Keyword::AnyOf(&[&LOOP, &JsonSchema(&[])])]);
    assert_eq!(outcome(&NOT, &json!(1)), Outcome::Stopped(Stop::Steps));
    assert_eq!(outcome(&EITHER, &json!(1)), Outcome::Stopped(Stop::Steps));
}

#[test]
fn large_values_are_checked() {
    let wide = json!(vec![json!([[], []]); 100_000]);
    assert_eq!(outcome(&TREE, &wide), Outcome::Valid);
    // Many values of one request, too.
    let context = Context::new();
    let small = json!(vec![json!([]); 10]);
    assert!((0..30_000).all(|_| context.is_valid(&TREE, &small)));
}

#[test]
fn all_evaluations_share_their_steps() {
    let context = Context::new();
    let value = chain(18);
    let valid = (0..100).filter(|_| context.is_valid(&DOUBLING, &value)).count();
    assert!((1..10).contains(&valid), "{valid}");
}

/// The report tries both alternatives, which each have the alternatives of the next level.
static ALTERNATIVES: JsonSchema =
    JsonSchema(&[Keyword::Type(Kinds::OBJECT), Keyword::AnyOf(&[&ALTERNATIVE_A, &ALTERNATIVE_B])]);
static ALTERNATIVE_A: JsonSchema = JsonSchema(&[Keyword::Required(&["a"]), Keyword::Ref(&NEXT_ALTERNATIVES)]);
static ALTERNATIVE_B: JsonSchema = JsonSchema(&[Keyword::Required(&["b"]), Keyword::Ref(&NEXT_ALTERNATIVES)]);
static NEXT_ALTERNATIVES: JsonSchema =
    JsonSchema(&[Keyword::Properties { listed: &[("next", &ALTERNATIVES)], patterns: &[], others: None }]);

#[test]
fn a_report_that_doubles_is_stopped() {
    let value = chain(40);
    assert_eq!(outcome(&ALTERNATIVES, &value), Outcome::Invalid);
    let context = Context::new();
    let start = Instant::now();
    // All reports of a request share their steps.
    for _ in 0..20 {
        let found = violations(&ALTERNATIVES, &value, &Place::body(), &context);
        let found: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.code())).collect();
        assert_eq!(found, [("body", Code::NoVariant)]);
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_report_on_a_large_value_is_not_stopped() {
    static STRINGS: JsonSchema = JsonSchema(&[
        Keyword::Items { prefix: &[], others: Some(&JsonSchema(&[Keyword::Type(Kinds::STRING)])) },
        Keyword::AllOf(&[&TREE]),
    ]);
    let context = Context::new();
    assert!(!context.is_valid(&DOUBLING, &chain(100)), "this takes all steps");
    let mut value = vec![json!("a"); 100_000];
    value.push(json!(1));
    let found = violations(&STRINGS, &json!(value), &Place::body(), &context);
    assert!(found.iter().any(|it| it.name == "[100000]"), "{found:?}");
}

#[cfg(feature = "patterns-fancy")]
#[test]
fn a_pattern_that_gives_up_stops() {
    static SLOW: Pattern = Pattern::fancy("slow", r"^(?:(a+)(?=\1|a|!))+$");
    static SCHEMA: JsonSchema = JsonSchema(&[Keyword::Not(&JsonSchema(&[Keyword::Pattern(&SLOW)]))]);
    let text = json!("a".repeat(40) + "?");
    assert_eq!(outcome(&SCHEMA, &text), Outcome::Stopped(Stop::Pattern("slow")));
    let found = violations(&SCHEMA, &text, &Place::body(), &Context::new());
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
#[cfg(feature = "patterns-fancy")]
static DOUBLING_PATTERN: Pattern = Pattern::fancy("doubling", r"^(?!(?:(a+)(?=\1|a|!))+$)");

#[cfg(feature = "patterns-fancy")]
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
    assert_eq!(outcome(&TEXTS, &json!(value)), Outcome::Valid);
}

#[cfg(feature = "patterns-fancy")]
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

#[test]
fn long_texts_cost_steps() {
    static PATTERN: Pattern = Pattern::new("z$");
    static SEARCH: JsonSchema = JsonSchema(&[
        Keyword::Not(&JsonSchema(&[Keyword::Pattern(&PATTERN)])),
        Keyword::Not(&JsonSchema(&[Keyword::MinLength(u64::MAX)])),
    ]);
    // The text is searched 256 times.
    let schema = (0..8).fold(&SEARCH, |inner, _| {
        Box::leak(Box::new(JsonSchema(vec![Keyword::AllOf(vec![inner, inner].leak())].leak())))
    });
    assert_eq!(outcome(schema, &json!("a".repeat(1 << 10))), Outcome::Valid);
    assert_eq!(outcome(schema, &json!("a".repeat(1 << 20))), Outcome::Stopped(Stop::Steps));
}

/// Each level of a value nests two schemas.
static LEVELS: JsonSchema = JsonSchema(&[Keyword::AllOf(&[&LEVEL])]);
static LEVEL: JsonSchema = JsonSchema(&[
    Keyword::Type(Kinds::OBJECT),
    Keyword::Properties { listed: &[("next", &LEVELS)], patterns: &[], others: None },
]);

#[test]
fn the_greatest_depth_fits_in_a_stack() {
    let end = |depth| (0..depth).fold(json!(1), |inner, _| json!({"next": inner}));
    for (depth, expected) in [(250, Code::WrongType), (400, Code::TooComplex)] {
        let judge = move || {
            let found = violations(&LEVELS, &end(depth), &Place::body(), &Context::new());
            found.first().map(|it| it.code())
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(judge).unwrap();
        assert_eq!(thread.join().unwrap(), Some(expected));
    }
}

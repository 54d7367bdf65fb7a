//! The limits of an evaluation.

use std::time::{Duration, Instant};

use super::*;
use crate::codec::Kinds;
use crate::table::{Keyword, Pattern};
use crate::validation::Code;
use crate::validation::json_schema::budget::Stop;

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

fn outcome(schema: &'static JsonSchema, value: &Value) -> Result<bool, Stop> {
    Context::new().evaluate(schema, value)
}

#[test]
fn recursion_that_doubles_is_stopped() {
    assert_eq!(outcome(&DOUBLING, &chain(10)), Ok(true));
    let deep = chain(100);
    assert_eq!(outcome(&DOUBLING, &deep), Err(Stop::Steps));
    let found = violations(&DOUBLING, &deep, &Position::body(), &Context::new());
    let found: Vec<Code> = found.iter().map(|it| it.code()).collect();
    assert_eq!(found, [Code::TooComplex]);
}

#[test]
fn a_schema_of_itself_is_stopped() {
    assert_eq!(outcome(&LOOP, &json!(1)), Err(Stop::Steps));
}

#[test]
fn a_stop_is_not_inverted() {
    static NOT: JsonSchema = JsonSchema(&[Keyword::Not(&LOOP)]);
    static EITHER: JsonSchema = JsonSchema(&[Keyword::AnyOf(&[&LOOP, &JsonSchema(&[])])]);
    assert_eq!(outcome(&NOT, &json!(1)), Err(Stop::Steps));
    assert_eq!(outcome(&EITHER, &json!(1)), Err(Stop::Steps));
}

#[test]
fn large_values_are_checked() {
    let wide = json!(vec![json!([[], []]); 100_000]);
    assert_eq!(outcome(&TREE, &wide), Ok(true));
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
    assert_eq!(outcome(&ALTERNATIVES, &value), Ok(false));
    let context = Context::new();
    let start = Instant::now();
    // All reports of a request share their steps.
    for _ in 0..20 {
        let found = violations(&ALTERNATIVES, &value, &Position::body(), &context);
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
    let found = violations(&STRINGS, &json!(value), &Position::body(), &context);
    assert!(found.iter().any(|it| it.name == "[100000]"), "{found:?}");
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
    assert_eq!(outcome(schema, &json!("a".repeat(1 << 10))), Ok(true));
    assert_eq!(outcome(schema, &json!("a".repeat(1 << 20))), Err(Stop::Steps));
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
        let code = move || {
            let found = violations(&LEVELS, &end(depth), &Position::body(), &Context::new());
            found.first().map(|it| it.code())
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(code).unwrap();
        assert_eq!(thread.join().unwrap(), Some(expected));
    }
}

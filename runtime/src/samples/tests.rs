use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::json;

use super::*;
use crate::codec::{Format, Kinds, Shape, UnionShape};
use crate::table::{
    Additional, Array, CrossRule, Field, Integer, JsonSchema, Keyword, Literal, Names, Number, Object,
    Pattern, Text, Type, Union,
};
use crate::validation::violations_of;

fn leak<T>(row: T) -> &'static T {
    Box::leak(Box::new(row))
}

fn schema_of(of: Type) -> &'static Schema {
    leak(Schema::new(of))
}

fn runner(seed: u64) -> TestRunner {
    TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() })
}

fn draw<S: Strategy>(strategy: &S, seed: u64, count: usize) -> Vec<S::Value> {
    let mut runner = runner(seed);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

fn field(name: &'static str, required: bool, schema: &'static Schema) -> Field {
    if required { Field::required(name, schema) } else { Field::optional(name, schema) }
}

fn pattern(source: &'static str) -> &'static Schema {
    schema_of(Type::Text(Text { pattern: Some(leak(Pattern::new(source))), ..Text::ANY }))
}

/// Rows of every type, with a name.
fn rows() -> Vec<(&'static str, &'static Schema)> {
    let short = schema_of(Type::Text(Text { min_length: Some(2), max_length: Some(5), ..Text::ANY }));
    let small = schema_of(Type::Integer(Integer {
        minimum: Some(3),
        exclusive_maximum: Some(100),
        multiple_of: Some(7),
        ..Integer::ANY
    }));
    let cents = schema_of(Type::Number(Number {
        exclusive_minimum: Some(0.0),
        maximum: Some(10.0),
        multiple_of: Some(0.01),
        ..Number::ANY
    }));
    let listed = leak(Schema {
        allowed: &[Literal::Text("a"), Literal::Text("b")],
        ..Schema::new(Type::Text(Text { closed: true, ..Text::ANY }))
    });
    let array =
        schema_of(Type::Array(Array { items: listed, min_items: Some(1), max_items: Some(2), unique: true }));
    let list =
        schema_of(Type::Array(Array { items: listed, min_items: None, max_items: Some(2), unique: false }));
    let names = leak(Names {
        each: Some(pattern("^[a-z_]+$")),
        patterns: leak([(leak(Pattern::new("_at$")) as &_, Some(small))]),
        others: None,
        closed: false,
    });
    let any = schema_of(Type::Any);
    let object = schema_of(Type::Object(Object {
        fields: leak([field("id", true, small), field("tag", false, listed), field("note", false, short)]),
        additional: Additional::Forbidden,
        rules: leak([CrossRule::ExactlyOne { name: "tag", fields: &["tag", "note"] }]),
        ..Object::new(&[])
    }));
    let map = schema_of(Type::Object(Object {
        additional: Additional::Kept(any),
        min_properties: Some(2),
        max_properties: Some(4),
        names: Some(names),
        ..Object::new(&[])
    }));
    vec![
        ("short", short),
        ("small", small),
        ("cents", cents),
        ("listed", listed),
        ("array", array),
        ("list", list),
        ("object", object),
        ("map", map),
        ("tuple", schema_of(Type::Tuple(leak([short, small as &_])))),
        ("boolean", schema_of(Type::Boolean)),
        ("pattern", pattern(r"^(?:[A-Z]{3}|\d+x?)-\w{2,}$")),
        ("uuid", schema_of(Type::Text(Text { format: Some(Format::Uuid), ..Text::ANY }))),
        ("url", schema_of(Type::Text(Text { format: Some(Format::Uri), min_length: Some(60), ..Text::ANY }))),
        ("nullable", leak(Schema { nullable: true, ..Schema::new(Type::Same(object)) })),
        ("union", union(object)),
        ("also", also()),
    ]
}

/// Returns a union with a discriminator.
fn union(object: &'static Schema) -> &'static Schema {
    let kind = schema_of(Type::Text(Text::ANY));
    let circle =
        schema_of(Type::Object(Object::new(leak([field("kind", true, kind), field("r", true, object)]))));
    let square = schema_of(Type::Object(Object::new(leak([field("kind", true, kind)]))));
    let variants = [Shape::object("Circle").tags(&["circle"]), Shape::object("Square").tags(&["square"])];
    let shape = UnionShape::new("Figure", leak(variants)).discriminator("kind");
    schema_of(Type::Union(Union { shape: leak(shape), variants: leak([circle, square as &_]) }))
}

/// Returns a row whose type accepts any value.
fn also() -> &'static Schema {
    let small = leak(JsonSchema(leak([Keyword::Minimum(Literal::Integer(3))])));
    let text = leak(JsonSchema(leak([Keyword::MinLength(2), Keyword::Type(Kinds::STRING)])));
    let object = leak(JsonSchema(leak([
        Keyword::Type(Kinds::OBJECT),
        Keyword::Required(&["a"]),
        Keyword::Properties {
            listed: leak([("a", small as &JsonSchema), ("b", text)]),
            patterns: &[],
            others: Some(leak(JsonSchema(&[Keyword::False]))),
        },
    ])));
    let list = leak(JsonSchema(leak([
        Keyword::Type(Kinds::ARRAY),
        Keyword::Contains { schema: text, minimum: 2, maximum: None },
        Keyword::UniqueItems,
    ])));
    let also = leak(JsonSchema(leak([Keyword::OneOf(leak([object as &JsonSchema, list]))])));
    leak(Schema { also: Some(also), ..Schema::new(Type::Any) })
}

#[test]
fn valid_samples_are_valid_and_differ() {
    for (name, row) in rows() {
        let samples = draw(&valid(row), 1, 40);
        for sample in &samples {
            assert!(violations_of(row, sample).is_empty(), "{name}: {sample}");
        }
        assert!(samples.windows(2).any(|two| two[0] != two[1]), "{name}: {}", samples[0]);
    }
}

#[test]
fn invalid_samples_are_invalid() {
    for (name, row) in rows() {
        let samples = draw(&invalid(row), 1, 40);
        for sample in &samples {
            assert!(!violations_of(row, &sample.value).is_empty(), "{name}: {sample:?}");
        }
        let single = samples.iter().filter(|sample| violations_of(row, &sample.value).len() == 1).count();
        assert!(single >= 30, "{name}: {single}");
    }
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let (_, row) = rows().pop().unwrap();
    assert_eq!(draw(&valid(row), 7, 10), draw(&valid(row), 7, 10));
    assert_ne!(draw(&valid(row), 7, 10), draw(&valid(row), 8, 10));
    assert_eq!(draw(&invalid(row), 7, 10), draw(&invalid(row), 7, 10));
    assert_eq!(draw(&near(row), 7, 10), draw(&near(row), 7, 10));
}

#[test]
fn mutations_break_every_kind_of_constraint() {
    let mut seen: Vec<&str> = Vec::new();
    for (_, row) in rows() {
        seen.extend(draw(&invalid(row), 3, 200).iter().map(|sample| sample.mutation.as_str()));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(
        seen,
        [
            "above-maximum",
            "below-minimum",
            "duplicate-item",
            "fraction",
            "missing-field",
            "not-listed",
            "not-multiple",
            "null",
            "other-text",
            "out-of-range",
            "too-few-items",
            "too-few-properties",
            "too-long",
            "too-many-items",
            "too-many-properties",
            "too-short",
            "unknown-field",
            "wrong-type",
        ]
    );
}

static LEAF: Schema = Schema::new(Type::Boolean);
static NODE: Schema = Schema::new(Type::Object(Object::new(&[
    Field::required("left", &TREE),
    Field::required("right", &TREE),
])));
static TREE: Schema = Schema::new(Type::Union(Union {
    shape: &UnionShape {
        name: "Tree",
        variants: &[Shape::object("Node"), Shape::new("Leaf", Kinds::BOOLEAN)],
        discriminator: None,
    },
    variants: &[&NODE, &LEAF],
}));

#[test]
fn recursive_values_end() {
    let samples = draw(&valid(&TREE), 1, 50);
    assert!(samples.iter().any(|sample| sample["left"].is_object()));
    assert!(samples.iter().all(|sample| sample.to_string().len() < 10_000));
}

#[test]
fn a_schema_without_such_values_is_rejected() {
    let none = schema_of(Type::Integer(Integer { minimum: Some(2), maximum: Some(1), ..Integer::ANY }));
    assert!(valid(none).new_tree(&mut runner(1)).is_err());
    assert!(invalid(schema_of(Type::Any)).new_tree(&mut runner(1)).is_err());
}

#[test]
fn samples_shrink_to_simple_ones() {
    let (_, row) = rows().into_iter().find(|(name, _)| *name == "map").unwrap();
    let mut tree = valid(row).new_tree(&mut runner(1)).unwrap();
    // Every value fails.
    while tree.simplify() {}
    let simplest = tree.current();
    assert!(violations_of(row, &simplest).is_empty());
    assert_eq!(simplest.as_object().unwrap().len(), 2, "{simplest}");

    let text = schema_of(Type::Text(Text { max_length: Some(3), ..Text::ANY }));
    let mut tree = invalid(text).new_tree(&mut runner(5)).unwrap();
    let codes = codes(text, &tree.current().value);
    while tree.simplify() {}
    assert_eq!(self::codes(text, &tree.current().value), codes);
    assert_ne!(tree.current().value, json!("ab"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn near_samples_are_of_both_kinds(seed in any::<u64>()) {
        for (name, row) in rows() {
            let samples = draw(&near(row), seed, 300);
            let valid = samples.iter().filter(|sample| violations_of(row, sample).is_empty()).count();
            prop_assert!((1..300).contains(&valid), "{}: {}", name, valid);
        }
    }
}

#[test]
fn samples_are_within_the_limits_of_their_format() {
    let limits = leak(JsonSchema(leak([
        Keyword::Format(Format::Date),
        Keyword::FormatMinimum(Literal::Text("2024-02-28")),
        Keyword::FormatMaximum(Literal::Text("2024-02-29")),
    ])));
    let row = leak(Schema { also: Some(limits), ..Schema::format(Format::Date) });
    let samples = draw(&valid(row), 1, 40);
    for day in ["2024-02-28", "2024-02-29"] {
        assert!(samples.iter().any(|sample| sample == day), "{samples:?}");
    }
    assert!(samples.iter().all(|sample| violations_of(row, sample).is_empty()), "{samples:?}");
}

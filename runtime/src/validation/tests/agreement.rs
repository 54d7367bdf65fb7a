//! The fast path rejects exactly those inputs in which the walk finds a violation.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::models::{CIRCLE, Circle, FIGURE, Figure, LABELS, Labels, ORDER, Order};
use super::*;
use crate::table::{Array, JsonSchema};
use crate::types::Value;
use crate::validation::json_schema::Context;
use crate::validation::json_schema::tests::{random::Words, rows::row};

/// JSON text as a tree in which an object can contain a field twice.
#[derive(Debug, Clone)]
enum Json {
    Leaf(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl std::fmt::Display for Json {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Leaf(text) => out.write_str(text),
            Self::Array(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(out, "[{}]", items.join(","))
            }
            Self::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                write!(out, "{{{}}}", fields.join(","))
            }
        }
    }
}

const NAMES: &[&str] = &[
    "id", "text", "kind", "color", "count", "ratio", "note", "flag", "tags", "times", "figure", "figures",
    "labels", "extra", "parts", "radius", "side", "main", "a", "zzz",
];

const LEAVES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "2",
    "2.0",
    "9",
    "10",
    "-1",
    "-0.0",
    "0.3",
    "0.35",
    "1e2",
    "1e20",
    "1e999",
    "9223372036854775807",
    "9223372036854775808",
    "2147483648",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"abcde\"",
    "\"bb\"",
    "\"red\"",
    "\"blue\"",
    "\"ä😀\"",
    "\"67e55044-10b1-426f-9247-bb680e5fe0c8\"",
    "\"67E55044-10B1-426F-9247-BB680E5FE0C8\"",
    "\"2026-01-31T12:00:00Z\"",
    "\"2026-01-31T13:00:00+01:00\"",
    // These items are equal only as values of their type.
    "[\"2026-01-31T12:00:00Z\",\"2026-01-31T13:00:00+01:00\"]",
    "[{\"radius\":1},{\"z\":2,\"radius\":1.0}]",
    "\"2026\"",
];

fn any_json() -> impl Strategy<Value = Json> {
    select(LEAVES).prop_map(|leaf| Json::Leaf(leaf.to_owned())).prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((select(NAMES).prop_map(str::to_owned), inner), 0..4)
                .prop_map(Json::Object),
        ]
    })
}

fn parse(text: &str) -> Json {
    fn of(value: &Value) -> Json {
        match value {
            Value::Array(items) => Json::Array(items.iter().map(of).collect()),
            Value::Object(fields) => {
                Json::Object(fields.iter().map(|(name, it)| (name.clone(), of(it))).collect())
            }
            leaf => Json::Leaf(leaf.to_string()),
        }
    }
    of(&serde_json::from_str(text).unwrap())
}

/// One change to a valid value.
#[derive(Debug, Clone)]
enum Change {
    Replace(Json),
    Remove,
    Repeat,
    Insert(String, Json),
}

fn any_change() -> impl Strategy<Value = (Index, Change)> {
    let change = prop_oneof![
        4 => any_json().prop_map(Change::Replace),
        1 => Just(Change::Remove),
        1 => Just(Change::Repeat),
        3 => (select(NAMES), any_json()).prop_map(|(name, value)| Change::Insert(name.to_owned(), value)),
    ];
    (any::<Index>(), change)
}

/// Changes the `at`th value, counted from outside.
///
/// Returns the number of values visited.
fn apply(json: &mut Json, at: usize, change: &Change) -> usize {
    if at == 0 {
        match (change, &mut *json) {
            (Change::Replace(other), _) => *json = other.clone(),
            (Change::Remove, Json::Array(items)) => drop(items.pop()),
            (Change::Remove, Json::Object(fields)) => drop(fields.pop()),
            (Change::Repeat, Json::Array(items)) => items.extend_from_within(..items.len().min(1)),
            (Change::Repeat, Json::Object(fields)) => fields.extend_from_within(..fields.len().min(1)),
            (Change::Insert(_, value), Json::Array(items)) => items.push(value.clone()),
            (Change::Insert(name, value), Json::Object(fields)) => fields.push((name.clone(), value.clone())),
            (_, Json::Leaf(_)) => {}
        }
    }
    let mut passed = 1;
    let children: Vec<&mut Json> = match json {
        _ if at == 0 => Vec::new(),
        Json::Leaf(_) => Vec::new(),
        Json::Array(items) => items.iter_mut().collect(),
        Json::Object(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
    };
    for child in children {
        if passed <= at {
            let behind = count(child);
            if at < passed + behind {
                apply(child, at - passed, change);
            }
            passed += behind;
        }
    }
    passed
}

fn count(json: &Json) -> usize {
    1 + match json {
        Json::Leaf(_) => 0,
        Json::Array(items) => items.iter().map(count).sum(),
        Json::Object(fields) => fields.iter().map(|(_, value)| count(value)).sum(),
    }
}

const GOOD: &str = r#"{
    "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "text": "ab", "color": "red", "count": 2, "ratio": 0.3,
    "tags": ["a", "b"], "times": ["2026-01-31T12:00:00Z"], "figure": {"radius": 1, "color": "blue"},
    "labels": {"main": "x", "a": 1}
}"#;

const ANOTHER: &str = r#"{
    "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "text": "aä", "kind": "a", "note": null, "flag": true,
    "figures": [{"radius": 1}, {"radius": 2, "z": 1}], "extra": {"a": [1]}, "figure": "red",
    "parts": [{"id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "text": "ab", "figure": {"side": 3}}]
}"#;

/// The words of the JSON Schemas that are added to the rows.
const WORDS: Words = Words {
    names: &["text", "count", "note", "figure", "labels", "radius", "color", "main", "a", "zzz"],
    scalars: || LEAVES.iter().filter_map(|leaf| serde_json::from_str(leaf).ok()).collect(),
};

/// Returns a row with the type of another and a JSON Schema.
fn with(also: &'static JsonSchema, inner: &'static Schema) -> &'static Schema {
    leak(Schema { also: Some(also), ..Schema::new(Type::Same(inner)) })
}

fn array_of(items: &'static Schema) -> &'static Schema {
    schema(Type::Array(Array { items, min_items: None, max_items: None, unique: false }))
}

/// Checks that a row with a JSON Schema accepts the values that its type can hold and the JSON Schema accepts.
fn assert_both_agree<T: Decode + Encode>(inner: &'static Schema, also: &'static JsonSchema, json: &str) {
    let found = agreed_violations::<T>(with(also, inner), json);
    let Ok(raw) = serde_json::from_str::<Value>(json) else { return };
    // A JSON Schema covers the row's own constraints, but not what the model can't hold.
    let fits = walked(with(leak(JsonSchema(&[])), inner), json).is_empty();
    let expected = fits && Context::new().is_valid(also, &raw);
    assert_eq!(found.is_empty(), expected, "{also:?} {json} {found:?}");
}

#[test]
fn the_valid_orders_are_valid() {
    for good in [GOOD, ANOTHER] {
        assert_eq!(agreed_violations::<Order>(&ORDER, good), [""; 0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn check_and_walk_agree_on_changed_orders(
        good in select(&[GOOD, ANOTHER][..]),
        changes in prop::collection::vec(any_change(), 1..4),
    ) {
        let mut json = parse(good);
        for (index, change) in &changes {
            let at = index.index(count(&json));
            apply(&mut json, at, change);
        }
        agreed_violations::<Order>(&ORDER, &json.to_string());
    }

    #[test]
    fn check_and_walk_agree_on_any_json(json in any_json()) {
        let json = json.to_string();
        agreed_violations::<Order>(&ORDER, &json);
        agreed_violations::<Figure>(&FIGURE, &json);
        agreed_violations::<Labels>(&LABELS, &json);
    }

}

proptest! {
    #[test]
    fn check_and_walk_agree_with_json_schemas(
        also in WORDS.schema(),
        good in select(&[GOOD, ANOTHER][..]),
        changes in prop::collection::vec(any_change(), 0..3),
        other in any_json(),
    ) {
        let also = row(&also);
        let mut json = parse(good);
        for (index, change) in &changes {
            let at = index.index(count(&json));
            apply(&mut json, at, change);
        }
        let (json, other) = (json.to_string(), other.to_string());
        assert_both_agree::<Order>(&ORDER, also, &json);
        assert_both_agree::<Figure>(&FIGURE, also, &other);
        assert_both_agree::<Labels>(&LABELS, also, &other);
        assert_both_agree::<Value>(schema(Type::Any), also, &other);
        let circle = with(also, &CIRCLE);
        for inside in [r#"{"radius": 1, "color": "red"}"#, r#"{"radius": 1, "zzz": 0}"#, &other] {
            assert_both_agree::<Vec<Circle>>(array_of(&CIRCLE), also, &format!("[{inside}]"));
            agreed_violations::<Vec<Circle>>(array_of(circle), &format!(r#"[{inside}, {{"radius": 2, "a": 1}}]"#));
        }
    }
}

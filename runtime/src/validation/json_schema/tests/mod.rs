//! Tests of the evaluator and of its reports.

mod budget;
#[cfg(feature = "patterns-fancy")]
mod fancy_patterns;
mod keywords;
mod oracle;
pub(crate) mod random;
mod reports;
pub(crate) mod rows;
mod spelling;
mod unevaluated;

use serde_json::json;

use super::*;
use crate::table::JsonSchema;
use crate::types::Value;
use crate::validation::Position;
use rows::row;

/// Returns whether an untyped value is valid.
fn is_valid(schema: &'static JsonSchema, value: &Value) -> bool {
    Context::new().is_valid(schema, value)
}

/// Checks the verdict on each value of a table, and that exactly the invalid ones have violations.
#[track_caller]
fn assert_violations(schema: &Value, valid: &[Value], invalid: &[Value]) {
    let row = row(schema);
    for (values, expected) in [(valid, true), (invalid, false)] {
        for value in values {
            assert_eq!(is_valid(row, value), expected, "{schema} {value}");
            let found = violations(row, value, &Position::body(), &Context::new());
            assert_eq!(found.is_empty(), expected, "{schema} {value} {found:?}");
        }
    }
}

/// Returns the violations in a value as `name: expected`.
fn reported(schema: &Value, value: &Value) -> Vec<String> {
    let found = violations(row(schema), value, &Position::body(), &Context::new());
    found.iter().map(|it| format!("{}: {}", it.name, it.expected())).collect()
}

#[test]
fn the_empty_schema_accepts_everything() {
    assert_violations(&json!({}), &[json!(null), json!(1), json!("a"), json!([1]), json!({"a": 1})], &[]);
    assert_violations(&json!(true), &[json!(null)], &[]);
    assert_violations(&json!(false), &[], &[json!(null), json!({})]);
}

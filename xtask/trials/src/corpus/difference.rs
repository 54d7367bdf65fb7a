//! Compares a value with the result of decoding and encoding it.
//!
//! These differences are intended:
//! - Numbers are compared by value: `1.0` becomes `1`.
//! - An undeclared property is dropped if the schema does not mention additional properties, because the
//!   model has no field for it.
//! - A date-time becomes canonical: the same instant in UTC, without trailing zeros.
//! - A UUID becomes canonical: lower case with hyphens.

use openapi_crates_runtime::types::{Timestamp, Uuid};
use serde_json::Value;

use super::known::Known;

/// Returns the first difference between a value and its round trip.
///
/// `known` lists the declared properties. `None` means that all properties count as declared.
pub fn between(before: &Value, after: &Value, known: Option<&Known>) -> Option<String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().find(|name| !before.contains_key(*name));
            let lost = before.iter().find_map(|(name, value)| {
                let inner = known.map(|known| known.properties.get(name));
                match (after.get(name), inner) {
                    (Some(other), inner) => {
                        between(value, other, inner.flatten()).map(|text| under(name, &text))
                    }
                    (None, Some(None)) => None,
                    (None, _) => Some(format!("loses `{name}`")),
                }
            });
            lost.or_else(|| added.map(|name| format!("gains `{name}`")))
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let pairs = before.iter().zip(after).enumerate();
            pairs.into_iter().find_map(|(index, (before, after))| {
                let known = known.and_then(|known| known.items.get(index));
                between(before, after, known).map(|text| under(&index.to_string(), &text))
            })
        }
        (before, after) if is_same(before, after) => None,
        (before, after) => Some(format!("becomes {after} from {before}")),
    }
}

fn under(name: &str, text: &str) -> String {
    format!("/{name}{}{text}", if text.starts_with('/') { "" } else { " " })
}

/// Returns whether two scalars are equal, up to the intended differences.
fn is_same(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Number(before), Value::Number(after)) => {
            before == after || before.as_f64() == after.as_f64() && !(before.is_i64() && after.is_i64())
        }
        (Value::String(before), Value::String(after)) => {
            let canonical = |text: &str| {
                let instant = text.parse::<Timestamp>().map(|instant| instant.to_string()).ok();
                instant.or_else(|| Some(text.parse::<Uuid>().ok()?.to_string()))
            };
            before == after || canonical(before).as_ref() == Some(after)
        }
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn lost_values_are_reported() {
        let cases = [
            (json!({"a": [1.0, "x"]}), json!({"a": [1, "x"]}), None),
            (json!({"a": [1, "x"]}), json!({"a": [1, "y"]}), Some(r#"/a/1 becomes "y" from "x""#)),
            (json!({"a": {"b": null}}), json!({"a": {}}), Some("/a loses `b`")),
            (json!({}), json!({"a": 1}), Some("gains `a`")),
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64), Some("")),
            (json!([1]), json!([1, 2]), Some("")),
            (json!("2024-05-01T12:00:00.000+02:00"), json!("2024-05-01T10:00:00Z"), None),
            (json!("2024-05-01T12:00:00+02:00"), json!("2024-05-01T12:00:00Z"), Some("")),
            (
                json!("0E984725-C51C-4BF4-9960-E1C80E27ABA0"),
                json!("0e984725-c51c-4bf4-9960-e1c80e27aba0"),
                None,
            ),
        ];
        for (before, after, expected) in cases {
            let found = between(&before, &after, None);
            assert_eq!(found.is_some(), expected.is_some(), "{before} {after}: {found:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{before} {after}");
        }
    }

    #[test]
    fn undeclared_properties_may_be_lost() {
        let known = Known { properties: BTreeMap::from([("a".to_owned(), Known::default())]), items: vec![] };
        assert_eq!(between(&json!({"a": 1, "b": 2}), &json!({"a": 1}), Some(&known)), None);
        assert!(between(&json!({"a": 1, "b": 2}), &json!({"b": 2}), Some(&known)).is_some());
    }
}

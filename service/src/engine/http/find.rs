//! Values within a provider's JSON, by JSON pointers in which `*` stands for every item.

use serde_json::Value;

/// Returns all values at a pointer; arrays count as their items, and `null` counts as nothing.
pub(super) fn all<'v>(value: &'v Value, pointer: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        found = found.into_iter().flat_map(|value| below(value, &part)).collect();
    }
    found.into_iter().flat_map(items).filter(|value| !value.is_null()).collect()
}

fn below<'v>(value: &'v Value, part: &str) -> Vec<&'v Value> {
    match (value, part) {
        (Value::Array(items), "*") => items.iter().collect(),
        (Value::Object(fields), "*") => fields.values().collect(),
        (Value::Array(items), index) => {
            index.parse().ok().and_then(|index: usize| items.get(index)).into_iter().collect()
        }
        (Value::Object(fields), name) => fields.get(name).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        value => vec![value],
    }
}

/// Returns the text or number at a pointer, as a text.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    match all(value, pointer).into_iter().next()? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the progress in percent: a number, or the last percentage of a log.
pub(super) fn percent(value: &Value, pointer: &str) -> Option<u8> {
    match all(value, pointer).into_iter().next_back()? {
        Value::Number(number) => number.as_f64().map(rounded),
        Value::String(log) => {
            let before = log.rsplit_once('%')?.0;
            let number = before.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?;
            number.parse().ok().map(rounded)
        }
        _ => None,
    }
}

fn rounded(percent: f64) -> u8 {
    // The cast is exact: the number is an integer from 0 to 100.
    percent.clamp(0.0, 100.0).floor() as u8
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointers_find_all_items() {
        let value = json!({"a": {"x": {"u": [1, 2]}, "y": {"u": [3]}}, "n": null, "t": "z", "l": [["p"]]});
        for (pointer, expected) in [
            ("/a/*/u/*", json!([1, 2, 3])),
            ("/a/x/u/1", json!([2])),
            ("/a/x/u", json!([1, 2])),
            ("/t", json!(["z"])),
            ("/t/*", json!([])),
            ("/n", json!([])),
            ("/missing/0", json!([])),
            ("/l/*", json!(["p"])),
        ] {
            let found: Vec<Value> = all(&value, pointer).into_iter().cloned().collect();
            assert_eq!(json!(found), expected, "{pointer}");
        }
    }

    #[test]
    fn progress_is_a_number_or_the_last_of_a_log() {
        for (value, expected) in [
            (json!({"p": 41.7}), Some(41)),
            (json!({"p": 400}), Some(100)),
            (json!({"p": "loading\n  3%|#  |\n 40%|####|\n"}), Some(40)),
            (json!({"p": "é%"}), None),
            (json!({"p": "█40%"}), Some(40)),
            (json!({"p": "nothing"}), None),
        ] {
            assert_eq!(percent(&value, "/p"), expected, "{value}");
        }
    }
}

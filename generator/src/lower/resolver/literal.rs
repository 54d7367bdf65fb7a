//! Constants of the document: enum values, defaults and conditions.

use std::collections::BTreeMap;

use crate::{
    document::{NodeRef, Value},
    ir::Literal,
};

/// Returns a text that is equal for equal JSON values: for `1` and `1.0`, and for the fields of an object in any order.
pub(in crate::lower) fn key(node: NodeRef<'_>) -> String {
    match node.value() {
        Value::Number(number) => node.as_i128().map_or_else(|| number.to_string(), |it| it.to_string()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(key).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(_) => {
            let mut fields = BTreeMap::new();
            for (name, value) in node.entries() {
                fields.entry(name).or_insert_with(|| key(value));
            }
            format!("{fields:?}")
        }
        Value::Null | Value::Boolean(_) | Value::String(_) => node.to_json().to_string(),
    }
}

/// Returns a node as a constant.
pub(in crate::lower) fn literal(node: NodeRef<'_>) -> Literal {
    match node.value() {
        Value::Null => Literal::Null,
        Value::Boolean(value) => Literal::Boolean(*value),
        Value::Number(number) => match node.as_i128() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Number(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Literal::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => Literal::Json(node.to_json()),
    }
}

//! Constants of the document: enum values, defaults and conditions.

use std::collections::BTreeMap;

use crate::{
    ir::Literal,
    tree::{Node, NodeRef, Value},
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
            // The values are not quoted again: each level would double the quotes of the levels below.
            let fields: Vec<String> =
                fields.into_iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
            format!("{{{}}}", fields.join(","))
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

/// Returns a lower limit of a length or of a number of parts. A limit of 0 has no effect.
pub(in crate::lower) fn least(limit: Option<NodeRef<'_>>) -> Option<u64> {
    limit.and_then(Node::as_u64).filter(|least| *least > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn key_of(value: &str) -> String {
        let text =
            format!("openapi: 3.1.0\ninfo: {{title: a, version: '1', x-value: {value}}}\npaths: {{}}\n");
        let document = Document::parse("a.yaml", &text).document.unwrap();
        key(document.root().get("info").and_then(|info| info.get("x-value")).unwrap())
    }

    #[test]
    fn equal_values_have_equal_keys() {
        assert_eq!(key_of("{a: [1, x], b: {}}"), key_of("{b: {}, a: [1.0, 'x']}"));
        assert_ne!(key_of("{a: '1'}"), key_of("{a: 1}"));
        assert_ne!(key_of("['a,b']"), key_of("[a, b]"));
    }

    #[test]
    fn keys_of_nested_values_are_not_longer_than_they() {
        let nested = format!("{}1{}", "{a: ".repeat(100), "}".repeat(100));
        assert!(key_of(&nested).len() <= nested.len() + 100, "{}", key_of(&nested));
    }
}

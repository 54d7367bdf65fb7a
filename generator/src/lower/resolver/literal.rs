//! Constants of the document: enum values, defaults and conditions.

use crate::{
    document::{NodeRef, Value},
    ir::Literal,
};

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

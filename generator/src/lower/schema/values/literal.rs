//! Constants of the document: enum values, defaults and conditions.

use crate::{
    document::{Node, NodeRef},
    ir::Literal,
};

/// Returns a node as a constant.
pub(in crate::lower) fn literal(node: NodeRef<'_>) -> Literal {
    match node {
        Node::Null => Literal::Null,
        Node::Boolean(value) => Literal::Boolean(*value),
        Node::Number(number) => match node.as_i128() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Number(number.as_f64().unwrap_or_default()),
        },
        Node::String(text) => Literal::Text(text.clone()),
        Node::Array(_) | Node::Object(_) => Literal::Json(node.to_json()),
    }
}

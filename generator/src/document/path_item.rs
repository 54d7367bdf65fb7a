//! The operations of a path item.

use super::media::is_token;
use crate::tree::{Node, NodeRef};

/// The fields of a path item that contain an operation, in the order of the specification, and their methods.
const METHODS: &[(&str, &str)] = &[
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
    ("query", "QUERY"),
];

/// The field of a path item that contains operations of other methods, by method.
pub(crate) const ADDITIONAL: &str = "additionalOperations";

/// Returns the fields of a path item that contain an operation.
pub(crate) fn method_fields() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|(field, _)| *field)
}

/// Returns the operations of a path item with their methods, spelled as in requests: `GET`.
pub(crate) fn operations_of<'d>(item: NodeRef<'d>) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    item.entries().flat_map(|(name, node)| {
        let fixed = METHODS.iter().find(|(field, _)| *field == name).map(|(_, method)| (*method, node));
        let more = Some(node).filter(|_| name == ADDITIONAL).into_iter().flat_map(Node::entries);
        fixed.into_iter().chain(more.filter(|(method, _)| is_additional(method)))
    })
}

/// Returns whether an operation of this method may be one of `additionalOperations`.
///
/// The method is a token of HTTP, in the case in which it is sent, and has no field of its own.
pub(crate) fn is_additional(method: &str) -> bool {
    is_token(method) && !METHODS.iter().any(|(_, fixed)| *fixed == method)
}

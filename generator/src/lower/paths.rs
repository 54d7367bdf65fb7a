//! Operations of a document: the methods of path items, and the operations that the options omit.

use std::collections::HashSet;

use crate::{
    diagnostics::nearest,
    document::{Document, Node, NodeRef},
    options::Options,
};

/// The methods of a path item, in the order of the specification.
pub(in crate::lower) const METHODS: &[&str] =
    &["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// Returns whether the options omit an operation, by `operationId` or as `GET /pets`.
pub(in crate::lower) fn is_omitted(
    options: &Options,
    path: &str,
    method: &str,
    operation: NodeRef<'_>,
) -> bool {
    let id = operation.get("operationId").and_then(Node::as_str);
    options.omit.iter().any(|omitted| match omitted.split_once(' ') {
        Some((verb, template)) => verb.eq_ignore_ascii_case(method) && template.trim() == path,
        None => id == Some(omitted),
    })
}

/// Returns the omitted operations that do not exist.
///
/// Each has its index in the list and, if there is one, an operation with a similar name.
pub(in crate::lower) fn unknown<'o>(
    options: &'o Options,
    document: &Document,
) -> Vec<(usize, &'o str, Option<String>)> {
    if options.omit.is_empty() {
        return Vec::new();
    }
    let mut names = Vec::new();
    for (path, method, operation) in operations(document) {
        names.extend(operation.get("operationId").and_then(Node::as_str).map(str::to_owned));
        names.push(format!("{} {path}", method.to_uppercase()));
    }
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let unknown = |(place, omitted): (usize, &'o String)| {
        let canonical = omitted.split_once(' ').map_or_else(
            || omitted.clone(),
            |(verb, template)| format!("{} {}", verb.to_uppercase(), template.trim()),
        );
        let near = || nearest(&canonical, names.iter().map(String::as_str)).map(str::to_owned);
        (!known.contains(canonical.as_str())).then(|| (place, omitted.as_str(), near()))
    };
    options.omit.iter().enumerate().filter_map(unknown).collect()
}

/// Returns every operation: path, method and node.
pub(in crate::lower) fn operations(document: &Document) -> impl Iterator<Item = (&str, &str, NodeRef<'_>)> {
    let items = document.field("paths").into_iter().flat_map(Node::entries);
    items.flat_map(|(path, item)| {
        let item = document.resolve(item).map_or(item, |resolved| resolved.node);
        let operations = item.entries().filter(|(method, _)| METHODS.contains(method));
        operations.map(move |(method, operation)| (path, method, operation))
    })
}

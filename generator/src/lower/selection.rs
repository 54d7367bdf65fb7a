//! Which operations the caller leaves out.

use std::collections::HashSet;

use super::{Lowering, families::METHODS};
use crate::{
    diagnostics::{Code, nearest},
    document::{Document, Node},
    options::Options,
};

/// Whether an operation is left out: by its `operationId`, or as `GET /pets`.
pub(super) fn is_omitted(options: &Options, path: &str, method: &str, operation: &Node) -> bool {
    let id = operation.get("operationId").and_then(Node::as_str);
    options.omit.iter().any(|omitted| match omitted.split_once(' ') {
        Some((verb, template)) => verb.eq_ignore_ascii_case(method) && template.trim() == path,
        None => id == Some(omitted),
    })
}

impl Lowering<'_, '_> {
    /// Reports what was to be left out and isn't there.
    pub fn check_omitted(&mut self) {
        if self.options.omit.is_empty() {
            return;
        }
        let (mut names, mut list) = (HashSet::new(), Vec::new());
        for (path, method, operation) in operations(self.document) {
            let id = operation.get("operationId").and_then(Node::as_str).map(str::to_owned);
            for name in id.into_iter().chain([format!("{} {path}", method.to_uppercase())]) {
                list.push(name.clone());
                names.insert(name);
            }
        }
        for omitted in &self.options.omit {
            let canonical = omitted.split_once(' ').map_or_else(
                || omitted.clone(),
                |(verb, template)| format!("{} {}", verb.to_uppercase(), template.trim()),
            );
            if names.contains(&canonical) {
                continue;
            }
            let message = format!("`{omitted}` is to be left out, but there is no such operation");
            let diagnostic = self.diagnostics.error_at(Code::UnknownOperation, None, message);
            match nearest(&canonical, list.iter().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
                None => diagnostic.help("Name it by its `operationId`, or as `GET /pets/{id}`."),
            };
        }
    }
}

/// Every operation: path, method, node.
pub(super) fn operations(document: &Document) -> impl Iterator<Item = (&str, &str, &Node)> {
    let items = document.field("paths").into_iter().flat_map(Node::entries);
    items.flat_map(|(path, item)| {
        let item = document.resolve(item).map_or(item, |resolved| resolved.node);
        let operations = item.entries().filter(|(method, _)| METHODS.contains(method));
        operations.map(move |(method, operation)| (path, method, operation))
    })
}

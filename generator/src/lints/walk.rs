//! The objects of a document with their roles.

use std::collections::HashSet;

use crate::{
    document::{Document, Role},
    tree::{Node, NodeRef},
};

/// Keywords whose schemas only test a value. Other tools make no types of them.
const TESTS: &[&str] = &["not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas"];

/// Returns every object of the main file, and then those of other files that references lead to, once each.
pub(super) fn objects(document: &Document) -> Vec<(NodeRef<'_>, Role)> {
    let mut objects = Vec::new();
    let mut visited = HashSet::new();
    // The targets of references may have been visited.
    let mut targets = vec![(document.root(), Role::Other)];
    while let Some(target) = targets.pop() {
        let mut open = vec![target];
        while let Some((node, role)) = open.pop() {
            if !(node.is_array() || node.is_object()) || !visited.insert(node.id()) {
                continue;
            }
            if node.is_object() {
                objects.push((node, role));
            }
            let reference = node.get("$ref").and_then(Node::as_str);
            let target = reference.and_then(|text| document.lookup(text).ok());
            targets.extend(target.map(|target| (target, role)));
            let items = node.items().iter().map(|item| (item, role.item()));
            let fields = node.entries().filter_map(|(name, inner)| {
                let only_tests = role == Role::Schema && TESTS.contains(&name);
                Some((inner, role.field(name).filter(|_| !only_tests)?))
            });
            let mut inner: Vec<_> = items.chain(fields).collect();
            // `open` is a stack, so the first one comes last.
            inner.reverse();
            open.append(&mut inner);
        }
    }
    objects
}

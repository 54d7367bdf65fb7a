//! Visits the objects of a document with their roles.

use std::collections::HashSet;

use crate::{
    document::{Document, Role},
    tree::{Node, NodeId, NodeRef},
};

/// Keywords whose schemas only test a value. Other tools make no types of them.
const TESTS: &[&str] = &["not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas"];

/// Visits every object of the main file, and those of other files that references lead to, once each.
pub(super) fn walk<'d>(document: &'d Document, visit: &mut dyn FnMut(NodeRef<'d>, Role)) {
    let mut walk = Walk { document, visit, visited: HashSet::new(), targets: Vec::new() };
    walk.enter(document.root(), Role::Other);
    // The main file is visited by now, so these are in other files.
    while let Some((node, role)) = walk.targets.pop() {
        walk.enter(node, role);
    }
}

struct Walk<'d, 'v> {
    document: &'d Document,
    visit: &'v mut dyn FnMut(NodeRef<'d>, Role),
    visited: HashSet<NodeId>,
    /// The targets of references, which may have been visited.
    targets: Vec<(NodeRef<'d>, Role)>,
}

impl<'d> Walk<'d, '_> {
    fn enter(&mut self, node: NodeRef<'d>, role: Role) {
        if !(node.is_array() || node.is_object()) || !self.visited.insert(node.id()) {
            return;
        }
        if node.is_object() {
            (self.visit)(node, role);
        }
        let reference = node.get("$ref").and_then(Node::as_str);
        if let Some(target) = reference.and_then(|text| self.document.lookup(text).ok()) {
            self.targets.push((target, role));
        }
        for item in node.items() {
            self.enter(item, role.item());
        }
        for (name, inner) in node.entries() {
            let only_tests = role == Role::Schema && TESTS.contains(&name);
            if let Some(role) = role.field(name).filter(|_| !only_tests) {
                self.enter(inner, role);
            }
        }
    }
}

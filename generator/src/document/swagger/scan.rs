//! Finds the references of a document and what they lead to, and loads the files that they name.

use std::collections::{HashMap, HashSet, VecDeque};

use super::table::{Inner, Kind};
use crate::{
    diagnostics::Diagnostics,
    document::{Document, Load, links::path, reference::pointed},
    tree::{Node, NodeId, NodeRef},
};

/// The target of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The index of the file.
    pub file: usize,
    pub id: NodeId,
}

/// The maximum length of a chain of references. The end of a longer chain is unknown.
const MAX_HOPS: usize = 16;

/// The references of a document.
#[derive(Debug, Default)]
pub struct References {
    /// The targets of references, by the nodes that hold the references as strings. Unknown targets are missing.
    pub sites: HashMap<NodeId, Target>,
    /// The kind of each target that the first reference to it expects.
    pub targets: HashMap<NodeId, Inner>,
}

impl References {
    /// Returns the nodes that a reference leads to, one after the other, at most `MAX_HOPS`.
    pub fn chain<'d>(&self, document: &'d Document, node: NodeRef<'d>) -> Vec<NodeRef<'d>> {
        let mut found: Vec<NodeRef<'d>> = Vec::new();
        let next = |node: NodeRef<'d>| {
            let target = self.sites.get(&node.get("$ref")?.id())?;
            document.file(target.file)?.root.find(target.id)
        };
        while found.len() < MAX_HOPS
            && let Some(target) = next(found.last().copied().unwrap_or(node))
            && !found.iter().any(|other| other.id() == target.id())
        {
            found.push(target);
        }
        found
    }
}

/// Finds the references that the main file leads to.
pub fn scan(document: &mut Document, load: Option<&Load<'_>>, diagnostics: &mut Diagnostics) -> References {
    let main = Target { file: 0, id: document.root().id() };
    let mut scanner = Scanner {
        document,
        load,
        diagnostics,
        found: References::default(),
        visited: HashSet::new(),
        waiting: VecDeque::from([(main, Inner::One(Kind::Document))]),
    };
    while let Some((target, inner)) = scanner.waiting.pop_front() {
        let mut sites = Vec::new();
        let root = scanner.document.file(target.file).map(|file| &file.root);
        if let Some(node) = root.and_then(|root| root.find(target.id)) {
            visit(node, inner, &mut scanner.visited, &mut sites);
        }
        for (id, text, inner) in sites {
            scanner.follow(target.file, id, &text, inner);
        }
    }
    scanner.found
}

/// A reference: the node that holds it, its text, and what it should lead to.
type Site = (NodeId, String, Inner);

struct Scanner<'a, 'l> {
    document: &'a mut Document,
    load: Option<&'a Load<'l>>,
    diagnostics: &'a mut Diagnostics,
    found: References,
    visited: HashSet<NodeId>,
    waiting: VecDeque<(Target, Inner)>,
}

impl Scanner<'_, '_> {
    fn follow(&mut self, from: usize, id: NodeId, text: &str, inner: Inner) {
        let (uri, fragment) = text.split_once('#').unwrap_or((text, ""));
        let file = match uri {
            "" => Some(from),
            uri if path::is_remote(uri) => None,
            uri => self.document.open(uri, from, self.load, self.diagnostics),
        };
        let Some(file) = file else { return };
        let root = self.document.file(file).filter(|file| file.error.is_none()).map(|file| &file.root);
        let Some(node) = root.and_then(|root| pointed(root, &path::decode(fragment))) else { return };
        let target = Target { file, id: node.id() };
        self.found.sites.insert(id, target);
        if self.found.targets.insert(target.id, inner).is_none() {
            self.waiting.push_back((target, inner));
        }
    }
}

fn visit(node: &Node, inner: Inner, visited: &mut HashSet<NodeId>, sites: &mut Vec<Site>) {
    let is_whole = node.is_array() || node.is_object();
    if inner == Inner::Plain || !is_whole || !visited.insert(node.id()) {
        return;
    }
    if let Some((at, text)) = node.get("$ref").and_then(|at| Some((at, at.as_str()?))) {
        // The items of a parameter are schemas elsewhere.
        let inner = if inner == Inner::One(Kind::Items) { Inner::One(Kind::Schema) } else { inner };
        sites.push((at.id(), text.to_owned(), inner));
    }
    for item in node.items() {
        visit(item, inner.of_entry(""), visited, sites);
    }
    for (name, field) in node.entries() {
        let inner = match inner {
            Inner::One(kind) => Inner::of_field(kind, name),
            other => other.of_entry(name),
        };
        visit(field, inner, visited, sites);
    }
}

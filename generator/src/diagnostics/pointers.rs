//! The JSON pointers of nodes, for documents that have no text and therefore no lines.

use std::collections::{HashMap, HashSet};

use super::{Place, UnlocatedDiagnostic};
use crate::document::{File, Node, NodeId};

/// The JSON pointers of the nodes that diagnostics refer to.
#[derive(Debug, Default)]
pub(super) struct Pointers(HashMap<NodeId, String>);

impl Pointers {
    /// Finds the JSON pointers in one walk over the document. A document with a text needs none.
    pub(super) fn of(diagnostics: &[UnlocatedDiagnostic], files: &[&File]) -> Self {
        let [file] = files else { return Self::default() };
        if file.has_text {
            return Self::default();
        }
        let places = diagnostics.iter().flat_map(|diagnostic| {
            diagnostic.labels.iter().map(|(place, _)| *place).chain([diagnostic.place])
        });
        let mut search = Search { wanted: places.filter_map(Place::id).collect(), found: HashMap::new() };
        search.walk(&file.root, &mut String::new());
        Self(search.found)
    }

    /// Returns the JSON pointer of the node that a place refers to.
    pub(super) fn get(&self, place: Place) -> Option<&String> {
        self.0.get(&place.id()?)
    }
}

struct Search {
    wanted: HashSet<NodeId>,
    found: HashMap<NodeId, String>,
}

impl Search {
    fn walk(&mut self, node: &Node, pointer: &mut String) {
        if self.wanted.contains(&node.id()) {
            self.found.insert(node.id(), pointer.clone());
        }
        let length = pointer.len();
        let mut below = |step: &str, node: &Node| {
            pointer.push('/');
            pointer.push_str(step);
            self.walk(node, pointer);
            pointer.truncate(length);
        };
        for (name, node) in node.entries() {
            below(&name.replace('~', "~0").replace('/', "~1"), node);
        }
        for (place, node) in node.items().iter().enumerate() {
            below(&place.to_string(), node);
        }
    }
}

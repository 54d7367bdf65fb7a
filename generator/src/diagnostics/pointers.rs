//! The JSON pointers of nodes, for documents that have no text and therefore no lines.

use std::collections::{HashMap, HashSet};

use super::{Place, UnlocatedDiagnostic};
use crate::document::{File, Node};

/// The JSON pointers of the nodes that diagnostics refer to.
#[derive(Debug, Default)]
pub(super) struct Pointers(HashMap<usize, (usize, String)>);

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
        let mut search =
            Search { wanted: places.filter_map(Place::address).collect(), nodes: 0, found: HashMap::new() };
        search.walk(&file.root, &mut String::new());
        Self(search.found)
    }

    /// Returns the number of nodes before the node that a place refers to, and its JSON pointer.
    pub(super) fn get(&self, place: Place) -> Option<&(usize, String)> {
        self.0.get(&place.address()?)
    }
}

struct Search {
    wanted: HashSet<usize>,
    nodes: usize,
    found: HashMap<usize, (usize, String)>,
}

impl Search {
    fn walk(&mut self, node: &Node, pointer: &mut String) {
        let address = node.address();
        if self.wanted.contains(&address) {
            self.found.insert(address, (self.nodes, pointer.clone()));
        }
        self.nodes += 1;
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

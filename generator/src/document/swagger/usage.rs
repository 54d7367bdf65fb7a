//! Which media types the users of a shared response or body have.
//!
//! In Swagger 2.0, the media types of a response belong to the operation. In OpenAPI 3, they belong to the response. So a
//! shared response gets those that most of its operations have, and the other operations get a copy.

use std::{cmp::Reverse, collections::HashMap};

use super::{
    build::{MediaTypes, listed, texts},
    scan::References,
};
use crate::{
    document::{Document, method_fields},
    tree::{Node, NodeId, NodeRef},
};

/// The media types of shared responses and bodies, by their nodes.
#[derive(Debug, Default)]
pub struct Usage<'d>(HashMap<NodeId, MediaTypes<'d>>);

impl<'d> Usage<'d> {
    /// Counts the media types of the users of each response and parameter.
    pub fn new(document: &'d Document, references: &References) -> Self {
        let root = document.root();
        let mut counts: HashMap<NodeId, Vec<(MediaTypes<'d>, usize)>> = HashMap::new();
        let mut count = |node: NodeRef<'d>, owner: NodeRef<'d>, name: &str| {
            let types = listed(owner, name).or_else(|| listed(root, name)).unwrap_or_default();
            for target in references.chain(document, node) {
                let counts = counts.entry(target.id()).or_default();
                match counts.iter_mut().find(|(other, _)| texts(other) == texts(&types)) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((types.clone(), 1)),
                }
            }
        };
        for operation in operations(document, references) {
            for (_, response) in operation.get("responses").into_iter().flat_map(Node::entries) {
                count(response, operation, "produces");
            }
            for parameter in operation.get("parameters").map_or(&[][..], Node::items) {
                count(parameter, operation, "consumes");
            }
        }
        // If counts are equal, the first one is used.
        let most = |(id, counts): (NodeId, Vec<(MediaTypes<'d>, usize)>)| {
            Some((id, counts.into_iter().min_by_key(|(_, count)| Reverse(*count))?.0))
        };
        Self(counts.into_iter().filter_map(most).collect())
    }

    /// Returns the media types of most users of a response or body.
    pub fn of(&self, node: NodeRef<'_>) -> Option<MediaTypes<'d>> {
        self.0.get(&node.id()).cloned()
    }
}

/// Returns the operations of all path items, also of those in other files.
fn operations<'d>(document: &'d Document, references: &References) -> Vec<NodeRef<'d>> {
    let mut found = Vec::new();
    for (_, item) in document.root().get("paths").into_iter().flat_map(Node::entries) {
        let item = references.chain(document, item).last().copied().unwrap_or(item);
        found.extend(method_fields().filter_map(|method| item.get(method)));
    }
    found
}

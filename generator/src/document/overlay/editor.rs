//! Selects, merges and removes nodes of a document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use serde_json_path::{JsonPath, NormalizedPath, PathElement};

use super::{
    merge::merge,
    origins::{Inserted, Insertion, Origins},
};
use crate::tree::{Node, NodeId, Value};

/// The path to a node: the position of the item or field at each level.
pub(super) type Path = Vec<usize>;

/// A document that is being changed.
///
/// New fields and items come after the others, so an update moves no other node.
#[derive(Debug)]
pub(super) struct Editor<'d> {
    root: &'d mut Node,
    /// The document as JSONPath reads it.
    json: Json,
    inserted: Inserted,
    /// The number of nodes that may still be added.
    left: usize,
}

impl<'d> Editor<'d> {
    /// Starts to change a document.
    ///
    /// At most `most` nodes can be added. They are numbered from `first`, above all others.
    pub fn new(root: &'d mut Node, first: NodeId, most: usize) -> Self {
        let json = root.to_json();
        Self { root, json, inserted: Inserted::new(first), left: most }
    }

    /// Returns the paths of the nodes that a JSONPath selects, each once, in the order of the document.
    pub fn select(&self, path: &JsonPath) -> Vec<Path> {
        let nodes = path.query_located(&self.json);
        let paths: BTreeSet<Path> =
            nodes.iter().filter_map(|node| positions(self.root, node.location())).collect();
        paths.into_iter().collect()
    }

    /// Returns the node at a path.
    pub fn node(&self, path: &[usize]) -> Option<&Node> {
        path.iter().try_fold(&*self.root, |node, index| match &node.value {
            Value::Array(items) => items.get(*index),
            Value::Object(object) => object.fields().get(*index).map(|(_, node)| node),
            _ => None,
        })
    }

    /// Reserves space for nodes. Returns `false` if they are too many.
    pub fn reserve(&mut self, nodes: usize) -> bool {
        let left = self.left.checked_sub(nodes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Merges a value into each of these nodes, whose paths are in order.
    ///
    /// `insertion` lacks the target.
    pub fn update(&mut self, targets: &[Path], value: &Node, insertion: Insertion) {
        for path in targets {
            let Some(target) = node_mut(self.root, path) else { continue };
            let insertion = Insertion { target: target.location, ..insertion };
            merge(target, value, &mut |value| self.inserted.copy(value, insertion));
        }
        let mut last: Option<&Path> = None;
        for path in targets {
            if last.is_none_or(|last| !path.starts_with(last)) {
                self.refresh(path);
                last = Some(path);
            }
        }
    }

    /// Removes these nodes from the arrays and objects that contain them. Keeps the root.
    pub fn remove(&mut self, targets: &[Path]) {
        let mut parents: BTreeMap<&[usize], BTreeSet<usize>> = BTreeMap::new();
        for path in targets {
            if let Some((index, parent)) = path.split_last() {
                parents.entry(parent).or_default().insert(*index);
            }
        }
        // The last and deepest ones first, because a removal changes the paths of the nodes behind and below it.
        for (parent, indices) in parents.into_iter().rev() {
            if let Some(node) = node_mut(self.root, parent) {
                node.remove(&indices);
                self.refresh(parent);
            }
        }
    }

    /// Numbers the nodes, and returns which of them came from overlays.
    pub fn finish(self) -> Origins {
        self.inserted.number(self.root)
    }

    /// Renews the JSON value of a node.
    fn refresh(&mut self, path: &[usize]) {
        let (mut node, mut json) = (&*self.root, &mut self.json);
        for index in path {
            let inner = match &node.value {
                Value::Array(items) => items.get(*index).zip(json.get_mut(*index)),
                Value::Object(object) => {
                    let field = object.fields().get(*index);
                    field.and_then(|(name, node)| Some((node, json.get_mut(name)?)))
                }
                _ => None,
            };
            let Some(inner) = inner else { return };
            (node, json) = inner;
        }
        *json = node.to_json();
    }
}

fn node_mut<'n>(root: &'n mut Node, path: &[usize]) -> Option<&'n mut Node> {
    path.iter().try_fold(root, |node, index| match &mut node.value {
        Value::Array(items) => items.get_mut(*index),
        Value::Object(object) => object.fields_mut().get_mut(*index).map(|(_, node)| node),
        _ => None,
    })
}

/// Returns the path of the node that a normalized JSONPath names.
fn positions(root: &Node, path: &NormalizedPath<'_>) -> Option<Path> {
    let mut node = root;
    let positions = path.iter().map(|element| {
        let index = match (&node.value, element) {
            (Value::Array(_), PathElement::Index(index)) => *index,
            (Value::Object(object), PathElement::Name(name)) => object.position(name)?,
            _ => return None,
        };
        node = match &node.value {
            Value::Array(items) => items.get(index)?,
            Value::Object(object) => &object.fields().get(index)?.1,
            _ => return None,
        };
        Some(index)
    });
    positions.collect()
}

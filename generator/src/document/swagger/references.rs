//! Writes the references of the new trees: each leads to the node that stands for its old target.

use std::collections::{HashMap, HashSet};

use super::scan::{References, Target};
use crate::{
    document::{Document, links::path},
    tree::{Node, NodeId, Value},
};

/// Replaces the text of each reference whose target has moved, or that has moved to another file.
///
/// `trees` are the new trees by the index of their file.
pub fn write(document: &Document, references: &References, trees: &mut [(usize, Node)]) {
    let pointers = pointers(document, references, trees);
    for (file, tree) in trees {
        tree.walk_mut(&mut |node| {
            let Some(target) = references.sites.get(&node.id) else { return };
            let home = file_of(document, node);
            let Value::String(text) = &mut node.value else { return };
            if let Some(pointer) = pointers.get(target)
                && let Some(new) = reference(document, (*file, home), text, *target, pointer)
            {
                *text = new;
            }
        });
    }
}

/// Returns the new text of a reference, if it changes.
fn reference(
    document: &Document,
    (file, home): (usize, usize),
    text: &str,
    target: Target,
    pointer: &str,
) -> Option<String> {
    let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
    if file == home && path::decode(fragment) == pointer {
        return None;
    }
    let uri = if file == target.file {
        String::new()
    } else {
        let name = |file: usize| document.file(file).map_or("", |file| file.source.name.as_str());
        path::relative(name(file), name(target.file))
    };
    Some(format!("{uri}#{}", path::escape(pointer)))
}

/// Returns the index of the file that a node was written in; an overlay belongs to the main file.
fn file_of(document: &Document, node: &Node) -> usize {
    let file = node.location.map_or(0, |location| location.file.get());
    if document.overlays.len() >= file { 0 } else { file }
}

/// Returns the JSON pointers of the targets in the new trees. Copies in other files don't count.
fn pointers(
    document: &Document,
    references: &References,
    trees: &[(usize, Node)],
) -> HashMap<Target, String> {
    let wanted: HashSet<NodeId> = references.sites.values().map(|target| target.id).collect();
    let mut found = HashMap::new();
    for (file, tree) in trees {
        let mut add = |node: &Node, pointer: &str| {
            if wanted.contains(&node.id) && file_of(document, node) == *file {
                let target = Target { file: *file, id: node.id };
                found.entry(target).or_insert_with(|| pointer.to_owned());
            }
        };
        path::walk(tree, &mut String::new(), &mut add);
    }
    found
}

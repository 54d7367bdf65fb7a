//! Names for components that are adopted from other files.
//!
//! A name depends on the location of the target, never on the order in which targets are found. If several
//! targets have the same short name, each name includes the name of the file.

use std::collections::{HashMap, HashSet};

use super::{Link, Target, path};
use crate::{
    document::{Document, decode_step},
    names::by_rules,
    tree::{Node, NodeId},
};

/// The name of a target in another file.
#[derive(Debug)]
pub struct Named {
    pub name: String,
    /// The reference in the component that the name comes from.
    pub home: Option<NodeId>,
}

/// A target, and the section of `components` that it belongs to.
pub type Key<'l> = (&'static str, &'l Target);

/// Names all targets in other files that could be components.
pub fn decide<'d, 'l>(document: &'d Document, links: &'l [Link]) -> indexmap::IndexMap<Key<'l>, Named> {
    let mut names = indexmap::IndexMap::new();
    for link in links {
        let section = link.role.section();
        let key = (section, &link.target);
        if link.target.file > 0 && !section.is_empty() && document.target(&link.target).is_some() {
            names.entry(key).or_insert_with(|| Named { name: String::new(), home: None });
        }
    }
    let targets: HashMap<NodeId, &Target> = links.iter().map(|link| (link.id, &link.target)).collect();
    let follow = |node: &'d Node| {
        let target = node.get("$ref").and_then(|reference| targets.get(&reference.id()));
        target.and_then(|target| document.target(target)).unwrap_or(node)
    };
    let sections: HashSet<&str> = names.keys().map(|(section, _)| *section).collect();
    for section in sections {
        let components = document.root().get("components").map(follow);
        let components = components.and_then(|components| components.get(section)).map(follow);
        let mut taken = HashSet::new();
        for (name, node) in components.into_iter().flat_map(Node::entries) {
            taken.insert(name.to_owned());
            let Some(reference) = lone_reference(node) else { continue };
            let Some(target) = targets.get(&reference.id()) else { continue };
            if let Some(named) = names.get_mut(&(section, *target)).filter(|named| named.home.is_none()) {
                *named = Named { name: name.to_owned(), home: Some(reference.id()) };
            }
        }
        let open = names.iter_mut().filter(|((of, _), named)| *of == section && named.name.is_empty());
        let (open, slots): (Vec<_>, Vec<_>) = open.map(|((_, target), named)| (*target, named)).unzip();
        let name = |target: &'l Target, level| name_of(document, target, level);
        let found = by_rules(&open, &mut taken, 0..=FULL, name);
        for ((target, slot), found) in open.into_iter().zip(slots).zip(found) {
            slot.name = found.unwrap_or_else(|| name(target, FULL));
        }
    }
    names
}

/// Returns the reference if the node consists of nothing else.
fn lone_reference(node: &Node) -> Option<&Node> {
    node.get("$ref").filter(|_| node.entries().len() == 1)
}

/// The last naming level of [`name_of`].
const FULL: usize = 2;

/// The pointer steps that are not useful names.
const GENERIC: &[&str] =
    &["schema", "items", "additionalProperties", "get", "put", "post", "delete", "patch"];

/// Returns the name of a target at a level.
///
/// Level 0 is short, level 1 adds the file name, level 2 is the full path and pointer.
fn name_of(document: &Document, target: &Target, level: usize) -> String {
    let file = document.file(target.file).map_or("", |file| file.source.name.as_str());
    let steps: Vec<String> =
        target.pointer.split('/').skip(1).map(|step| decode_step(step).into_owned()).collect();
    let stem = stem(file);
    let long = |stem: &str| {
        std::iter::once(stem).chain(steps.iter().map(String::as_str)).collect::<Vec<_>>().join("_")
    };
    let is_descriptive = |step: &&String| !GENERIC.contains(&step.as_str()) && step.parse::<usize>().is_err();
    match (level, steps.last().filter(is_descriptive)) {
        (0, Some(name)) => name.clone(),
        (0, None) => long(stem),
        (1, Some(name)) => format!("{stem}_{name}"),
        _ => {
            let relative = path::relative(document.source().name.as_str(), file);
            long(relative.rsplit_once('.').map_or(relative.as_str(), |(path, _)| path))
        }
    }
}

/// Returns the stem of a file name.
///
/// `pet` for `schemas/pet.v1.yaml`, `schemas/pet/index.yaml` and `schemas/pet`.
fn stem(file: &str) -> &str {
    let mut parts = file.rsplit('/').map(|part| part.split_once('.').map_or(part, |(stem, _)| stem));
    let last = parts.next().unwrap_or(file);
    if matches!(last, "index" | "_index") {
        parts.next().filter(|part| !part.is_empty()).unwrap_or(last)
    } else {
        last
    }
}

//! The parts of a schema: those that apply to the same value.

use std::{collections::HashSet, slice::from_ref};

use crate::{
    document::Document,
    tree::{Node, NodeRef},
};

/// Returns a schema, and recursively the targets of its references and the schemas of these keywords.
///
/// The schema comes first. Each part occurs once.
pub(crate) fn parts<'d>(document: &'d Document, schema: NodeRef<'d>, keywords: &[&str]) -> Vec<NodeRef<'d>> {
    let mut parts = vec![schema];
    let mut seen = HashSet::from([schema.id()]);
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        let reference = part.get("$ref").and_then(Node::as_str);
        let target = reference.and_then(|text| document.lookup(text).ok());
        let members = keywords.iter().filter_map(|keyword| part.get(keyword));
        let members = members.flat_map(|node| if node.is_array() { node.items() } else { from_ref(node) });
        parts.extend(target.into_iter().chain(members).filter(|inner| seen.insert(inner.id())));
    }
    parts
}

/// Returns the types that a schema lists in `type`, without `null`.
pub(super) fn types_of(schema: NodeRef<'_>) -> impl Iterator<Item = &str> {
    let written = schema.get("type");
    let several = written.map_or(&[][..], Node::items);
    several.iter().chain(written).filter_map(Node::as_str).filter(|name| *name != "null")
}

/// Returns whether a schema lists its values: in `enum` or `const`, or in each variant.
pub(super) fn lists_values(schema: NodeRef<'_>) -> bool {
    let has = |keyword: &&str| schema.get(keyword).is_some();
    let mut unions =
        ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword)).map(Node::items);
    ["enum", "const"].iter().any(has)
        || unions.any(|variants| !variants.is_empty() && variants.iter().all(lists_values))
}

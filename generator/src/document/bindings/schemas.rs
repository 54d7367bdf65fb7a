//! The schemas of a document, the schemas within each, and their references.

use std::collections::HashSet;

use super::super::{Document, Role};
use crate::tree::{Node, NodeId, NodeRef};

/// The keywords that do not constrain values.
///
/// A schema that has only these in addition to a reference accepts the same values as the target.
const ANNOTATIONS: &[&str] = &[
    "$defs",
    "definitions",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$schema",
    "$comment",
    "title",
    "description",
    "summary",
    "deprecated",
    "example",
    "examples",
    "externalDocs",
];

/// Returns the references of a schema, and whether each is a `$dynamicRef`, without those of the schemas within it.
pub fn sites<'d>(schema: NodeRef<'d>) -> impl Iterator<Item = (NodeRef<'d>, bool)> {
    let reference = schema.get("$ref");
    // Lowering reports a `$dynamicRef` beside `$ref`.
    let dynamic = schema.get("$dynamicRef").filter(|_| reference.is_none());
    let mapping = schema.get("discriminator").and_then(|discriminator| discriminator.get("mapping"));
    let mapping = mapping.into_iter().flat_map(Node::entries).map(|(_, node)| node);
    let plain = reference.into_iter().map(|node| (node, false));
    let others = dynamic.map(|node| (node, true)).into_iter().chain(mapping.map(|node| (node, false)));
    plain.chain(others).filter(|(node, _)| node.as_str().is_some())
}

/// Returns the schemas directly within a schema, and whether each is a definition.
///
/// A definition applies only where a reference leads to it.
pub fn within<'d>(schema: NodeRef<'d>) -> impl Iterator<Item = (NodeRef<'d>, bool)> {
    schema.entries().flat_map(|(name, node)| {
        let found: Vec<NodeRef<'d>> = match Role::Schema.field(name) {
            Some(Role::Schema) if node.is_array() => node.items().iter().collect(),
            Some(Role::Schema) => vec![node],
            Some(Role::Map(Role::Schema)) => node.entries().map(|(_, inner)| inner).collect(),
            _ => Vec::new(),
        };
        let is_definition = is_definitions(name);
        found.into_iter().map(move |inner| (inner, is_definition))
    })
}

/// Returns a schema and those within it, without definitions.
pub fn applied(schema: NodeRef<'_>) -> Vec<NodeRef<'_>> {
    let mut found = vec![schema];
    let mut next = 0;
    while let Some(schema) = found.get(next).copied() {
        next += 1;
        found.extend(within(schema).filter(|(_, is_definition)| !is_definition).map(|(inner, _)| inner));
    }
    found
}

pub fn is_definitions(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}

/// Returns the reference of a schema that is equivalent to the reference's target, alone or in `allOf`.
pub fn lone_reference(schema: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let is_lone = |schema: NodeRef<'_>, keyword: &str| {
        schema
            .entries()
            .all(|(name, _)| name == keyword || ANNOTATIONS.contains(&name) || name.starts_with("x-"))
    };
    if let Some(reference) = schema.get("$ref") {
        return Some(reference).filter(|_| is_lone(schema, "$ref"));
    }
    match schema.get("allOf")?.items() {
        [member] if is_lone(schema, "allOf") => member.get("$ref").filter(|_| is_lone(member, "$ref")),
        _ => None,
    }
}

/// Returns the schemas of a document, in the order of the nodes.
///
/// From other files, the list has only schemas to which references lead.
pub fn schemas(document: &Document) -> Vec<NodeRef<'_>> {
    let mut waiting = vec![(document.root(), Role::Other)];
    let mut seen: HashSet<(NodeId, Role)> = HashSet::new();
    let mut found = Vec::new();
    while let Some((node, role)) = waiting.pop() {
        if !(node.is_array() || node.is_object()) || !seen.insert((node.id(), role)) {
            continue;
        }
        if role == Role::Schema && node.is_object() {
            found.push(node);
        }
        let target = node.get("$ref").and_then(Node::as_str).and_then(|text| document.lookup(text).ok());
        waiting.extend(target.map(|target| (target, role)));
        waiting.extend(node.items().iter().map(|item| (item, role.item())));
        let fields = node.entries().filter_map(|(name, field)| Some((field, role.field(name)?)));
        waiting.extend(fields);
    }
    found.sort_by_key(|schema| schema.id());
    found.dedup_by_key(|schema| schema.id());
    found
}

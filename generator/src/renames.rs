//! The names that the options give to parts of the document: `rename` and `names`.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap, btree_map},
};

use crate::{
    diagnostics::nearest,
    document::Document,
    names,
    options::{OperationNames, Options, Setting, UnusedSetting},
    selection::operations,
    tree::{Node, NodeId, NodeRef},
};

/// The names by node that replace the document's names in Rust.
#[derive(Debug, Default)]
pub struct Renames {
    entries: BTreeMap<NodeId, Entry>,
    /// The entries that match nothing, or what another entry names already.
    unknown: Vec<UnusedSetting>,
}

/// A name for a node: an entry of `rename` that matches it, or one that `names` implies.
#[derive(Debug)]
struct Entry {
    key: String,
    name: String,
    /// Whether the node is a property. Its name is that of a field, not of a type.
    is_property: bool,
    state: Cell<State>,
}

/// The effect of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// None: nothing in Rust is named after the node.
    Idle,
    /// It has named the node.
    Used,
    /// A sibling has the name.
    Taken,
}

impl Renames {
    /// Finds the nodes that the options name.
    pub fn read(document: &Document, options: &Options) -> Self {
        let mut renames = Self::default();
        for (key, name) in &options.renames {
            let Some(node) = find(document, key) else {
                let message = format!("unknown name or pointer `{key}` in `rename`");
                let near = similar(document, key);
                renames.unknown.push(UnusedSetting { setting: Setting::Rename(key.clone()), message, near });
                continue;
            };
            let mut segments = key.rsplit('/').skip(1);
            let is_property = key.starts_with("#/") && segments.next() == Some("properties");
            let state = Cell::new(State::Idle);
            match renames.entries.entry(node.id()) {
                btree_map::Entry::Vacant(vacant) => {
                    vacant.insert(Entry { key: key.clone(), name: name.clone(), is_property, state });
                }
                btree_map::Entry::Occupied(first) => {
                    let message = format!("`{key}` in `rename` is the same as `{}`", first.get().key);
                    let setting = Setting::Rename(key.clone());
                    renames.unknown.push(UnusedSetting { setting, message, near: None });
                }
            }
        }
        if options.names == OperationNames::FastApi {
            renames.name_bodies(document);
        }
        renames
    }

    /// Names the components that FastAPI makes of an operation's body parameters as inline bodies are named:
    /// `Body_read_item_items__item_id__get` becomes `ReadItemBody`.
    fn name_bodies(&mut self, document: &Document) {
        let bodies = document.components("schemas");
        let bodies = bodies.filter_map(|(name, node)| Some((name.strip_prefix("Body_")?, (name, node))));
        let bodies: HashMap<&str, (&str, NodeRef<'_>)> = bodies.collect();
        let operations = operations(document).filter_map(|(path, method, node)| {
            Some((node.get("operationId").and_then(Node::as_str)?, path, method))
        });
        let operations: Vec<_> = operations.collect();
        for ((id, ..), short) in operations.iter().zip(names::shortened(&operations)) {
            if let Some((key, node)) = bodies.get(id).filter(|_| *id != short) {
                self.entries.entry(node.id()).or_insert_with(|| Entry {
                    key: (*key).to_owned(),
                    name: format!("{short}_body"),
                    is_property: false,
                    // It is not an entry of `rename`, so it is never reported.
                    state: Cell::new(State::Used),
                });
            }
        }
    }

    /// Returns the name of a schema that is not a property.
    pub fn of_schema(&self, node: NodeRef<'_>) -> Option<&str> {
        let entry = self.entries.get(&node.id()).filter(|entry| !entry.is_property)?;
        entry.state.set(State::Used);
        Some(&entry.name)
    }

    /// Returns the texts from which the names of siblings are derived: the given ones, or those of the options.
    ///
    /// A name of the options that another sibling has is left out, because the texts must be unique.
    pub fn texts<'n>(&'n self, siblings: &[(Vec<NodeRef<'_>>, &'n str)]) -> Vec<&'n str> {
        let own = siblings.iter().map(|(_, text)| *text);
        if self.entries.is_empty() {
            return own.collect();
        }
        let entry = |nodes: &[NodeRef<'_>]| nodes.iter().find_map(|node| self.entries.get(&node.id()));
        let mut entries: Vec<Option<&Entry>> = siblings.iter().map(|(nodes, _)| entry(nodes)).collect();
        loop {
            let texts = own.clone().zip(&entries);
            let texts: Vec<&str> =
                texts.map(|(text, entry)| entry.map_or(text, |entry| &entry.name)).collect();
            let mut counts: HashMap<&str, usize> = HashMap::new();
            texts.iter().for_each(|text| *counts.entry(text).or_default() += 1);
            let is_taken = |entry: &&mut Option<&Entry>| {
                entry.is_some_and(|entry| counts.get(entry.name.as_str()) != Some(&1))
            };
            let taken: Vec<&Entry> = entries.iter_mut().filter(is_taken).filter_map(Option::take).collect();
            if taken.is_empty() {
                entries.iter().flatten().for_each(|entry| entry.state.set(State::Used));
                return texts;
            }
            // A node that falls back to its own text can take the name of another one. An entry can be used for another type.
            let idle = taken.into_iter().filter(|entry| entry.state.get() == State::Idle);
            idle.for_each(|entry| entry.state.set(State::Taken));
        }
    }

    /// Returns the entries without effect.
    pub fn unused(&self) -> Vec<UnusedSetting> {
        let idle = self.entries.values().filter_map(|entry| {
            let reason = match entry.state.get() {
                State::Used => return None,
                State::Idle => "has no name in Rust",
                State::Taken => "can't have this name, which another one has",
            };
            let message = format!("`{}` in `rename` {reason}", entry.key);
            Some(UnusedSetting { setting: Setting::Rename(entry.key.clone()), message, near: None })
        });
        self.unknown.iter().cloned().chain(idle).collect()
    }
}

/// Returns the node that a key names.
///
/// A key is a JSON pointer (`#/components/schemas/Pet/properties/name`), an `operationId`, `GET /pets`, or the name of a
/// component schema, a security scheme or a tag. In this order, the first one with the name is meant. In a document of
/// Swagger 2.0, pointers and names are those of the document as it is written (`#/definitions/Pet/properties/name`).
fn find<'d>(document: &'d Document, key: &str) -> Option<NodeRef<'d>> {
    if key.starts_with("#/") {
        return document.lookup(key).ok().or_else(|| document.written(key));
    }
    let is_named = |path: &str, method: &str, node: NodeRef<'_>| {
        node.get("operationId").and_then(Node::as_str) == Some(key)
            || key.split_once(' ').is_some_and(|(verb, rest)| verb == method && rest == path)
    };
    let operation = operations(document).find(|(path, method, node)| is_named(path, method, node));
    let schema = || document.components("schemas").find(|(name, _)| *name == key);
    let schema = || schema().map(|(_, node)| node).or_else(|| document.written_definition(key));
    let scheme = || schemes(document).find(|(name, _)| *name == key).map(|(_, node)| node);
    let tag = || tags(document).get(key).copied();
    operation.map(|(_, _, node)| node).or_else(schema).or_else(scheme).or_else(tag)
}

/// Returns the security schemes as they are written.
fn schemes(document: &Document) -> impl Iterator<Item = (&str, NodeRef<'_>)> {
    document.section("securitySchemes").into_iter().flat_map(Node::entries)
}

/// Returns the node of each tag: its declaration, or the first operation that has it.
pub fn tags(document: &Document) -> HashMap<&str, NodeRef<'_>> {
    let declared = document.root().get("tags").map_or(&[][..], Node::items).iter();
    let declared = declared.filter_map(|node| Some((node.get("name").and_then(Node::as_str)?, node)));
    let used = operations(document).flat_map(|(_, _, node)| node.get("tags").map_or(&[][..], Node::items));
    let used = used.filter_map(|node| Some((node.as_str()?, node)));
    let mut tags = HashMap::new();
    for (name, node) in declared.chain(used) {
        tags.entry(name).or_insert(node);
    }
    tags
}

/// Returns the schema, operation or security scheme whose name is similar to a key.
fn similar(document: &Document, key: &str) -> Option<String> {
    let schemas = document.components("schemas").map(|(name, _)| name);
    let ids = operations(document).filter_map(|(_, _, node)| node.get("operationId")?.as_str());
    let names: Vec<&str> = schemas.chain(ids).chain(schemes(document).map(|(name, _)| name)).collect();
    let sections = ["#/components/schemas/", "#/definitions/"].into_iter();
    match sections.filter_map(|section| Some((section, key.strip_prefix(section)?))).next() {
        Some((section, name)) => {
            let name = name.split('/').next().unwrap_or_default();
            let near = nearest(name, names.into_iter().filter(|known| *known != name));
            near.map(|near| format!("{section}{near}"))
        }
        None => nearest(key, names).map(str::to_owned),
    }
}

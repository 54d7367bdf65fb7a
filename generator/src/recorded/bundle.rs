//! One JSON Schema with everything that a schema of the document refers to.
//!
//! Each keyword keeps its place in its schema, so that the location of an error leads to the node of the document.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::Side;
use crate::document::{Document, Node, NodeId, NodeRef, Role, Version};

/// A JSON Schema of the draft 2020-12.
pub(super) struct Bundle<'d> {
    /// The schema.
    pub(super) schema: Value,
    /// The nodes of the schemas in `$defs`, by their number.
    nodes: Vec<NodeRef<'d>>,
}

impl<'d> Bundle<'d> {
    /// Bundles a schema for the bodies of one side.
    pub(super) fn of(document: &'d Document, root: NodeRef<'d>, side: Side) -> Self {
        let mut bundler = Bundler { document, side, nodes: Vec::new(), numbers: HashMap::new() };
        let root = bundler.number(root);
        let mut defs = Map::new();
        let mut next = 0;
        while let Some(node) = bundler.nodes.get(next).copied() {
            defs.insert(next.to_string(), bundler.schema(node));
            next += 1;
        }
        Self { schema: json!({ "$ref": format!("#/$defs/{root}"), "$defs": defs }), nodes: bundler.nodes }
    }

    /// Returns the node at a location in the schema, or the nearest node around it.
    pub(super) fn node(&self, location: &str) -> Option<NodeRef<'d>> {
        let (number, path) = location.strip_prefix("/$defs/")?.split_once('/').unwrap_or_default();
        let mut node = *self.nodes.get(number.parse::<usize>().ok()?)?;
        for step in path.split('/') {
            let name = step.replace("~1", "/").replace("~0", "~");
            let item = name.parse::<usize>().ok().and_then(|index| node.items().get(index));
            let Some(inner) = node.get(&name).or(item) else { break };
            node = inner;
        }
        Some(node)
    }
}

struct Bundler<'d> {
    document: &'d Document,
    side: Side,
    nodes: Vec<NodeRef<'d>>,
    numbers: HashMap<NodeId, usize>,
}

impl<'d> Bundler<'d> {
    /// Returns the number of a schema in `$defs`.
    fn number(&mut self, node: NodeRef<'d>) -> usize {
        let Self { nodes, numbers, .. } = self;
        *numbers.entry(node.id()).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    }

    fn schema(&mut self, node: NodeRef<'d>) -> Value {
        self.part(node, Role::Schema)
    }

    fn part(&mut self, node: NodeRef<'d>, role: Role) -> Value {
        if !node.items().is_empty() {
            return node.items().iter().map(|item| self.part(item, role.item())).collect();
        }
        if !node.is_object() {
            return node.to_json();
        }
        let mut object = Map::new();
        for (name, inner) in node.entries() {
            let value = match role.field(name) {
                // What names a base or a dialect has been resolved by the document.
                _ if role == Role::Schema && (name == "id" || name.starts_with('$') && name != "$defs") => {
                    continue;
                }
                Some(Role::Schema) => self.part(inner, Role::Schema),
                Some(Role::Map(inside)) if *inside == Role::Schema => self.part(inner, Role::Map(inside)),
                _ => inner.to_json(),
            };
            object.insert(name.to_owned(), value);
        }
        if role == Role::Schema {
            self.adapt(node, &mut object);
        }
        Value::Object(object)
    }

    /// Says in the words of JSON Schema 2020-12 what OpenAPI says in others.
    fn adapt(&mut self, node: NodeRef<'d>, object: &mut Map<String, Value>) {
        let is_3_0 = self.document.version() == Version::V3_0;
        let reference = node.get("$ref").or(node.get("$dynamicRef")).and_then(Node::as_str);
        if let Some(target) = reference.and_then(|text| self.document.lookup(text).ok()) {
            let target = json!({ "$ref": format!("#/$defs/{}", self.number(target)) });
            let is_nullable = object.get("nullable") == Some(&Value::Bool(true));
            if is_3_0 {
                object.clear();
            }
            if is_3_0 && is_nullable {
                object.insert("anyOf".to_owned(), json!([target, { "type": "null" }]));
            } else {
                object.extend(target.as_object().cloned().unwrap_or_default());
            }
            return;
        }
        if object.get("nullable") == Some(&Value::Bool(true)) {
            for (keyword, nothing) in [("type", json!("null")), ("enum", Value::Null)] {
                match object.get_mut(keyword) {
                    Some(Value::Array(items)) if !items.contains(&nothing) => items.push(nothing),
                    Some(one @ Value::String(_)) => *one = json!([one.take(), nothing]),
                    _ => {}
                }
            }
        }
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            match object.get(exclusive) {
                Some(Value::Bool(true)) => {
                    let limit = object.remove(bound);
                    object.remove(exclusive);
                    object.extend(limit.map(|limit| (exclusive.to_owned(), limit)));
                }
                Some(Value::Bool(false)) => drop(object.remove(exclusive)),
                _ => {}
            }
        }
        if let Some(Value::Array(required)) = object.get_mut("required") {
            required.retain(|name| name.as_str().is_none_or(|name| !self.is_never_sent(node, name)));
        }
    }

    /// Returns whether a property is not sent on this side.
    fn is_never_sent(&self, node: NodeRef<'d>, name: &str) -> bool {
        let mark = if self.side == Side::Request { "readOnly" } else { "writeOnly" };
        let Some(property) = node.get("properties").and_then(|properties| properties.get(name)) else {
            return false;
        };
        let target = self.document.resolve(property).map_or(property, |resolved| resolved.node);
        [property, target].iter().any(|node| node.get(mark).and_then(Node::as_bool) == Some(true))
    }
}

//! Overlay actions with which a document describes recorded bodies.

use serde_json::{Map, Value, json};

use super::difference::{Difference, Kind, type_of};
use crate::document::{Document, Node, NodeRef, Version, Way};

/// What an overlay does to a node.
enum Action {
    /// Merges a value into it.
    Update(Value),
    /// Removes it.
    Remove,
}

/// Returns the overlay with these actions.
pub(super) fn overlay(document: &str, actions: &str) -> String {
    let title = json!(format!("Repairs of {document} by recorded bodies"));
    format!("overlay: 1.1.0\ninfo: {{title: {title}, version: 1.0.0}}\nactions:\n{actions}")
}

/// Returns the actions that repair these differences, as YAML.
///
/// Each schema is changed for one reason at a time, because an action can invalidate another.
pub(super) fn actions(document: &Document, differences: &[Difference<'_>]) -> String {
    let mut changed = Vec::new();
    let mut text = String::new();
    for difference in differences {
        let actions = of(difference, document);
        let targets: Vec<&String> = actions.iter().map(|(target, _)| target).collect();
        if changed.iter().any(|target: &String| targets.contains(&target)) {
            continue;
        }
        changed.extend(targets.into_iter().cloned());
        for (target, action) in actions {
            // A JSON string is a YAML string.
            text += &format!("  - target: {}\n", json!(target));
            match action {
                Action::Update(value) => text += &format!("    update: {value}\n"),
                Action::Remove => text += "    remove: true\n",
            }
        }
    }
    text
}

/// Returns what to change in the document, as a sentence.
pub(super) fn advice(difference: &Difference<'_>, document: &Document) -> String {
    let advice = match &difference.kind {
        Kind::Type("null") if document.version() == Version::V3_0 => "add `nullable: true`".to_owned(),
        Kind::Type(found) => format!("allow `{found}` as well"),
        Kind::Missing(name) => format!("remove `{name}` from `required`"),
        Kind::Unknown(name) => format!("add `{name}` to `properties`"),
        Kind::NotListed(value) => format!("add `{value}`"),
        Kind::Ambiguous => "write `anyOf`, or make the schemas exclude each other".to_owned(),
        Kind::Other(keyword) => format!("change `{keyword}`, or remove it"),
    };
    let is_elsewhere = path(document, difference.node).is_none();
    let but = if is_elsewhere { "; this file is not the main one, so an overlay can't do it" } else { "" };
    format!("{advice}{but}")
}

/// Returns the actions for a difference, with their targets.
fn of(difference: &Difference<'_>, document: &Document) -> Vec<(String, Action)> {
    let node = difference.node;
    let (Some(target), Some(outer)) = (path(document, node), parent(document, node)) else {
        return Vec::new();
    };
    let Some(around) = path(document, outer) else { return Vec::new() };
    let is_3_0 = document.version() == Version::V3_0;
    match &difference.kind {
        Kind::Type("null") if is_3_0 => vec![(around, Action::Update(json!({ "nullable": true })))],
        Kind::Type(found) => {
            let types: Vec<Value> = match node.items() {
                [] => vec![node.to_json()],
                items => items.iter().map(Node::to_json).collect(),
            };
            let types: Vec<Value> = types.into_iter().chain([json!(found)]).collect();
            let wider = if is_3_0 {
                let types: Vec<Value> = types.iter().map(typed).collect();
                json!({ "anyOf": types })
            } else {
                json!({ "type": types })
            };
            vec![(target, Action::Remove), (around, Action::Update(wider))]
        }
        Kind::Missing(name) => {
            let place = node.items().iter().position(|item| item.as_str() == Some(name));
            place.map(|place| (format!("{target}[{place}]"), Action::Remove)).into_iter().collect()
        }
        Kind::Unknown(name) => {
            let schema = if node.is_object() && node.get("properties").is_some() { target } else { around };
            let properties = Map::from_iter([(name.clone(), describe(&difference.sample, is_3_0))]);
            vec![(schema, Action::Update(json!({ "properties": properties })))]
        }
        Kind::NotListed(_) if node.is_array() => vec![(target, Action::Update(difference.sample.clone()))],
        // A constant with another value is an enumeration of both.
        Kind::NotListed(_) => {
            let values = json!({ "enum": [node.to_json(), difference.sample] });
            vec![(target, Action::Remove), (around, Action::Update(values))]
        }
        // Whether both schemas are meant to match, only people know.
        Kind::Ambiguous => Vec::new(),
        Kind::Other(_) => vec![(target, Action::Remove)],
    }
}

/// Returns a schema of this type; each array has items and each object may have any fields.
fn typed(name: &Value) -> Value {
    if name == "array" { json!({ "type": name, "items": {} }) } else { json!({ "type": name }) }
}

/// Returns a schema of a value.
fn describe(value: &Value, is_3_0: bool) -> Value {
    match value {
        Value::Null if is_3_0 => json!({ "nullable": true }),
        Value::Array(items) => {
            json!({ "type": "array", "items": items.first().map_or(json!({}), |item| describe(item, is_3_0)) })
        }
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), describe(value, is_3_0))).collect();
            json!({ "type": "object", "properties": fields })
        }
        value => json!({ "type": type_of(value) }),
    }
}

/// Returns the JSONPath of a node of the main file.
fn path(document: &Document, node: NodeRef<'_>) -> Option<String> {
    Some(Way::to(document.root(), node.id())?.json_path())
}

/// Returns the node around a node of the main file.
fn parent<'d>(document: &'d Document, node: NodeRef<'_>) -> Option<NodeRef<'d>> {
    let mut around = document.root();
    loop {
        let (_, inner) = around.toward(node.id())?;
        if inner.id() == node.id() {
            return Some(around);
        }
        around = inner;
    }
}

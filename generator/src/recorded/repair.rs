//! Overlay actions with which a document describes recorded bodies.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::difference::{Difference, Found, Kind, type_of};
use crate::{
    document::{Document, NodePath, Version, quoted_name},
    tree::{Node, NodeId, NodeRef},
};

/// The change of a node by an overlay.
enum Action {
    /// Merges a value into it.
    Update(Value),
    /// Removes it.
    Remove,
}

pub(super) fn overlay(document: &str, actions: &str) -> String {
    let title = json!(format!("Repairs of {document} by recorded bodies"));
    format!("overlay: 1.1.0\ninfo: {{title: {title}, version: 1.0.0}}\nactions:\n{actions}")
}

/// Returns the actions that repair these differences, as YAML. The differences of one keyword are repaired together.
pub(super) fn actions(document: &Document, differences: &[Difference<'_>]) -> String {
    let mut by_keyword: IndexMap<NodeId, Vec<&Difference<'_>>> = IndexMap::new();
    for difference in differences {
        by_keyword.entry(difference.first.node.id()).or_default().push(difference);
    }
    let actions = by_keyword.values().flat_map(|differences| of(differences, document));
    let text = |(target, action): (String, Action)| {
        let change = match action {
            Action::Update(value) => format!("update: {value}"),
            Action::Remove => "remove: true".to_owned(),
        };
        // A JSON string is a YAML string.
        format!("  - target: {}\n    {change}\n", json!(target))
    };
    actions.map(text).collect()
}

/// Returns what to change in the document, as a sentence.
pub(super) fn advice(difference: &Difference<'_>, document: &Document) -> String {
    let Found { node, kind, .. } = &difference.first;
    let advice = match (kind, nullable(document)) {
        (Kind::Type("null"), Some(nullable)) => format!("add `{nullable}: true`"),
        (Kind::Type(found), _) => format!("allow `{found}` as well"),
        (Kind::Missing(name), _) => format!("remove `{name}` from `required`"),
        (Kind::Unknown(name), _) => format!("add `{name}` to `properties`"),
        (Kind::NotListed(value), _) => format!("add `{value}`"),
        (Kind::Ambiguous, _) => return "write `anyOf`, or make the schemas exclude each other".to_owned(),
        (Kind::Unresolved, _) => return "correct the reference".to_owned(),
        (Kind::Other(keyword), _) => format!("change `{keyword}`, or remove it"),
    };
    let is_elsewhere = path(document, node).is_none();
    let limitation = if is_elsewhere { "; an overlay can't, because this is not the main file" } else { "" };
    format!("{advice}{limitation}")
}

/// Returns the actions for the differences of one keyword, with their targets.
fn of(differences: &[&Difference<'_>], document: &Document) -> Vec<(String, Action)> {
    let Some(Found { node, .. }) = differences.first().map(|difference| &difference.first) else {
        return Vec::new();
    };
    let Some(path) = path(document, node) else { return Vec::new() };
    let (target, schema) = (path.json_path(), path.parent_json_path());
    let nullable = nullable(document);
    let mut actions = Vec::new();
    let mut types = Vec::new();
    let mut properties = Map::new();
    let mut values = Vec::new();
    for Difference { first: Found { kind, value, .. }, .. } in differences {
        match (kind, nullable) {
            (Kind::Type("null"), Some(nullable)) => {
                actions.push((schema.clone(), Action::Update(json!({ nullable: true }))));
            }
            (Kind::Type(found), _) => types.push(json!(found)),
            (Kind::Missing(name), _) => {
                actions.push((format!("{target}[?@ == {}]", quoted_name(name)), Action::Remove));
            }
            (Kind::Unknown(name), _) => drop(properties.insert(name.clone(), describe(value, nullable))),
            (Kind::NotListed(_), _) => values.push(value.clone()),
            (Kind::Other(_), _) if node.as_bool() != Some(false) => {
                actions.push((target.clone(), Action::Remove))
            }
            // The bodies don't show the intended type.
            (Kind::Other(_) | Kind::Ambiguous | Kind::Unresolved, _) => {}
        }
    }
    if !types.is_empty() {
        let own = if node.is_array() {
            node.items().iter().map(Node::to_json).collect()
        } else {
            vec![node.to_json()]
        };
        let types: Vec<Value> = own.into_iter().chain(types).collect();
        let wider = match nullable {
            None => Some(json!({ "type": types })),
            // Swagger 2.0 has no unions, so any value is allowed.
            Some("x-nullable") => None,
            Some(_) => Some(json!({ "anyOf": types.iter().map(typed).collect::<Vec<_>>() })),
        };
        actions.push((target.clone(), Action::Remove));
        actions.extend(wider.map(|wider| (schema.clone(), Action::Update(wider))));
    }
    if !properties.is_empty() {
        actions.push((schema.clone(), Action::Update(json!({ "properties": properties }))));
    }
    if !values.is_empty() && node.is_array() {
        actions.push((target, Action::Update(Value::Array(values))));
    } else if !values.is_empty() {
        // A constant with other values is an enumeration of all.
        let all: Vec<Value> = std::iter::once(node.to_json()).chain(values).collect();
        actions.extend([(target, Action::Remove), (schema, Action::Update(json!({ "enum": all })))]);
    }
    actions
}

fn typed(name: &Value) -> Value {
    if name == "array" { json!({ "type": name, "items": {} }) } else { json!({ "type": name }) }
}

fn describe(value: &Value, nullable: Option<&str>) -> Value {
    match value {
        Value::Null => nullable.map_or(json!({ "type": "null" }), |nullable| json!({ nullable: true })),
        Value::Array(items) => {
            json!({ "type": "array", "items": items.first().map_or(json!({}), |item| describe(item, nullable)) })
        }
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), describe(value, nullable))).collect();
            json!({ "type": "object", "properties": fields })
        }
        value => json!({ "type": type_of(value) }),
    }
}

/// Returns the keyword that allows null, unless the keyword is `type`.
fn nullable(document: &Document) -> Option<&'static str> {
    match document.version() {
        _ if document.origins().original().is_some() => Some("x-nullable"),
        Version::V3_0 => Some("nullable"),
        Version::V3_1 | Version::V3_2 => None,
    }
}

/// Returns the path of a node in the main file as it is written.
fn path<'d>(document: &'d Document, node: NodeRef<'_>) -> Option<NodePath<'d>> {
    document.origins().path(std::iter::once(document.root()), node.id())
}

//! Single changes of a document: of values, names, orders, and keywords that come or go.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a change belongs to the document from which it was made"
)]

use serde_json::{Map, Value, json};

/// A change of one node.
pub struct Change {
    /// The names and positions that lead to the node.
    path: Vec<Step>,
    kind: Kind,
}

#[derive(Clone)]
enum Step {
    Name(String),
    Index(usize),
}

enum Kind {
    /// Another value in place of a text, number or flag.
    Value(Value),
    /// The node goes.
    Remove,
    /// The node and the next one are swapped.
    Swap,
    /// A member of an object gets another name.
    Rename(String),
    /// An object gets a member.
    Add(&'static str, Value),
}

/// Returns all changes of a document.
#[must_use]
pub fn of(root: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    visit(root, &mut Vec::new(), &mut changes);
    changes
}

fn visit(node: &Value, path: &mut Vec<Step>, changes: &mut Vec<Change>) {
    let mut change = |path: &[Step], kind| changes.push(Change { path: path.to_vec(), kind });
    for value in others(node, path.last()) {
        change(path, Kind::Value(value));
    }
    if !path.is_empty() {
        change(path, Kind::Remove);
    }
    match node {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                if items.get(index + 1).is_some_and(|next| next != item) {
                    changes.push(Change { path: path.clone(), kind: Kind::Swap });
                }
                visit(item, path, changes);
                path.pop();
            }
        }
        Value::Object(members) => {
            for (name, value) in additions(members, changes.len()) {
                changes.push(Change { path: path.clone(), kind: Kind::Add(name, value) });
            }
            for (index, (name, member)) in members.iter().enumerate() {
                path.push(Step::Name(name.clone()));
                changes.push(Change { path: path.clone(), kind: Kind::Rename(format!("{name}x")) });
                if index + 1 < members.len() {
                    changes.push(Change { path: path.clone(), kind: Kind::Swap });
                }
                visit(member, path, changes);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns other values for a text, number or flag.
fn others(node: &Value, name: Option<&Step>) -> Vec<Value> {
    let name = match name {
        Some(Step::Name(name)) => name.as_str(),
        _ => "",
    };
    let words: &[&str] = match name {
        "type" => &["string", "integer", "number", "boolean", "array", "object"],
        "format" => {
            &["uuid", "date-time", "date", "byte", "binary", "email", "uri", "int32", "uint64", "regex"]
        }
        "in" => &["path", "query", "header", "cookie"],
        "style" => &["form", "simple", "label", "matrix", "deepObject", "pipeDelimited", "spaceDelimited"],
        "nodeType" => &["element", "attribute", "text", "cdata", "none"],
        _ => &[],
    };
    match node {
        Value::String(text) if words.is_empty() => vec![json!(format!("{text}x"))],
        Value::String(text) => {
            words.iter().filter(|word| *word != text).take(3).map(|word| json!(word)).collect()
        }
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => match number.as_i64() {
            Some(number) => vec![json!(number.saturating_add(1))],
            None => vec![json!(number.as_f64().unwrap_or_default() * 1.5 + 1.0)],
        },
        _ => Vec::new(),
    }
}

/// Keywords that a schema can get.
fn keywords() -> [(&'static str, Value); 32] {
    [
        ("nullable", json!(true)),
        ("deprecated", json!(true)),
        ("readOnly", json!(true)),
        ("writeOnly", json!(true)),
        ("default", json!("a")),
        ("default", json!(7)),
        ("const", json!("a")),
        ("enum", json!(["a", "b"])),
        ("enum", json!([1, 2])),
        ("format", json!("uri")),
        ("pattern", json!("^[a-z]+$")),
        ("pattern", json!("^(?!x)")),
        ("minLength", json!(1)),
        ("maxLength", json!(9)),
        ("minimum", json!(1)),
        ("exclusiveMaximum", json!(9.5)),
        ("multipleOf", json!(3)),
        ("minItems", json!(1)),
        ("uniqueItems", json!(true)),
        ("contains", json!({"const": 1})),
        ("minProperties", json!(1)),
        ("additionalProperties", json!(false)),
        ("additionalProperties", json!({"type": "integer", "minimum": 1})),
        ("propertyNames", json!({"maxLength": 5})),
        ("patternProperties", json!({"^x-": {"type": "string"}})),
        ("dependentRequired", json!({"a": ["b"]})),
        ("not", json!({"required": ["tag"]})),
        ("if", json!({"required": ["a"]})),
        ("unevaluatedProperties", json!(false)),
        ("x-media", json!({"kind": "image", "types": ["image/png"], "max-bytes": 100})),
        ("x-unchecked", json!(["pattern"])),
        ("xml", json!({"name": "other", "attribute": true})),
    ]
}

/// Members that a parameter or an operation can get.
fn settings() -> [(&'static str, Value); 12] {
    [
        ("required", json!(true)),
        ("explode", json!(false)),
        ("explode", json!(true)),
        ("allowReserved", json!(true)),
        ("allowEmptyValue", json!(true)),
        ("deprecated", json!(true)),
        ("x-reason", json!("because")),
        ("x-closed-query", json!(true)),
        ("x-requires", json!(["admin"])),
        ("x-body-limit", json!(1000)),
        ("servers", json!([{"url": "https://other.example.com"}])),
        ("security", json!([{}])),
    ]
}

/// Returns some members that an object does not have and could have, others for each `turn`.
fn additions(members: &Map<String, Value>, turn: usize) -> Vec<(&'static str, Value)> {
    let has = |name: &str| members.contains_key(name);
    let mut all: Vec<(&'static str, Value)> = Vec::new();
    if ["type", "properties", "oneOf", "anyOf", "allOf", "items", "enum"].iter().any(|name| has(name)) {
        let keywords = keywords();
        all.extend((0..4).filter_map(|step| keywords.get((turn + step * 9) % keywords.len()).cloned()));
    }
    if has("in") || has("responses") || has("content") {
        let settings = settings();
        all.extend((0..4).filter_map(|step| settings.get((turn + step * 5) % settings.len()).cloned()));
    }
    all.retain(|(name, _)| !has(name));
    all
}

impl Change {
    /// Changes a document, and returns what has changed.
    pub fn apply(&self, root: &mut Value) -> String {
        let pointer = self.path.iter().map(Step::token).collect::<Vec<_>>().concat();
        match (&self.kind, self.path.split_last()) {
            (Kind::Value(value), _) => {
                *at(root, &self.path) = value.clone();
                format!("{pointer} is {value}")
            }
            (Kind::Add(name, value), _) => {
                if let Value::Object(members) = at(root, &self.path) {
                    members.insert((*name).to_owned(), value.clone());
                }
                format!("{pointer} has {name} {value}")
            }
            (kind, Some((last, parent))) => {
                edit(at(root, parent), last, kind);
                match kind {
                    Kind::Rename(name) => format!("{pointer} is called {name}"),
                    Kind::Swap => format!("{pointer} comes after the next one"),
                    _ => format!("{pointer} is gone"),
                }
            }
            (_, None) => pointer,
        }
    }
}

/// Removes, renames or moves a child of a node.
fn edit(parent: &mut Value, child: &Step, kind: &Kind) {
    match (parent, child) {
        (Value::Array(items), Step::Index(index)) => match kind {
            Kind::Swap => items.swap(*index, index + 1),
            _ => drop(items.remove(*index)),
        },
        (Value::Object(members), Step::Name(name)) => {
            let mut all: Vec<(String, Value)> = std::mem::take(members).into_iter().collect();
            let index = all.iter().position(|(own, _)| own == name).expect("the node was there");
            match kind {
                Kind::Swap => all.swap(index, index + 1),
                Kind::Rename(name) => all[index].0.clone_from(name),
                _ => drop(all.remove(index)),
            }
            members.extend(all);
        }
        _ => panic!("a step leads to a child"),
    }
}

fn at<'v>(root: &'v mut Value, path: &[Step]) -> &'v mut Value {
    path.iter().fold(root, |node, step| match step {
        Step::Name(name) => node.get_mut(name).expect("the node was there"),
        Step::Index(index) => node.get_mut(*index).expect("the node was there"),
    })
}

impl Step {
    /// Returns the step as part of a JSON pointer.
    fn token(&self) -> String {
        match self {
            Self::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            Self::Index(index) => format!("/{index}"),
        }
    }
}

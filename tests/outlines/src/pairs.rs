//! Pairs of small documents, at least one for each rule of `openapi-crates diff`.
//!
//! The files in `pairs/` have the part that differs; a template has the rest.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't begin fails"
)]

use std::{collections::BTreeSet, fs, path::Path};

use openapi_crates::{CrateKind, Diff, Exhaustive, Input, Options, diff};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Two documents that differ in one part.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The rule that reports the change.
    pub rule: String,
    /// The old document, as JSON.
    pub old: String,
    /// The new document.
    pub new: String,
    /// The options of the old document.
    pub old_options: Options,
    /// The options of the new document.
    pub new_options: Options,
    /// All rules that report a change, apart from items of Rust, if the pair names all.
    pub exact: Option<BTreeSet<String>>,
}

impl Pair {
    /// Returns the names of the documents, which decide between JSON and YAML.
    #[must_use]
    pub fn file_names(&self) -> [&'static str; 2] {
        [&self.old, &self.new]
            .map(|text| if text.trim_start().starts_with('{') { "pair.json" } else { "pair.yaml" })
    }

    /// Returns the changes.
    #[must_use]
    pub fn diff(&self) -> Diff {
        let [old, new] = self.file_names();
        let compared = diff(
            (&Input::new(old, &self.old), &self.old_options),
            (&Input::new(new, &self.new), &self.new_options),
        );
        let reports = format!("{}{}", compared.old, compared.new);
        compared.diff.unwrap_or_else(|| panic!("{}: {reports}", self.rule))
    }
}

/// A row about a change that is easily taken for another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exact {
    rules: BTreeSet<String>,
    #[serde(rename = "in")]
    template: String,
    old: Value,
    new: Value,
}

/// A row of a file about calls, values or Rust items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: String,
    #[serde(rename = "in")]
    template: String,
    old: Value,
    new: Value,
    /// The version of OpenAPI, 3.1.0 by default.
    version: Option<String>,
    /// Another name of the new crates.
    name: Option<String>,
    /// The new crates, if they are not all.
    crates: Option<Vec<String>>,
    /// Whether structs of requests are exhaustive, in the old and the new crates.
    exhaustive: Option<(bool, bool)>,
}

impl Row {
    fn new(rule: String, template: String, old: Value, new: Value) -> Self {
        Self { rule, template, old, new, version: None, name: None, crates: None, exhaustive: None }
    }
}

/// A row about a keyword.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keyword {
    keyword: String,
    less: Value,
    more: Value,
    /// The schema that becomes `other`, `more` by default.
    from: Option<Value>,
    other: Option<Value>,
}

/// Returns all pairs, in the order of the files.
#[must_use]
pub fn all() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for file in ["calls", "values", "rust"] {
        let rows: Vec<Row> = read(file);
        pairs.extend(rows.into_iter().map(pair));
    }
    for Exact { rules, template, old, new } in read::<Exact>("exact") {
        let rule = rules.first().map_or("none", String::as_str).to_owned();
        pairs.push(Pair { exact: Some(rules), ..pair(Row::new(rule, template, old, new)) });
    }
    for Keyword { keyword, less, more, from, other } in read::<Keyword>("keywords") {
        for flow in ["request", "response"] {
            let mut add = |effect: &str, old: &Value, new: &Value| {
                // What only JSON Schema says is checked in requests. A type that both have says it in responses as well.
                let template = if keyword == "other-keywords" { "both" } else { flow };
                let rule = format!("{flow}-{keyword}-{effect}");
                pairs.push(pair(Row::new(rule, template.to_owned(), object_of(old), object_of(new))));
            };
            add("tightened", &less, &more);
            add("loosened", &more, &less);
            if let Some(other) = &other {
                add("changed", from.as_ref().unwrap_or(&more), other);
            }
        }
    }
    pairs
}

fn read<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs").join(format!("{file}.yaml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns an object with the schema as a property.
fn object_of(schema: &Value) -> Value {
    json!({ "type": "object", "properties": { "value": schema } })
}

fn pair(row: Row) -> Pair {
    let Row { rule, template, old, new, version, name, crates, exhaustive } = row;
    let document = |part: Value| {
        let mut root = root(&template, part);
        root.insert("openapi".to_owned(), version.as_deref().unwrap_or("3.1.0").into());
        Value::Object(root).to_string()
    };
    let (old, new) = (document(old), document(new));
    let mut new_options = Options::new(name.as_deref().unwrap_or("things"), "things.json");
    if let Some(crates) = crates {
        new_options = new_options
            .crates(CrateKind::ALL.iter().copied().filter(|kind| crates.contains(&kind.folder().to_owned())));
    }
    let (before, after) = exhaustive.unwrap_or_default();
    let of = |exhaustive| if exhaustive { Exhaustive::Requests } else { Exhaustive::None };
    let old_options = Options::new("things", "things.json").exhaustive(of(before));
    Pair { rule, old, new, old_options, new_options: new_options.exhaustive(of(after)), exact: None }
}

/// Returns a document with a part in its template.
fn root(template: &str, part: Value) -> Map<String, Value> {
    let mut root = Map::new();
    root.insert("info".to_owned(), json!({ "title": "Things", "version": "1.0.0" }));
    root.insert("paths".to_owned(), paths(template, &part));
    root.insert("components".to_owned(), components(template, &part));
    if let ("document", Value::Object(fields)) = (template, part) {
        root.extend(fields);
    }
    root
}

fn paths(template: &str, part: &Value) -> Value {
    let nothing = json!({ "204": { "description": "Nothing." } });
    let with_body = |content: Value| {
        json!({ "/things": { "post": {
        "operationId": "create_thing",
        "requestBody": { "required": true, "content": { "application/json": { "schema": content } } },
        "responses": nothing,
    } } })
    };
    let of_thing = json!({ "$ref": "#/components/schemas/Thing" });
    match template {
        "request" => with_body(of_thing),
        "both" => {
            let mut paths = with_body(of_thing.clone());
            paths["/things"]["post"]["responses"] = json!({ "200": {
                "description": "The thing.", "content": { "application/json": { "schema": of_thing } },
            } });
            paths
        }
        "response" => json!({ "/things": { "get": {
            "operationId": "get_thing",
            "responses": { "200": { "description": "A thing.", "content": { "application/json": { "schema": of_thing } } } },
        } } }),
        "parameter" => json!({ "/things": { "get": {
            "operationId": "get_thing", "parameters": [part], "responses": nothing,
        } } }),
        "operation" => {
            let mut operation = part.clone();
            operation
                .as_object_mut()
                .expect("an operation")
                .entry("operationId")
                .or_insert("create_thing".into());
            json!({ "/things": { "post": operation } })
        }
        "paths" => part.clone(),
        "components" | "document" => with_body(json!({ "type": "string" })),
        _ => panic!("unknown template `{template}`"),
    }
}

fn components(template: &str, part: &Value) -> Value {
    let animal = |name: &str| {
        json!({
            "type": "object",
            "required": ["kind", "sort"],
            "properties": { "kind": { "type": "string" }, "sort": { "type": "string" }, name: { "type": "string" } },
        })
    };
    let oauth = json!({ "type": "oauth2", "flows": { "clientCredentials": {
        "tokenUrl": "https://example.com/token", "scopes": { "read": "Read.", "write": "Write." },
    } } });
    let mut components = json!({
        "schemas": {},
        "securitySchemes": {
            "key": { "type": "apiKey", "in": "header", "name": "x-key" },
            "token": { "type": "http", "scheme": "bearer" },
            "oauth": oauth,
        },
    });
    match template {
        "request" | "response" | "both" => {
            let schemas = &mut components["schemas"];
            if part.to_string().contains("schemas/Cat") {
                schemas["Cat"] = animal("meow");
                schemas["Dog"] = animal("bark");
            }
            schemas["Thing"] = part.clone();
            components
        }
        "components" => part.clone(),
        _ => components,
    }
}

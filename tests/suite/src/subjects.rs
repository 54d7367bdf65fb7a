//! The schemas of a document that have a table row: its components, and the inline schemas of JSON bodies.

use openapi_crates::{
    CrateKind, FileTree, Input, Options, Runtime, Source as Overlay, Strictness, generate_from,
    internals::{
        Api, Content, ContentFormat, Diagnostics, Document, Operation, Provenance, Schema, Type, Version,
        lower, model_type, table_row,
    },
};
use serde_json::{Map, Value, json};

use crate::{Result, workspace};

/// The path of an operation that is added to a document.
const ADDED: &str = "/every-component-in-a-request";

/// A document.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name, such as `pets.yaml`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A schema with a table row.
#[derive(Debug)]
pub struct Subject {
    /// The name, such as ``schema `Pet` ``.
    pub label: String,
    /// The JSON pointer to the schema in the document.
    pub pointer: String,
    /// The Rust expression of the program's entry.
    pub entry: String,
}

/// A document with its generated crates.
#[derive(Debug)]
pub struct Generated {
    /// The document's name.
    pub name: String,
    /// The prefix of the crates' names.
    pub prefix: String,
    /// The document as JSON.
    pub json: Value,
    /// Whether the document is of OpenAPI 3.0.
    pub is_3_0: bool,
    /// The schemas.
    pub subjects: Vec<Subject>,
    /// The crates.
    pub files: FileTree,
}

/// Generates the crates of a document.
///
/// # Errors
/// The generator refuses the document.
pub fn generated(source: &Source, prefix: String) -> Result<Generated> {
    let options = options(&prefix, &source.name);
    let overlays: Vec<Overlay> = every_component_in_a_request(source).into_iter().collect();
    let input = Input::new(&source.name, &source.text).overlays(&overlays);
    let generated = generate_from(&input, &options, &|_| {})?;
    let document = Document::parse_with(&source.name, &source.text, &overlays, None).document;
    let (Some(files), Some(document)) = (generated.files, document) else {
        return Err(format!("{}: nothing was generated:\n{}", source.name, generated.report).into());
    };
    let api = lower(&document, &options, &mut Diagnostics::default()).api;
    let json = json(&document);
    let mut subjects: Vec<Subject> =
        document.components("schemas").filter_map(|(name, _)| component(&api, name, &options)).collect();
    let own = api.operations.iter().filter(|operation| operation.path != ADDED);
    subjects.extend(own.flat_map(|operation| bodies(&api, operation, &json, &options)));
    let is_3_0 = document.version() == Version::V3_0;
    Ok(Generated { name: source.name.clone(), prefix, json, is_3_0, subjects, files })
}

/// Returns an overlay that adds an operation whose body has each component as a property.
///
/// Tables say all that a schema means only for types that requests reach.
fn every_component_in_a_request(source: &Source) -> Option<Overlay> {
    let document = Document::parse(&source.name, &source.text).document?;
    let property = |(name, _)| (name, json!({ "$ref": format!("#/components/schemas/{}", escaped(name)) }));
    let properties: Value = document.components("schemas").map(property).collect();
    let schema = json!({ "type": "object", "properties": properties });
    let body = json!({ "content": { "application/json": { "schema": schema } } });
    let operation = json!({ "requestBody": body, "responses": { "204": { "description": "" } } });
    let overlay = json!({
        "overlay": "1.1.0",
        "info": { "title": "Every component in a request", "version": "1" },
        "actions": [{ "target": "$", "update": { "paths": { ADDED: { "post": operation } } } }],
    });
    Some(Overlay::new("components.overlay.json", &overlay.to_string()))
}

fn options(prefix: &str, name: &str) -> Options {
    Options::new(prefix, name)
        .crates([CrateKind::Validation])
        .runtime(Runtime::Path(workspace::root().join("runtime").display().to_string()))
        .command("cargo xtask agree")
        .strictness(Strictness::Lenient)
}

/// Returns the document as JSON, with the components that it adopts from other files.
#[must_use]
pub fn json(document: &Document) -> Value {
    let mut json = document.root().to_json();
    let schemas: Map<String, Value> =
        document.components("schemas").map(|(name, node)| (name.to_owned(), node.to_json())).collect();
    if let Some(slot) = json.pointer_mut("/components/schemas") {
        *slot = schemas.into();
    }
    json
}

fn component(api: &Api, name: &str, options: &Options) -> Option<Subject> {
    let provenance = Provenance::Component(name.to_owned());
    let def = api.types.iter().find(|def| def.provenance == provenance)?;
    let row = table_row(api, def.id, options)?;
    let ty = model_type(api, &Schema::new(Type::Named { id: def.id, boxed: false }), options);
    Some(Subject {
        label: format!("schema `{name}`"),
        pointer: format!("/components/schemas/{}", escaped(name)),
        entry: format!("Entry::component::<{ty}>(&{row})"),
    })
}

/// Returns the JSON contents of an operation's body whose schemas are inline.
fn bodies(api: &Api, operation: &Operation, json: &Value, options: &Options) -> Vec<Subject> {
    let Some(body) = &operation.body else { return Vec::new() };
    let (method, path) = (&operation.method, &operation.path);
    let at = format!("/paths/{}/{}/requestBody", escaped(path), method.to_lowercase());
    let at = match json.pointer(&at).and_then(|body| body.get("$ref")).and_then(Value::as_str) {
        Some(reference) => reference.trim_start_matches('#').to_owned(),
        None => at,
    };
    let validation = options.crate_ident(CrateKind::Validation);
    let contents = body.contents.iter().enumerate();
    let contents = contents.filter(|(_, content)| content.format == ContentFormat::Json);
    let subject = |(index, content): (usize, &Content)| {
        let pointer = format!("{at}/content/{}/schema", escaped(&content.media_type));
        let schema = json.pointer(&pointer)?;
        let is_stream = matches!(content.schema.ty, Type::Stream(_));
        if schema.get("$ref").is_some() || is_stream {
            return None;
        }
        let ty = model_type(api, &content.schema, options);
        Some(Subject {
            label: format!("{method} {path}, {}", content.media_type),
            pointer,
            entry: format!("Entry::body::<{ty}>({validation}::OPERATIONS, {method:?}, {path:?}, {index})"),
        })
    };
    contents.filter_map(subject).collect()
}

/// Escapes a name for a JSON pointer.
#[must_use]
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

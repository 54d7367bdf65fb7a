//! The actions of an OpenAPI overlay that narrow one operation.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Instead, Operation, Server};
use crate::engine::limits::Limit;
use crate::engine::limits::loras::Kind;
use crate::engine::schema;

/// Returns the actions for one operation: its description, its models, and its body.
pub(super) fn actions(operation: &Operation) -> Vec<Value> {
    let target = format!("$.paths['{}'].post", operation.path);
    let Some(post) = schema::post(&operation.path) else { return Vec::new() };
    let mut update = Map::new();
    update.insert("description".to_owned(), Value::from(description(operation, post)));
    update.insert("x-engine".to_owned(), json!(operation.served.engine));
    if !operation.models.is_empty() {
        // A parameter of an operation replaces the path's parameter of the same name.
        let model = json!({
            "name": "model",
            "in": "path",
            "required": true,
            "description": "Model to use.",
            "schema": {"type": "string", "enum": operation.models},
        });
        update.insert("parameters".to_owned(), json!([model]));
    }
    let mut actions = vec![json!({"target": target, "update": update})];
    let narrowed = narrowed(operation);
    let content = format!("{target}.requestBody.content['application/json']");
    let media = post.pointer("/requestBody/content/application~1json").and_then(Value::as_object);
    if let Some((media, schema)) = media.and_then(|media| Some((media, media.get("schema")?)))
        && !narrowed.is_empty()
    {
        // Examples of the API need not fit this instance.
        for removed in ["schema", "example", "examples"].into_iter().filter(|name| media.contains_key(*name))
        {
            actions.push(json!({"target": format!("{content}.{removed}"), "remove": true}));
        }
        let all: Vec<Value> = std::iter::once(schema.clone()).chain(narrowed).collect();
        actions.push(json!({"target": content, "update": {"schema": {"allOf": all}}}));
    }
    actions
}

fn description(operation: &Operation, post: &Value) -> String {
    let mut sentences = vec![match (&operation.served.engine, &operation.instead) {
        (Some(Server { name, kind }), _) => format!("Served by the engine `{name}` ({kind})."),
        (None, None) => "This instance has no engine for it: it responds 503 to a valid request.".to_owned(),
        (None, Some(Instead { with, .. })) => {
            let fields = with.join("` or `");
            format!("This instance responds 503 to a valid request without `{fields}`.")
        }
    }];
    if !operation.served.ignored.is_empty() {
        sentences.push(format!("Fields without effect: `{}`.", operation.served.ignored.join("`, `")));
    }
    if let Some(Instead { with, served }) = &operation.instead
        && let Some(Server { name, kind }) = &served.engine
    {
        let fields = with.join("` or `");
        sentences.push(format!("Requests with `{fields}` are served by the engine `{name}` ({kind})."));
    }
    let own = post.get("description").and_then(Value::as_str).map(|own| format!("{}\n\n", own.trim_end()));
    own.unwrap_or_default() + &sentences.join(" ")
}

/// Returns the schemas that a body has to match in addition to the API's.
fn narrowed(operation: &Operation) -> Vec<Value> {
    let mut fields: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let (mut required, mut absent) = (Vec::new(), Vec::new());
    for (field, limit) in &operation.served.limits {
        if limit.supported == Some(false) {
            absent.push(field.as_str());
            continue;
        }
        if limit.required && !field.contains('.') {
            required.push(field.as_str());
        }
        fields.insert(field, keywords(limit));
    }
    let mut values = |field: &'static str, values: Vec<Value>| {
        if !values.is_empty() {
            fields.entry(field).or_default().insert("enum".to_owned(), Value::Array(values));
        }
    };
    values("voice_id", operation.served.voices.iter().map(|voice| json!(voice)).collect());
    for (kind, id, name) in [
        (Kind::Style, "styling.styles[].id", "styling.styles[].name"),
        (Kind::Character, "styling.characters[].id", "styling.characters[].name"),
    ] {
        let loras = || operation.served.loras.iter().filter(|lora| lora.kind == kind);
        values(id, loras().map(|lora| json!(lora.id)).collect());
        if kind == Kind::Style {
            values(name, loras().map(|lora| json!(lora.name)).collect());
        }
    }
    let fields = fields.into_iter().filter(|(_, keywords)| !keywords.is_empty());
    let mut schemas: Vec<Value> =
        fields.map(|(field, keywords)| within(field, Value::Object(keywords))).collect();
    if !required.is_empty() {
        schemas.push(json!({"type": "object", "required": required}));
    }
    schemas.extend(absent.into_iter().map(|field| {
        let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
        let schema = json!({"not": {"required": [name]}});
        if parent.is_empty() { schema } else { within(parent, schema) }
    }));
    schemas
}

/// Returns the keywords of a limit.
fn keywords(limit: &Limit) -> Map<String, Value> {
    let Limit { minimum, maximum, max_length, max_items, one_of, .. } = limit;
    let pairs = [
        ("minimum", minimum.map(Value::from)),
        ("maximum", maximum.map(Value::from)),
        ("maxLength", max_length.map(Value::from)),
        ("maxItems", max_items.map(Value::from)),
        ("enum", one_of.clone().map(Value::Array)),
    ];
    pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns the schema of an object in which the field at this path has a schema: `styling.styles[].id`.
fn within(path: &str, schema: Value) -> Value {
    path.rsplit('.').fold(schema, |schema, part| match part.strip_suffix("[]") {
        Some(name) => json!({"type": "object", "properties": {name: {"type": "array", "items": schema}}}),
        None => json!({"type": "object", "properties": {part: schema}}),
    })
}

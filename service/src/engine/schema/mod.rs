//! The fields of the requests of each family, by the OpenAPI document.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use asset_api_validation::OPERATIONS;
use openapi_crates_runtime::table::Operation;
use serde_json::{Value, json};

use crate::config::InvalidSetting;
use crate::document;
use crate::engine::Input;
use crate::engine::family::{self, Family, STANDARD};
use crate::engine::request::field;

/// The field of a request that names a voice.
pub(crate) const VOICE: &str = "voice_id";

/// The name under which templates find the LoRAs of a request.
pub(crate) const LORAS: &str = "loras";

/// The fields of a request, and whether each is a closed one: a number, a boolean or one of the document's values.
///
/// A closed field can't hold a text of the client's choice.
pub type Fields = BTreeMap<String, bool>;

/// Returns all fields in the bodies of the family's create operations.
#[must_use]
pub fn fields(family: &Family) -> Fields {
    let mut fields = Fields::new();
    for (name, property) in bodies(family).flat_map(properties) {
        *fields.entry(name.to_owned()).or_insert(true) &= closed(property);
    }
    fields.remove("webhook_url");
    if family.name == family::IMAGEGEN.name {
        // A template finds values there that the operator chose, and numbers.
        fields.insert(LORAS.to_owned(), true);
    }
    fields
}

/// An operation that creates tasks.
#[derive(Debug, Clone)]
pub struct Create {
    /// The operation's id.
    pub operation: String,
    /// The path.
    pub path: String,
    /// An example of the body, without a webhook.
    pub example: Value,
    /// The operation in the document.
    pub post: &'static Value,
    /// The field that the example has in addition to the document's: see [`examples_with`].
    pub added: Option<String>,
}

impl Create {
    /// Returns the example as the input of a request, with this voice instead of its own.
    pub(crate) fn input(&self, family: &Family, voice: Option<&str>) -> Input {
        let mut body = self.example.clone();
        if let (Some(voice), Some(given)) = (voice, body.get_mut(VOICE)) {
            *given = Value::from(voice);
        }
        let model = family.has_models().then(|| STANDARD.to_owned());
        Input { operation: self.operation.clone(), model, body }
    }

    /// Returns the operation with this field in its example, if it takes the field.
    fn with(&self, path: &str) -> Option<Self> {
        let value = placeholder(schema_of(self.post, path)?);
        let mut create = Self { added: Some(path.to_owned()), ..self.clone() };
        set(&mut create.example, path, value)?;
        Some(create)
    }

    /// Returns the error of a template that fails with the example.
    pub(super) fn unfit(&self, setting: String, error: &impl fmt::Display) -> InvalidSetting {
        InvalidSetting::because(setting, format_args!("{error}, with the example of {self}"))
    }
}

/// Prints the operation: `create_lip_sync`, with the field that was added to its example.
impl fmt::Display for Create {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.operation)?;
        self.added.iter().try_for_each(|field| write!(formatter, " with `{field}`"))
    }
}

/// Returns the row of an operation.
#[must_use]
pub fn operation(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().flat_map(|tag| *tag).copied().find(|operation| operation.id == id)
}

/// Returns the create operations of a family.
#[must_use]
pub fn creates(family: &Family) -> Vec<Create> {
    let create = |id: &&str| {
        let path = operation(id)?.path.to_owned();
        let post = post(&path)?;
        let content = post.pointer("/requestBody/content/application~1json")?;
        let examples = content.get("examples").and_then(Value::as_object);
        let first = examples.and_then(|examples| examples.values().next()?.get("value"));
        let mut example = content.get("example").or(first).cloned().unwrap_or_default();
        if let Value::Object(fields) = &mut example {
            fields.remove("webhook_url");
        }
        Some(Create { operation: (*id).to_owned(), path, example, post, added: None })
    };
    family.creates.iter().filter_map(create).collect()
}

/// Returns the create operations of a family whose examples have one of these fields; all, if no field is given.
///
/// For a field that no example has, the first operation that takes it is there with a placeholder of the field's schema.
#[must_use]
pub fn examples_with(family: &Family, with: &[String]) -> Vec<Create> {
    let all = creates(family);
    if with.is_empty() {
        return all;
    }
    let has = |create: &Create, name: &String| field(&create.example, name).is_some();
    let lacking = with.iter().filter(|name| !all.iter().any(|create| has(create, name)));
    let added: Vec<Create> =
        lacking.filter_map(|name| all.iter().find_map(|create| create.with(name))).collect();
    all.into_iter().filter(|create| with.iter().any(|name| has(create, name))).chain(added).collect()
}

/// Returns the operation that posts to a path.
#[must_use]
pub fn post(path: &str) -> Option<&'static Value> {
    document::VALUE.get("paths")?.get(path)?.get("post")
}

/// Returns whether the body of an operation has the field at this path of names: `styling.styles`.
#[must_use]
pub fn has_field(post: &Value, path: &str) -> bool {
    schema_of(post, path).is_some()
}

/// Returns the schemas of the field at this path, one for each operation of the family that has it.
#[must_use]
pub(super) fn of_field(family: &Family, path: &str) -> Vec<&'static Value> {
    creates(family).iter().filter_map(|create| schema_of(create.post, path)).collect()
}

/// Returns the paths of all siblings of a field: in the request, or in the object that a path leads to.
#[must_use]
pub(super) fn beside(family: &Family, path: &str) -> Vec<String> {
    let Some((parent, _)) = path.rsplit_once('.') else { return fields(family).into_keys().collect() };
    let siblings = of_field(family, parent).into_iter().flat_map(properties);
    let names: BTreeSet<String> = siblings.map(|(name, _)| format!("{parent}.{name}")).collect();
    if names.is_empty() { beside(family, parent) } else { names.into_iter().collect() }
}

/// Returns the schema of the field at this path in the body of an operation: `styling.styles` or `image_urls[0].url`.
pub(super) fn schema_of<'v>(post: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(body(post)?, |schema, name| {
        let (name, is_item) = name.split_once('[').map_or((name, false), |(name, _)| (name, true));
        let field = parts(schema).into_iter().find_map(|part| part.get("properties")?.get(name))?;
        if is_item { parts(field).into_iter().find_map(|part| part.get("items")) } else { Some(field) }
    })
}

/// Sets the field at this path of names, with the objects around it; returns `None` if another value is there.
#[must_use]
pub fn set(body: &mut Value, path: &str, value: Value) -> Option<()> {
    let mut slot = body;
    for name in path.split('.') {
        slot = slot.as_object_mut()?.entry(name).or_insert_with(|| json!({}));
    }
    *slot = value;
    Some(())
}

/// Returns values that the field at this path accepts: all of its list, or one.
#[must_use]
pub fn values(post: &Value, path: &str) -> Vec<Value> {
    let Some(schema) = schema_of(post, path) else { return Vec::new() };
    let listed = parts(schema).into_iter().filter_map(|part| part.get("enum")?.as_array()).flatten();
    listed.cloned().chain([placeholder(schema)]).collect()
}

/// Returns a value that a schema accepts. A text is a URL.
fn placeholder(schema: &Value) -> Value {
    let parts = parts(schema);
    let keyword = |name: &str| parts.iter().find_map(|part| part.get(name));
    let first = keyword("enum").and_then(|values| values.get(0));
    let given = first.or_else(|| ["default", "const", "minimum"].into_iter().find_map(keyword));
    if let Some(given) = given {
        return given.clone();
    }
    match keyword("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => keyword("items").map(placeholder).into_iter().collect(),
        Some("object") => {
            let fields = properties(schema).map(|(name, property)| (name.to_owned(), placeholder(property)));
            Value::Object(fields.collect())
        }
        _ => json!("https://example.com/"),
    }
}

/// Returns whether the family's requests certainly have no field at this path of names.
#[must_use]
pub fn lacks(family: &Family, path: &str) -> bool {
    if path.split('.').next() == Some(LORAS) {
        return false;
    }
    let lacks = |post: &Value| {
        let mut schema = body(post);
        for name in path.split('.') {
            let all: Vec<_> = schema.map(parts).unwrap_or_default();
            let all: Vec<_> = all.into_iter().filter_map(|part| part.get("properties")).collect();
            // An object without `properties` may have any field.
            if all.is_empty() {
                return false;
            }
            schema = all.into_iter().find_map(|properties| properties.get(name));
            if schema.is_none() {
                return true;
            }
        }
        false
    };
    let creates = creates(family);
    !creates.is_empty() && creates.iter().all(|create| lacks(create.post))
}

/// Returns the schema of the body of an operation.
fn body(post: &Value) -> Option<&Value> {
    post.pointer("/requestBody/content/application~1json/schema")
}

/// Returns the body schemas of the family's create operations.
pub(super) fn bodies(family: &Family) -> impl Iterator<Item = &'static Value> {
    family.creates.iter().filter_map(|id| body(post(operation(id)?.path)?))
}

/// Returns all properties of a schema, with their names.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let all = parts(schema).into_iter().filter_map(|part| part.get("properties")?.as_object());
    all.flatten().map(|(name, property)| (name.as_str(), property))
}

/// Returns a schema and all schemas of its `allOf`, with references followed.
pub(crate) fn parts(schema: &Value) -> Vec<&Value> {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    let target = target.and_then(|target| document::VALUE.pointer(target));
    let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten().chain(target);
    std::iter::once(schema).chain(all.flat_map(parts)).collect()
}

/// Returns whether the schema leaves no text to the client's choice.
fn closed(schema: &Value) -> bool {
    let is_plain = |name: &Value| matches!(name.as_str(), Some("integer" | "number" | "boolean" | "null"));
    parts(schema).iter().any(|part| {
        part.get("enum").is_some()
            || part.get("const").is_some()
            || part.get("type").is_some_and(|names| match names {
                Value::Array(names) => names.iter().all(is_plain),
                name => is_plain(name),
            })
    })
}

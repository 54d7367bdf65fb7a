//! The fields of the requests of each family, by the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::family::Family;
use crate::config::InvalidSetting;
use crate::media::format::Kind;

/// The OpenAPI document of the API.
pub(crate) const SPEC: &str = include_str!("../../../spec/openapi.yaml");

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_yaml::from_str(SPEC).unwrap_or_default());

/// The fields of a request, and whether each is a closed one: a number, a boolean or one of the document's values.
///
/// A closed field can't hold a text of the client's choice.
pub type Fields = BTreeMap<String, bool>;

/// Returns all fields in the bodies of the family's create operations.
#[must_use]
pub fn fields(family: &Family) -> Fields {
    let mut fields = Fields::new();
    each_body(family, |body| {
        each_property(body, &mut |name, property| {
            *fields.entry(name.to_owned()).or_insert(true) &= closed(property);
        });
    });
    fields.remove("webhook_url");
    if family.name == super::family::IMAGEGEN.name {
        // What a template finds there is the operator's choice, and numbers.
        fields.insert(super::loras::FIELD.to_owned(), true);
    }
    fields
}

/// Returns whether a path creates tasks of the family: the family's path, or one below it such as `/turbo`.
fn is_of(path: &str, family: &Family) -> bool {
    let below = path.strip_prefix(family.path).and_then(|rest| rest.strip_prefix('/'));
    path == family.path || below.is_some_and(|rest| !rest.contains(['/', '{']))
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
}

impl Create {
    /// Returns the error of a template that fails with the example.
    pub(super) fn unfit(&self, setting: String, error: &impl std::fmt::Display) -> InvalidSetting {
        let expected = format!("templates that work for the example of `{}` ({error})", self.operation);
        InvalidSetting { setting, expected }
    }
}

/// Returns the create operations of a family.
#[must_use]
pub fn creates(family: &Family) -> Vec<Create> {
    let paths = DOCUMENT.get("paths").and_then(Value::as_object);
    let creates = paths.into_iter().flatten().filter(|(path, _)| is_of(path, family));
    let create = |(path, item): (&String, &'static Value)| {
        let post = item.get("post")?;
        let content = post.pointer("/requestBody/content/application~1json")?;
        let examples = content.get("examples").and_then(Value::as_object);
        let first = examples.and_then(|examples| examples.values().next()?.get("value"));
        let mut example = content.get("example").or(first).cloned().unwrap_or_default();
        if let Value::Object(fields) = &mut example {
            fields.remove("webhook_url");
        }
        let operation = post.get("operationId")?.as_str()?.to_owned();
        Some(Create { operation, path: path.clone(), example, post })
    };
    creates.filter_map(create).collect()
}

/// Takes the media out of a body: visits each with its path and kind, and leaves an empty text, or `null` if `take`
/// returns `false`.
pub fn take_media(post: &Value, body: &mut Value, take: &mut impl FnMut(&str, Kind, &Value) -> bool) {
    if let Some(schema) = post.pointer("/requestBody/content/application~1json/schema") {
        take_from(schema, body, "", take);
    }
}

fn take_from(
    schema: &Value,
    value: &mut Value,
    path: &str,
    take: &mut impl FnMut(&str, Kind, &Value) -> bool,
) {
    let parts = parts(schema);
    let medium = parts.iter().find_map(|part| part.get("x-media")?.get("kind")?.as_str());
    if let Some(kind) = medium.and_then(Kind::named) {
        *value = if take(path, kind, value) { Value::from("") } else { Value::Null };
        return;
    }
    for part in parts {
        match value {
            Value::Object(fields) => {
                for (name, property) in
                    part.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    if let Some(field) = fields.get_mut(name) {
                        take_from(property, field, &below, take);
                    }
                }
                fields.retain(|_, field| !field.is_null());
            }
            Value::Array(items) => {
                for (schema, (index, item)) in
                    part.get("items").into_iter().cycle().zip(items.iter_mut().enumerate())
                {
                    take_from(schema, item, &format!("{path}[{index}]"), take);
                }
            }
            _ => {}
        }
    }
}

/// Returns the operation that posts to a path.
#[must_use]
pub fn post(path: &str) -> Option<&'static Value> {
    DOCUMENT.get("paths")?.get(path)?.get("post")
}

/// Returns whether the body of an operation has the field at this path of names: `styling.styles`.
#[must_use]
pub fn has_field(post: &Value, path: &str) -> bool {
    let schema = post.pointer("/requestBody/content/application~1json/schema");
    let found = path.split('.').try_fold(schema, |schema, name| {
        let parts = schema.map(parts).unwrap_or_default();
        parts.into_iter().find_map(|part| part.get("properties")?.get(name)).map(Some)
    });
    found.flatten().is_some()
}

/// Returns whether the family's requests certainly have no field at this path of names.
#[must_use]
pub fn lacks(family: &Family, path: &str) -> bool {
    if path.split('.').next() == Some(super::loras::FIELD) {
        return false;
    }
    let lacks = |post: &Value| {
        let mut schema = post.pointer("/requestBody/content/application~1json/schema");
        for name in path.split('.') {
            let all: Vec<_> = schema.map(parts).unwrap_or_default();
            let all: Vec<_> = all.into_iter().filter_map(|part| part.get("properties")).collect();
            // Without properties, it is open what an object has.
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

/// Returns the media of an example, with a stand-in for each.
#[must_use]
pub fn stand_ins(family: &Family, body: &Value, stand_in: &Value) -> Map<String, Value> {
    let given = media(family).into_iter().filter_map(|field| {
        let value = match body.get(&field)? {
            Value::Array(items) => Value::Array(vec![stand_in.clone(); items.len()]),
            _ => stand_in.clone(),
        };
        Some((field, value))
    });
    given.collect()
}

/// Returns the fields that hold media, or lists of them.
#[must_use]
pub fn media(family: &Family) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_body(family, |body| {
        each_property(body, &mut |name, property| {
            if has_media(property) {
                found.insert(name.to_owned());
            }
        })
    });
    found
}

/// Returns whether a schema, its items or their properties hold a medium.
fn has_media(schema: &Value) -> bool {
    let mut properties_have = false;
    each_property(schema, &mut |_, property| {
        properties_have |= parts(property).iter().any(|part| part.get("x-media").is_some());
    });
    properties_have
        || parts(schema)
            .iter()
            .any(|part| part.get("x-media").is_some() || part.get("items").is_some_and(has_media))
}

/// Visits the body schemas of the family's create operations.
pub(super) fn each_body(family: &Family, mut visit: impl FnMut(&Value)) {
    let paths = DOCUMENT.get("paths").and_then(Value::as_object);
    for (_, item) in paths.into_iter().flatten().filter(|(path, _)| is_of(path, family)) {
        let schema = item.pointer("/post/requestBody/content/application~1json/schema");
        schema.into_iter().for_each(&mut visit);
    }
}

/// Visits all properties of a schema.
pub(super) fn each_property(schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    for part in parts(schema) {
        let properties = part.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            visit(name, property);
        }
    }
}

/// Returns a schema and all schemas of its `allOf`, with references followed.
pub(super) fn parts(schema: &Value) -> Vec<&Value> {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    let target = target.and_then(|target| DOCUMENT.pointer(target));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::family;

    #[test]
    fn every_family_has_fields() {
        for family in family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name) {
            assert!(!fields(family).is_empty(), "{}", family.name);
            let creates = creates(family);
            assert!(!creates.is_empty() && creates.iter().all(|create| create.example.is_object()));
        }
        let of_speech = fields(&family::VOICEOVER);
        assert_eq!((of_speech.get("text"), of_speech.get("voice_id")), (Some(&false), Some(&false)));
        assert_eq!((of_speech.get("speed"), of_speech.get("webhook_url")), (Some(&true), None));
        let post = creates(&family::IMAGE_PREVIEW).remove(0).post;
        let mut body =
            json!({"prompt": "x", "reference_images": [{"image": 0, "text": "a"}, {"image": "{in_1}"}]});
        let mut taken = Vec::new();
        take_media(post, &mut body, &mut |path, kind, value| {
            taken.push((path.to_owned(), kind, value.clone()));
            value.is_number()
        });
        let of = |index: usize, value| (format!("reference_images[{index}].image"), Kind::Image, value);
        assert_eq!(taken, [of(0, json!(0)), of(1, json!("{in_1}"))]);
        assert_eq!(body, json!({"prompt": "x", "reference_images": [{"image": "", "text": "a"}, {}]}));
        assert_eq!(media(&family::LIP_SYNC), ["audio_url", "image_url"].map(str::to_owned).into());
        assert_eq!(media(&family::IMAGE_PREVIEW), ["reference_images"].map(str::to_owned).into());
        assert_eq!(media(&family::IMAGE_EDIT), ["image", "mask"].map(str::to_owned).into());
        let of_video = fields(&family::VIDEO_UPSCALER);
        assert_eq!((of_video.get("resolution"), of_video.get("fps_boost")), (Some(&true), Some(&true)));
    }
}

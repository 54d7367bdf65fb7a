//! The request to an engine.

use std::collections::{BTreeMap, BTreeSet};

use asset_engines::Refusal;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::family::Family;
use super::work::Work;
use crate::media::format::Kind;
use crate::media::input::Expected;

/// The input of a create operation, as the queue stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The operation's id: `create_voiceover`.
    pub operation: String,
    /// The model in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The body. Fields that hold media are empty strings: the media are passed separately.
    pub body: Value,
}

/// A request for the work of one engine.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The family.
    pub family: &'static Family,
    /// The input of the operation; `None` if a built-in engine runs it.
    pub input: Option<&'a Input>,
    /// The parameters of the built-in engine, if one can do the work.
    pub work: Option<&'a Work>,
}

impl Request<'_> {
    /// Returns the field of the body at this path: `output_options.compression`.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&Value> {
        field(&self.input?.body, path)
    }

    /// Returns the given fields that are not among these, by their paths.
    ///
    /// A field within an object counts for itself if only some fields of the object are read.
    #[must_use]
    pub fn unread(&self, read: &BTreeSet<String>) -> Vec<String> {
        let mut unread = Vec::new();
        if let Some(input) = self.input {
            add_unread(&input.body, "", read, &mut unread);
        }
        unread
    }

    /// Returns the text of a field of the body.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.field(path)?.as_str()
    }
}

fn add_unread(value: &Value, path: &str, read: &BTreeSet<String>, unread: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let below = format!("{path}.");
        match read.contains(&path) {
            true => {}
            false if !read.iter().any(|field| field.starts_with(&below)) => unread.push(path),
            false => add_unread(value, &path, read, unread),
        }
    }
}

/// Returns the field at this path of names and indices: `reference_images[0].image`.
pub(super) fn field<'v>(body: &'v Value, path: &str) -> Option<&'v Value> {
    body.pointer(&pointer(path)?).filter(|value| !value.is_null())
}

/// Returns the JSON pointer of a path of names and indices; `None` if its brackets are not in pairs.
fn pointer(path: &str) -> Option<String> {
    let are_paired = path.split('[').skip(1).all(|index| index.matches(']').count() == 1)
        && path.matches('[').count() == path.matches(']').count();
    are_paired.then(|| format!("/{}", path.replace(['.', '['], "/").replace(']', "")))
}

/// Sets the text of a medium's field to its path, so that templates see whether it is given.
pub(super) fn name_media(body: &mut Value, path: &str) {
    if let Some(Value::String(text)) = pointer(path).and_then(|pointer| body.pointer_mut(&pointer)) {
        *text = path.to_owned();
    }
}

/// A step of a request for a task. A request of an operation is one step; the run of a workflow app may have several.
#[derive(Debug, Clone)]
pub struct StepRequest {
    /// The family whose engine runs the step.
    pub family: &'static Family,
    /// The input of the operation; `None` in steps of workflow apps for built-in engines.
    pub input: Option<Input>,
    /// The parameters of the built-in engine, if one can do the work.
    pub work: Option<Work>,
    /// The media, in the order in which the engine gets them.
    pub media: Vec<MediumRequest>,
    /// The ids of a workflow app's inputs, by the parameters that they fill.
    pub inputs: BTreeMap<String, String>,
    /// The constraints of the API that the input of a workflow app's step breaks.
    pub violations: Vec<Refusal>,
}

impl StepRequest {
    /// Returns the request to the step's engine.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        Request { family: self.family, input: self.input.as_ref(), work: self.work.as_ref() }
    }

    /// Returns the refusal with the name of its parameter as the client knows it.
    ///
    /// The client of an app knows only the app's inputs, not the parameters of its steps.
    #[must_use]
    pub fn for_client(&self, refusal: Refusal) -> Refusal {
        match self.inputs.get(refusal.parameter.as_ref()) {
            Some(id) => Refusal::new(format!("inputs.{id}"), refusal.reason),
            None => refusal,
        }
    }
}

/// A medium of a request for a task.
#[derive(Debug, Clone)]
pub struct MediumRequest {
    /// The field that holds it: `reference_images[0].image`. Empty in steps of workflow apps for built-in engines.
    pub field: String,
    /// What it must be.
    pub expected: Expected,
    /// Whether only a URL is valid.
    pub url_only: bool,
    /// Its content.
    pub content: MediumContent,
}

/// The content of a medium of a request for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediumContent {
    /// A text that the client gave.
    Given {
        /// The name of the field as the client knows it, such as `image` or `inputs.in_1`.
        name: String,
        /// A URL or base64, or the id of a task for an input of a workflow app.
        text: String,
    },
    /// The first file of an earlier step of a workflow app, by the step's number from 0.
    Output(usize),
}

/// A medium of a request that runs.
#[derive(Debug, Clone)]
pub struct Medium {
    /// The field that holds it: `reference_images[0].image`. Empty in steps of workflow apps for built-in engines.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its content.
    pub bytes: Bytes,
    /// The URL that the client gave for it.
    pub url: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_have_paths_of_names_and_indices() {
        let mut body = json!({"a": {"b": [{"c": "x"}, {"c": "y"}]}, "n": null, "t": "z"});
        for (path, expected) in [
            ("t", Some(json!("z"))),
            ("a.b[1].c", Some(json!("y"))),
            ("a.b[2].c", None),
            ("a.b[x]", None),
            ("a.b[0", None),
            ("n", None),
            ("", None),
        ] {
            assert_eq!(field(&body, path), expected.as_ref(), "{path}");
        }
        let input = Input { operation: String::new(), model: None, body: body.clone() };
        let request = Request { family: &crate::engine::family::VOICEOVER, input: Some(&input), work: None };
        let unread = |read: &[&str]| request.unread(&read.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(unread(&["a", "t"]), ["n"]);
        assert_eq!(unread(&["a.c", "n", "t"]), ["a.b"]);
        assert_eq!(unread(&["a.b.c", "n", "t"]), [""; 0]);
        name_media(&mut body, "a.b[0].c");
        name_media(&mut body, "a.b");
        name_media(&mut body, "missing[0]");
        assert_eq!(body, json!({"a": {"b": [{"c": "a.b[0].c"}, {"c": "y"}]}, "n": null, "t": "z"}));
    }
}

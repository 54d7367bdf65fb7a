//! A difference between recorded bodies and the document.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{Recording, bundle::Bundle, repair};
use crate::{
    diagnostics::{Code, Diagnostics},
    document::{Document, NodeRef},
};

/// The longest text of a recorded value that a message shows, in characters.
const SHOWN: usize = 60;

/// Values that break the same keyword in the same way.
#[derive(Debug)]
pub(super) struct Difference<'d> {
    /// The keyword, or the schema around it.
    pub(super) node: NodeRef<'d>,
    pub(super) kind: Kind,
    /// The first of the values.
    pub(super) sample: Value,
    /// The values: the index of each recording, and the JSON pointer in it.
    pub(super) at: Vec<(usize, String)>,
}

/// How values differ from a schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// They have this JSON type, which `type` does not list.
    Type(&'static str),
    /// They lack this required property.
    Missing(String),
    /// They have this property, but the object is closed.
    Unknown(String),
    /// The value is not in `enum`, or not that of `const`. It is in JSON.
    NotListed(String),
    /// They match more than one schema of `oneOf`.
    Ambiguous,
    /// They break this other keyword.
    Other(String),
}

/// Returns the differences that an error stands for: the node, the kind, the JSON pointer of the value, and the value.
pub(super) fn of<'d>(
    error: &ValidationError<'_>,
    bundle: &Bundle<'d>,
) -> Vec<(NodeRef<'d>, Kind, String, Value)> {
    let branches = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => context,
        _ => &Vec::new(),
    };
    if let Some(nearest) = branches.iter().min_by_key(|branch| distance(error, branch)) {
        return nearest.iter().flat_map(|error| of(error, bundle)).collect();
    }
    let Some(node) = bundle.node(error.schema_path().as_str()) else { return Vec::new() };
    let at = error.instance_path().as_str();
    let value = error.instance().clone().into_owned();
    let kinds = match error.kind() {
        ValidationErrorKind::Type { .. } => vec![Kind::Type(type_of(&value))],
        ValidationErrorKind::Required { property } => {
            vec![Kind::Missing(property.as_str().unwrap_or_default().to_owned())]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| Kind::Unknown(name.clone())).collect()
        }
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
            vec![Kind::NotListed(value.to_string())]
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => vec![Kind::Ambiguous],
        other => vec![Kind::Other(other.keyword().to_owned())],
    };
    let value_of = |kind: &Kind| match kind {
        Kind::Unknown(name) => value.get(name).cloned().unwrap_or_default(),
        _ => value.clone(),
    };
    kinds.into_iter().map(|kind| (node, kind.clone(), at.to_owned(), value_of(&kind))).collect()
}

/// Returns how far a value is from a branch of a union: whether it has another type, and the number of errors.
fn distance(union: &ValidationError<'_>, branch: &[ValidationError<'static>]) -> (bool, usize) {
    let is_of_whole = |error: &ValidationError<'_>| error.instance_path() == union.instance_path();
    let has_other_type = branch
        .iter()
        .any(|error| is_of_whole(error) && matches!(error.kind(), ValidationErrorKind::Type { .. }));
    (has_other_type, branch.len())
}

/// Returns the JSON type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl Difference<'_> {
    /// Adds a diagnostic.
    pub(super) fn report(
        &self,
        document: &Document,
        recordings: &[Recording],
        diagnostics: &mut Diagnostics,
    ) {
        let diagnostic = diagnostics.error(Code::RecordedBody, self.node, self.message());
        let mut places =
            self.at.iter().filter_map(|(index, at)| Some(format!("{}#{at}", recordings.get(*index)?.name)));
        if let Some(first) = places.next() {
            let more = match places.count() {
                0 => String::new(),
                1 => " and at 1 other place".to_owned(),
                others => format!(" and at {others} other places"),
            };
            diagnostic.note(format!("at {first}{more}"));
        }
        diagnostic.help(repair::advice(self, document));
    }

    fn message(&self) -> String {
        let sample = shown(&self.sample);
        match &self.kind {
            Kind::Type("null") => "recorded bodies have null here".to_owned(),
            Kind::Type(found) => format!("recorded bodies have {} here: `{sample}`", with_article(found)),
            Kind::Missing(name) => format!("recorded bodies lack the required property `{name}`"),
            Kind::Unknown(name) => {
                format!(
                    "recorded bodies have the property `{name}`, which this schema does not allow: `{sample}`"
                )
            }
            Kind::NotListed(_) => format!("recorded bodies have a value that is not listed here: `{sample}`"),
            Kind::Ambiguous => format!("recorded bodies match several schemas of this `oneOf`: `{sample}`"),
            Kind::Other(keyword) => {
                format!("recorded bodies have a value that breaks `{keyword}`: `{sample}`")
            }
        }
    }
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// Returns the beginning of a value in JSON.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

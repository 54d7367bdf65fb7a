//! A difference between recorded bodies and the document.

use serde_json::Value;

use super::{Recording, repair};
use crate::{
    diagnostics::{Code, Diagnostics},
    document::Document,
    tree::NodeRef,
};

/// The longest text of a recorded value that a message shows, in characters.
const SHOWN: usize = 60;

/// A value that breaks a keyword.
#[derive(Debug)]
pub(super) struct Found<'d> {
    /// The keyword.
    pub(super) node: NodeRef<'d>,
    pub(super) kind: Kind,
    /// The JSON pointer of the value in its body.
    pub(super) at: String,
    /// The value; of an unknown property, its value.
    pub(super) value: Value,
}

/// Values that break the same keyword in the same way.
#[derive(Debug)]
pub(super) struct Difference<'d> {
    pub(super) first: Found<'d>,
    /// The index of the recording with the first value.
    pub(super) recording: usize,
    pub(super) count: usize,
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
    /// The reference to their schema leads nowhere.
    Unresolved,
    /// They break this other keyword.
    Other(String),
}

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

impl<'d> Difference<'d> {
    pub(super) fn report(
        &self,
        document: &Document,
        recordings: &[Recording],
        diagnostics: &mut Diagnostics,
    ) {
        let Found { node, kind, at, .. } = &self.first;
        let code = if *kind == Kind::Unresolved { Code::UnknownRef } else { Code::RecordedBody };
        let diagnostic = diagnostics.error(code, node, self.message());
        if let Some(recording) = recordings.get(self.recording) {
            let more = match self.count - 1 {
                0 => String::new(),
                1 => " and 1 other value".to_owned(),
                others => format!(" and {others} other values"),
            };
            diagnostic.note(format!("{}#{at}{more}", recording.name));
        }
        diagnostic.help(repair::advice(self, document));
    }

    fn message(&self) -> String {
        let sample = shown(&self.first.value);
        match &self.first.kind {
            Kind::Type("null") => "recorded bodies have null here".to_owned(),
            Kind::Type(found) => format!("recorded bodies have {} here: `{sample}`", with_article(found)),
            Kind::Missing(name) => format!("recorded bodies lack the required property `{name}`"),
            Kind::Unknown(name) => format!(
                "recorded bodies have the property `{name}`, which this schema does not allow: `{sample}`"
            ),
            Kind::NotListed(_) => format!("recorded bodies have a value that is not listed here: `{sample}`"),
            Kind::Ambiguous => format!("recorded bodies match several schemas of this `oneOf`: `{sample}`"),
            Kind::Unresolved => {
                let reference = self.first.node.as_str().unwrap_or_default();
                format!("unknown reference `{reference}`, so these values are not compared: `{sample}`")
            }
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

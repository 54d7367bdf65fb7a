//! A file of a document: its text, its tree and the source locations of its nodes.

use std::{cell::Cell, sync::OnceLock};

use serde::de::DeserializeSeed;

use super::{Load, Node, NodeId, Position, Source, Spans, Value, nesting, seed::NodeSeed};
use crate::diagnostics::{Code, Diagnostics};

/// A file of a document.
#[derive(Debug)]
pub(crate) struct File {
    pub source: Source,
    pub root: Node,
    /// Why the file has no content.
    pub fault: Option<String>,
    /// Whether there is a text; a document that a program built has none.
    pub has_text: bool,
    spans: OnceLock<Spans>,
}

impl File {
    pub fn new(source: Source, root: Node) -> Self {
        Self { source, root, fault: None, has_text: true, spans: OnceLock::new() }
    }

    /// Creates a file that could not be read.
    pub fn without_content(source: Source, id: NodeId) -> Self {
        Self::new(source, Node { id, value: Value::Null })
    }

    /// Loads a file that the document refers to.
    ///
    /// `place` is the index that the file will have, `first` the id of its first node.
    ///
    /// If the file can't be loaded, `fault` says why, and each reference to it reports that.
    pub fn load(
        name: String,
        load: &Load<'_>,
        place: usize,
        first: NodeId,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let text = match load(&name) {
            Ok(text) => text,
            Err(fault) => {
                let fault = Some(format!("cannot be read: {fault}"));
                return Self { fault, ..Self::without_content(Source { name, text: String::new() }, first) };
            }
        };
        let source = Source { name, text: text.trim_start_matches('\u{feff}').to_owned() };
        match read(&source, first) {
            Ok(root) => {
                let file = Self::new(source, root);
                file.report_duplicates(diagnostics);
                file
            }
            Err((position, message)) => {
                diagnostics.error_in(Code::UnreadableFile, place, position, message);
                let fault = Some("is not valid JSON or YAML".to_owned());
                Self { fault, ..Self::without_content(source, first) }
            }
        }
    }

    /// Returns the source locations of the nodes.
    pub fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| Spans::new(&self.root, &self.source.text))
    }

    /// Reports duplicate fields.
    pub fn report_duplicates(&self, diagnostics: &mut Diagnostics) {
        self.root.walk(&mut |node| {
            for (name, second) in node.duplicates() {
                diagnostics
                    .error(Code::DuplicateKey, second, format!("duplicate field `{name}`"))
                    .at_name()
                    .help("remove or rename one of the two");
            }
        });
    }
}

pub(super) type ReadError = (Option<Position>, String);

/// Parses a text as JSON or YAML.
///
/// The nodes are numbered from `first`.
pub(super) fn read(source: &Source, first: NodeId) -> Result<Node, ReadError> {
    let mut root = if is_json(source) { read_json(&source.text) } else { read_yaml(&source.text) }?;
    root.number(first);
    Ok(root)
}

fn is_json(source: &Source) -> bool {
    let name = source.name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    named(&[".json"]) || !named(&[".yaml", ".yml"]) && source.text.trim_start().starts_with(['{', '['])
}

/// Returns the maximum number of nodes of a text.
///
/// YAML aliases can expand a short text to any number of nodes.
fn most_nodes(text: &str) -> Cell<usize> {
    Cell::new(text.len().saturating_add(100_000))
}

fn read_json(text: &str) -> Result<Node, ReadError> {
    let left = most_nodes(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = NodeSeed { left: &left }.deserialize(&mut deserializer);
    node.and_then(|node| deserializer.end().map(|()| node)).map_err(|error| {
        let position = Position { line: error.line().max(1), column: error.column().max(1) };
        let message = error.to_string();
        // serde_json repeats the position at the end of its message.
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (Some(position), format!("invalid JSON: {message}"))
    })
}

fn read_yaml(text: &str) -> Result<Node, ReadError> {
    if let Some(position) = nesting::too_deep(text) {
        return Err((Some(position), "the document is nested too deeply".to_owned()));
    }
    let left = most_nodes(text);
    NodeSeed { left: &left }.deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let position =
            error.location().map(|location| Position { line: location.line(), column: location.column() });
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (position, format!("invalid YAML: {message}"))
    })
}

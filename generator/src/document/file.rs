//! One file: its text, its tree, and where the nodes of that stand.

use std::{cell::Cell, sync::OnceLock};

use serde::de::DeserializeSeed;

use super::{Load, Node, Position, Source, Spans, nesting, node::NodeSeed};
use crate::diagnostics::{Code, Diagnostics};

/// A file.
#[derive(Debug)]
pub(crate) struct File {
    pub source: Source,
    /// Boxed, so that its address stays when the file moves.
    pub root: Box<Node>,
    /// Why there is nothing in it.
    pub fault: Option<String>,
    /// Whether there is a text; a document that a program built has none.
    pub has_text: bool,
    spans: OnceLock<Spans>,
}

impl File {
    pub fn new(source: Source, root: Node) -> Self {
        Self { source, root: Box::new(root), fault: None, has_text: true, spans: OnceLock::new() }
    }

    /// Reads a file that the document refers to, to be the one at this place. If it can't be read, whoever refers to
    /// it says so.
    pub fn load(name: String, load: &Load<'_>, place: usize, diagnostics: &mut Diagnostics) -> Self {
        let text = match load(&name) {
            Ok(text) => text,
            Err(fault) => {
                let fault = Some(format!("can't be read: {fault}"));
                return Self { fault, ..Self::new(Source { name, text: String::new() }, Node::Null) };
            }
        };
        let source = Source { name, text: text.trim_start_matches('\u{feff}').to_owned() };
        match read(&source) {
            Ok(root) => {
                let file = Self::new(source, root);
                file.report_duplicates(diagnostics);
                file
            }
            Err((position, message)) => {
                diagnostics.error_in(Code::UnreadableFile, place, position, message);
                let fault = Some("is no JSON or YAML".to_owned());
                Self { fault, ..Self::new(source, Node::Null) }
            }
        }
    }

    /// Where its nodes stand in its text.
    pub fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| Spans::new(&self.root, &self.source.text))
    }

    /// Reports fields that stand twice.
    pub fn report_duplicates(&self, diagnostics: &mut Diagnostics) {
        self.root.walk(&mut |node| {
            for (name, second) in node.duplicates() {
                diagnostics
                    .error(Code::DuplicateKey, second, format!("`{name}` stands twice in this object"))
                    .at_name()
                    .help("Remove one of them, or give it another name.");
            }
        });
    }
}

pub(super) type ReadError = (Option<Position>, String);

/// Reads a text as JSON or YAML.
pub(super) fn read(source: &Source) -> Result<Node, ReadError> {
    if is_json(source) { read_json(&source.text) } else { read_yaml(&source.text) }
}

fn is_json(source: &Source) -> bool {
    let name = source.name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    named(&[".json"]) || !named(&[".yaml", ".yml"]) && source.text.trim_start().starts_with(['{', '['])
}

/// How many nodes a text may have: more than it can write down, for some stand in several places by aliases.
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
        (Some(position), format!("this is no JSON: {message}"))
    })
}

fn read_yaml(text: &str) -> Result<Node, ReadError> {
    if let Some(position) = nesting::too_deep(text) {
        return Err((Some(position), "this is nested too deep".to_owned()));
    }
    let left = most_nodes(text);
    NodeSeed { left: &left }.deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let position =
            error.location().map(|location| Position { line: location.line(), column: location.column() });
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (position, format!("this is no YAML: {message}"))
    })
}

//! Reads a document: JSON or YAML, OpenAPI 3.0 or 3.1, into a tree whose nodes know their place in the text.
//!
//! serde_yaml and openapiv3 stop at their first error and know no positions, so this module reads the text into plain
//! [`Node`]s and hands those on; whatever is wrong with one node is said about that node, and the rest is read all the
//! same. The openapiv3 types serve for nodes that hold no schema ([`Node::read`]).

mod node;
mod reference;
mod spans;

pub use node::{Node, Object};
pub use reference::{RefError, Resolved, component_name};
pub use spans::{Position, Range, Spans};

use std::sync::OnceLock;

use crate::diagnostics::{Code, Diagnostics};

/// A document.
#[derive(Debug)]
pub struct Document {
    source: Source,
    /// Boxed, so that its address stays when the document moves.
    root: Box<Node>,
    version: Version,
    spans: OnceLock<Spans>,
}

/// A text and the name that people know it by.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path, as it was given.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Which OpenAPI a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 3.0.x
    V3_0,
    /// 3.1.x, and 3.2 as far as it is the same.
    V3_1,
}

/// What reading a text gave.
#[derive(Debug)]
pub struct Parsed {
    /// The document, unless the text is none.
    pub document: Option<Document>,
    /// The text, if it is no document.
    pub source: Option<Source>,
    /// What is wrong with it so far.
    pub diagnostics: Diagnostics,
}

impl Document {
    /// Reads a document. `name` is told in diagnostics; it also says, by its ending, whether the text is JSON or YAML
    /// (without a known ending, the text itself does).
    #[must_use]
    pub fn parse(name: &str, text: &str) -> Parsed {
        let source = Source { name: name.to_owned(), text: text.trim_start_matches('\u{feff}').to_owned() };
        let mut diagnostics = Diagnostics::default();
        let root = match read(&source) {
            Ok(root) => Box::new(root),
            Err((position, message)) => {
                diagnostics.error_at(Code::Syntax, position, message);
                return Parsed { document: None, source: Some(source), diagnostics };
            }
        };
        let Some(version) = version_of(&root, &mut diagnostics) else {
            let document = Self { source, root, version: Version::V3_0, spans: OnceLock::new() };
            return Parsed { document: Some(document), source: None, diagnostics };
        };
        root.walk(&mut |node| {
            for (name, second) in node.duplicates() {
                diagnostics
                    .error(Code::DuplicateKey, second, format!("`{name}` stands twice in this object"))
                    .at_name()
                    .help("Remove one of them, or give it another name.");
            }
        });
        let document = Self { source, root, version, spans: OnceLock::new() };
        Parsed { document: Some(document), source: None, diagnostics }
    }

    /// The whole document.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Which OpenAPI it is written in.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The text and its name.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Where its nodes stand in the text.
    #[must_use]
    pub fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| Spans::new(&self.root, &self.source.text))
    }
}

type ReadError = (Option<Position>, String);

fn read(source: &Source) -> Result<Node, ReadError> {
    if is_json(source) { read_json(&source.text) } else { read_yaml(&source.text) }
}

fn is_json(source: &Source) -> bool {
    let name = source.name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    named(&[".json"]) || !named(&[".yaml", ".yml"]) && source.text.trim_start().starts_with(['{', '['])
}

fn read_json(text: &str) -> Result<Node, ReadError> {
    serde_json::from_str(text).map_err(|error| {
        let position = Position { line: error.line().max(1), column: error.column().max(1) };
        let message = error.to_string();
        // serde_json repeats the position at the end of its message.
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (Some(position), format!("this is no JSON: {message}"))
    })
}

fn read_yaml(text: &str) -> Result<Node, ReadError> {
    serde_yaml::from_str(text).map_err(|error| {
        let position =
            error.location().map(|location| Position { line: location.line(), column: location.column() });
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (position, format!("this is no YAML: {message}"))
    })
}

fn version_of(root: &Node, diagnostics: &mut Diagnostics) -> Option<Version> {
    let Some(node) = root.get("openapi") else {
        let diagnostic = diagnostics.error(
            Code::NoOpenApi,
            root,
            "this is no OpenAPI document: there is no `openapi` field",
        );
        if root.get("swagger").is_some() {
            diagnostic.help("Swagger 2.0 documents must be converted to OpenAPI 3 first.");
        } else {
            diagnostic.help("Begin with `openapi: 3.0.3`.");
        }
        return None;
    };
    let version = match node {
        Node::String(version) => version.clone(),
        Node::Number(number) => number.to_string(),
        _ => String::new(),
    };
    match version.split('.').take(2).collect::<Vec<_>>().as_slice() {
        ["3", "0"] => Some(Version::V3_0),
        ["3", "1" | "2"] => Some(Version::V3_1),
        _ => {
            diagnostics
                .error(
                    Code::UnsupportedVersion,
                    node,
                    format!("OpenAPI version `{version}` is not supported"),
                )
                .help("3.0 and 3.1 are.");
            None
        }
    }
}

#[cfg(test)]
mod tests;

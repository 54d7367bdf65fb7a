//! Reads the text of a file, once: values and source locations come from the same events.

mod fields;
mod json;
mod scalar;
mod tree;
mod yaml;

#[cfg(feature = "openapiv3")]
pub use tree::Refusal;
pub use tree::{DEEPEST, Tree};

use super::Source;
use crate::tree::{Node, NodeId, Position};

/// Why a text can't be read, and where.
pub type ReadError = (Option<Position>, String);

/// Parses a text as JSON or YAML.
///
/// The nodes are numbered from `first`, and located in the file with this index.
pub fn read(source: &Source, file: usize, first: NodeId) -> Result<Node, ReadError> {
    let tree = Tree::new(file, first, most_nodes(source.text.len()));
    if is_json(source) { json::read(&source.text, tree) } else { yaml::read(&source.text, tree) }
}

/// Returns the maximum number of nodes that a text of this length may become.
///
/// Without aliases, there are fewer nodes than bytes.
pub fn most_nodes(length: usize) -> usize {
    length.saturating_add(100_000)
}

/// Returns whether a text is read as JSON.
pub fn is_json(source: &Source) -> bool {
    let name = source.name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    named(&[".json"]) || !named(&[".yaml", ".yml"]) && source.text.trim_start().starts_with(['{', '['])
}

#[cfg(test)]
mod tests;

//! Reads the text of a file, once: values and source locations come from the same events.

mod json;
mod scalar;
mod tree;
mod yaml;

#[cfg(feature = "openapiv3")]
pub use tree::Refusal;
pub use tree::Tree;

use super::{Node, NodeId, Position, Source};

/// Why a text can't be read, and where.
pub type ReadError = (Option<Position>, String);

/// Parses a text as JSON or YAML.
///
/// The nodes are numbered from `first`.
pub fn read(source: &Source, first: NodeId) -> Result<Node, ReadError> {
    // Without aliases, there are fewer nodes than bytes.
    let tree = Tree::new(first, source.text.len().saturating_add(100_000));
    if is_json(source) { json::read(&source.text, tree) } else { yaml::read(&source.text, tree) }
}

fn is_json(source: &Source) -> bool {
    let name = source.name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    named(&[".json"]) || !named(&[".yaml", ".yml"]) && source.text.trim_start().starts_with(['{', '['])
}

#[cfg(test)]
mod tests;

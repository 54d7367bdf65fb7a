//! A mutable tree of a document.
//!
//! It can hold what no parser returns: duplicate names, numbers out of range.

use std::fmt::Write;

use openapi_crates::internals::{Node, Value};

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// A string.
    Text(String),
    /// Any other scalar, as written.
    Raw(String),
    /// An array.
    List(Vec<Tree>),
    /// An object.
    Map(Vec<(String, Tree)>),
}

/// The path to a node: the index of the child at each level.
pub type Path = Vec<usize>;

impl Tree {
    /// Creates the tree of a document.
    pub fn of(node: &Node) -> Self {
        match node.value() {
            Value::Null => Self::raw("null"),
            Value::Boolean(value) => Self::Raw(value.to_string()),
            Value::Number(number) => Self::Raw(number.to_string()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Object(_) => {
                Self::Map(node.entries().map(|(name, node)| (name.to_owned(), Self::of(node))).collect())
            }
        }
    }

    /// Creates a scalar that is not a string.
    pub fn raw(text: &str) -> Self {
        Self::Raw(text.to_owned())
    }

    /// Creates a string.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Creates an object.
    pub fn map<const N: usize>(entries: [(&str, Self); N]) -> Self {
        Self::Map(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Creates a reference.
    pub fn reference(target: &str) -> Self {
        Self::map([("$ref", Self::text(target))])
    }

    /// Returns the children.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let (items, entries): (&[Self], &[(String, Self)]) = match self {
            Self::List(items) => (items, &[]),
            Self::Map(entries) => (&[], entries),
            _ => (&[], &[]),
        };
        items.iter().chain(entries.iter().map(|(_, value)| value))
    }

    fn child_mut(&mut self, at: usize) -> Option<&mut Self> {
        match self {
            Self::List(items) => items.get_mut(at),
            Self::Map(entries) => entries.get_mut(at).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the value of a field.
    pub fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Adds or replaces a field of an object.
    pub fn set(&mut self, name: &str, value: Self) {
        let Self::Map(entries) = self else { return };
        match entries.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => entries.push((name.to_owned(), value)),
        }
    }

    /// Returns the node at a path.
    pub fn at(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |tree, at| tree.children().nth(*at))
    }

    /// Returns the node at a path mutably.
    pub fn at_mut(&mut self, path: &[usize]) -> Option<&mut Self> {
        path.iter().try_fold(self, |tree, at| tree.child_mut(*at))
    }

    /// Removes the node at a path.
    pub fn remove(&mut self, path: &[usize]) -> Option<Self> {
        let (last, parent) = path.split_last()?;
        match self.at_mut(parent)? {
            Self::List(items) if *last < items.len() => Some(items.remove(*last)),
            Self::Map(entries) if *last < entries.len() => Some(entries.remove(*last).1),
            _ => None,
        }
    }

    /// Returns the paths to all nodes that match `wanted`, depth first.
    pub fn paths(&self, wanted: &dyn Fn(&Self) -> bool) -> Vec<Path> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), wanted, &mut found);
        found
    }

    fn collect(&self, path: &mut Path, wanted: &dyn Fn(&Self) -> bool, found: &mut Vec<Path>) {
        if wanted(self) {
            found.push(path.clone());
        }
        for (at, child) in self.children().enumerate() {
            path.push(at);
            child.collect(path, wanted, found);
            path.pop();
        }
    }

    /// Returns the JSON pointer of a node, as written in a reference.
    pub fn pointer(&self, path: &[usize]) -> String {
        let mut pointer = "#".to_owned();
        let mut tree = self;
        for at in path {
            let name = match tree {
                Self::Map(entries) => entries.get(*at).map(|(name, _)| name.clone()).unwrap_or_default(),
                _ => at.to_string(),
            };
            pointer.push('/');
            pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            let Some(child) = tree.children().nth(*at) else { break };
            tree = child;
        }
        pointer
    }

    /// Returns the number of nodes.
    pub fn size(&self) -> usize {
        1 + self.children().map(Self::size).sum::<usize>()
    }

    /// Returns the number of levels.
    pub fn depth(&self) -> usize {
        1 + self.children().map(Self::depth).max().unwrap_or_default()
    }

    /// Writes the tree as JSON.
    pub fn json(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Raw(text) => text.clone(),
            Self::List(items) => format!("[{}]", items.iter().map(Self::json).collect::<Vec<_>>().join(",")),
            Self::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(name, value)| format!("{}:{}", quoted(name), value.json()))
                    .collect();
                format!("{{{}}}", entries.join(",\n"))
            }
        }
    }

    /// Writes the tree as YAML, one line per node.
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        self.write_yaml(0, &mut text);
        text.push('\n');
        text
    }

    fn write_yaml(&self, indent: usize, text: &mut String) {
        match self {
            Self::List(items) if !items.is_empty() => {
                for item in items {
                    // Writing to a string can't fail.
                    let _ = write!(text, "\n{:indent$}- ", "");
                    item.write_yaml(indent + 1, text);
                }
            }
            Self::Map(entries) if !entries.is_empty() => {
                for (name, value) in entries {
                    let _ = write!(text, "\n{:indent$}{}: ", "", key(name));
                    value.write_yaml(indent + 1, text);
                }
            }
            _ => text.push_str(&self.json()),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns a field name, quoted unless it is a plain string in YAML.
fn key(name: &str) -> String {
    let plain = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    let other = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    if plain && !other.contains(&name.to_ascii_lowercase().as_str()) { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use openapi_crates::internals::Document;

    use super::*;

    const TEXT: &str = "openapi: 3.0.3\npaths: {/a~b: {get: [1, 'x: y', null, {}, {'on': [[]]}]}}\n";

    fn tree(name: &str, text: &str) -> Tree {
        Tree::of(Document::parse(name, text).document.unwrap().root())
    }

    #[test]
    fn a_tree_is_read_as_it_is_written() {
        let one = tree("a.yaml", TEXT);
        assert_eq!(tree("a.json", &one.json()), one);
        assert_eq!(tree("a.yaml", &one.yaml()), one);
    }

    #[test]
    fn nodes_have_pointers() {
        let one = tree("a.yaml", TEXT);
        let paths = one.paths(&|node| matches!(node, Tree::Text(text) if text == "x: y"));
        assert_eq!(paths, [[1, 0, 0, 1]]);
        assert_eq!(one.pointer(&paths[0]), "#/paths/~1a~0b/get/1");
    }
}

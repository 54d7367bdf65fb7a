//! The keys of components: names in a section of the document, as far as OpenAPI 3 allows them.
//!
//! Swagger 2.0 allows any name. In OpenAPI 3, a key has only letters, digits, `.`, `-` and `_`: `Page«Pet»` becomes
//! `Page_Pet`. The values of discriminators are still the names, so a base of such schemas gets a mapping.

use std::collections::{BTreeSet, HashMap};

use super::{build::target_of, scan::References};
use crate::{
    document::{Node, NodeId, NodeRef},
    names::fingerprint,
};

/// The sections whose entries become components.
const SECTIONS: [&str; 4] = ["definitions", "parameters", "responses", "securityDefinitions"];

/// The extension that states the value of a discriminator, in the documents of Azure.
const VALUE: &str = "x-ms-discriminator-value";

/// The keys that differ from their names, and the mappings that this makes necessary.
#[derive(Debug, Default)]
pub struct Keys<'d> {
    changed: HashMap<(&'static str, &'d str), String>,
    /// The values of discriminators and the keys of their schemas, by the base.
    mappings: HashMap<NodeId, Vec<(String, String)>>,
}

impl<'d> Keys<'d> {
    /// Decides the keys of all components of a document.
    pub fn new(root: NodeRef<'d>, references: &References) -> Self {
        let mut keys = Self::default();
        for section in SECTIONS {
            let names = || root.get(section).into_iter().flat_map(Node::entries).map(|(name, _)| name);
            let mut taken: BTreeSet<String> =
                names().filter(|name| is_key(name)).map(str::to_owned).collect();
            for name in names().filter(|name| !is_key(name)) {
                let mut key = cleaned(name);
                if key.is_empty() || !taken.insert(key.clone()) {
                    key = format!("{key}_{}", fingerprint(name));
                    taken.insert(key.clone());
                }
                keys.changed.insert((section, name), key);
            }
        }
        keys.mappings = keys.find_mappings(root, references);
        keys
    }

    /// Returns the key of an entry of a section.
    pub fn key<'k>(&'k self, section: &'static str, name: &'k str) -> &'k str {
        self.changed.get(&(section, name)).map_or(name, String::as_str)
    }

    /// Returns the values of a base's discriminator and the keys of their schemas, if they are not equal.
    pub fn mapping(&self, base: NodeRef<'_>) -> Vec<(String, String)> {
        self.mappings.get(&base.id()).cloned().unwrap_or_default()
    }

    fn find_mappings(
        &self,
        root: NodeRef<'d>,
        references: &References,
    ) -> HashMap<NodeId, Vec<(String, String)>> {
        let definitions: Vec<(&str, NodeRef<'d>)> =
            root.get("definitions").into_iter().flat_map(Node::entries).collect();
        let mut children: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (index, (_, node)) in definitions.iter().enumerate() {
            for member in node.get("allOf").map_or(&[][..], Node::items) {
                if let Some(base) = target_of(references, member) {
                    children.entry(base).or_default().push(index);
                }
            }
        }
        let bases =
            definitions.iter().enumerate().filter(|(_, (_, node))| node.get("discriminator").is_some());
        let mapping = |(index, (_, node)): (usize, &(&str, NodeRef<'d>))| {
            let family = family(index, &definitions, &children);
            let entries: Vec<(String, String)> = family
                .into_iter()
                .filter_map(|index| definitions.get(index))
                .map(|(name, node)| {
                    let value = node.get(VALUE).and_then(Node::as_str).unwrap_or(name);
                    (value.to_owned(), self.key("definitions", name).to_owned())
                })
                .collect();
            let differs = entries.len() > 1 && entries.iter().any(|(value, key)| value != key);
            differs.then_some((node.id(), entries))
        };
        bases.filter_map(mapping).collect()
    }
}

/// Returns a definition and all that extend it, in the order of the document after itself.
fn family(
    base: usize,
    definitions: &[(&str, NodeRef<'_>)],
    children: &HashMap<NodeId, Vec<usize>>,
) -> Vec<usize> {
    let mut found = vec![base];
    let mut next = 0;
    while let Some((_, node)) = found.get(next).and_then(|index| definitions.get(*index)) {
        for child in children.get(&node.id()).into_iter().flatten() {
            if !found.contains(child) {
                found.push(*child);
            }
        }
        next += 1;
    }
    if let Some(extensions) = found.get_mut(1..) {
        extensions.sort_unstable();
    }
    found
}

fn is_key(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_')
}

/// Returns a name with one `_` for each run of other characters, and none at its end.
fn cleaned(name: &str) -> String {
    let parts: Vec<&str> = name.split(|letter| !is_allowed(letter)).filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_keys() {
        for (name, key) in [
            ("Page«Pet»", "Page_Pet"),
            ("a/b", "a_b"),
            ("Map«string,List«X»»", "Map_string_List_X"),
            ("«»", ""),
        ] {
            assert!(!is_key(name));
            assert_eq!(cleaned(name), key, "{name}");
        }
        assert!(is_key("a.b-c_D1") && !is_key(""));
    }
}

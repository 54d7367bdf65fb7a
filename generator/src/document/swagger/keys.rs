//! The keys of components: names in a section of the document, as far as OpenAPI 3 allows them.
//!
//! Swagger 2.0 allows any name. In OpenAPI 3, a key has only letters, digits, `.`, `-` and `_`: `Page«Pet»` becomes
//! `Page_Pet`. The values of discriminators are still the names, so a base of such schemas gets a mapping.

use std::collections::{BTreeSet, HashMap};

use super::{build::target_of, scan::References, table::SECTIONS};
use crate::{
    graph::{edges, reached, reversed},
    names::fingerprint,
    tree::{Node, NodeId, NodeRef},
};

/// The extension that states the value of a discriminator, in the documents of Azure.
const VALUE: &str = "x-ms-discriminator-value";

/// The keys that differ from their names, and the mappings that this makes necessary.
#[derive(Debug, Default)]
pub struct Keys<'d> {
    changed: HashMap<(&'static str, &'d str), String>,
    definitions: Definitions<'d>,
}

/// The definitions of a document, and which extend which, by their indices.
#[derive(Debug, Default)]
struct Definitions<'d> {
    list: Vec<(&'d str, NodeRef<'d>)>,
    /// The definitions that each extends.
    parents: Vec<Vec<usize>>,
    /// The definitions that extend each.
    children: Vec<Vec<usize>>,
    /// The bases of which a family needs a mapping.
    mapped: HashMap<NodeId, usize>,
}

impl<'d> Keys<'d> {
    /// Decides the keys of all components of a document.
    pub fn new(root: NodeRef<'d>, references: &References) -> Self {
        let mut keys = Self::default();
        for (section, ..) in SECTIONS {
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
        let mut definitions = Definitions::new(root, references);
        let differing =
            |(name, node): (&str, NodeRef<'d>)| value_of(name, node) != keys.key("definitions", name);
        definitions.find_mapped(differing);
        keys.definitions = definitions;
        keys
    }

    /// Returns the key of an entry of a section.
    pub fn key<'k>(&'k self, section: &'static str, name: &'k str) -> &'k str {
        self.changed.get(&(section, name)).map_or(name, String::as_str)
    }

    /// Returns the values of a base's discriminator and the keys of their schemas, if they are not equal.
    pub fn mapping(&self, base: NodeRef<'_>) -> Vec<(String, String)> {
        let Some(index) = self.definitions.mapped.get(&base.id()) else { return Vec::new() };
        let family = self.definitions.family(*index);
        let entry =
            |(name, node)| (value_of(name, node).to_owned(), self.key("definitions", name).to_owned());
        if family.len() > 1 { family.into_iter().map(entry).collect() } else { Vec::new() }
    }
}

impl<'d> Definitions<'d> {
    fn new(root: NodeRef<'d>, references: &References) -> Self {
        let list: Vec<(&str, NodeRef<'d>)> =
            root.get("definitions").into_iter().flat_map(Node::entries).collect();
        let indices: HashMap<NodeId, usize> =
            list.iter().enumerate().map(|(index, (_, node))| (node.id(), index)).collect();
        let parents = edges(&list, |(_, node), parents| {
            parents.extend(bases(node, references).filter_map(|base| indices.get(&base)));
        });
        Self { children: reversed(&parents), list, parents, mapped: HashMap::new() }
    }

    /// Finds the bases of families in which a value differs from its key.
    fn find_mapped(&mut self, differing: impl Fn((&'d str, NodeRef<'d>)) -> bool) {
        let differing =
            self.list.iter().enumerate().filter(|(_, entry)| differing(**entry)).map(|(index, _)| index);
        for index in
            reached(differing.collect(), |index| self.parents.get(index).into_iter().flatten().copied())
        {
            if let Some((_, node)) =
                self.list.get(index).filter(|(_, node)| node.get("discriminator").is_some())
            {
                self.mapped.insert(node.id(), index);
            }
        }
    }

    /// Returns a definition and all that extend it, in the order of the document after itself.
    fn family(&self, base: usize) -> Vec<(&'d str, NodeRef<'d>)> {
        let mut family = reached(vec![base], |index| self.children.get(index).into_iter().flatten().copied());
        if let Some(extensions) = family.get_mut(1..) {
            extensions.sort_unstable();
        }
        family.into_iter().filter_map(|index| self.list.get(index).copied()).collect()
    }
}

/// Returns the definitions that a definition extends.
fn bases(node: NodeRef<'_>, references: &References) -> impl Iterator<Item = NodeId> {
    node.get("allOf").map_or(&[][..], Node::items).iter().filter_map(|member| target_of(references, member))
}

/// Returns the value of a discriminator that means a definition.
fn value_of<'d>(name: &'d str, node: NodeRef<'d>) -> &'d str {
    node.get(VALUE).and_then(Node::as_str).unwrap_or(name)
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

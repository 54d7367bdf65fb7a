//! Merges several files into one document before lowering.
//!
//! Every `$ref` that is not a plain pointer into the main file is replaced by a canonical one. After that, no
//! other code has to know which file a node is in:
//! - If the target in another file could be a component (a schema, a parameter, a response …), it is *adopted*.
//!   It gets a name in its section, and references to it become `#/components/schemas/Pet`. If a component of the
//!   main file consists of a reference to it, it gets the name of that component.
//! - Any other target becomes `schemas/pet.yaml#/a/pointer`, with a path relative to the same folder as the
//!   name of the main file.
//!
//! Only files that references name are read, and only references where OpenAPI allows one: a `$ref` in an
//! example is not a reference.

mod naming;
pub mod path;
mod reach;
mod sites;

use std::collections::{HashMap, VecDeque};

use indexmap::IndexMap;

use super::{Document, Load, reference::pointed};
use crate::diagnostics::Diagnostics;
use crate::tree::{Node, NodeId, Value};
pub(super) use path::{is_remote, join};
use sites::{Finder, Site};
pub use sites::{Role, SECTIONS};

#[cfg(test)]
mod tests;

/// The adopted components of a document.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The targets by section and name. A target replaces the component of the main file, if there is one.
    adopted: HashMap<&'static str, IndexMap<String, Target>>,
}

/// A node in one of the files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Target {
    /// The index of the file; 0 is the main file.
    pub file: usize,
    /// The JSON pointer of the node, not percent-encoded.
    pub pointer: String,
}

impl Links {
    /// Returns the target that was adopted under this name.
    pub fn find(&self, section: &str, name: &str) -> Option<&Target> {
        self.adopted.get(section)?.get(name)
    }

    /// Keeps the components for which `keep` returns `true`.
    fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        for (section, targets) in &mut self.adopted {
            targets.retain(|name, _| keep(section, name));
        }
    }

    /// Adopts a target.
    pub fn adopt(&mut self, section: &'static str, name: String, target: Target) {
        self.adopted.entry(section).or_default().insert(name, target);
    }

    /// Returns the adopted components of a section.
    pub fn of(&self, section: &str) -> impl Iterator<Item = (&str, &Target)> {
        self.adopted.get(section).into_iter().flatten().map(|(name, target)| (name.as_str(), target))
    }
}

/// A reference and its target.
struct Link {
    /// The node that holds the reference as a string.
    id: NodeId,
    role: Role,
    target: Target,
}

/// Loads the files of a document, and replaces its references by canonical ones.
///
/// Without `load`, references to other files stay as they are.
pub(super) fn link(document: &mut Document, load: Option<&Load<'_>>, diagnostics: &mut Diagnostics) {
    let links = Linker::new(document, load, diagnostics).follow();
    if links.is_empty() {
        return;
    }
    let names = naming::decide(document, &links);
    let mut texts = HashMap::with_capacity(links.len());
    for link in &links {
        // The component that gave the target its name keeps a reference to the other file, not one to itself.
        let named =
            names.get(&(link.role.section(), &link.target)).filter(|named| named.home != Some(link.id));
        let text = match (named, document.file(link.target.file)) {
            (Some(named), _) => {
                format!("#/components/{}/{}", link.role.section(), path::escape_step(&named.name))
            }
            (None, Some(file)) if link.target.file > 0 => {
                format!("{}#{}", file.source.name, path::escape(&link.target.pointer))
            }
            _ => format!("#{}", path::escape(&link.target.pointer)),
        };
        texts.insert(link.id, text);
    }
    let mut adopted = Links::default();
    for ((section, target), named) in &names {
        adopted.adopt(section, named.name.clone(), (*target).clone());
    }
    drop(names);
    document.links = adopted;
    document.rewrite(&texts);
}

/// Searches for references, breadth first, starting at the main file.
struct Linker<'a, 'l> {
    document: &'a mut Document,
    load: Option<&'a Load<'l>>,
    diagnostics: &'a mut Diagnostics,
    links: Vec<Link>,
    finder: Finder,
    waiting: VecDeque<(Target, Role)>,
    /// The `$id`s and `$anchor`s of each file, collected on first use.
    ids: HashMap<usize, HashMap<String, String>>,
}

impl<'a, 'l> Linker<'a, 'l> {
    fn new(document: &'a mut Document, load: Option<&'a Load<'l>>, diagnostics: &'a mut Diagnostics) -> Self {
        let main = Target { file: 0, pointer: String::new() };
        Self {
            document,
            load,
            diagnostics,
            links: Vec::new(),
            finder: Finder::default(),
            waiting: VecDeque::from([(main, Role::Other)]),
            ids: HashMap::new(),
        }
    }

    fn follow(mut self) -> Vec<Link> {
        while let Some((from, role)) = self.waiting.pop_front() {
            let Some(node) = self.document.target(&from) else { continue };
            let sites = self.finder.find(node, role, from.file == 0);
            for site in sites {
                let components = self.document.file(from.file).and_then(|file| file.root.get("components"));
                if site.is_name(components.and_then(|components| components.get("schemas"))) {
                    continue;
                }
                let Some(target) = self.resolve(&site, from.file) else { continue };
                if target.file > 0 {
                    self.waiting.push_back((target.clone(), site.role));
                }
                self.links.push(Link { id: site.id, role: site.role, target });
            }
        }
        self.links
    }

    /// Resolves a reference in this file.
    ///
    /// Returns `None` for a URL, which is never fetched.
    fn resolve(&mut self, site: &Site, from: usize) -> Option<Target> {
        let (uri, fragment) = site.text.split_once('#').unwrap_or((&site.text, ""));
        let file = if uri.is_empty() {
            from
        } else if let Some((file, pointer)) = self.by_id(uri, from) {
            let pointer = pointer + &path::decode(fragment);
            return Some(Target { file, pointer });
        } else if let Some(file) = self.by_self(uri, from) {
            file
        } else if path::is_remote(uri) {
            return None;
        } else {
            self.document.open(uri, from, self.load, self.diagnostics)?
        };
        let fragment = path::decode(fragment);
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        let anchored =
            if is_pointer { None } else { self.ids_of(file).get(&format!("#{fragment}")).cloned() };
        Some(Target { file, pointer: anchored.unwrap_or(fragment) })
    }

    /// Returns the file whose `$self` is this reference, relative to this file's own URI.
    fn by_self(&self, uri: &str, from: usize) -> Option<usize> {
        let base = self.document.file(from)?;
        let wanted = path::resolve(&base.uri().unwrap_or_else(|| base.source.name.clone()), uri);
        self.document.files().position(|file| file.uri().is_some_and(|uri| uri == wanted))
    }

    /// Returns the file and pointer of the schema with this `$id`.
    ///
    /// Searches this file, then the main file.
    fn by_id(&mut self, id: &str, from: usize) -> Option<(usize, String)> {
        let found = |uri: usize, ids: &HashMap<String, String>| Some((uri, ids.get(id)?.clone()));
        found(from, self.ids_of(from)).or_else(|| found(0, self.ids_of(0)))
    }

    /// Returns the JSON pointers by `$id`, and by `$anchor` with a `#` in front.
    fn ids_of(&mut self, file: usize) -> &HashMap<String, String> {
        let document = &self.document;
        self.ids.entry(file).or_insert_with(|| {
            let mut ids = HashMap::new();
            let mut collect = |node: &Node, pointer: &str| {
                for (keyword, mark) in [("$id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")] {
                    if let Some(id) = node.get(keyword).and_then(Node::as_str) {
                        let id = format!("{mark}{}", id.trim_end_matches('#'));
                        ids.entry(id).or_insert_with(|| pointer.to_owned());
                    }
                }
            };
            if let Some(file) = document.file(file) {
                path::walk(&file.root, &mut String::new(), &mut collect);
            }
            ids
        })
    }
}

impl Document {
    /// Writes new texts of references, by the nodes of their strings.
    pub(super) fn rewrite(&mut self, texts: &HashMap<NodeId, String>) {
        self.files_mut().for_each(|file| rewrite(&mut file.root, texts));
    }

    /// Returns the node of a target.
    pub(super) fn target(&self, target: &Target) -> Option<&Node> {
        let file = self.file(target.file).filter(|file| file.error.is_none())?;
        pointed(&file.root, &target.pointer)
    }
}

/// Writes the new texts of the references at and below a node.
pub(super) fn rewrite(node: &mut Node, texts: &HashMap<NodeId, String>) {
    node.walk_mut(&mut |node| match &mut node.value {
        Value::String(text) => {
            if let Some(new) = texts.get(&node.id) {
                text.clone_from(new);
            }
        }
        Value::Object(object) => object.rename("$dynamicRef", "$ref", |node| texts.contains_key(&node.id)),
        _ => {}
    });
}

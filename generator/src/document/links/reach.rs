//! Finds what some nodes reach through references, and removes everything else that nothing needs.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    super::{ADDITIONAL, Document, media::target},
    sites::{Finder, Role, Site},
};
use crate::{
    graph::reached,
    tree::{Node, NodeId, NodeRef},
};

impl Document {
    /// Removes the components, webhooks, paths and operations that these nodes do not reach.
    ///
    /// `schemes` are the names of reached security schemes. The requirements of the root are removed, too, unless
    /// they are among the nodes.
    pub(crate) fn keep_reached(&mut self, roots: impl FnOnce(&Self) -> (Vec<NodeRef<'_>>, BTreeSet<String>)) {
        let (from, schemes) = roots(self);
        let mut reach = Reach::new(self);
        for scheme in schemes {
            reach.component("securitySchemes", &scheme);
        }
        reach.waiting.extend(from.into_iter().map(|node| (node, Role::Other)));
        reach.run();
        let removed = reach.unreached();
        let adopted: HashSet<(String, String)> = reach.components;
        self.links.retain(|section, name| adopted.contains(&(section.to_owned(), name.to_owned())));
        for file in self.files_mut() {
            file.root.walk_mut(&mut |node| node.remove_fields(&removed));
        }
    }

    /// Returns the components of the main file that the rest of it does not reach: section, name and node.
    ///
    /// Extensions at the root count as a part of the rest. Security schemes, which are not reached by references, are
    /// missing.
    pub(crate) fn unreached_components(&self) -> Vec<(&str, &str, NodeRef<'_>)> {
        let mut reach = Reach::new(self);
        let rest = self.root().entries().filter(|(name, _)| *name != "components");
        reach.waiting.extend(rest.map(|(name, node)| (node, Role::Other.field(name).unwrap_or(Role::Other))));
        reach.run();
        let is_reached =
            |section: &str, name: &str| reach.components.contains(&(section.to_owned(), name.to_owned()));
        let sections = self.field("components").into_iter().flat_map(Node::entries);
        let sections =
            sections.filter(|(section, _)| *section != "securitySchemes" && !section.starts_with("x-"));
        let components = sections.flat_map(|(section, _)| {
            let entries = self.section(section).into_iter().flat_map(Node::entries);
            entries.map(move |(name, node)| (section, name, node))
        });
        components
            .filter(|(section, name, _)| !name.starts_with("x-") && !is_reached(section, name))
            .collect()
    }
}

/// The nodes that were reached.
struct Reach<'d> {
    document: &'d Document,
    finder: Finder,
    waiting: Vec<(NodeRef<'d>, Role)>,
    /// The nodes that references lead to.
    targets: HashSet<NodeId>,
    /// The components, by section and name.
    components: HashSet<(String, String)>,
    /// The components that extend a schema by `allOf`, by its name.
    extensions: HashMap<String, Vec<&'d str>>,
}

impl<'d> Reach<'d> {
    fn new(document: &'d Document) -> Self {
        let mut extensions: HashMap<String, Vec<&'d str>> = HashMap::new();
        for (name, node) in document.components("schemas") {
            let members = node.get("allOf").map_or(&[][..], Node::items);
            let references = members.iter().filter_map(|member| member.get("$ref")?.as_str());
            for base in references.filter_map(|text| super::super::component_name(text, "schemas")) {
                extensions.entry(base).or_default().push(name);
            }
        }
        Self {
            document,
            finder: Finder::default(),
            waiting: Vec::new(),
            targets: HashSet::new(),
            components: HashSet::new(),
            extensions,
        }
    }

    fn run(&mut self) {
        while let Some((node, role)) = self.waiting.pop() {
            self.targets.insert(node.id());
            for site in self.finder.find(node, role, false) {
                self.follow(&site);
            }
        }
    }

    fn follow(&mut self, site: &Site) {
        if site.is_name(self.document.section("schemas")) {
            self.component("schemas", &site.text);
            return;
        }
        let component = site.text.strip_prefix("#/components/").and_then(|path| path.split_once('/'));
        if let Some((section, path)) = component {
            // A reference into a component needs the component as a whole, which is lowered.
            let name = path.split('/').next().unwrap_or(path);
            let reference = format!("#/components/{section}/{name}");
            if let Some(name) = super::super::component_name(&reference, section) {
                self.component(section, &name);
            }
        } else if let Ok(node) = self.document.lookup(&site.text) {
            self.waiting.push((node, site.role));
        }
    }

    /// Reaches a component, and those that extend it if it has a discriminator: it is the union of them.
    fn component(&mut self, section: &str, name: &str) {
        let document = self.document;
        if self.components.contains(&(section.to_owned(), name.to_owned())) {
            return;
        }
        let written = document.section(section).and_then(|section| section.get(name));
        let Ok(node) = document.lookup(&format!("#/components/{section}/{}", super::path::escape_step(name)))
        else {
            return;
        };
        self.components.insert((section.to_owned(), name.to_owned()));
        self.targets.extend(written.map(Node::id));
        self.waiting.push((node, Role::of_section(section)));
        if section == "schemas" && node.get("discriminator").is_some() {
            let direct = |name: &str| self.extensions.get(name).cloned().unwrap_or_default();
            for extension in reached(direct(name), direct) {
                self.component("schemas", extension);
            }
        }
    }

    /// Returns the fields that contain nothing that was reached.
    fn unreached(&self) -> HashSet<NodeId> {
        let reached: BTreeSet<NodeId> = self.finder.visited.iter().chain(&self.targets).copied().collect();
        let is_idle = |node: &NodeRef<'d>| reached.range(node.id()..=node.last_id()).next().is_none();
        let document = self.document;
        let below = |node: NodeRef<'d>| {
            let node = target(document, node);
            node.entries().filter(|(name, _)| !name.starts_with("x-")).map(|(_, inner)| inner)
        };
        let field = |name: &str| document.field(name).into_iter().flat_map(below);
        // `parameters` of a path item must stay if one of its operations does.
        let operations = || field("paths").flat_map(below).filter(|node| node.is_object());
        let additional = field("paths").filter_map(|item| item.get(ADDITIONAL)).flat_map(below);
        let operations = operations().chain(additional);
        let components = field("components").flat_map(below);
        let requirements = document.root().get("security");
        let entries = field("paths").chain(operations).chain(field("webhooks")).chain(components);
        entries.chain(requirements).filter(is_idle).map(Node::id).collect()
    }
}

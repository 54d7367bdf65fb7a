//! The root of the document, and the sections that become components.

use super::{
    VERSION,
    build::{Fields, Rewriter, is_reference},
    servers,
    table::{Inner, Kind, SECTIONS},
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef, Value},
};

impl<'d> Rewriter<'d, '_> {
    /// Rewrites the root of the document.
    pub fn root(&mut self) -> Node {
        let root = self.document.root();
        let mut components = Some(self.components(root)).filter(|components| !components.is_empty());
        let mut list = root.get("servers").is_none().then(|| self.servers()).flatten();
        let first = servers::first_field(root);
        let fields = self.convert(root, Kind::Document, |rewriter, name, value| match name {
            "swagger" => Some(vec![("openapi".to_owned(), rewriter.text(value, VERSION))]),
            "security" => Some(vec![(name.to_owned(), rewriter.requirements(value))]),
            "consumes" | "produces" => Some(Fields::new()),
            "paths" => {
                let target = rewriter.resolve(value).unwrap_or(value);
                Some(vec![(name.to_owned(), rewriter.inner(target, Inner::Keyed(Kind::PathItem)))])
            }
            "definitions" | "parameters" | "responses" | "securityDefinitions" | "components" => {
                let components = components.take().map(|components| rewriter.object(value, components));
                Some(components.map(|components| ("components".to_owned(), components)).into_iter().collect())
            }
            _ if first == Some(name) => {
                Some(list.take().map(|list| ("servers".to_owned(), list)).into_iter().collect())
            }
            _ => servers::FIELDS.contains(&name).then(Fields::new),
        });
        if root.get("paths").is_none() {
            self.error(Code::MissingField, root, "missing field `paths`");
        }
        self.object(root, fields)
    }

    /// Returns the sections of `components`.
    fn components(&mut self, root: NodeRef<'d>) -> Fields {
        let mut components = Fields::new();
        for (name, section, kind) in SECTIONS {
            let Some(node) = root.get(name).filter(|node| !node.is_null()) else { continue };
            let node = self.resolve(node).unwrap_or(node);
            if !node.is_object() {
                self.diagnostics.wrong_type(node, &format!("`{name}`"), "an object");
                continue;
            }
            let (bodies, others): (Vec<_>, Vec<_>) =
                node.entries().partition(|(_, node)| kind == Kind::Parameter && self.is_body(node));
            if !others.is_empty() || bodies.is_empty() {
                let entries = others.into_iter().map(|(entry, node)| {
                    (self.keys.key(name, entry).to_owned(), self.inner(node, Inner::One(kind)))
                });
                let entries = entries.collect();
                components.push((section.to_owned(), self.object(node, entries)));
            }
            let bodies: Vec<_> = bodies.into_iter().filter(|(_, node)| self.is_shared_body(node)).collect();
            if !bodies.is_empty() {
                let entries = bodies
                    .into_iter()
                    .map(|(entry, node)| (self.keys.key(name, entry).to_owned(), self.shared_body(node)));
                let entries = entries.collect();
                components.push(("requestBodies".to_owned(), self.object(node, entries)));
            }
        }
        self.merge_components(root, components)
    }

    /// Rewrites a shared parameter `in: body`.
    fn shared_body(&mut self, node: NodeRef<'d>) -> Node {
        if is_reference(node) {
            return self.reference(node);
        }
        let consumes = self.usage.of(node).unwrap_or_else(|| self.consumes.clone());
        self.body(node, &consumes)
    }

    /// Returns whether a parameter is sent in the body.
    fn is_body(&self, node: NodeRef<'d>) -> bool {
        let location = self.resolve(node).and_then(|node| node.get("in")?.as_str());
        matches!(location, Some("body" | "formData"))
    }

    /// Returns whether a parameter is a body of the main file. Only such a body becomes a component.
    fn is_shared_body(&self, node: NodeRef<'d>) -> bool {
        let target = self.resolve(node).filter(|target| self.is_main(target));
        target.and_then(|target| target.get("in")?.as_str()) == Some("body")
    }

    /// Adds the components that a document has in the form of OpenAPI 3.
    fn merge_components(&mut self, root: NodeRef<'d>, mut components: Fields) -> Fields {
        for (section, node) in root.get("components").into_iter().flat_map(Node::entries) {
            let (_, later) = self.field(Kind::Later, section, node);
            match components.iter_mut().find(|(name, _)| name == section) {
                None => components.push((section.to_owned(), later)),
                Some((_, own)) => {
                    if let (Value::Object(own), Value::Object(later)) = (&mut own.value, later.value) {
                        own.add_missing(later);
                    }
                }
            }
        }
        components
    }
}

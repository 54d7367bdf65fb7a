//! The root of the document, and the sections that become components.

use super::{
    VERSION,
    build::{Fields, Rewriter, is_reference},
    servers,
    table::{Inner, Kind},
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef, Value},
};

impl<'d> Rewriter<'d, '_> {
    /// Rewrites the root of the document.
    pub fn root(&mut self) -> Node {
        let root = self.document.root();
        self.check(root, Kind::Document);
        let mut components = Some(self.components(root)).filter(|components| !components.is_empty());
        let mut list = root.get("servers").is_none().then(|| self.servers()).flatten();
        let first = servers::first_field(root);
        let mut fields = Fields::new();
        for (name, value) in root.entries() {
            match name {
                "swagger" => fields.push(("openapi".to_owned(), self.text(value, VERSION))),
                "security" => fields.push((name.to_owned(), self.requirements(value))),
                "consumes" | "produces" => {}
                "paths" => fields.push((name.to_owned(), self.section(value, Kind::PathItem))),
                "definitions" | "parameters" | "responses" | "securityDefinitions" | "components" => {
                    if let Some(components) = components.take() {
                        fields.push(("components".to_owned(), self.object(value, components)));
                    }
                }
                _ if first == Some(name) => {
                    fields.extend(list.take().map(|list| ("servers".to_owned(), list)));
                }
                _ if servers::FIELDS.contains(&name) || !Self::is_known(Kind::Document, name) => {}
                _ => fields.push(self.field(Kind::Document, name, value)),
            }
        }
        if root.get("paths").is_none() {
            self.error(Code::MissingField, root, "missing field `paths`");
        }
        self.object(root, fields)
    }

    /// Rewrites a section of the root, which another file can contain.
    fn section(&mut self, node: NodeRef<'d>, kind: Kind) -> Node {
        let target = if is_reference(node) { self.resolve(node) } else { None };
        self.inner(
            target.unwrap_or(node),
            if kind == Kind::PathItem { Inner::Keyed(kind) } else { Inner::Many(kind) },
        )
    }

    /// Returns the sections of `components`.
    fn components(&mut self, root: NodeRef<'d>) -> Fields {
        let sections = [
            ("definitions", "schemas", Kind::Schema),
            ("parameters", "parameters", Kind::Parameter),
            ("responses", "responses", Kind::Response),
            ("securityDefinitions", "securitySchemes", Kind::SecurityScheme),
        ];
        let mut components = Fields::new();
        for (name, section, kind) in sections {
            let Some(node) = root.get(name).filter(|node| !node.is_null()) else { continue };
            let node = if is_reference(node) { self.resolve(node).unwrap_or(node) } else { node };
            if !node.is_object() {
                let message = format!("`{name}` must be an object, not {}", node.kind_name());
                self.error(Code::WrongType, node, message);
                continue;
            }
            let entries: Vec<_> = node.entries().collect();
            let (bodies, others): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|(_, node)| kind == Kind::Parameter && self.is_body(node));
            if !others.is_empty() || bodies.is_empty() {
                let entries = self.entries(name, others, kind);
                components.push((section.to_owned(), self.object(node, entries)));
            }
            let bodies: Vec<_> = bodies.into_iter().filter(|(_, node)| self.is_shared_body(node)).collect();
            if !bodies.is_empty() {
                let entries = self.bodies(name, bodies);
                components.push(("requestBodies".to_owned(), self.object(node, entries)));
            }
        }
        self.merge_components(root, components)
    }

    fn entries(&mut self, section: &'static str, entries: Vec<(&'d str, NodeRef<'d>)>, kind: Kind) -> Fields {
        let mut fields = Fields::new();
        for (name, node) in entries {
            let key = self.keys.key(section, name).to_owned();
            fields.push((key, self.inner(node, Inner::One(kind))));
        }
        fields
    }

    /// Rewrites shared parameters `in: body`.
    fn bodies(&mut self, section: &'static str, entries: Vec<(&'d str, NodeRef<'d>)>) -> Fields {
        let mut fields = Fields::new();
        for (name, node) in entries {
            let key = self.keys.key(section, name).to_owned();
            let body = if is_reference(node) {
                let fields = self.reference(node);
                self.object(node, fields)
            } else {
                let consumes = self.usage.of(node).unwrap_or_else(|| self.consumes.clone());
                self.body(node, &consumes)
            };
            fields.push((key, body));
        }
        fields
    }

    /// Returns whether a parameter is sent in the body.
    fn is_body(&self, node: NodeRef<'d>) -> bool {
        let location = self.resolve(node).and_then(|node| node.get("in")?.as_str());
        matches!(location, Some("body" | "formData"))
    }

    /// Returns whether a parameter is a body of this file, of which there can be a component.
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
                    let Value::Object(own) = &mut own.value else { continue };
                    let Value::Object(later) = later.value else { continue };
                    let new = later.into_fields().into_iter().filter(|(name, _)| own.get(name).is_none());
                    let new = new.collect();
                    own.extend(new);
                }
            }
        }
        components
    }
}

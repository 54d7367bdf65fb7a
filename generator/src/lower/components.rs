//! Components: the shared schemas, their modules, and the targets of references.

use std::collections::HashMap;

use super::{
    Lowering,
    families::Families,
    place::{Place, Root},
};
use crate::{
    diagnostics::{Code, Diagnostics, nearest},
    document::{Document, Node, NodeRef, RefError, component_name},
    ir::{Kind, Module, Schema, Type, TypeId},
    names::{self, Strength, Style},
};

/// The schemas under `components/schemas`. The index in the list is the [`TypeId`].
#[derive(Debug, Default)]
pub(super) struct Components<'d> {
    pub schemas: Vec<Component<'d>>,
    by_name: HashMap<&'d str, usize>,
    pub multipart: Vec<bool>,
}

/// One schema under `components/schemas`.
#[derive(Debug)]
pub(super) struct Component<'d> {
    pub name: &'d str,
    pub node: NodeRef<'d>,
    pub place: Place<'d>,
}

/// The target of a reference to a schema.
#[derive(Debug, Clone)]
pub(super) enum Target<'d> {
    /// A component.
    Component(TypeId),
    /// A schema within another node.
    Inline(NodeRef<'d>, Place<'d>),
}

impl<'d> Components<'d> {
    pub fn read(document: &'d Document, families: &Families, diagnostics: &mut Diagnostics) -> Self {
        if let Some(node) = document.section("schemas").filter(|node| !node.is_object()) {
            diagnostics.error(
                Code::WrongType,
                node,
                format!("`schemas` must be an object, not {}", node.kind_name()),
            );
        }
        let mut found: Vec<(&'d str, NodeRef<'d>, Module)> = Vec::new();
        let mut by_name = HashMap::new();
        for (name, node) in document.components("schemas") {
            by_name.entry(name).or_insert_with(|| {
                found.push((name, node, module_of(name, node, families, diagnostics)));
                found.len() - 1
            });
        }
        let rust_names = names_by_module(&found);
        let schemas: Vec<Component<'d>> = found
            .into_iter()
            .zip(rust_names)
            .enumerate()
            .map(|(owner, ((name, node, module), rust))| {
                let root = Root {
                    long: format!("{rust}Schema"),
                    name: rust,
                    strength: Strength::Component,
                    origin: format!("schema `{name}`"),
                };
                Component { name, node, place: Place::root(module, owner, root) }
            })
            .collect();
        let mut components = Self { multipart: vec![false; schemas.len()], schemas, by_name };
        components.find_multipart(document);
        components
    }

    /// Returns the component with this name.
    pub fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied().map(TypeId)
    }

    pub fn get(&self, id: TypeId) -> Option<&Component<'d>> {
        self.schemas.get(id.0)
    }

    /// Marks the components that are multipart bodies. Their binary strings are files, not bytes.
    fn find_multipart(&mut self, document: &'d Document) {
        let mut found = Vec::new();
        document.walk(&mut |node| {
            let schema = node.get("multipart/form-data").and_then(|content| content.get("schema"));
            found.extend(schema.and_then(|schema| schema.get("$ref")).and_then(Node::as_str));
        });
        for reference in found {
            let id = component_name(reference, "schemas").and_then(|name| self.find(&name));
            if let Some(multipart) = id.and_then(|id| self.multipart.get_mut(id.0)) {
                *multipart = true;
            }
        }
    }
}

/// Returns the module of a component: that of the tag in `x-family`, else the common one.
fn module_of(name: &str, node: NodeRef<'_>, families: &Families, diagnostics: &mut Diagnostics) -> Module {
    let Some(family) = node.get("x-family") else { return Module::Common };
    let Some(tag) = family.as_str() else {
        let message = format!("`x-family` must be a string, not {}", family.kind_name());
        diagnostics.error(Code::BadExtension, family, message);
        return Module::Common;
    };
    families.find(tag).map_or_else(
        || {
            let message = format!("unknown tag `{tag}` in `x-family` of schema `{name}`");
            let error = diagnostics.error(Code::BadExtension, family, message);
            match nearest(tag, families.list.iter().map(|family| family.tag.as_str())) {
                Some(near) => error.help(format!("a tag with a similar name exists: `{near}`")),
                None => error.help("use the first tag of an operation"),
            };
            Module::Common
        },
        Module::Family,
    )
}

/// Returns the Rust names of components, which are unique within their module.
fn names_by_module(found: &[(&str, NodeRef<'_>, Module)]) -> Vec<String> {
    let mut modules: HashMap<Module, Vec<usize>> = HashMap::new();
    for (place, (_, _, module)) in found.iter().enumerate() {
        modules.entry(*module).or_default().push(place);
    }
    let mut rust_names = vec![String::new(); found.len()];
    for places in modules.values() {
        let texts: Vec<&str> =
            places.iter().filter_map(|place| found.get(*place)).map(|found| found.0).collect();
        for (place, name) in places.iter().zip(names::settle(&texts, Style::Type)) {
            if let Some(slot) = rust_names.get_mut(*place) {
                *slot = name;
            }
        }
    }
    rust_names
}

impl<'d> Lowering<'d, '_> {
    /// Reads every component.
    pub fn components(&mut self) {
        for index in 0..self.components.schemas.len() {
            let id = TypeId(index);
            let Some(component) = self.components.get(id) else { continue };
            let (node, place) = (component.node, component.place.clone());
            let place = place.in_multipart(self.components.multipart.get(index).copied().unwrap_or_default());
            let schema = if self.is_extended(id) {
                self.inherited(id, node, &place)
            } else {
                self.schema_into(node, &place, Some(id))
            };
            self.show(&schema, node);
            if schema.ty == (Type::Named { id, boxed: false }) && self.is_filled(id) {
                continue;
            }
            // References to the component add the nullability, so that no type is nullable twice.
            let docs = self.docs_of(node);
            self.fill(id, docs, Kind::Alias(Schema { nullable: false, ..schema }));
        }
    }

    fn is_filled(&self, id: TypeId) -> bool {
        self.types.get(id.0).is_some_and(|draft| draft.kind.is_some())
    }

    /// Returns the target of a reference to a schema, and reports an unknown target.
    ///
    /// `reference` is the node of the string.
    pub fn target(&mut self, reference: NodeRef<'d>) -> Option<Target<'d>> {
        let Some(text) = reference.as_str() else {
            self.wrong_type(reference, "`$ref`", "a string");
            return None;
        };
        if let Some(target) = self.targets.get(text) {
            let target = target.clone();
            if target.is_none() {
                self.unknown_ref(reference, &RefError::Unknown(text.to_owned()));
            }
            return target;
        }
        let target = self.find_target(text, reference);
        self.targets.insert(text, target.clone());
        target
    }

    fn find_target(&mut self, text: &'d str, reference: NodeRef<'d>) -> Option<Target<'d>> {
        if let Some(id) = component_name(text, "schemas").and_then(|name| self.components.find(&name)) {
            return Some(Target::Component(id));
        }
        if let Some(name) = text.strip_prefix('#').filter(|name| !name.is_empty() && !name.starts_with('/'))
            && let Some(target) = self.anchored(name, text)
        {
            return Some(target);
        }
        match self.document.lookup(text) {
            Ok(node) => Some(Target::Inline(node, self.place_of(text))),
            Err(error) => {
                self.unknown_ref(reference, &error);
                None
            }
        }
    }

    /// Returns the schema with this anchor: a component, else the first one in the document.
    fn anchored(&self, name: &str, text: &'d str) -> Option<Target<'d>> {
        let bears = |node: NodeRef<'_>| {
            let anchor = |keyword| node.get(keyword).and_then(Node::as_str) == Some(name);
            anchor("$anchor") || anchor("$dynamicAnchor")
        };
        if let Some(place) = self.components.schemas.iter().position(|component| bears(component.node)) {
            return Some(Target::Component(TypeId(place)));
        }
        let mut found = None;
        self.document.root().walk(&mut |node| {
            if found.is_none() && bears(node) {
                found = Some(node);
            }
        });
        found.map(|node| Target::Inline(node, self.place_of(text)))
    }

    fn unknown_ref(&mut self, reference: NodeRef<'d>, error: &RefError) {
        let message = error.to_string();
        let near = reference
            .as_str()
            .and_then(|text| component_name(text, "schemas"))
            .and_then(|name| self.near(&name));
        let diagnostic = self.error(Code::UnknownRef, reference, message);
        if let (Some(diagnostic), Some(near)) = (diagnostic, near) {
            diagnostic.help(format!("a schema with a similar name exists: `{near}`"));
        }
    }

    /// Returns a component with a similar name.
    fn near(&self, name: &str) -> Option<&'d str> {
        // Each suggestion compares the name with all components. With so many diagnostics, that would take
        // too long.
        if self.said.len() > 1_000 {
            return None;
        }
        nearest(name, self.components.schemas.iter().map(|component| component.name))
    }

    /// Returns the position of a JSON pointer's target in the context of that target.
    fn place_of(&self, reference: &'d str) -> Place<'d> {
        let mut steps = reference.trim_start_matches("#/").split('/');
        let component = (steps.next() == Some("components") && steps.next() == Some("schemas"))
            .then(|| steps.next())
            .flatten()
            .and_then(|name| component_name(&format!("#/components/schemas/{name}"), "schemas"))
            .and_then(|name| self.components.get(self.components.find(&name)?));
        let Some(component) = component else {
            let text = reference.replace(['/', '#', '~', '%'], " ");
            let name = names::pascal(&text);
            let root = Root {
                long: format!("{name}Schema"),
                name,
                strength: Strength::Nested,
                origin: format!("the schema at `{reference}`"),
            };
            return Place::root(Module::Common, self.components.schemas.len(), root);
        };
        let mut place = component.place.clone();
        while let Some(step) = steps.next() {
            place = match step {
                "properties" | "$defs" | "definitions" | "patternProperties" => {
                    steps.next().map_or(place.clone(), |name| place.property(name))
                }
                "items" => place.items(),
                "additionalProperties" => place.values(),
                "allOf" => {
                    steps.next();
                    place
                }
                _ => place.variant(step.to_owned()),
            };
        }
        place
    }
}

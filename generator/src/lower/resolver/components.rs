//! Components: the shared schemas, their modules, and their subtypes.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::{Code, nearest},
    document::component_name,
    graph,
    ir::{Module, Provenance, TypeId},
    lower::{
        context::Context,
        position::{Role, Root, SchemaPosition},
        tags::Tags,
    },
    names::{self, Strength, Style},
    renames::Renames,
    tree::{Node, NodeId, NodeRef},
};

/// The schemas under `components/schemas`. The index in the list is the [`TypeId`].
#[derive(Debug, Default)]
pub(in crate::lower) struct Components<'d> {
    pub schemas: Vec<Component<'d>>,
    by_name: HashMap<&'d str, usize>,
    /// The schemas of multipart bodies, and the references that lead from them to components.
    pub forms: HashSet<NodeId>,
}

/// One schema under `components/schemas`.
#[derive(Debug)]
pub(in crate::lower) struct Component<'d> {
    pub name: &'d str,
    pub node: NodeRef<'d>,
    pub position: SchemaPosition<'d>,
    pub role: Role,
    /// All references to the component.
    pub references: Vec<NodeRef<'d>>,
    /// The use because of which it is not read as an event.
    pub other: Option<NodeRef<'d>>,
    /// All components that extend it directly or indirectly, in document order, if it is a union of them.
    pub subtypes: Vec<TypeId>,
}

/// The target of a reference to a schema.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Target<'d> {
    /// The component, if it is one.
    pub id: Option<TypeId>,
    pub node: NodeRef<'d>,
    pub position: SchemaPosition<'d>,
}

impl Target<'_> {
    /// Returns whether both are the same schema.
    pub fn is(&self, other: &Self) -> bool {
        self.id == other.id && self.node.id() == other.node.id()
    }
}

impl<'d> Components<'d> {
    pub fn read(context: &mut Context<'d, '_>, tags: &Tags) -> Self {
        let document = context.document;
        if let Some(node) = document.section("schemas") {
            context.object(node, "`schemas`");
        }
        let mut found: Vec<(&'d str, NodeRef<'d>, Module)> = Vec::new();
        let mut by_name = HashMap::new();
        for (name, node) in document.components("schemas") {
            by_name.entry(name).or_insert_with(|| {
                found.push((name, node, module_of(context, name, node, tags)));
                found.len() - 1
            });
        }
        let rust_names = names_by_module(&found, context.renames);
        let schemas: Vec<Component<'d>> = found
            .into_iter()
            .zip(rust_names)
            .enumerate()
            .map(|(owner, ((name, node, module), rust))| {
                let root = Root {
                    long: format!("{rust}Schema"),
                    name: rust,
                    strength: Strength::Component,
                    provenance: Provenance::Component(name.to_owned()),
                };
                Component {
                    name,
                    node,
                    position: SchemaPosition::root(module, owner, root),
                    role: Role::Plain,
                    references: Vec::new(),
                    other: None,
                    subtypes: Vec::new(),
                }
            })
            .collect();
        let mut components = Self { schemas, by_name, forms: HashSet::new() };
        components.find_uses(document);
        components.find_subtypes();
        components
    }

    /// Returns the component with this name.
    pub fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied().map(TypeId)
    }

    pub fn get(&self, id: TypeId) -> Option<&Component<'d>> {
        self.schemas.get(id.0)
    }

    /// Returns a component as the target of a reference.
    pub fn target(&self, id: TypeId) -> Option<Target<'d>> {
        let Component { node, position, .. } = self.get(id)?;
        Some(Target { id: Some(id), node, position: position.clone() })
    }

    pub(super) fn get_mut(&mut self, id: TypeId) -> Option<&mut Component<'d>> {
        self.schemas.get_mut(id.0)
    }

    /// Returns the component that the value of a `$ref` names.
    pub fn named(&self, reference: NodeRef<'_>) -> Option<TypeId> {
        self.find(&component_name(reference.as_str()?, "schemas")?)
    }

    /// Returns the component that a schema refers to.
    pub fn referred(&self, schema: NodeRef<'_>) -> Option<TypeId> {
        self.named(schema.get("$ref")?)
    }

    /// Returns the component that the value of a mapping names, by reference or by name.
    pub fn mapped(&self, value: NodeRef<'_>) -> Option<TypeId> {
        self.named(value).or_else(|| self.find(value.as_str()?))
    }

    /// Returns whether a component is a union of its subtypes.
    pub fn is_extended(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|component| !component.subtypes.is_empty())
    }

    /// Finds the components that extend another one by `allOf`.
    fn find_subtypes(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.schemas.len()];
        for (index, component) in self.schemas.iter().enumerate() {
            for member in component.node.get("allOf").map_or(&[][..], Node::items) {
                let base = self.referred(member).and_then(|base| children.get_mut(base.0));
                base.into_iter().for_each(|children| children.push(index));
            }
        }
        let children = |index: usize| children.get(index).into_iter().flatten().copied();
        for (index, component) in self.schemas.iter_mut().enumerate().filter(|(_, it)| is_base(it.node)) {
            let subtypes = graph::reached(vec![index], children).into_iter().skip(1).map(TypeId);
            component.subtypes = subtypes.collect();
            component.subtypes.sort_unstable();
        }
    }
}

/// Returns whether a schema has a discriminator, but no union of its own.
fn is_base(node: NodeRef<'_>) -> bool {
    let property = node.get("discriminator").and_then(|discriminator| discriminator.get("propertyName"));
    property.and_then(Node::as_str).is_some() && node.get("oneOf").or_else(|| node.get("anyOf")).is_none()
}

/// Returns the module of a component: that of the tag in `x-family`, else the common one.
fn module_of(context: &mut Context<'_, '_>, name: &str, node: NodeRef<'_>, tags: &Tags) -> Module {
    let Some(written) = node.get("x-family") else { return Module::Common };
    let Some(tag) = written.as_str() else {
        let message = format!("`x-family` must be a string, not {}", written.kind_name());
        context.error(Code::BadExtension, written, message);
        return Module::Common;
    };
    if tags.find(tag).is_none() && context.selection.leaves_out_tag(tag) {
        return Module::Common;
    }
    tags.find(tag).map_or_else(
        || {
            let message = format!("unknown tag `{tag}` in `x-family` of schema `{name}`");
            let error = context.error(Code::BadExtension, written, message);
            match nearest(tag, tags.list.iter().map(|tag| tag.name.as_str())) {
                None => error.help("use the first tag of an operation"),
                near => error.near("a tag with a similar name", near),
            };
            Module::Common
        },
        Module::Tag,
    )
}

/// Returns the Rust names of components, which are unique within their module.
fn names_by_module(found: &[(&str, NodeRef<'_>, Module)], renames: &Renames) -> Vec<String> {
    let mut modules: HashMap<Module, Vec<usize>> = HashMap::new();
    for (position, (_, _, module)) in found.iter().enumerate() {
        modules.entry(*module).or_default().push(position);
    }
    let mut rust_names = vec![String::new(); found.len()];
    for positions in modules.values() {
        let siblings = positions.iter().filter_map(|position| found.get(*position));
        let siblings: Vec<_> = siblings.map(|(name, node, _)| (vec![*node], *name)).collect();
        let texts = renames.texts(&siblings);
        for (position, name) in positions.iter().zip(names::settle(&texts, Style::Type)) {
            if let Some(slot) = rust_names.get_mut(*position) {
                *slot = name;
            }
        }
    }
    rust_names
}

//! Components: the shared schemas, their modules, and their subtypes.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::{Code, Diagnostics, nearest},
    document::Document,
    ir::{Module, Provenance, TypeId},
    lower::{
        position::{Role, Root, SchemaPosition},
        tags::Tags,
    },
    names::{self, Strength, Style},
    renames::Renames,
    selection::Selection,
    tree::{NodeId, NodeRef},
};

/// The schemas under `components/schemas`. The index in the list is the [`TypeId`].
#[derive(Debug, Default)]
pub(in crate::lower) struct Components<'d> {
    pub schemas: Vec<Component<'d>>,
    by_name: HashMap<&'d str, usize>,
    pub uses: Uses<'d>,
    pub subtypes: Subtypes,
}

/// One schema under `components/schemas`.
#[derive(Debug)]
pub(in crate::lower) struct Component<'d> {
    pub name: &'d str,
    pub node: NodeRef<'d>,
    pub position: SchemaPosition<'d>,
}

/// The target of a reference to a schema.
#[derive(Debug, Clone)]
pub(in crate::lower) enum Target<'d> {
    /// A component.
    Component(TypeId),
    /// A schema within another node.
    Inline(NodeRef<'d>, SchemaPosition<'d>),
}

impl Target<'_> {
    /// Returns the component, if it is one.
    pub const fn component(&self) -> Option<TypeId> {
        match self {
            Self::Component(id) => Some(*id),
            Self::Inline(..) => None,
        }
    }

    /// Returns whether both are the same schema.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Component(one), Self::Component(other)) => one == other,
            (Self::Inline(one, _), Self::Inline(other, _)) => one.id() == other.id(),
            _ => false,
        }
    }
}

impl<'d> Components<'d> {
    pub fn read(
        document: &'d Document,
        tags: &Tags,
        selection: &Selection,
        renames: &Renames,
        diagnostics: &mut Diagnostics,
    ) -> Self {
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
                found.push((name, node, module_of(name, node, tags, selection, diagnostics)));
                found.len() - 1
            });
        }
        let rust_names = names_by_module(&found, renames);
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
                Component { name, node, position: SchemaPosition::root(module, owner, root) }
            })
            .collect();
        let mut components = Self { schemas, by_name, uses: Uses::default(), subtypes: Subtypes::default() };
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
}

/// Returns the module of a component: that of the tag in `x-family`, else the common one.
fn module_of(
    name: &str,
    node: NodeRef<'_>,
    tags: &Tags,
    selection: &Selection,
    diagnostics: &mut Diagnostics,
) -> Module {
    let Some(written) = node.get("x-family") else { return Module::Common };
    let Some(tag) = written.as_str() else {
        let message = format!("`x-family` must be a string, not {}", written.kind_name());
        diagnostics.error(Code::BadExtension, written, message);
        return Module::Common;
    };
    if tags.find(tag).is_none() && selection.leaves_out_tag(tag) {
        return Module::Common;
    }
    tags.find(tag).map_or_else(
        || {
            let message = format!("unknown tag `{tag}` in `x-family` of schema `{name}`");
            let error = diagnostics.error(Code::BadExtension, written, message);
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

/// The subtypes of each component, by index in the list of components.
#[derive(Debug, Default)]
pub(in crate::lower) struct Subtypes(pub Vec<Vec<TypeId>>);

/// The uses of the components. The index in each list is that of the component.
#[derive(Debug, Default)]
pub(in crate::lower) struct Uses<'d> {
    /// The role of each component.
    pub roles: Vec<Role>,
    /// All references to each component.
    pub references: Vec<Vec<NodeRef<'d>>>,
    /// The use because of which a component is not read as an event.
    pub others: Vec<Option<NodeRef<'d>>>,
    /// The schemas of multipart bodies, and the references that lead from them to components.
    pub forms: HashSet<NodeId>,
}

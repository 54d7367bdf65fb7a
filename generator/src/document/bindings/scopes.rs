//! The scopes of names: the schemas that bind them, and their bindings at a position.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    super::{Document, NodePath, component_name, links::path},
    schemas::{self, lone_reference, sites, within},
};
use crate::{
    graph::reached,
    tree::{Node, NodeId, NodeRef},
};

/// The schemas that names are bound to.
pub type Bindings<'d> = BTreeMap<&'d str, NodeRef<'d>>;

/// The scopes of a document.
pub struct Scopes<'d> {
    pub document: &'d Document,
    /// All schemas, in the order of the nodes.
    pub schemas: Vec<NodeRef<'d>>,
    /// In the order of the nodes.
    scopes: Vec<Scope<'d>>,
    /// The names of components.
    pub components: HashMap<NodeId, &'d str>,
    /// The first schema with each `$dynamicAnchor`.
    first: HashMap<&'d str, NodeRef<'d>>,
    /// The schemas that reach a dynamic reference.
    dynamic: HashSet<NodeId>,
    /// The members of `allOf` that others extend.
    bases: HashSet<NodeId>,
}

/// A schema that binds the names of the `$dynamicAnchor`s in it.
struct Scope<'d> {
    node: NodeRef<'d>,
    outer: Option<usize>,
    /// Whether only references apply it to values, and not the scope around it.
    is_definition: bool,
    /// Whether it is part of the scope around it, in which a name has several anchors.
    ///
    /// JSON Schema does not allow that. In a document without `$id`, the nearest anchor counts.
    is_part: bool,
    dynamic: Bindings<'d>,
    /// The schemas with an `$anchor`.
    plain: HashMap<&'d str, NodeRef<'d>>,
}

impl<'d> Scopes<'d> {
    pub fn read(document: &'d Document) -> Self {
        let mut components = HashMap::new();
        for (name, node) in document.components("schemas") {
            components.entry(node.id()).or_insert(name);
        }
        let schemas = schemas::schemas(document);
        let repeated = Scanner::scan(&schemas, HashSet::new()).repeated;
        let parts = repeated.into_values().filter(|holders| holders.len() > 1).flatten().flatten().collect();
        let Scanner { scopes, first, .. } = Scanner::scan(&schemas, parts);
        let dynamic = dynamic(document, &schemas);
        let extending = schemas.iter().filter(|schema| lone_reference(schema).is_none());
        let bases =
            extending.filter_map(|schema| schema.get("allOf")).flat_map(Node::items).map(Node::id).collect();
        let mut read = Self { document, schemas, scopes, components, first, dynamic, bases };
        read.simplify();
        read
    }

    /// Binds names to the component that an anchor only refers to. So all schemas that bind a name to it bind the same.
    ///
    /// This holds if the component needs no bindings itself.
    fn simplify(&mut self) {
        let (document, dynamic) = (self.document, &self.dynamic);
        let simple = |node: NodeRef<'d>| {
            let text = lone_reference(node)?.as_str()?;
            component_name(text, "schemas")?;
            document.lookup(text).ok().filter(|target| !dynamic.contains(&target.id()))
        };
        for scope in &mut self.scopes {
            scope.dynamic.values_mut().for_each(|node| *node = simple(node).unwrap_or(node));
        }
        self.first.values_mut().for_each(|node| *node = simple(node).unwrap_or(node));
    }

    /// Returns whether a schema means the same with all bindings.
    pub fn is_static(&self, schema: NodeRef<'d>) -> bool {
        !self.dynamic.contains(&schema.id())
    }

    /// Returns whether a schema with a reference means its target, and does not extend it.
    pub fn is_whole(&self, schema: NodeRef<'d>) -> bool {
        let is_lone = lone_reference(schema).is_some() || schema.get("$dynamicRef").is_some();
        is_lone && !self.bases.contains(&schema.id())
    }

    /// Returns the bindings of the schemas around a schema in the document.
    pub fn lexical_bindings(&self, schema: NodeRef<'d>) -> Bindings<'d> {
        self.inside(schema, None)
    }

    /// Returns the bindings at a schema that is reached with these.
    pub fn enter(&self, outer: &Bindings<'d>, schema: NodeRef<'d>) -> Bindings<'d> {
        self.below(outer, schema, schema)
    }

    /// Returns the bindings at a schema within a target that is reached with these.
    pub fn below(&self, outer: &Bindings<'d>, target: NodeRef<'d>, schema: NodeRef<'d>) -> Bindings<'d> {
        let mut bindings = outer.clone();
        for (name, node) in self.inside(schema, self.resource_of(target)) {
            bindings.entry(name).or_insert(node);
        }
        bindings
    }

    /// Returns what the scopes around a schema bind, up to the scope `last`.
    ///
    /// Of several scopes, the outermost one counts; of several anchors in a scope, the nearest one.
    fn inside(&self, schema: NodeRef<'d>, last: Option<usize>) -> Bindings<'d> {
        let (mut bindings, mut level) = (Bindings::new(), Bindings::new());
        let mut next = self.scope_of(schema);
        while let Some((index, scope)) = next.and_then(|index| Some((index, self.scopes.get(index)?))) {
            next = scope.outer;
            for (name, node) in &scope.dynamic {
                level.entry(*name).or_insert(*node);
            }
            if scope.is_part {
                continue;
            }
            bindings.append(&mut level);
            if scope.is_definition || Some(index) == last {
                break;
            }
        }
        bindings
    }

    /// Returns the schema that a `$dynamicRef` leads to, and its name if bindings decide about that.
    pub fn follow(
        &self,
        reference: &str,
        schema: NodeRef<'d>,
        bindings: &Bindings<'d>,
    ) -> Option<(NodeRef<'d>, Option<&'d str>)> {
        let (resource, name) = reference.split_once('#').unwrap_or((reference, ""));
        if name.is_empty() || name.starts_with('/') {
            return self.document.lookup(reference).ok().map(|node| (node, None));
        }
        let own = if resource.is_empty() { self.resource_of(schema) } else { self.resource_with(resource) };
        let own = self.scopes.get(own?)?;
        let default = own.dynamic.get_key_value(name);
        if default.is_none()
            && let Some(node) = own.plain.get(name)
        {
            return Some((node, None));
        }
        let bound = bindings.get_key_value(name).or(default).or_else(|| self.first.get_key_value(name));
        bound.map(|(name, node)| (*node, Some(*name)))
    }

    /// Returns the reference to a schema.
    pub fn reference(&self, schema: NodeRef<'d>) -> String {
        if let Some(name) = self.components.get(&schema.id()) {
            return format!("#/components/schemas/{}", path::escape_step(name));
        }
        let files = self.document.files().enumerate();
        let mut paths = files.filter_map(|(index, file)| {
            let name = if index == 0 { "" } else { file.source.name.as_str() };
            Some(format!("{name}#{}", path::escape(&NodePath::to(&file.root, schema.id())?.pointer())))
        });
        paths.next().unwrap_or_default()
    }

    /// Returns the outermost schema around a schema.
    pub fn root_of(&self, schema: NodeRef<'d>) -> NodeRef<'d> {
        let mut next = self.scope_of(schema);
        let mut root = schema;
        while let Some(scope) = next.and_then(|index| self.scopes.get(index)) {
            (root, next) = (scope.node, scope.outer);
        }
        root
    }

    /// Returns the scope with this `$id`.
    fn resource_with(&self, id: &str) -> Option<usize> {
        self.scopes.iter().position(|scope| scope.node.get("$id").and_then(Node::as_str) == Some(id))
    }

    /// Returns the scope around a schema that is not part of another one.
    fn resource_of(&self, schema: NodeRef<'d>) -> Option<usize> {
        let mut index = self.scope_of(schema)?;
        while let Some(Scope { is_part: true, outer: Some(outer), .. }) = self.scopes.get(index) {
            index = *outer;
        }
        Some(index)
    }

    /// Returns the innermost scope around a schema.
    fn scope_of(&self, schema: NodeRef<'d>) -> Option<usize> {
        let id = schema.id();
        let mut index = self.scopes.partition_point(|scope| scope.node.id() <= id).checked_sub(1)?;
        while self.scopes.get(index)?.node.last_id() < id {
            index = self.scopes.get(index)?.outer?;
        }
        Some(index)
    }
}

/// Returns the schemas that reach a dynamic reference.
fn dynamic<'d>(document: &'d Document, schemas: &[NodeRef<'d>]) -> HashSet<NodeId> {
    let mut users: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    let mut waiting = Vec::new();
    for schema in schemas {
        let inner = within(schema).filter(|(_, is_definition)| !is_definition).map(|(inner, _)| inner);
        let targets = sites(schema).filter_map(|(node, _)| target(document, node.as_str()?));
        for used in inner.chain(targets) {
            users.entry(used.id()).or_default().push(schema.id());
        }
        waiting.extend(schema.get("$dynamicRef").map(|_| schema.id()));
    }
    reached(waiting, |id| users.get(&id).into_iter().flatten().copied()).into_iter().collect()
}

/// Returns the schema that a `$ref` or the value of a mapping names.
pub fn target<'d>(document: &'d Document, text: &str) -> Option<NodeRef<'d>> {
    let name = || format!("#/components/schemas/{}", path::escape_step(text));
    document.lookup(text).or_else(|_| document.lookup(&name())).ok()
}

/// Finds scopes.
#[derive(Default)]
struct Scanner<'d> {
    scopes: Vec<Scope<'d>>,
    first: HashMap<&'d str, NodeRef<'d>>,
    /// The schemas whose definitions are parts of the scope around them.
    parts: HashSet<NodeId>,
    /// For each `$dynamicAnchor` of a scope, by name: the schemas whose `$defs` contain the schemas with the anchor.
    repeated: HashMap<(usize, &'d str), Vec<Option<NodeId>>>,
}

/// The position of a schema.
#[derive(Clone, Copy, Default)]
struct Position {
    scope: Option<usize>,
    is_definition: bool,
    /// The schema whose `$defs` contain it.
    owner: Option<NodeId>,
}

impl<'d> Scanner<'d> {
    /// Finds the scopes of these schemas, which are in order.
    fn scan(schemas: &[NodeRef<'d>], parts: HashSet<NodeId>) -> Self {
        let mut scanner = Self { parts, ..Self::default() };
        let mut last = None;
        for schema in schemas {
            if last.is_none_or(|last| schema.id() > last) {
                last = Some(schema.last_id());
                scanner.schema(schema, Position::default());
            }
        }
        scanner
    }

    fn schema(&mut self, schema: NodeRef<'d>, at: Position) {
        let text = |keyword| schema.get(keyword).and_then(Node::as_str);
        let is_part = self.parts.contains(&schema.id());
        let is_resource = at.scope.is_none() || text("$id").is_some_and(|id| !id.starts_with('#'));
        let mut inner = at;
        if is_resource || is_part {
            inner = Position { scope: Some(self.scopes.len()), ..Position::default() };
            self.scopes.push(Scope {
                node: schema,
                outer: at.scope,
                is_definition: at.is_definition,
                is_part: !is_resource,
                dynamic: Bindings::new(),
                plain: HashMap::new(),
            });
        }
        if let Some((index, scope)) = inner.scope.and_then(|index| Some((index, self.scopes.get_mut(index)?)))
        {
            if let Some(name) = text("$dynamicAnchor") {
                scope.dynamic.entry(name).or_insert(schema);
                self.first.entry(name).or_insert(schema);
                self.repeated.entry((index, name)).or_default().push(at.owner);
            }
            if let Some(name) = text("$anchor") {
                scope.plain.entry(name).or_insert(schema);
            }
        }
        for (child, is_definition) in within(schema) {
            let owner = is_definition.then(|| schema.id());
            self.schema(
                child,
                Position { is_definition: inner.is_definition || is_definition, owner, ..inner },
            );
        }
    }
}

//! Lowers a document to the intermediate representation.
//!
//! 1. All components get ids before any of them is read, so that references in any direction have a target.
//! 2. Components, then operations: each schema becomes an [`ir::Schema`], and a type where Rust needs one.
//! 3. Passes over all types (`finish`): names, cycles, shapes of unions, openness, order.
//!
//! Lowering reports an error, uses the nearest sensible fallback and continues, so one run reports all
//! errors.

mod all_of;
mod arrays;
mod bodies;
mod bounds;
mod callbacks;
mod checks;
mod components;
mod conditions;
mod docs;
mod enums;
mod errors;
mod examples;
mod families;
mod finish;
mod flat;
mod inheritance;
mod keywords;
mod literals;
mod maps;
mod media;
mod nullable;
mod objects;
mod operations;
mod parameters;
mod patterns;
mod permanent;
mod place;
mod rejections;
mod responses;
mod restated;
mod rules;
mod scalars;
mod schemas;
mod security;
mod selection;
mod stated;
mod streams;
mod templates;
mod unions;
mod unused;
mod variants;
mod webhooks;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic, nearest},
    document::{Document, Node, NodeRef, Version},
    ir::{self, Kind, Module, Schema, Type, TypeId},
    options::{Options, UnusedSetting},
};
use components::{Components, Target};
use families::Families;
use place::Place;
pub use rejections::VIOLATION_CODES;

/// The result of lowering a document.
#[derive(Debug)]
pub struct Lowered<'d> {
    /// The API.
    pub api: ir::Api,
    /// All examples of schemas in the document.
    pub examples: Vec<Shown<'d>>,
    /// The options that have no effect on the document.
    pub unused: Vec<UnusedSetting>,
}

/// An example and its schema.
#[derive(Debug)]
pub struct Shown<'d> {
    /// The schema.
    pub schema: Schema,
    /// The example.
    pub node: NodeRef<'d>,
    /// Whether the example matches, as far as can be checked without the generated code.
    pub fits: bool,
}

/// Lowers a document.
#[must_use]
pub fn lower<'d>(document: &'d Document, options: &Options, diagnostics: &mut Diagnostics) -> Lowered<'d> {
    let mut lowering = Lowering::new(document, options, diagnostics);
    lowering.check_root();
    lowering.find_subtypes();
    lowering.components();
    let shared = lowering.shared_responses();
    lowering.webhooks();
    let schemes = lowering.security_schemes();
    let (mut operations, uses) = lowering.operations(&schemes, &shared);
    let shared_errors = lowering.shared_errors(&shared, &mut operations, &uses);
    let mut api = lowering.api(schemes, shared_errors);
    api.operations = operations;
    lowering.finish(api)
}

/// The state of lowering one document.
struct Lowering<'d, 'x> {
    document: &'d Document,
    options: &'x Options,
    diagnostics: &'x mut Diagnostics,
    /// Paths and methods that a server can't route.
    unroutable: HashSet<(&'d str, &'d str)>,
    /// The diagnostics reported per node, because a node can be read more than once.
    said: HashSet<(usize, Code)>,
    families: Families,
    components: Components<'d>,
    targets: HashMap<&'d str, Option<Target<'d>>>,
    types: Vec<Draft<'d>>,
    /// The types of inline nodes, by the nodes' addresses.
    made: HashMap<usize, TypeId>,
    /// Inline nodes that are being read because a reference points to them.
    reading: HashSet<usize>,
    /// The addresses of schemas that are being read, except parts of other schemas.
    open: HashSet<usize>,
    patterns: Vec<patterns::Draft<'d>>,
    known_patterns: HashMap<(usize, Module), ir::PatternId>,
    /// The number of schemas that can still be read.
    ///
    /// It stops documents that merge schemas with themselves over and over.
    fuel: usize,
    /// Formats that were reported, and whether for numbers.
    formats: HashSet<(&'d str, bool)>,
    /// The types from the options that are used, by index.
    foreign: BTreeSet<usize>,
    /// Whether nodes allow null, by address.
    nullables: HashMap<usize, bool>,
    /// Defaults, which are read when all types are known.
    defaults: Vec<literals::Default<'d>>,
    /// The types of webhook bodies.
    received: Vec<TypeId>,
    /// The subtypes of each component.
    subtypes: inheritance::Subtypes,
    /// Discriminators, which are read when all types are known.
    discriminators: Vec<unions::Discriminator<'d>>,
    /// `x-permanent` extensions, which are checked when all types are known.
    permanents: Vec<permanent::Permanent<'d>>,
    /// The examples in the document, per operation.
    examples: Vec<examples::Written>,
    /// All examples of the document.
    shown: Vec<Shown<'d>>,
}

/// A type under construction.
#[derive(Debug)]
struct Draft<'d> {
    place: Place<'d>,
    docs: ir::Docs,
    /// The kind, or `None` if the type was not read yet.
    kind: Option<Kind>,
    node: Option<NodeRef<'d>>,
}

impl<'d, 'x> Lowering<'d, 'x> {
    fn new(document: &'d Document, options: &'x Options, diagnostics: &'x mut Diagnostics) -> Self {
        let families = Families::read(document, options);
        let components = Components::read(document, &families, diagnostics);
        let mut nodes = 0_usize;
        document.walk(&mut |_| nodes += 1);
        let types = components
            .schemas
            .iter()
            .map(|component| Draft {
                place: component.place.clone(),
                docs: ir::Docs::default(),
                kind: None,
                node: Some(component.node),
            })
            .collect();
        Self {
            document,
            options,
            diagnostics,
            unroutable: HashSet::new(),
            said: HashSet::new(),
            families,
            components,
            targets: HashMap::new(),
            types,
            made: HashMap::new(),
            reading: HashSet::new(),
            open: HashSet::new(),
            patterns: Vec::new(),
            known_patterns: HashMap::new(),
            fuel: nodes.saturating_mul(4).saturating_add(2_000),
            formats: HashSet::new(),
            foreign: BTreeSet::new(),
            nullables: HashMap::new(),
            defaults: Vec::new(),
            received: Vec::new(),
            subtypes: inheritance::Subtypes::default(),
            discriminators: Vec::new(),
            permanents: Vec::new(),
            examples: Vec::new(),
            shown: Vec::new(),
        }
    }

    fn is_3_1(&self) -> bool {
        self.document.version() >= Version::V3_1
    }

    /// Adds a warning, unless the node already has one with this code.
    fn warn(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        let new = self.said.insert((node.address(), code));
        new.then(|| self.diagnostics.warning(code, node, message))
    }

    /// Adds an error, unless the node already has one with this code.
    fn error(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        let new = self.said.insert((node.address(), code));
        new.then(|| self.diagnostics.error(code, node, message))
    }

    /// Reports a node that does not have the type that the specification requires.
    fn wrong_type(&mut self, node: NodeRef<'_>, what: &str, expected: &str) {
        let found = match node {
            Node::Number(_) | Node::Boolean(_) => format!("`{}`", node.to_json()),
            _ => node.kind_name().to_owned(),
        };
        let message = format!("{what} must be {expected}, not {found}");
        self.error(Code::WrongType, node, message);
    }

    /// Returns the node if it is an object, and reports an error otherwise.
    fn object(&mut self, node: NodeRef<'d>, what: &str) -> Option<NodeRef<'d>> {
        if node.is_object() {
            return Some(node);
        }
        self.wrong_type(node, what, "an object");
        None
    }

    /// Returns the string in a field, and reports an error if the field is not a string.
    fn text(&mut self, node: NodeRef<'d>, name: &str) -> Option<&'d str> {
        let value = node.get(name)?;
        if value.as_str().is_none() && !value.is_null() {
            self.wrong_type(value, &format!("`{name}`"), "a string");
        }
        value.as_str()
    }

    /// Resolves the `$ref`s of a node that is not a schema, and reports unknown targets.
    fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        match self.document.resolve(node) {
            Ok(resolved) => Some(resolved.node),
            Err(error) => {
                self.leads_nowhere(node, error.to_string());
                None
            }
        }
    }

    /// Reports an error in the `$ref` of a node, with a suggestion if there is one.
    fn leads_nowhere(&mut self, node: NodeRef<'d>, message: String) {
        let at = node.get("$ref").unwrap_or(node);
        let near = at.as_str().and_then(|text| self.near_component(text));
        let said = self.error(Code::UnknownRef, at, message);
        if let (Some(said), Some(near)) = (said, near) {
            said.help(format!("a component with a similar name exists: `{near}`"));
        }
    }

    /// Returns a component of the same section with a name similar to that of a reference.
    fn near_component(&self, reference: &str) -> Option<&'d str> {
        let (section, name) = reference.strip_prefix("#/components/")?.split_once('/')?;
        nearest(name, self.document.components(section).map(|(name, _)| name))
    }

    /// Adds a type at this position, which [`fill`](Self::fill) completes.
    fn reserve(&mut self, place: &Place<'d>, node: Option<NodeRef<'d>>) -> TypeId {
        self.types.push(Draft { place: place.clone(), docs: ir::Docs::default(), kind: None, node });
        TypeId(self.types.len() - 1)
    }

    fn fill(&mut self, id: TypeId, docs: ir::Docs, kind: Kind) {
        if let Some(draft) = self.types.get_mut(id.0) {
            draft.docs = docs;
            draft.kind = Some(kind);
        }
    }

    fn named(id: TypeId) -> Schema {
        Schema::new(Type::Named { id, boxed: false })
    }

    /// Returns the module of an operation's types.
    fn home(family: ir::FamilyId) -> Module {
        Module::Family(family)
    }
}

#[cfg(test)]
mod tests;

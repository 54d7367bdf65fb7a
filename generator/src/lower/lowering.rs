//! The state of lowering one document.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic},
    document::{Document, NodeId, NodeRef, Resolved},
    ir::{self, Kind, Module, Schema, Type, TypeId},
    lower::{
        context::Context,
        families::Families,
        operation::notes::{Permanent, Written},
        place::Place,
        schema::{
            components::{Components, Subtypes, Target},
            notes::{self, Discriminator, JsonSchemas, PatternDraft, Shown},
        },
        types::{Draft, Types},
    },
    options::Options,
};

/// The state of lowering one document.
pub(in crate::lower) struct Lowering<'d, 'x> {
    pub context: Context<'d, 'x>,
    /// Paths and methods that a server can't route.
    pub unroutable: HashSet<(&'d str, &'d str)>,
    pub families: Families,
    pub components: Components<'d>,
    pub targets: HashMap<&'d str, Option<Target<'d>>>,
    pub types: Types<'d>,
    /// The types of inline nodes.
    pub made: HashMap<NodeId, TypeId>,
    /// Inline nodes that are being read because a reference points to them.
    pub reading: HashSet<NodeId>,
    /// The schemas that are being read, except parts of other schemas.
    pub open: HashSet<NodeId>,
    pub patterns: Vec<PatternDraft<'d>>,
    pub known_patterns: HashMap<(NodeId, Module), ir::PatternId>,
    pub json_schemas: JsonSchemas<'d>,
    /// Whether the schema that is being read says more than its type can.
    pub says_more: bool,
    /// The number of schemas that can still be read.
    ///
    /// It stops documents that merge schemas with themselves over and over.
    pub fuel: usize,
    /// Formats that were reported, and whether for numbers.
    pub formats: HashSet<(&'d str, bool)>,
    /// The types from the options that are used, by index.
    pub foreign: BTreeSet<usize>,
    /// Whether nodes allow null.
    pub nullables: HashMap<NodeId, bool>,
    /// Defaults, which are read when all types are known.
    pub defaults: Vec<notes::Default<'d>>,
    /// The types of webhook bodies.
    pub received: Vec<TypeId>,
    /// The subtypes of each component.
    pub subtypes: Subtypes,
    /// Discriminators, which are read when all types are known.
    pub discriminators: Vec<Discriminator<'d>>,
    /// `x-permanent` extensions, which are checked when all types are known.
    pub permanents: Vec<Permanent<'d>>,
    /// The examples in the document, per operation.
    pub examples: Vec<Written>,
    /// All examples of the document.
    pub shown: Vec<Shown<'d>>,
}

impl<'d, 'x> Lowering<'d, 'x> {
    /// Reads the modules and the components, and starts with a type per component.
    pub fn new(document: &'d Document, options: &'x Options, diagnostics: &'x mut Diagnostics) -> Self {
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
                also: None,
                node: Some(component.node),
            })
            .collect();
        Self {
            context: Context::new(document, options, diagnostics),
            unroutable: HashSet::new(),
            families,
            components,
            targets: HashMap::new(),
            types,
            made: HashMap::new(),
            reading: HashSet::new(),
            open: HashSet::new(),
            patterns: Vec::new(),
            known_patterns: HashMap::new(),
            json_schemas: JsonSchemas::default(),
            says_more: false,
            fuel: nodes.saturating_mul(4).saturating_add(2_000),
            formats: HashSet::new(),
            foreign: BTreeSet::new(),
            nullables: HashMap::new(),
            defaults: Vec::new(),
            received: Vec::new(),
            subtypes: Subtypes::default(),
            discriminators: Vec::new(),
            permanents: Vec::new(),
            examples: Vec::new(),
            shown: Vec::new(),
        }
    }
}

/// Reporting and look-ups of the [context](Context), and reserving and filling of [types](Types).
impl<'d> Lowering<'d, '_> {
    pub fn is_3_1(&self) -> bool {
        self.context.is_3_1()
    }

    pub fn warn(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        self.context.warn(code, node, message)
    }

    pub fn error(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        self.context.error(code, node, message)
    }

    pub fn wrong_type(&mut self, node: NodeRef<'_>, what: &str, expected: &str) {
        self.context.wrong_type(node, what, expected);
    }

    pub fn object(&mut self, node: NodeRef<'d>, what: &str) -> Option<NodeRef<'d>> {
        self.context.object(node, what)
    }

    pub fn text(&mut self, node: NodeRef<'d>, name: &str) -> Option<&'d str> {
        self.context.text(node, name)
    }

    pub fn flag(&mut self, node: NodeRef<'d>, name: &str) -> Option<bool> {
        self.context.flag(node, name)
    }

    pub fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.context.follow(node)
    }

    pub fn resolve_in(&mut self, node: NodeRef<'d>, section: &str, what: &str) -> Option<Resolved<'d>> {
        self.context.resolve_in(node, section, what)
    }

    pub fn check_fields(&mut self, node: NodeRef<'d>, what: &str, known: &[&str]) {
        self.context.check_fields(node, what, known);
    }

    pub fn unknown_field(&mut self, node: NodeRef<'d>, what: &str, name: &str, known: &[&str]) {
        self.context.unknown_field(node, what, name, known);
    }

    pub fn reserve(&mut self, place: &Place<'d>, node: Option<NodeRef<'d>>) -> TypeId {
        self.types.reserve(place, node)
    }

    pub fn fill(&mut self, id: TypeId, docs: ir::Docs, kind: Kind) {
        self.types.fill(id, docs, kind);
    }

    /// Returns the schema that names a type.
    pub fn named(id: TypeId) -> Schema {
        Schema::new(Type::Named { id, boxed: false })
    }
}

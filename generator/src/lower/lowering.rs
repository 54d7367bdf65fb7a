//! The state of lowering one document.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    diagnostics::{Code, Diagnostics},
    document::Document,
    ir::{self, Module, TypeId},
    lower::{
        families::Families,
        operation::notes::{Permanent, Written},
        schema::{
            components::{Components, Subtypes, Target},
            notes::{self, Discriminator, PatternDraft, Shown},
        },
        types::Draft,
    },
    options::Options,
};

/// The state of lowering one document.
pub(in crate::lower) struct Lowering<'d, 'x> {
    pub document: &'d Document,
    pub options: &'x Options,
    pub diagnostics: &'x mut Diagnostics,
    /// Paths and methods that a server can't route.
    pub unroutable: HashSet<(&'d str, &'d str)>,
    /// The diagnostics reported per node, because a node can be read more than once.
    pub said: HashSet<(usize, Code)>,
    pub families: Families,
    pub components: Components<'d>,
    pub targets: HashMap<&'d str, Option<Target<'d>>>,
    pub types: Vec<Draft<'d>>,
    /// The types of inline nodes, by the nodes' addresses.
    pub made: HashMap<usize, TypeId>,
    /// Inline nodes that are being read because a reference points to them.
    pub reading: HashSet<usize>,
    /// The addresses of schemas that are being read, except parts of other schemas.
    pub open: HashSet<usize>,
    pub patterns: Vec<PatternDraft<'d>>,
    pub known_patterns: HashMap<(usize, Module), ir::PatternId>,
    /// The number of schemas that can still be read.
    ///
    /// It stops documents that merge schemas with themselves over and over.
    pub fuel: usize,
    /// Formats that were reported, and whether for numbers.
    pub formats: HashSet<(&'d str, bool)>,
    /// The types from the options that are used, by index.
    pub foreign: BTreeSet<usize>,
    /// Whether nodes allow null, by address.
    pub nullables: HashMap<usize, bool>,
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
            subtypes: Subtypes::default(),
            discriminators: Vec::new(),
            permanents: Vec::new(),
            examples: Vec::new(),
            shown: Vec::new(),
        }
    }
}

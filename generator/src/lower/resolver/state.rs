//! The state of the schema resolver, with patterns and JSON Schemas, which the passes need once all types are known.

use std::{
    collections::{HashMap, HashSet},
    ops::{Deref, DerefMut},
};

use crate::{
    ir::{JsonSchema, JsonSchemaId, Module, PatternId},
    lower::{
        context::Context,
        position::SchemaPosition,
        resolver::components::{Components, Target},
    },
    patterns::Decision,
    tree::{NodeId, NodeRef},
};

/// The state of the schema resolver.
///
/// It dereferences to the context, which reports diagnostics.
pub(in crate::lower) struct Resolver<'d, 'x> {
    pub context: Context<'d, 'x>,
    pub components: Components<'d>,
    /// The targets of references, or `None` if a target is unknown.
    pub targets: HashMap<&'d str, Option<Target<'d>>>,
    /// Whether nodes allow null.
    pub nullables: HashMap<NodeId, bool>,
    pub patterns: Vec<PatternDraft<'d>>,
    pub known_patterns: HashMap<(NodeId, Module), PatternId>,
    pub json_schemas: JsonSchemas<'d>,
}

impl<'d, 'x> Resolver<'d, 'x> {
    /// Creates a resolver that has not read any schema.
    pub fn new(context: Context<'d, 'x>, components: Components<'d>) -> Self {
        Self {
            context,
            components,
            targets: HashMap::new(),
            nullables: HashMap::new(),
            patterns: Vec::new(),
            known_patterns: HashMap::new(),
            json_schemas: JsonSchemas::default(),
        }
    }
}

impl<'d, 'x> Deref for Resolver<'d, 'x> {
    type Target = Context<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.context
    }
}

impl DerefMut for Resolver<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}

/// A pattern under construction.
#[derive(Debug)]
pub(in crate::lower) struct PatternDraft<'d> {
    pub position: SchemaPosition<'d>,
    /// The text in the document.
    pub written: String,
    pub decision: Decision,
}

/// The schemas that rows refer to.
#[derive(Debug, Default)]
pub(in crate::lower) struct JsonSchemas<'d> {
    pub drafts: Vec<JsonSchemaDraft<'d>>,
    /// The schemas by their nodes.
    pub known: HashMap<(Vec<NodeId>, Typing), JsonSchemaId>,
    /// The assertions, and whether each only restates a rule of `x-rules`.
    ///
    /// Such an assertion is for other tools.
    pub restated: HashMap<NodeId, bool>,
    /// The items of `required` that name a property which requests can't contain.
    pub undemanded: HashSet<NodeId>,
}

/// A schema under construction.
#[derive(Debug)]
pub(in crate::lower) struct JsonSchemaDraft<'d> {
    /// The nodes, which all apply.
    pub nodes: Vec<NodeRef<'d>>,
    pub typing: Typing,
    pub position: SchemaPosition<'d>,
    /// The keywords, once they are read.
    pub schema: JsonSchema,
}

/// Whether a schema without `type` has the type that its keywords imply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Typing {
    /// It has the implied type.
    Implied,
    /// It has the type of the schema that it is a part of. The schemas within it have implied types.
    Inherited,
    /// Neither the schema nor those within it have an implied type, because they only test values.
    None,
}

impl Typing {
    /// Returns the typing of schemas within a schema.
    pub const fn within(self) -> Self {
        match self {
            Self::Implied | Self::Inherited => Self::Implied,
            Self::None => Self::None,
        }
    }

    /// Returns the typing of the parts of a schema.
    pub const fn part(self) -> Self {
        match self {
            Self::Implied | Self::Inherited => Self::Inherited,
            Self::None => Self::None,
        }
    }
}

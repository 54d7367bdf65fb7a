//! The state of the schema resolver.

use std::{
    collections::HashMap,
    ops::{Deref, DerefMut},
};

use crate::{
    ir::{Module, PatternId},
    lower::{
        context::Context,
        resolver::{
            components::{Components, Target},
            notes::{JsonSchemas, PatternDraft},
        },
    },
    tree::NodeId,
};

/// The state of the schema resolver.
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

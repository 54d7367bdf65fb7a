//! The state of lowering operations.

use std::{
    collections::{HashMap, HashSet},
    ops::{Deref, DerefMut},
};

use crate::{
    diagnostics::Diagnostics,
    document::Document,
    ir::TypeId,
    lower::{
        context::Context,
        operation::notes::Notes,
        resolver::{components::Components, state::Resolver},
        schema::state::Schemas,
        tags::Tags,
    },
    options::Options,
    renames::Renames,
    selection::Selection,
    tree::{NodeId, NodeRef},
};

/// The state of lowering operations.
pub(in crate::lower) struct Operations<'d, 'x> {
    pub schemas: Schemas<'d, 'x>,
    pub tags: Tags,
    /// Paths and methods that a server can't route.
    pub unroutable: HashSet<(&'d str, &'d str)>,
    /// The first operation of each `operationId`.
    pub operation_ids: HashMap<&'d str, NodeRef<'d>>,
    /// The enum of media types of each `content`.
    pub choices: HashMap<NodeId, TypeId>,
    pub notes: Notes<'d>,
}

impl<'d, 'x> Operations<'d, 'x> {
    /// Finds the modules and the components of a document, and reads no schema.
    pub fn new(
        document: &'d Document,
        options: &'x Options,
        selection: &'x Selection,
        renames: &'x Renames,
        diagnostics: &'x mut Diagnostics,
    ) -> Self {
        let tags = Tags::read(document, options, selection, renames);
        let mut context = Context::new(document, options, selection, renames, diagnostics);
        let components = Components::read(&mut context, &tags);
        let resolver = Resolver::new(context, components);
        Self {
            schemas: Schemas::new(resolver),
            tags,
            unroutable: HashSet::new(),
            operation_ids: HashMap::new(),
            choices: HashMap::new(),
            notes: Notes::default(),
        }
    }
}

impl<'d, 'x> Deref for Operations<'d, 'x> {
    type Target = Schemas<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.schemas
    }
}

impl DerefMut for Operations<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.schemas
    }
}

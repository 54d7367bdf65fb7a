//! The state of lowering operations.

use std::collections::HashSet;

use crate::{
    diagnostics::Diagnostics,
    document::Document,
    lower::{
        context::{Context, Reporting},
        operation::notes::Notes,
        resolver::{components::Components, state::Resolver},
        schema::state::Schemas,
        tags::Tags,
    },
    options::Options,
    selection::Selection,
};

/// The state of lowering operations.
pub(in crate::lower) struct Operations<'d, 'x> {
    pub schemas: Schemas<'d, 'x>,
    pub tags: Tags,
    /// Paths and methods that a server can't route.
    pub unroutable: HashSet<(&'d str, &'d str)>,
    pub notes: Notes<'d>,
}

impl<'d, 'x> Operations<'d, 'x> {
    /// Finds the modules and the components of a document, and reads no schema.
    pub fn new(
        document: &'d Document,
        options: &'x Options,
        selection: &'x Selection,
        diagnostics: &'x mut Diagnostics,
    ) -> Self {
        let tags = Tags::read(document, options, selection);
        let components = Components::read(document, &tags, selection, diagnostics);
        let resolver = Resolver::new(Context::new(document, options, selection, diagnostics), components);
        Self { schemas: Schemas::new(resolver), tags, unroutable: HashSet::new(), notes: Notes::default() }
    }
}

impl<'d, 'x> Reporting<'d, 'x> for Operations<'d, 'x> {
    fn context(&self) -> &Context<'d, 'x> {
        &self.schemas.resolver.context
    }

    fn context_mut(&mut self) -> &mut Context<'d, 'x> {
        &mut self.schemas.resolver.context
    }
}

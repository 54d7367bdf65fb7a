//! The state of making types of schemas.

use std::{
    collections::HashSet,
    ops::{Deref, DerefMut},
};

use crate::lower::{
    resolver::state::Resolver,
    schema::{notes::Notes, progress::Progress},
    types::{Draft, Types},
    xml,
};

/// The state of making types of schemas.
pub(in crate::lower) struct Schemas<'d, 'x> {
    pub resolver: Resolver<'d, 'x>,
    pub types: Types<'d>,
    pub progress: Progress,
    /// Whether the schema that is being read has constraints that its type can't express.
    pub needs_json_schema: bool,
    /// Formats that were reported, and whether for numbers.
    pub formats: HashSet<(&'d str, bool)>,
    pub notes: Notes<'d>,
    /// Whether the document has bodies in XML.
    pub has_xml: bool,
}

impl<'d, 'x> Schemas<'d, 'x> {
    /// Starts with a type per component, which is not read yet.
    pub fn new(resolver: Resolver<'d, 'x>) -> Self {
        let mut nodes = 0_usize;
        resolver.document.walk(&mut |_| nodes += 1);
        let drafts = resolver.components.schemas.iter();
        let types = drafts.map(|component| Draft::new(&component.position, Some(component.node))).collect();
        Self {
            has_xml: xml::occurs(resolver.document),
            resolver,
            types,
            progress: Progress::new(nodes),
            needs_json_schema: false,
            formats: HashSet::new(),
            notes: Notes::default(),
        }
    }
}

impl<'d, 'x> Deref for Schemas<'d, 'x> {
    type Target = Resolver<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.resolver
    }
}

impl DerefMut for Schemas<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.resolver
    }
}

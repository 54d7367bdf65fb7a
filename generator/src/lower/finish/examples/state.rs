//! The state that checking and generating examples share: the API, and limits.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use crate::{
    ir::{Api, Kind, PatternId, Schema, Type, TypeDef},
    patterns::Compiled,
};

/// Checks examples against their schemas and generates examples.
pub(in crate::lower) struct Examples<'a> {
    pub api: &'a Api,
    /// Patterns, compiled on first use.
    pub compiled: RefCell<HashMap<PatternId, Option<Compiled>>>,
    /// The number of values that can still be generated for an operation.
    ///
    /// Without a limit, types that contain two of each other grow exponentially.
    pub left: Cell<usize>,
    /// The number of schemas that an example can still be checked against.
    ///
    /// Unions within unions can have very many combinations.
    pub checks: Cell<usize>,
}

impl<'a> Examples<'a> {
    pub fn new(api: &'a Api) -> Self {
        Self { api, compiled: RefCell::default(), left: Cell::default(), checks: Cell::default() }
    }

    /// Returns the type of a schema, if it is a named one.
    pub fn named(&self, schema: &Schema) -> Option<&TypeDef> {
        match schema.ty {
            Type::Named { id, .. } => self.api.type_def(id),
            _ => None,
        }
    }

    /// Returns the kind of a named type.
    pub fn kind(&self, schema: &Schema) -> Option<&Kind> {
        self.named(schema).map(|def| &def.kind)
    }
}

/// The maximum depth of an example.
pub(in crate::lower) const MAX_STEPS: usize = 24;

/// The approximate maximum number of values in an example.
pub(in crate::lower) const MAX_VALUES: usize = 2000;

/// The maximum number of schemas that an example is checked against.
///
/// Beyond this limit, the example counts as valid.
pub(in crate::lower) const MAX_CHECKS: usize = 1_000_000;

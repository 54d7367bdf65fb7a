//! The owners of inline schemas: operations, and components such as parameters and responses.

use crate::{
    ir::{Module, Provenance},
    lower::{
        operation::state::Operations,
        position::{Root, SchemaPosition},
    },
    names::{self, Strength},
};

/// The names and the module for the types of an operation's parts.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Owner {
    pub module: Module,
    /// The sort key of its types.
    pub owner: usize,
    /// `CreatePet`
    pub base: String,
    /// What it is in the document.
    pub provenance: Provenance,
}

impl Owner {
    /// Returns the position of one part: `CreatePet` and `Body`, ``the body of `POST /v1/…` ``.
    pub fn position<'d>(&self, part: &str, long: &str, what: &str) -> SchemaPosition<'d> {
        let root = Root {
            name: names::free_type(format!("{}{part}", self.base)),
            long: format!("{}{long}", self.base),
            strength: Strength::Operation,
            provenance: Provenance::Part(what.to_owned(), Box::new(self.provenance.clone())),
        };
        SchemaPosition::root(self.module, self.owner, root)
    }
}

impl Operations<'_, '_> {
    /// Returns the owner of inline schemas in a component such as a parameter or a header.
    pub fn component_owner(&self, name: &str, what: &str) -> Owner {
        Owner {
            module: Module::Common,
            owner: self.components.schemas.len(),
            base: names::pascal(name),
            provenance: Provenance::Other(format!("the shared {what} `{name}`")),
        }
    }
}

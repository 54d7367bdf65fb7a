//! The progress of reading: what was read, what is being read, and how much can still be read.
//!
//! It prevents reading a schema twice, or without end.

use std::collections::{HashMap, HashSet};

use crate::{
    ir::TypeId,
    tree::{NodeId, NodeRef},
};

/// The progress of reading.
#[derive(Debug)]
pub(in crate::lower) struct Progress {
    /// The types of inline nodes.
    types: HashMap<NodeId, TypeId>,
    /// The schemas that are being read, except parts of other schemas.
    schemas: HashSet<NodeId>,
    /// The targets of references that are being read, and the unions with other keywords.
    targets: HashSet<NodeId>,
    /// The number of parts of schemas that can still be read.
    ///
    /// It stops documents that merge schemas with themselves over and over.
    fuel: usize,
}

impl Progress {
    /// Creates the progress in a document with this number of nodes.
    pub fn new(nodes: usize) -> Self {
        Self {
            types: HashMap::new(),
            schemas: HashSet::new(),
            targets: HashSet::new(),
            fuel: nodes.saturating_mul(2).saturating_add(2_000),
        }
    }

    /// Returns the type of a node that has been read.
    pub fn type_of(&self, node: NodeRef<'_>) -> Option<TypeId> {
        self.types.get(&node.id()).copied()
    }

    /// Stores the type of a node, unless the node already has one.
    pub fn set_type(&mut self, node: NodeRef<'_>, id: TypeId) {
        self.types.entry(node.id()).or_insert(id);
    }

    /// Returns whether another schema can be read.
    pub fn has_fuel(&self) -> bool {
        self.fuel > 0
    }

    /// Uses fuel for a schema with this number of parts.
    pub fn spend(&mut self, parts: usize) {
        self.fuel = self.fuel.saturating_sub(parts.max(1));
    }

    /// Starts a schema. Returns whether it is not being read already.
    pub fn enter_schema(&mut self, node: NodeRef<'_>) -> bool {
        self.schemas.insert(node.id())
    }

    /// Returns whether a schema is being read.
    pub fn is_reading(&self, node: NodeRef<'_>) -> bool {
        self.schemas.contains(&node.id())
    }

    /// Ends a schema.
    pub fn leave_schema(&mut self, node: NodeRef<'_>) {
        self.schemas.remove(&node.id());
    }

    /// Starts the target of a reference or a union. Returns whether it is not being read already.
    pub fn enter_target(&mut self, node: NodeRef<'_>) -> bool {
        self.targets.insert(node.id())
    }

    /// Ends the target of a reference or a union.
    pub fn leave_target(&mut self, node: NodeRef<'_>) {
        self.targets.remove(&node.id());
    }
}

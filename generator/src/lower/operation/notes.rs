//! Facts about operations that the passes need once all types are known.

use serde_json::Value;

use crate::{
    ir::{Schema, TypeId},
    tree::NodeRef,
};

/// The facts that the passes need.
#[derive(Debug, Default)]
pub(in crate::lower) struct Notes<'d> {
    /// The union of all webhook bodies.
    pub received: Vec<TypeId>,
    /// `x-permanent` extensions, which are checked when all types are known.
    pub permanents: Vec<Permanent<'d>>,
    /// The operations in the document.
    pub nodes: Vec<NodeRef<'d>>,
    /// The examples in the document, per operation.
    pub examples: Vec<Written>,
}

/// The examples that the document contains for an operation.
#[derive(Debug, Default)]
pub(in crate::lower) struct Written {
    /// One per parameter.
    pub parameters: Vec<Option<Value>>,
    /// The example of the body.
    pub body: Option<Value>,
}

/// An `x-permanent` extension, which is checked when all types are known.
#[derive(Debug)]
pub(in crate::lower) struct Permanent<'d> {
    pub node: NodeRef<'d>,
    pub property: &'d str,
    /// The JSON bodies that should have the property.
    pub bodies: Vec<Schema>,
}

//! Facts about operations that the passes need once all types are known.

use serde_json::Value;

use crate::{document::NodeRef, ir::Schema};

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

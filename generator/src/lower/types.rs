//! Types under construction.

use crate::{
    document::NodeRef,
    ir::{self, Kind},
    lower::place::Place,
};

/// A type under construction.
#[derive(Debug)]
pub(in crate::lower) struct Draft<'d> {
    pub place: Place<'d>,
    pub docs: ir::Docs,
    /// The kind, or `None` if the type was not read yet.
    pub kind: Option<Kind>,
    pub node: Option<NodeRef<'d>>,
}

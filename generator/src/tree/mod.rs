//! The tree of a parsed text: nodes with ids and source locations.

mod node;
mod number;
mod object;
mod span;

pub use node::{Node, NodeId, NodeRef, Value};
pub(crate) use node::{last_before, whole};
pub use number::Number;
pub use object::Object;
pub(crate) use span::{FileIndex, Location, Span};
pub use span::{Position, Range};

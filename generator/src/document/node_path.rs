//! The paths of nodes in a document, as JSON pointers and JSONPaths, and the operations that they lead through.
//!
//! A document of one line has no other useful location, and one that was built in memory has none at all.

#[cfg(feature = "cli")]
use super::overlay::{is_shorthand, quoted_name};
use super::{links::path::pointer_step, operations_of};
use crate::tree::{Node, NodeId, NodeRef};

/// The path from the root of a document to a node.
pub(crate) struct NodePath<'d>(Vec<(Step<'d>, NodeRef<'d>)>);

/// A step to an inner node.
enum Step<'d> {
    Field(&'d str),
    Item(usize),
}

impl<'d> NodePath<'d> {
    /// Returns the path to the node with this id, or `None` if it is not below this root.
    pub(crate) fn to(root: NodeRef<'d>, id: NodeId) -> Option<Self> {
        let mut steps = Vec::new();
        let mut node = root;
        while node.id() != id {
            let (index, inner) = node.toward(id)?;
            let field = node.entries().nth(index).map(|(name, _)| Step::Field(name));
            steps.push((field.unwrap_or(Step::Item(index)), inner));
            node = inner;
        }
        Some(Self(steps))
    }

    /// Returns the JSON pointer: `/paths/~1pets/get`.
    pub(crate) fn pointer(&self) -> String {
        let step = |step: &Step<'_>| match step {
            Step::Field(name) => pointer_step(name),
            Step::Item(index) => index.to_string(),
        };
        self.0.iter().fold(String::new(), |pointer, (inner, _)| pointer + "/" + &step(inner))
    }

    /// Returns the JSONPath: `$.paths['/pets'].get`.
    #[cfg(feature = "cli")]
    pub(crate) fn json_path(&self) -> String {
        json_path(&self.0)
    }

    /// Returns the JSONPath of the node around this one.
    #[cfg(feature = "cli")]
    pub(crate) fn parent_json_path(&self) -> String {
        json_path(self.0.split_last().map_or(&[], |(_, outer)| outer))
    }

    /// Returns the operation that contains the node: `listPets (GET /pets)`, or `GET /pets` if it has no id.
    pub(crate) fn operation(&self) -> Option<String> {
        let [(Step::Field("paths" | "webhooks"), _), (Step::Field(path), item), inside @ ..] =
            self.0.as_slice()
        else {
            return None;
        };
        let is_inside = |node: &Node| inside.iter().any(|(_, inner)| inner.id() == node.id());
        let (method, node) = operations_of(item).find(|(_, node)| is_inside(node))?;
        Some(match node.get("operationId").and_then(Node::as_str) {
            Some(id) => format!("{id} ({method} {path})"),
            None => format!("{method} {path}"),
        })
    }
}

#[cfg(feature = "cli")]
fn json_path(steps: &[(Step<'_>, NodeRef<'_>)]) -> String {
    let segment = |step: &Step<'_>| match step {
        Step::Field(name) if is_shorthand(name) => format!(".{name}"),
        Step::Field(name) => format!("[{}]", quoted_name(name)),
        Step::Item(index) => format!("[{index}]"),
    };
    steps.iter().fold("$".to_owned(), |path, (step, _)| path + &segment(step))
}

//! The parameters and bodies of an operation's request.

use crate::{
    document::Document,
    selection::{Candidate, resolved},
    tree::{Node, NodeRef},
};

pub(super) fn name_and_location(parameter: NodeRef<'_>) -> Option<(&str, &str)> {
    Some((parameter.get("name")?.as_str()?, parameter.get("in")?.as_str()?))
}

/// Returns the parameters of an operation, with those of its path item that it does not replace.
pub(super) fn parameters<'d>(document: &'d Document, operation: &Candidate<'d>) -> Vec<NodeRef<'d>> {
    let of = |node: NodeRef<'d>| {
        let written = node.get("parameters").map_or(&[][..], Node::items);
        written.iter().map(|parameter| resolved(document, parameter))
    };
    let mut parameters: Vec<NodeRef<'d>> = of(operation.node).collect();
    for shared in of(operation.item) {
        let name = name_and_location(shared);
        if !parameters.iter().any(|own| name_and_location(own) == name) {
            parameters.push(shared);
        }
    }
    parameters
}

/// Returns the media types of a body, or of a parameter that has one instead of a schema.
pub(super) fn contents<'d>(
    document: &'d Document,
    body: NodeRef<'d>,
) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let contents = resolved(document, body).get("content").into_iter().flat_map(Node::entries);
    contents.map(|(name, media_type)| (name, resolved(document, media_type)))
}

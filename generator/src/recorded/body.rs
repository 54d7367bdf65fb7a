//! Finds the schema of an operation's body.

use super::{CompareError, Side};
use crate::{
    diagnostics::nearest,
    document::{Document, media},
    ir::ContentFormat,
    selection::{Candidate, candidates_in, resolved},
    tree::{Node, NodeRef},
};

/// Returns the schema in JSON that an operation has for a body.
pub(super) fn schema<'d>(document: &'d Document, id: &str, side: Side) -> Result<NodeRef<'d>, CompareError> {
    let operation = operation(document, id)?;
    let of = |name: &str| responses(document, operation).find(|(status, _)| *status == name);
    let (schema, body) = match side {
        Side::Request => {
            let body = operation.get("requestBody");
            (body.and_then(|body| json_schema(document, body)), "request body".to_owned())
        }
        Side::Response(Some(status)) => {
            // The exact one, its range, or the default.
            let range = format!("{}XX", status / 100);
            let names = [&status.to_string(), &range, &range.to_lowercase(), "default"];
            let response = names.into_iter().find_map(of);
            (response.and_then(|(_, it)| json_schema(document, it)), format!("response {status}"))
        }
        Side::Response(None) => {
            let mut statuses: Vec<&str> = responses(document, operation).map(|(status, _)| status).collect();
            statuses.retain(|status| status.starts_with('2'));
            statuses.sort_unstable();
            let successes = statuses.into_iter().chain(["default"]).filter_map(of);
            let schema = successes.filter_map(|(_, it)| json_schema(document, it)).next();
            (schema, "successful response".to_owned())
        }
    };
    let missing =
        || CompareError::NoBody { id: id.to_owned(), body: format!("{body} with a schema in JSON") };
    schema.ok_or_else(missing)
}

/// Returns the operation with this id, or this method and path.
fn operation<'d>(document: &'d Document, id: &str) -> Result<NodeRef<'d>, CompareError> {
    let mut names = Vec::new();
    for operation in candidates_in(document, "paths").chain(candidates_in(document, "webhooks")) {
        let Candidate { method, path, node, .. } = operation;
        let own = node.get("operationId").and_then(Node::as_str);
        let called = format!("{method} {path}");
        if own == Some(id) || called == id {
            return Ok(node);
        }
        names.push(own.map_or(called, str::to_owned));
    }
    let near = nearest(id, names.iter().map(String::as_str));
    let hint = near.map(|near| format!("; a similar one is `{near}`")).unwrap_or_default();
    Err(CompareError::UnknownOperation { id: id.to_owned(), hint })
}

fn responses<'d>(
    document: &'d Document,
    operation: NodeRef<'d>,
) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let responses = operation.get("responses").map(|node| resolved(document, node));
    responses.into_iter().flat_map(Node::entries)
}

/// Returns the schema of the first content in JSON of a request body or a response.
fn json_schema<'d>(document: &'d Document, body: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let mut contents = resolved(document, body)
        .get("content")?
        .entries()
        .map(|(media_type, content)| (media::essence(media_type), resolved(document, content).get("schema")));
    contents.find(|(media_type, schema)| media::format(media_type, *schema) == ContentFormat::Json)?.1
}

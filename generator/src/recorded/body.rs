//! Finds the schema of an operation's body.

use super::{CompareError, Side};
use crate::{
    diagnostics::nearest,
    document::{Document, media, operations_of},
    ir::ContentFormat,
    tree::{Node, NodeRef},
};

/// Returns the schema in JSON that an operation has for a body.
pub(super) fn schema<'d>(document: &'d Document, id: &str, side: Side) -> Result<NodeRef<'d>, CompareError> {
    let operation = operation(document, id)?;
    let missing = |body: String| CompareError::NoBody { id: id.to_owned(), body };
    match side {
        Side::Request => operation
            .get("requestBody")
            .and_then(|body| json_schema(document, body))
            .ok_or_else(|| missing("request body with a schema in JSON".to_owned())),
        Side::Response(Some(status)) => response(document, operation, status)
            .and_then(|response| json_schema(document, response))
            .ok_or_else(|| missing(format!("response {status} with a schema in JSON"))),
        Side::Response(None) => {
            let mut statuses: Vec<&str> = responses(document, operation).map(|(status, _)| status).collect();
            statuses.retain(|status| status.starts_with('2'));
            statuses.sort_unstable();
            let successes = statuses.into_iter().chain(["default"]);
            successes
                .filter_map(|name| responses(document, operation).find(|(status, _)| *status == name))
                .find_map(|(_, response)| json_schema(document, response))
                .ok_or_else(|| missing("successful response with a schema in JSON".to_owned()))
        }
    }
}

/// Returns the operation with this id, or this method and path.
fn operation<'d>(document: &'d Document, id: &str) -> Result<NodeRef<'d>, CompareError> {
    let mut names = Vec::new();
    for (path, item) in
        ["paths", "webhooks"].into_iter().filter_map(|name| document.field(name)).flat_map(Node::entries)
    {
        let item = document.resolve(item).map_or(item, |resolved| resolved.node);
        for (method, operation) in operations_of(item) {
            let operation = document.resolve(operation).map_or(operation, |resolved| resolved.node);
            let own = operation.get("operationId").and_then(Node::as_str);
            let called = format!("{method} {path}");
            if own == Some(id) || called == id {
                return Ok(operation);
            }
            names.push(own.map_or(called, str::to_owned));
        }
    }
    let near = nearest(id, names.iter().map(String::as_str));
    let hint = near.map(|near| format!("; a similar one is `{near}`")).unwrap_or_default();
    Err(CompareError::UnknownOperation { id: id.to_owned(), hint })
}

fn responses<'d>(
    document: &'d Document,
    operation: NodeRef<'d>,
) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let responses = operation.get("responses");
    let resolved = responses.map(|node| document.resolve(node).map_or(node, |resolved| resolved.node));
    resolved.into_iter().flat_map(Node::entries)
}

/// Returns the response for a status: the exact one, its range, or the default.
fn response<'d>(document: &'d Document, operation: NodeRef<'d>, status: u16) -> Option<NodeRef<'d>> {
    let range = format!("{}XX", status / 100);
    let names = [status.to_string(), range.clone(), range.to_lowercase(), "default".to_owned()];
    names
        .iter()
        .find_map(|name| responses(document, operation).find(|(status, _)| status == name))
        .map(|(_, node)| node)
}

/// Returns the schema of the first content in JSON of a request body or a response.
fn json_schema<'d>(document: &'d Document, body: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let content = document.resolve(body).map_or(body, |resolved| resolved.node).get("content")?;
    let contents = content.entries().map(|(media_type, content)| {
        let content = document.resolve(content).map_or(content, |resolved| resolved.node);
        (media::essence(media_type), content.get("schema"))
    });
    let mut json =
        contents.filter(|(media_type, schema)| media::format(media_type, *schema) == ContentFormat::Json);
    json.next()?.1
}

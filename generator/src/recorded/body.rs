//! Finds the schema of an operation's body.

use super::{CompareError, Side};
use crate::{
    diagnostics::nearest,
    document::{Document, Node, NodeRef, operations_of},
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
            let responses = operation.get("responses").into_iter().flat_map(Node::entries);
            let mut successes =
                responses.filter(|(status, _)| status.starts_with('2') || *status == "default");
            successes
                .find_map(|(_, response)| json_schema(document, response))
                .ok_or_else(|| missing("successful response with a schema in JSON".to_owned()))
        }
    }
}

fn operation<'d>(document: &'d Document, id: &str) -> Result<NodeRef<'d>, CompareError> {
    let items =
        ["paths", "webhooks"].into_iter().filter_map(|name| document.field(name)).flat_map(Node::entries);
    let items = items.map(|(_, item)| document.resolve(item).map_or(item, |resolved| resolved.node));
    let operations: Vec<(&str, NodeRef<'d>)> = items
        .flat_map(operations_of)
        .filter_map(|(_, operation)| Some((operation.get("operationId")?.as_str()?, operation)))
        .collect();
    let found = operations.iter().find(|(known, _)| *known == id).map(|(_, operation)| *operation);
    found.ok_or_else(|| {
        let near = nearest(id, operations.iter().map(|(known, _)| *known));
        let hint = near.map(|near| format!("; a similar one is `{near}`")).unwrap_or_default();
        CompareError::UnknownOperation { id: id.to_owned(), hint }
    })
}

/// Returns the response for a status: the exact one, its range, or the default.
fn response<'d>(document: &'d Document, operation: NodeRef<'d>, status: u16) -> Option<NodeRef<'d>> {
    let responses = operation.get("responses")?;
    let responses = document.resolve(responses).map_or(responses, |resolved| resolved.node);
    let range = format!("{}XX", status / 100);
    let names = [status.to_string(), range.clone(), range.to_lowercase(), "default".to_owned()];
    names.iter().find_map(|name| responses.get(name))
}

/// Returns the schema of the first content in JSON of a request body or a response.
fn json_schema<'d>(document: &'d Document, body: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let content = document.resolve(body).map_or(body, |resolved| resolved.node).get("content")?;
    let (_, content) = content.entries().find(|(media_type, _)| is_json(media_type))?;
    document.resolve(content).map_or(content, |resolved| resolved.node).get("schema")
}

fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.ends_with("/json") || essence.ends_with("+json") || essence == "*/*"
}

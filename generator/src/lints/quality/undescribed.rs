//! `quality-undescribed`: operations that create tasks or return pages, and don't describe it for clients.

use super::{
    operations::{contents, parameters},
    paging::{paging, plain},
};
use crate::{
    diagnostics::Code,
    document::Document,
    lints::Linter,
    selection::{Candidate, candidates, resolved},
    tree::{Node, NodeRef},
};

/// The extensions that describe pages.
const PAGES: &[&str] = &["x-pagination", "x-ms-pageable", "x-fern-pagination", "x-speakeasy-pagination"];

/// The extensions that describe tasks.
const TASKS: &[&str] = &["x-task", "x-ms-long-running-operation"];

/// The names of properties with the status of a task.
const STATUSES: &[&str] = &["status", "state"];

/// Values of the status of a task in progress, in lower case and without separators.
const OPEN: &[&str] =
    &["accepted", "inprogress", "pending", "processing", "queued", "running", "started", "starting"];

/// Values of the status of a task that has ended.
const ENDED: &[&str] =
    &["canceled", "cancelled", "complete", "completed", "done", "failed", "finished", "succeeded", "success"];

/// Reports operations that create tasks or return pages without a description.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let document = linter.document;
    let operations: Vec<Candidate<'_>> = candidates(document).collect();
    for operation in &operations {
        let is_described = |names: &[&str]| names.iter().any(|name| operation.node.get(name).is_some());
        if operation.method == "GET" {
            if !is_described(PAGES) {
                check_pages(linter, operation);
            }
        } else if !is_described(TASKS) {
            check_task(linter, operation, &operations);
        }
    }
}

fn check_pages(linter: &mut Linter<'_, '_>, operation: &Candidate<'_>) {
    let document = linter.document;
    let paging = paging(document, &parameters(document, operation));
    let Some(name) = paging.positions.keys().next() else { return };
    let is_list = |schema| {
        is_array(document, schema) || properties(document, schema).any(|(_, it)| is_array(document, it))
    };
    if !bodies(document, operation.node).any(is_list) {
        return;
    }
    let message = format!("`GET {}` returns pages (`{name}`) and doesn't describe them", operation.path);
    if let Some(warning) = linter.warn(Code::QualityUndescribed, operation.node, message) {
        warning.help("describe the pages with `x-pagination`, so that clients can read all of them");
    }
}

fn check_task(linter: &mut Linter<'_, '_>, operation: &Candidate<'_>, operations: &[Candidate<'_>]) {
    let document = linter.document;
    let is_accepted = operation.node.get("responses").is_some_and(|it| it.get("202").is_some());
    let path = operation.path.trim_end_matches('/');
    let is_got = |other: &&Candidate<'_>| {
        let id = other.path.strip_prefix(path).and_then(|rest| rest.strip_prefix("/{"));
        other.method == "GET"
            && id.is_some_and(|id| id.ends_with('}') && !id.contains('/'))
            && bodies(document, other.node).any(|schema| has_status(document, schema, is_accepted))
    };
    let Some(get) = operations.iter().find(is_got) else { return };
    let message = format!(
        "`{} {}` creates a task, which `GET {}` gets, and doesn't describe it",
        operation.method, operation.path, get.path
    );
    if let Some(warning) = linter.warn(Code::QualityUndescribed, operation.node, message) {
        warning.help("describe the task with `x-task`, so that clients can wait for its end");
    }
}

/// Returns whether a body or an object in it has the status of a task.
///
/// The values must be those of a task, unless the operation responds with 202 (`is_accepted`).
fn has_status(document: &Document, body: NodeRef<'_>, is_accepted: bool) -> bool {
    let is_status = |(name, schema): (&str, NodeRef<'_>)| {
        let values = schema.get("enum").map_or(&[][..], Node::items).iter().filter_map(Node::as_str);
        let words: Vec<String> = values.map(plain).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let is_text = schema.get("type").and_then(Node::as_str) == Some("string");
        STATUSES.contains(&name) && ((is_accepted && is_text) || (has(OPEN) && has(ENDED)))
    };
    properties(document, body).any(is_status)
        || properties(document, body).any(|(_, inner)| properties(document, inner).any(is_status))
}

/// Returns the schemas of the JSON bodies of the successes.
fn bodies<'d>(document: &'d Document, operation: NodeRef<'d>) -> impl Iterator<Item = NodeRef<'d>> {
    let responses = operation.get("responses").into_iter().flat_map(Node::entries);
    let successes = responses.filter(|(status, _)| status.starts_with('2'));
    let contents = successes.flat_map(move |(_, response)| contents(document, response));
    let json = contents.filter(|(media_type, _)| media_type.contains("json"));
    json.filter_map(|(_, content)| content.get("schema")).map(move |schema| resolved(document, schema))
}

fn is_array(document: &Document, schema: NodeRef<'_>) -> bool {
    resolved(document, schema).get("type").and_then(Node::as_str) == Some("array")
}

/// Returns the properties of a schema and of the members of its `allOf`.
fn properties<'d>(
    document: &'d Document,
    schema: NodeRef<'d>,
) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let schema = resolved(document, schema);
    let members = schema.get("allOf").map_or(&[][..], Node::items).iter();
    let all = std::iter::once(schema).chain(members.map(move |member| resolved(document, member)));
    let entries = all.filter_map(|one| one.get("properties")).flat_map(Node::entries);
    entries.map(move |(name, property)| (name, resolved(document, property)))
}

//! `quality-no-client-error`: operations that don't say how they reject a request.

use super::operations::parameters;
use crate::{
    diagnostics::Code,
    lints::Linter,
    selection::{Candidate, candidates},
    tree::Node,
};

/// Reports operations that can reject a request, but describe no response for that.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let document = linter.document;
    for operation in candidates(document) {
        let responses = operation.node.get("responses");
        let mut statuses = responses.into_iter().flat_map(Node::entries).map(|(status, _)| status);
        if statuses.any(|status| status.starts_with('4') || status == "default")
            || !can_reject(linter, &operation)
        {
            continue;
        }
        let Candidate { path, method, node, .. } = operation;
        let message = format!("`{method} {path}` describes no response with a status 4xx");
        let at = responses.unwrap_or(node);
        if let Some(warning) = linter.warn(Code::QualityNoClientError, at, message) {
            warning
                .at_name()
                .help("describe how it rejects a request, with 4xx statuses, `4XX` or `default`");
        }
    }
}

/// Returns whether a request of an operation has anything that can be wrong: inputs or credentials.
fn can_reject(linter: &Linter<'_, '_>, operation: &Candidate<'_>) -> bool {
    let security = operation.node.get("security").or_else(|| linter.document.root().get("security"));
    let mut alternatives = security.map_or(&[][..], Node::items).iter();
    operation.node.get("requestBody").is_some()
        || !parameters(linter.document, operation).is_empty()
        || alternatives.any(|alternative| alternative.entries().len() > 0)
}

//! `quality-unused-component`: components that no operation and no webhook reaches.

use crate::{diagnostics::Code, lints::Linter, selection::candidates, tree::Node};

/// Reports the components that nothing outside of `components` reaches.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let document = linter.document;
    let webhooks = document.field("webhooks").into_iter().flat_map(Node::entries);
    if candidates(document).next().is_none() && webhooks.count() == 0 {
        // A library of components for other documents.
        return;
    }
    for (section, name, node) in document.unreached_components() {
        let message = format!("no operation and no webhook uses `{name}` of `{section}`");
        if let Some(warning) = linter.warn(Code::QualityUnusedComponent, node, message) {
            warning.at_name().help("remove it, or add the missing reference to it");
        }
    }
}

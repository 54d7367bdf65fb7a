//! `portable-callback-ref`: references of operations to callbacks.

use crate::{
    diagnostics::Code,
    lints::Linter,
    tree::{Node, NodeRef},
};

/// Reports a callback of an operation that is a reference.
pub(super) fn check<'d>(linter: &mut Linter<'d, '_>, callback: NodeRef<'d>) {
    let Some(reference) = callback.get("$ref") else { return };
    // The tools accept references between components.
    let components = linter.document.section("callbacks");
    if components.into_iter().flat_map(Node::entries).any(|(_, component)| component.id() == callback.id()) {
        return;
    }
    let message = "several tools refuse a document with a reference to a callback";
    if let Some(warning) = linter.warn(Code::PortableCallbackRef, reference, message) {
        warning.help("write the callback here; in YAML, an anchor keeps one copy in the source");
    }
}

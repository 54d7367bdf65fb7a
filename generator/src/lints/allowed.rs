//! `x-lint-allow`: the lints that a document turns off for one of its objects and everything in it.

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, LintGroup, Lints, nearest},
    document::Document,
    tree::{NodeId, NodeRef},
};

/// The extension: reasons by the code of the lint.
const FIELD: &str = "x-lint-allow";

/// The entries of every `x-lint-allow`.
pub(super) struct Allowed<'d>(Vec<Entry<'d>>);

struct Entry<'d> {
    code: Code,
    /// The reason, at whose name a diagnostic about the entry points.
    node: NodeRef<'d>,
    scope: Scope,
    is_used: bool,
}

/// Where an entry turns its lint off.
enum Scope {
    Document,
    Nodes(HashSet<NodeId>),
}

impl<'d> Allowed<'d> {
    /// Reads the entries of a document, and reports those that have no effect.
    pub(super) fn read(document: &'d Document, diagnostics: &mut Diagnostics) -> Self {
        let mut entries = Vec::new();
        document.walk(&mut |node| {
            let Some(field) = node.get(FIELD) else { return };
            if !field.is_object() {
                let message = format!("`{FIELD}` must be an object with a reason for each lint");
                diagnostics.warning(Code::BadExtension, field, message);
            }
            for (name, reason) in field.entries() {
                let Some(code) = code(name, reason, diagnostics) else { continue };
                let scope = scope(document, node);
                entries.push(Entry { code, node: reason, scope, is_used: false });
            }
        });
        Self(entries)
    }

    /// Returns whether an entry turns this lint off for a node.
    pub(super) fn has(&mut self, code: Code, node: NodeId) -> bool {
        let mut is_allowed = false;
        for entry in self.0.iter_mut().filter(|entry| entry.code == code && entry.scope.has(node)) {
            entry.is_used = true;
            is_allowed = true;
        }
        is_allowed
    }

    /// Reports the entries whose lints are on and found nothing there.
    pub(super) fn report_unused(&self, lints: &Lints, diagnostics: &mut Diagnostics) {
        for Entry { code, node, .. } in self.0.iter().filter(|entry| !entry.is_used && lints.has(entry.code))
        {
            let message = format!("`{FIELD}` allows `{code}`, which finds nothing here");
            diagnostics.warning(Code::BadExtension, node, message).at_name().help("remove this entry");
        }
    }
}

impl Scope {
    fn has(&self, node: NodeId) -> bool {
        match self {
            Self::Document => true,
            Self::Nodes(nodes) => nodes.contains(&node),
        }
    }
}

/// Returns the nodes that an extension of this object covers.
fn scope(document: &Document, object: NodeRef<'_>) -> Scope {
    if object.id() == document.root().id() {
        return Scope::Document;
    }
    let mut nodes = HashSet::new();
    object.walk(&mut |node| {
        nodes.insert(node.id());
    });
    Scope::Nodes(nodes)
}

/// Returns the lint that an entry names, or `None` with a warning if the entry has no effect.
fn code(name: &str, reason: NodeRef<'_>, diagnostics: &mut Diagnostics) -> Option<Code> {
    let lints = || LintGroup::ALL.iter().flat_map(|group| group.codes());
    let code = lints().find(|code| code.name() == name);
    if code.is_none() {
        let message = format!("`{FIELD}` names an unknown lint `{name}`");
        let warning = diagnostics.warning(Code::BadExtension, reason, message).at_name();
        match nearest(name, lints().map(Code::name)) {
            Some(near) => warning.help(format!("a lint with a similar name exists: `{near}`")),
            None => warning
                .help("`openapi-crates explain` lists all codes; those of lints begin with their group"),
        };
    }
    let has_reason = reason.as_str().is_some_and(|text| !text.trim().is_empty());
    if code.is_some() && !has_reason {
        let message = format!("`{FIELD}` has no reason for `{name}`");
        diagnostics.warning(Code::BadExtension, reason, message).at_name().help("write why it is allowed");
    }
    code.filter(|_| has_reason)
}

//! `x-lint-allow`: the lints that a document turns off for one of its objects and everything in it.

use std::collections::BTreeMap;

use crate::{
    diagnostics::{Code, Diagnostics, LintGroup, Lints, nearest},
    document::Document,
    tree::{NodeId, NodeRef},
};

/// The extension: reasons by the code of the lint.
const FIELD: &str = "x-lint-allow";

/// The entries of every `x-lint-allow`, by code and in the order of their objects.
pub(super) struct Allowed<'d>(BTreeMap<Code, Vec<Entry<'d>>>);

struct Entry<'d> {
    /// The reason. Diagnostics about the entry are located at its name.
    node: NodeRef<'d>,
    /// The first and the last node where the entry turns its lint off.
    scope: (NodeId, NodeId),
    /// The index of the innermost entry around this one.
    outer: Option<usize>,
    is_used: bool,
}

impl<'d> Allowed<'d> {
    /// Reads the entries of a document, and reports those that have no effect.
    pub(super) fn read(document: &'d Document, diagnostics: &mut Diagnostics) -> Self {
        let mut entries: BTreeMap<Code, Vec<Entry<'d>>> = BTreeMap::new();
        document.walk(&mut |node| {
            let Some(field) = node.get(FIELD) else { return };
            if !field.is_object() {
                let message = format!("`{FIELD}` must be an object with a reason for each lint");
                diagnostics.warning(Code::BadExtension, field, message);
            }
            for (name, reason) in field.entries() {
                let Some(code) = code(name, reason, diagnostics) else { continue };
                let entries = entries.entry(code).or_default();
                let scope = scope(document, node);
                let outer = around(entries, entries.len(), scope.0).next();
                entries.push(Entry { node: reason, scope, outer, is_used: false });
            }
        });
        Self(entries)
    }

    /// Returns whether an entry turns this lint off for a node.
    pub(super) fn has(&mut self, code: Code, node: NodeId) -> bool {
        let Some(entries) = self.0.get_mut(&code) else { return false };
        let before = entries.partition_point(|entry| entry.scope.0 <= node);
        let found: Vec<usize> = around(entries, before, node).collect();
        for index in &found {
            entries.get_mut(*index).into_iter().for_each(|entry| entry.is_used = true);
        }
        !found.is_empty()
    }

    /// Reports the entries whose lints are on and find nothing to allow.
    pub(super) fn report_unused(&self, lints: &Lints, diagnostics: &mut Diagnostics) {
        let entries = self.0.iter().filter(|(code, _)| lints.has(**code));
        let idle = entries.flat_map(|(code, entries)| {
            entries.iter().filter(|entry| !entry.is_used).map(move |entry| (code, entry.node))
        });
        for (code, node) in idle {
            let message = format!("`{FIELD}` allows `{code}`, which finds nothing here");
            diagnostics.warning(Code::BadExtension, node, message).at_name().help("remove this entry");
        }
    }
}

/// Returns the indexes of the entries that cover a node. The first `before` entries begin at or before it.
fn around(entries: &[Entry<'_>], before: usize, node: NodeId) -> impl Iterator<Item = usize> {
    let nearest = before.checked_sub(1);
    let outer = move |index: &usize| entries.get(*index)?.outer;
    let covers = move |index: &usize| entries.get(*index).is_some_and(|entry| entry.scope.1 >= node);
    std::iter::successors(nearest, outer).filter(covers)
}

/// Returns the first and the last node that an extension of this object covers.
fn scope(document: &Document, object: NodeRef<'_>) -> (NodeId, NodeId) {
    let is_root = object.id() == document.root().id();
    (object.id(), if is_root { NodeId(u32::MAX) } else { object.last_id() })
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

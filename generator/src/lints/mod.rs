//! The lints: checks that are off by default, in groups.
//!
//! They check the document, and not the intermediate representation. The explanations of their codes describe what
//! they report and why it matters. They never change the generated code.

mod allowed;
pub(crate) mod parts;
mod portable;
mod quality;
mod walk;

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, Lints, UnlocatedDiagnostic},
    document::{Document, Role},
    tree::{Node, NodeId, NodeRef},
};
use allowed::Allowed;

/// A lint: its code, and how it checks a document.
struct Lint {
    code: Code,
    check: Check,
}

/// The part of a document that a lint checks.
enum Check {
    /// Every object of a role.
    Each(Role, for<'d> fn(&mut Linter<'d, '_>, NodeRef<'d>)),
    /// The document as a whole.
    Whole(for<'d> fn(&mut Linter<'d, '_>)),
}

/// The state that the lints share.
struct Linter<'d, 'x> {
    document: &'d Document,
    diagnostics: &'x mut Diagnostics,
    allowed: Allowed<'d>,
    /// The members of every `allOf`, which are a part of another schema.
    members: HashSet<NodeId>,
    /// The nodes that have a warning of a code. Several schemas can have the same node as a part.
    warned: HashSet<(NodeId, Code)>,
}

/// Runs the lints that are on, and reports the parts of the document that they find.
pub fn check(document: &Document, lints: &Lints, diagnostics: &mut Diagnostics) {
    let all = portable::LINTS.iter().chain(quality::LINTS);
    let chosen: Vec<&Check> = all.filter(|lint| lints.has(lint.code)).map(|lint| &lint.check).collect();
    if chosen.is_empty() {
        return;
    }
    let allowed = Allowed::read(document, diagnostics);
    let mut members = HashSet::new();
    document.walk(&mut |node| {
        members.extend(node.get("allOf").map_or(&[][..], Node::items).iter().map(Node::id));
    });
    let mut linter = Linter { document, diagnostics, allowed, members, warned: HashSet::new() };
    for (node, role) in walk::objects(document) {
        for check in &chosen {
            match check {
                Check::Each(of, check) if *of == role => check(&mut linter, node),
                Check::Each(..) | Check::Whole(_) => {}
            }
        }
    }
    for check in &chosen {
        if let Check::Whole(check) = check {
            check(&mut linter);
        }
    }
    linter.allowed.report_unused(lints, linter.diagnostics);
}

impl Linter<'_, '_> {
    /// Adds a warning, unless the document allows it or the node already has one with this code.
    fn warn(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        let is_new = !self.allows(code, node) && self.warned.insert((node.id(), code));
        is_new.then(|| self.diagnostics.warning(code, node, message))
    }

    /// Returns whether an `x-lint-allow` at or above a node turns this lint off.
    fn allows(&mut self, code: Code, node: NodeRef<'_>) -> bool {
        self.allowed.has(code, node.id())
    }
}

/// The maximum number of texts that a list shows.
const LISTED: usize = 5;

/// Joins the first [`LISTED`] texts and counts the others: `a, b and 3 more`.
fn listed(texts: impl ExactSizeIterator<Item = String>) -> String {
    let more = texts.len().saturating_sub(LISTED);
    let list = texts.take(LISTED).collect::<Vec<_>>().join(", ");
    if more == 0 { list } else { format!("{list} and {more} more") }
}

#[cfg(test)]
mod tests;

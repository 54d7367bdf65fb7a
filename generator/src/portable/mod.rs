//! The lints of the group `portable`: parts of valid documents that other tools refuse or read in different ways.
//!
//! They look at the document as it is written, because other tools do the same. The explanations of their codes name
//! the tools. This generator reads all that they find, so they are off by default.

mod callbacks;
mod deep_objects;
mod enums;
mod integers;
mod nullable;
mod parts;
mod rules;
mod walk;

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, Lints, UnlocatedDiagnostic},
    document::{Document, Role},
    tree::{Node, NodeId, NodeRef},
};

/// A lint: its code, and a function for the objects of a role.
struct Lint {
    code: Code,
    role: Role,
    check: for<'d> fn(&mut Linter<'d, '_>, NodeRef<'d>),
}

/// The lints, in the order of their codes.
const LINTS: &[Lint] = &[
    Lint { code: Code::PortableCallbackRef, role: Role::Callback, check: callbacks::check },
    Lint { code: Code::PortableNullable, role: Role::Schema, check: nullable::check },
    Lint { code: Code::PortableEnumCase, role: Role::Schema, check: enums::check },
    Lint { code: Code::PortableIntegerWidth, role: Role::Schema, check: integers::check },
    Lint { code: Code::PortableDeepObject, role: Role::Parameter, check: deep_objects::check_parameter },
    Lint { code: Code::PortableDeepObject, role: Role::MediaType, check: deep_objects::check_form },
    Lint { code: Code::PortableRules, role: Role::Schema, check: rules::check },
];

/// What the lints share.
struct Linter<'d, 'x> {
    document: &'d Document,
    diagnostics: &'x mut Diagnostics,
    /// The members of every `allOf`, which are a part of another schema.
    members: HashSet<NodeId>,
    /// The nodes that have a warning: several schemas can have one as their part.
    warned: HashSet<(NodeId, Code)>,
}

/// Reports what the lints that are on find in a document.
pub fn check(document: &Document, lints: &Lints, diagnostics: &mut Diagnostics) {
    let chosen: Vec<&Lint> = LINTS.iter().filter(|lint| lints.has(lint.code)).collect();
    if chosen.is_empty() {
        return;
    }
    let mut linter = Linter { document, diagnostics, members: members(document), warned: HashSet::new() };
    walk::walk(document, &mut |node, role| {
        for lint in chosen.iter().filter(|lint| lint.role == role) {
            (lint.check)(&mut linter, node);
        }
    });
}

/// Returns the members of every `allOf`.
fn members(document: &Document) -> HashSet<NodeId> {
    let mut members = HashSet::new();
    document.walk(&mut |node| {
        members.extend(node.get("allOf").map_or(&[][..], Node::items).iter().map(Node::id));
    });
    members
}

impl Linter<'_, '_> {
    /// Adds a warning, unless the node already has one with this code.
    fn warn(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        let is_new = self.warned.insert((node.id(), code));
        is_new.then(|| self.diagnostics.warning(code, node, message))
    }
}

/// The maximum number of texts in a list.
const LISTED: usize = 5;

/// Joins the first few texts, and says how many more there are.
fn listed(texts: impl ExactSizeIterator<Item = String>) -> String {
    let more = texts.len().saturating_sub(LISTED);
    let list = texts.take(LISTED).collect::<Vec<_>>().join(", ");
    if more == 0 { list } else { format!("{list} and {more} more") }
}

#[cfg(test)]
mod tests;

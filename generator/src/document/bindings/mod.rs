//! Binds dynamic references: each `$dynamicRef` becomes a `$ref`.
//!
//! The target of a `$dynamicRef` depends on the schemas that lead to it: the outermost one that has the `$dynamicAnchor`
//! binds it. If a schema is reached with other bindings than those of its own position, this pass copies it, as a generic
//! type is instantiated. There is one copy for each set of bindings that makes a difference. `Page` with `item` bound to
//! `User` becomes the component `Page.User`. Code after this pass knows no dynamic references.
//!
//! - `scopes` finds the schemas that bind names, and what the names mean at each position.
//! - `binder` follows the references with the current bindings, and decides the target of each.
//! - `naming` names the copies, and `copies` makes them. The copies are the components of a file without text.
//!
//! References that are the same with all bindings stay unchanged. The pass skips a document without `$dynamicRef`.

mod binder;
mod copies;
mod naming;
mod schemas;
mod scopes;

use super::Document;
use crate::diagnostics::Diagnostics;
use binder::Binder;
use scopes::Scopes;

#[cfg(test)]
mod tests;

/// Replaces the dynamic references of a document.
pub(super) fn bind(document: &mut Document, diagnostics: &mut Diagnostics) {
    if !document.files().any(|file| file.source.text.contains("$dynamicRef")) {
        return;
    }
    let scopes = Scopes::read(document);
    let bound = Binder::new(&scopes).bind(diagnostics);
    let changes = copies::changes(&scopes, &bound);
    copies::apply(document, changes);
}

//! Lowers a document to the intermediate representation.
//!
//! 1. All components get ids before any of them is read, so that references in any direction have a target.
//! 2. Components, then operations (`schema`, `operation`): each schema becomes an
//!    [`ir::Schema`](crate::ir::Schema), and a type where Rust needs one. The `resolver` finds the parts of schemas.
//! 3. Passes over all types (`finish`): names, cycles, shapes of unions, openness, order. `finish::passes` lists them,
//!    with the passes that each needs before it.
//!
//! Lowering reports an error, uses the nearest sensible fallback and continues, so one run reports all
//! errors.
//!
//! Each room imports only from itself and from those before it: the files of this folder, `resolver`, `schema`,
//! `operation`, `finish`. A test checks that, and that there are no import cycles.

mod context;
mod families;
mod fields;
mod finish;
mod media;
mod operation;
mod paths;
mod place;
mod resolver;
mod schema;
mod types;

use crate::{diagnostics::Diagnostics, document::Document, options::Options};
pub use finish::Lowered;
pub use operation::rejections::VIOLATION_CODES;
use operation::state::Operations;

/// Lowers a document.
#[must_use]
pub fn lower<'d>(document: &'d Document, options: &Options, diagnostics: &mut Diagnostics) -> Lowered<'d> {
    let mut operations = Operations::new(document, options, diagnostics);
    operations.check_root();
    operations.schemas.read_components();
    let api = operations.api();
    finish::finish(operations, api)
}

#[cfg(test)]
mod tests;

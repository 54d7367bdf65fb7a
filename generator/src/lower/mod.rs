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
//! Each stage imports only from itself and from those before it: the files of this folder, `resolver`, `schema`,
//! `operation`, `finish`. A test checks that, and that there are no import cycles.

mod context;
mod finish;
mod operation;
mod position;
mod resolver;
mod schema;
mod tags;
mod types;
mod xml;

use crate::{
    diagnostics::Diagnostics, document::Document, options::Options, renames::Renames, selection::Selection,
};
use context::Context;
pub use finish::Lowered;
pub(crate) use finish::{Body, missing};
pub use operation::rejections::VIOLATION_CODES;
use operation::state::Operations;
pub(crate) use schema::is_about_presence;

/// Lowers the operations of a document that the options choose, and all its components.
#[must_use]
pub fn lower<'d>(document: &'d Document, options: &Options, diagnostics: &mut Diagnostics) -> Lowered<'d> {
    lower_selected(document, options, &Selection::read(document, options), diagnostics)
}

/// Lowers these operations of a document, and all its components.
#[must_use]
pub(crate) fn lower_selected<'d>(
    document: &'d Document,
    options: &Options,
    selection: &Selection,
    diagnostics: &mut Diagnostics,
) -> Lowered<'d> {
    let renames = Renames::read(document, options);
    let context = Context::new(document, options, selection, &renames, diagnostics);
    let mut operations = Operations::new(context);
    operations.check_root();
    operations.schemas.read_components();
    let api = operations.api();
    let mut lowered = finish::finish(operations, api);
    lowered.unused.extend(renames.unused());
    lowered
}

#[cfg(test)]
mod tests;

//! Passes over all types, once every schema is read.

mod bodies;
mod examples;
mod leaves;
mod pages;
mod passes;
mod state;
mod unused;

pub(crate) use bodies::{Body, missing};

use crate::{
    ir::Api,
    lower::{
        finish::{passes::PASSES, state::Finish},
        operation::state::Operations,
        schema::notes::Example,
    },
    options::UnusedSetting,
};

/// The result of lowering a document.
#[derive(Debug)]
pub struct Lowered<'d> {
    /// The API.
    pub api: Api,
    /// All examples of schemas in the document.
    pub examples: Vec<Example<'d>>,
    /// The options that have no effect on the document.
    pub unused: Vec<UnusedSetting>,
}

/// Runs all passes and assembles the result.
pub(in crate::lower) fn finish<'d>(operations: Operations<'d, '_>, api: Api) -> Lowered<'d> {
    let mut finish = Finish::new(operations, api);
    for pass in PASSES {
        (pass.run)(&mut finish);
    }
    let unused = finish.unused();
    Lowered { api: finish.api, examples: finish.schema_notes.examples, unused }
}

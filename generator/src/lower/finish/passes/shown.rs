//! Checks the examples of the document against their schemas.

use std::cell::{Cell, RefCell};

use crate::{
    diagnostics::Code,
    lower::{
        context::Reporting,
        finish::{
            examples::state::{Examples, MAX_STEPS, MOST_LOOKS},
            state::Finish,
        },
        schema::notes::Shown,
    },
};

impl Finish<'_, '_> {
    /// Determines for each example whether it matches its schema, and reports those that do not.
    pub fn check_shown(&mut self) {
        let api = &self.api;
        let examples =
            Examples { api, compiled: RefCell::default(), left: Cell::default(), looks: Cell::default() };
        let mut wrong = Vec::new();
        for Shown { schema, node, fits } in &mut self.schema_notes.shown {
            examples.looks.set(MOST_LOOKS);
            *fits = examples.accepts(schema, &node.to_json(), MAX_STEPS);
            wrong.extend((!*fits).then_some(*node));
        }
        for node in wrong {
            self.warn(Code::BadExample, node, "the example does not match its schema");
        }
    }
}

//! Checks the examples of the document against their schemas.

use std::cell::{Cell, RefCell};

use crate::{
    ir::Api,
    lower::{
        finish::examples::state::{Examples, MAX_STEPS, MOST_LOOKS},
        schema::notes::Shown,
    },
};

/// Determines for each example whether it matches its schema.
pub(in crate::lower) fn judge(api: &Api, shown: &mut [Shown<'_>]) {
    let examples =
        Examples { api, compiled: RefCell::default(), left: Cell::default(), looks: Cell::default() };
    for Shown { schema, node, fits } in shown {
        examples.looks.set(MOST_LOOKS);
        *fits = examples.accepts(schema, &node.to_json(), MAX_STEPS);
    }
}

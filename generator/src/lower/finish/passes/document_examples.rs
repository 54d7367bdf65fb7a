//! Checks the examples of the document against their schemas.

use crate::{
    diagnostics::Code,
    lower::finish::{
        examples::state::{Examples, MAX_CHECKS, MAX_STEPS},
        state::Finish,
    },
};

impl Finish<'_, '_> {
    /// Determines for each example whether it matches its schema, and reports those that do not.
    pub fn check_examples(&mut self) {
        let examples = Examples::new(&self.api);
        let mut wrong = Vec::new();
        for example in &mut self.schema_notes.examples {
            // Examples that are not JSON were reported when they were read.
            let Some(value) = example.value() else { continue };
            examples.checks.set(MAX_CHECKS);
            let checked = examples.check(&example.schema, &value, MAX_STEPS);
            example.fits = checked.is_ok();
            wrong.extend(checked.err().map(|violated| (example.node, violated)));
        }
        for (node, violated) in wrong {
            let message = format!("the example does not match its schema: {violated}");
            self.warn(Code::BadExample, node, message);
        }
    }
}

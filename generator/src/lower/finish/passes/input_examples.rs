//! Example inputs of operations.

use crate::lower::finish::{examples, state::Finish};

impl Finish<'_, '_> {
    /// Adds an example input to each operation.
    pub fn add_examples(&mut self) {
        examples::fill(&mut self.api, &self.operation_notes.examples);
    }
}

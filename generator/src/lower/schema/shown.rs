//! Stores the examples of schemas.

use crate::{
    document::NodeRef,
    ir::Schema,
    lower::{
        context::Reporting,
        schema::{notes::Shown, state::Schemas},
    },
};

impl<'d> Schemas<'d, '_> {
    /// Stores the examples of a schema. They are checked when all types are known.
    pub fn show(&mut self, schema: &Schema, node: NodeRef<'d>) {
        if let Some(example) = node.get("example") {
            self.notes.shown.push(Shown { schema: schema.clone(), node: example, fits: true });
        }
        let Some(examples) = node.get("examples") else { return };
        for example in examples.items() {
            self.notes.shown.push(Shown { schema: schema.clone(), node: example, fits: true });
        }
        for (_, example) in examples.entries() {
            let Some(example) = self.resolve_in(example, "examples", "an example") else { continue };
            if let Some(value) = example.node.get("value") {
                self.notes.shown.push(Shown { schema: schema.clone(), node: value, fits: true });
            }
        }
    }
}

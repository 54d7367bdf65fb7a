//! Stores the examples of schemas.

use crate::{
    diagnostics::Code,
    ir::Schema,
    lower::schema::{notes::Example, state::Schemas},
    tree::NodeRef,
};

impl<'d> Schemas<'d, '_> {
    /// Stores the examples of a schema. They are checked when all types are known.
    ///
    /// `is_json` says whether examples that are text contain JSON.
    pub fn note_examples(&mut self, schema: &Schema, node: NodeRef<'d>, is_json: bool) {
        let mut add = |node: NodeRef<'d>, is_text: bool| {
            self.notes.examples.push(Example { schema: schema.clone(), node, is_text, fits: true });
        };
        if let Some(example) = node.get("example") {
            add(example, false);
        }
        let Some(examples) = node.get("examples") else { return };
        for example in examples.items() {
            add(example, false);
        }
        for (_, example) in examples.entries() {
            let Some(example) = self.resolve_in(example, "examples", "an example") else { continue };
            self.note_example_object(schema, example.node, is_json);
        }
    }

    /// Stores the examples in an Example Object: its data, its text, or its `value`, which can be either.
    fn note_example_object(&mut self, schema: &Schema, example: NodeRef<'d>, is_json: bool) {
        let (data, text) = (example.get("dataValue"), example.get("serializedValue"));
        for name in ["value", "externalValue"] {
            if let (Some(node), true) = (example.get(name), data.or(text).is_some()) {
                let message = format!("an example has either `{name}`, or `dataValue` and `serializedValue`");
                self.warn(Code::BadExample, node, message);
            }
        }
        let mut add = |node: NodeRef<'d>, is_text: bool| {
            self.notes.examples.push(Example { schema: schema.clone(), node, is_text, fits: true });
        };
        if let Some(data) = data.or_else(|| example.get("value")) {
            add(data, false);
        }
        let Some(text) = text.filter(|_| is_json) else { return };
        add(text, true);
        let parsed = text.as_str().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        if parsed.is_none() {
            self.warn(Code::BadExample, text, "`serializedValue` is not JSON, but its media type is");
        } else if data.is_some_and(|data| parsed != Some(data.to_json())) {
            self.warn(Code::BadExample, text, "`serializedValue` is not the same value as `dataValue`");
        }
    }
}

//! Example inputs of operations, from the document or generated.

mod accepts;
mod json_schema;
mod make;
pub(super) mod state;

use serde_json::{Map, Value};

use crate::{
    ir::{Api, Kind},
    lower::{
        finish::examples::state::{Examples, MAX_CHECKS, MAX_STEPS, MAX_VALUES},
        operation::notes::Written,
    },
};

/// Adds an example input to each operation.
pub(in crate::lower) fn fill(api: &mut Api, written: &[Written]) {
    let examples = Examples::new(api);
    let found: Vec<Option<Value>> =
        (0..api.operations.len()).map(|index| examples.operation(index, written.get(index))).collect();
    for (operation, example) in api.operations.iter_mut().zip(found) {
        operation.example = example;
    }
}

impl Examples<'_> {
    fn operation(&self, index: usize, written: Option<&Written>) -> Option<Value> {
        let operation = self.api.operations.get(index)?;
        let input = self.api.type_def(operation.input?)?;
        let Kind::Struct(def) = &input.kind else { return None };
        let mut example = Map::new();
        self.left.set(MAX_VALUES);
        self.checks.set(MAX_CHECKS);
        for (position, field) in def.fields.iter().enumerate() {
            let own = written.and_then(|written| match written.parameters.get(position) {
                Some(parameter) => parameter.as_ref(),
                None if position >= operation.parameters.len() => written.body.as_ref(),
                None => None,
            });
            let value = own.cloned().or_else(|| field.docs.example.clone());
            let value = value.filter(|value| self.accepts(&field.schema, value, MAX_STEPS));
            if let Some(value) =
                value.or_else(|| field.required.then(|| self.build(&field.schema, MAX_STEPS)))
            {
                example.insert(field.wire.clone(), value);
            }
        }
        Some(Value::Object(example))
    }
}

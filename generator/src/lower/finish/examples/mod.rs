//! Examples: those of the document are checked, and each operation gets an example input, from the document or generated.

mod accepts;
mod json_schema;
mod make;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use serde_json::{Map, Value};

use crate::{
    diagnostics::Code,
    ir::{Api, Kind, PatternId, Schema, Type, TypeDef},
    lower::{finish::state::Finish, operation::state::Written},
    patterns::Compiled,
};

/// The maximum depth of an example.
const MAX_STEPS: usize = 24;

/// The approximate maximum number of values in an example.
const MAX_VALUES: usize = 2000;

/// The maximum number of schemas that an example is checked against.
///
/// Beyond this limit, the example counts as valid.
const MAX_CHECKS: usize = 1_000_000;

/// Checks examples against their schemas and generates examples.
pub(in crate::lower) struct Examples<'a> {
    pub api: &'a Api,
    /// Patterns, compiled on first use.
    pub compiled: RefCell<HashMap<PatternId, Option<Compiled>>>,
    /// The number of values that can still be generated for an operation.
    ///
    /// Without a limit, types that contain two of each other grow exponentially.
    pub left: Cell<usize>,
    /// The number of schemas that an example can still be checked against.
    ///
    /// Unions within unions can have very many combinations.
    pub checks: Cell<usize>,
}

impl<'a> Examples<'a> {
    pub fn new(api: &'a Api) -> Self {
        Self { api, compiled: RefCell::default(), left: Cell::default(), checks: Cell::default() }
    }

    /// Returns the type of a schema, if it is a named one.
    pub fn named(&self, schema: &Schema) -> Option<&TypeDef> {
        match schema.ty {
            Type::Named { id, .. } => self.api.type_def(id),
            _ => None,
        }
    }

    /// Returns the kind of a named type.
    pub fn kind(&self, schema: &Schema) -> Option<&Kind> {
        self.named(schema).map(|def| &def.kind)
    }
}

impl Finish<'_, '_> {
    /// Adds an example input to each operation.
    pub fn add_examples(&mut self) {
        let written = &self.operation_notes.examples;
        let examples = Examples::new(&self.api);
        let found: Vec<Option<Value>> = (0..self.api.operations.len())
            .map(|index| examples.operation(index, written.get(index)))
            .collect();
        for (operation, example) in self.api.operations.iter_mut().zip(found) {
            operation.example = example;
        }
    }

    /// Checks each example against its schema, and reports each that does not match.
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
            let value = value.filter(|value| self.check(&field.schema, value, MAX_STEPS).is_ok());
            if let Some(value) =
                value.or_else(|| field.required.then(|| self.build(&field.schema, MAX_STEPS)))
            {
                example.insert(field.wire.clone(), value);
            }
        }
        Some(Value::Object(example))
    }
}

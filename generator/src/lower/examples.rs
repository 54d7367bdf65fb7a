//! Example inputs of operations, from the document or generated.

mod accepts;
mod make;

pub(super) use accepts::has_format;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use serde_json::{Map, Value};

use super::{Lowering, Shown};
use crate::{
    document::Node,
    ir::{Api, Kind, PatternId, Schema},
    patterns::Compiled,
};

/// The examples that the document contains for an operation.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// One per parameter.
    pub parameters: Vec<Option<Value>>,
    /// The example of the body.
    pub body: Option<Value>,
}

/// Checks examples against their schemas and generates examples.
struct Examples<'a> {
    api: &'a Api,
    /// Patterns, compiled on first use.
    compiled: RefCell<HashMap<PatternId, Option<Compiled>>>,
    /// The number of values that can still be generated for an operation.
    ///
    /// Without a limit, types that contain two of each other grow exponentially.
    left: Cell<usize>,
    /// The number of schemas that an example can still be checked against.
    ///
    /// Unions within unions can have very many combinations.
    looks: Cell<usize>,
}

impl<'d> Lowering<'d, '_> {
    /// Returns the example of a parameter or of its schema.
    pub fn parameter_example(&self, node: &'d Node) -> Option<Value> {
        let content = || node.get("content")?.entries().next().map(|(_, content)| content);
        let schema = || node.get("schema").or_else(|| content()?.get("schema"));
        let own = self.example_of(node).or_else(|| self.example_of(content()?));
        own.or_else(|| self.schema_example(schema()?)).map(Node::to_json)
    }

    /// Returns the example of a body's first media type or of its schema.
    pub fn body_example(&self, node: &'d Node) -> Option<Value> {
        let body = self.document.resolve(node).ok()?.node;
        let (_, content) = body.get("content")?.entries().next()?;
        let own = self.example_of(content);
        own.or_else(|| self.schema_example(content.get("schema")?)).map(Node::to_json)
    }

    fn schema_example(&self, node: &'d Node) -> Option<&'d Node> {
        let node = self.document.resolve(node).ok()?.node;
        self.example_of(node).or_else(|| node.get("default"))
    }
}

/// Adds an example input to each operation.
pub(super) fn fill(api: &mut Api, written: &[Written]) {
    let examples =
        Examples { api, compiled: RefCell::default(), left: Cell::default(), looks: Cell::default() };
    let found: Vec<Option<Value>> =
        (0..api.operations.len()).map(|index| examples.operation(index, written.get(index))).collect();
    for (operation, example) in api.operations.iter_mut().zip(found) {
        operation.example = example;
    }
}

/// Determines for each example whether it matches its schema.
pub(super) fn judge(api: &Api, shown: &mut [Shown<'_>]) {
    let examples =
        Examples { api, compiled: RefCell::default(), left: Cell::default(), looks: Cell::default() };
    for Shown { schema, node, fits } in shown {
        examples.looks.set(MOST_LOOKS);
        *fits = examples.accepts(schema, &node.to_json(), MAX_STEPS);
    }
}

impl Examples<'_> {
    fn operation(&self, index: usize, written: Option<&Written>) -> Option<Value> {
        let operation = self.api.operations.get(index)?;
        let input = self.api.type_def(operation.input?)?;
        let Kind::Struct(def) = &input.kind else { return None };
        let mut example = Map::new();
        self.left.set(MOST_VALUES);
        self.looks.set(MOST_LOOKS);
        for (place, field) in def.fields.iter().enumerate() {
            let own = written.and_then(|written| match written.parameters.get(place) {
                Some(parameter) => parameter.as_ref(),
                None if place >= operation.parameters.len() => written.body.as_ref(),
                None => None,
            });
            let value = own.cloned().or_else(|| field.docs.example.clone());
            let value = value.filter(|value| self.accepts(&field.schema, value, MAX_STEPS));
            if let Some(value) = value.or_else(|| field.required.then(|| self.made(&field.schema, MAX_STEPS)))
            {
                example.insert(field.wire.clone(), value);
            }
        }
        Some(Value::Object(example))
    }

    fn kind(&self, schema: &Schema) -> Option<&Kind> {
        match schema.ty {
            crate::ir::Type::Named { id, .. } => self.api.type_def(id).map(|def| &def.kind),
            _ => None,
        }
    }
}

/// The maximum depth of an example.
const MAX_STEPS: usize = 24;

/// The approximate maximum number of values in an example.
const MOST_VALUES: usize = 2000;

/// The maximum number of schemas that an example is checked against.
///
/// Beyond this limit, the example counts as valid.
const MOST_LOOKS: usize = 1_000_000;

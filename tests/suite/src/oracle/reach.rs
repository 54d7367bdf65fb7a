//! Which types requests and responses reach.

use std::collections::BTreeSet;

use openapi_crates::internals::{Additional, Api, Errors, Kind, Operation, Schema, Type, TypeId};

/// The use of a type by a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// It reads values of the type.
    pub reads: bool,
    /// It builds values of the type.
    pub builds: bool,
}

/// The types that requests and responses reach.
#[derive(Debug)]
pub struct Reach {
    requests: BTreeSet<TypeId>,
    responses: BTreeSet<TypeId>,
}

impl Reach {
    /// Walks the inputs, outputs and errors of all operations, and all callbacks and webhooks.
    ///
    /// A server sends a callback, as it sends a response. What its receiver responds with is like a request.
    pub fn of(api: &Api) -> Self {
        let mut reach = Self { requests: BTreeSet::new(), responses: BTreeSet::new() };
        for operation in &api.operations {
            if let Some(input) = operation.input {
                visit(api, input, &mut reach.requests);
            }
            visit_schema(api, &operation.output, &mut reach.responses);
            if let Some(error) = error_type(api, operation) {
                visit(api, error, &mut reach.responses);
            }
        }
        for callback in api.operations.iter().flat_map(|it| &it.callbacks).chain(&api.webhooks) {
            let sent = callback.parameters.iter().map(|parameter| &parameter.schema);
            let sent = sent.chain(callback.body.iter().map(|body| &body.schema));
            sent.for_each(|schema| visit_schema(api, schema, &mut reach.responses));
            for response in &callback.responses {
                let headers = response.headers.iter().map(|header| &header.schema);
                let schemas = headers.chain(response.contents.iter().map(|content| &content.schema));
                schemas.for_each(|schema| visit_schema(api, schema, &mut reach.requests));
            }
        }
        reach
    }

    /// Returns what a client does with a type. It does both with a type that nothing reaches, such as the union of all
    /// webhooks.
    pub fn of_client(&self, id: TypeId) -> Access {
        let Access { reads, builds } = self.of_server(id);
        Access { reads: builds, builds: reads }
    }

    /// Returns what a server does with a type.
    pub fn of_server(&self, id: TypeId) -> Access {
        let (reads, builds) = (self.requests.contains(&id), self.responses.contains(&id));
        if reads || builds { Access { reads, builds } } else { Access { reads: true, builds: true } }
    }
}

/// Returns the type of an operation's documented errors, if it has any.
pub fn error_type(api: &Api, operation: &Operation) -> Option<TypeId> {
    match (&operation.errors, &api.shared_errors) {
        (Errors::Own { ty, .. }, _) => Some(*ty),
        (Errors::Shared(_), Some(shared)) => Some(shared.ty),
        (Errors::Shared(_) | Errors::None, _) => None,
    }
}

fn visit(api: &Api, id: TypeId, reached: &mut BTreeSet<TypeId>) {
    let Some(def) = api.type_def(id).filter(|_| reached.insert(id)) else { return };
    let mut schema = |schema: &Schema| visit_schema(api, schema, reached);
    match &def.kind {
        Kind::Struct(body) => {
            body.fields.iter().for_each(|field| schema(&field.schema));
            if let Additional::Kept { schema: values, .. } = &body.additional {
                schema(values);
            }
        }
        Kind::Union(union) => union.variants.iter().for_each(|variant| schema(&variant.schema)),
        Kind::Choice(choice) => choice.variants.iter().for_each(|variant| schema(&variant.payload)),
        Kind::Alias(target) => schema(target),
        Kind::StringEnum(_) | Kind::IntegerEnum(_) => {}
    }
}

fn visit_schema(api: &Api, schema: &Schema, reached: &mut BTreeSet<TypeId>) {
    match &schema.ty {
        Type::Named { id, .. } => visit(api, *id, reached),
        Type::Array(rules) => visit_schema(api, &rules.items, reached),
        Type::Map(rules) => visit_schema(api, &rules.values, reached),
        Type::Tuple(items) => items.iter().for_each(|item| visit_schema(api, item, reached)),
        Type::Stream(stream) => {
            stream.piece().into_iter().for_each(|piece| visit_schema(api, piece, reached))
        }
        Type::Any
        | Type::Unit
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_)
        | Type::Bytes
        | Type::File => {}
    }
}

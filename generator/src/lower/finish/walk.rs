//! Visits every schema of a type or operation.

use crate::{
    ir::{Additional, Api, Body, Kind, Operation, PatternId, Response, Schema, Type, TypeId},
    lower::types::Draft,
};

impl Draft<'_> {
    /// Visits the schemas of the type. A type that was never filled in has none.
    pub fn schemas(&self, visit: &mut dyn FnMut(&Schema)) {
        if let Some(kind) = &self.kind {
            schemas(kind, visit);
        }
    }
}

/// Visits the direct schemas of a type.
pub(in crate::lower) fn schemas(kind: &Kind, visit: &mut dyn FnMut(&Schema)) {
    match kind {
        Kind::Struct(def) => {
            def.fields.iter().for_each(|field| visit(&field.schema));
            if let Additional::Kept { schema, names, .. } = &def.additional {
                visit(schema);
                names.iter().flat_map(|names| names.schemas()).for_each(visit);
            }
        }
        Kind::Union(def) => def.variants.iter().for_each(|variant| visit(&variant.schema)),
        Kind::Alias(schema) => visit(schema),
        Kind::Choice(choice) => choice.variants.iter().for_each(|variant| visit(&variant.payload)),
        Kind::StringEnum(_) | Kind::IntegerEnum(_) => {}
    }
}

/// Visits the direct schemas of a type mutably.
pub(in crate::lower) fn schemas_mut(kind: &mut Kind, visit: &mut dyn FnMut(&mut Schema)) {
    match kind {
        Kind::Struct(def) => {
            def.fields.iter_mut().for_each(|field| visit(&mut field.schema));
            if let Additional::Kept { schema, names, .. } = &mut def.additional {
                visit(schema);
                names.iter_mut().flat_map(|names| names.schemas_mut()).for_each(visit);
            }
        }
        Kind::Union(def) => def.variants.iter_mut().for_each(|variant| visit(&mut variant.schema)),
        Kind::Alias(schema) => visit(schema),
        Kind::Choice(choice) => choice.variants.iter_mut().for_each(|variant| visit(&mut variant.payload)),
        Kind::StringEnum(_) | Kind::IntegerEnum(_) => {}
    }
}

/// Visits the types that a schema refers to, also through arrays and maps.
pub(in crate::lower) fn named(schema: &Schema, visit: &mut dyn FnMut(TypeId)) {
    match &schema.ty {
        Type::Named { id, .. } => visit(*id),
        Type::Array(rules) => named(&rules.items, visit),
        Type::Stream(stream) => stream.piece().into_iter().for_each(|piece| named(piece, visit)),
        Type::Tuple(items) => items.iter().for_each(|item| named(item, visit)),
        Type::Map(rules) => {
            named(&rules.values, visit);
            rules.names.iter().flat_map(|names| names.schemas()).for_each(|schema| named(schema, visit));
        }
        _ => {}
    }
}

/// Visits the patterns that a schema refers to, also through arrays and maps.
pub(in crate::lower) fn patterns(schema: &Schema, visit: &mut dyn FnMut(PatternId)) {
    match &schema.ty {
        Type::Text(rules) => rules.pattern.into_iter().for_each(visit),
        Type::Array(rules) => patterns(&rules.items, visit),
        Type::Stream(stream) => stream.piece().into_iter().for_each(|piece| patterns(piece, visit)),
        Type::Map(rules) => patterns(&rules.values, visit),
        _ => {}
    }
}

/// Visits the schema and all schemas within its arrays and maps.
pub(super) fn nested(schema: &Schema, visit: &mut dyn FnMut(&Schema)) {
    visit(schema);
    match &schema.ty {
        Type::Array(rules) => nested(&rules.items, visit),
        Type::Stream(stream) => stream.piece().into_iter().for_each(|piece| nested(piece, visit)),
        Type::Tuple(items) => items.iter().for_each(|item| nested(item, visit)),
        Type::Map(rules) => {
            nested(&rules.values, visit);
            rules.names.iter().flat_map(|names| names.schemas()).for_each(|schema| nested(schema, visit));
        }
        _ => {}
    }
}

/// Visits the schema and all schemas within its arrays and maps mutably.
pub(in crate::lower) fn nested_mut(schema: &mut Schema, visit: &mut dyn FnMut(&mut Schema)) {
    visit(schema);
    match &mut schema.ty {
        Type::Array(rules) => nested_mut(&mut rules.items, visit),
        Type::Stream(stream) => {
            stream.piece_mut().into_iter().for_each(|piece| nested_mut(piece, visit));
        }
        Type::Tuple(items) => items.iter_mut().for_each(|item| nested_mut(item, visit)),
        Type::Map(rules) => {
            nested_mut(&mut rules.values, visit);
            let names = rules.names.iter_mut().flat_map(|names| names.schemas_mut());
            names.for_each(|schema| nested_mut(schema, visit));
        }
        _ => {}
    }
}

/// Visits the types that values of a schema contain directly, not in an array or map.
pub(in crate::lower) fn held(schema: &Schema, visit: &mut dyn FnMut(TypeId)) {
    match &schema.ty {
        Type::Named { id, .. } => visit(*id),
        Type::Tuple(items) => items.iter().for_each(|item| held(item, visit)),
        _ => {}
    }
}

/// Does the same as [`held`], mutably.
pub(in crate::lower) fn held_mut(schema: &mut Schema, visit: &mut dyn FnMut(TypeId, &mut bool)) {
    match &mut schema.ty {
        Type::Named { id, boxed } => visit(*id, boxed),
        Type::Tuple(items) => items.iter_mut().for_each(|item| held_mut(item, visit)),
        _ => {}
    }
}

/// Visits the schemas of an operation's requests.
pub(in crate::lower) fn requests(operation: &Operation, visit: &mut dyn FnMut(&Schema)) {
    operation.parameters.iter().for_each(|parameter| visit(&parameter.schema));
    operation.body.iter().for_each(|one| body(one, visit));
}

/// Visits the schemas of an operation's responses.
pub(in crate::lower) fn answers(operation: &Operation, visit: &mut dyn FnMut(&Schema)) {
    visit(&operation.output);
    operation.responses.iter().for_each(|one| response(one, visit));
    if let crate::ir::Errors::Own { rows, .. } = &operation.errors {
        rows.iter().for_each(|row| response(row, visit));
    }
}

/// Visits the schemas of callback bodies.
pub(in crate::lower) fn callbacks(operation: &Operation, visit: &mut dyn FnMut(&Schema)) {
    operation.callbacks.iter().filter_map(|callback| callback.body.as_ref()).for_each(|one| body(one, visit));
}

fn body(body: &Body, visit: &mut dyn FnMut(&Schema)) {
    visit(&body.schema);
    body.contents.iter().for_each(|content| visit(&content.schema));
}

/// Visits the schemas of a response.
pub(in crate::lower) fn response(response: &Response, visit: &mut dyn FnMut(&Schema)) {
    response.headers.iter().for_each(|header| visit(&header.schema));
    response.contents.iter().for_each(|content| visit(&content.schema));
}

/// Visits the schemas of all responses mutably.
pub(in crate::lower) fn answers_mut(api: &mut Api, visit: &mut dyn FnMut(&mut Schema)) {
    for operation in &mut api.operations {
        visit(&mut operation.output);
        operation.responses.iter_mut().for_each(|row| response_mut(row, visit));
        if let crate::ir::Errors::Own { rows, .. } = &mut operation.errors {
            rows.iter_mut().for_each(|row| response_mut(row, visit));
        }
    }
    for row in api.shared_errors.iter_mut().flat_map(|shared| &mut shared.rows) {
        response_mut(row, visit);
    }
}

/// Visits every schema of the operations and shared errors mutably.
pub(in crate::lower) fn all_mut(api: &mut Api, visit: &mut dyn FnMut(&mut Schema)) {
    for operation in &mut api.operations {
        operation.parameters.iter_mut().for_each(|parameter| visit(&mut parameter.schema));
        operation.body.iter_mut().for_each(|body| body_mut(body, visit));
        operation
            .callbacks
            .iter_mut()
            .filter_map(|callback| callback.body.as_mut())
            .for_each(|body| body_mut(body, visit));
    }
    answers_mut(api, visit);
}

fn body_mut(body: &mut Body, visit: &mut dyn FnMut(&mut Schema)) {
    visit(&mut body.schema);
    body.contents.iter_mut().for_each(|content| visit(&mut content.schema));
}

fn response_mut(response: &mut Response, visit: &mut dyn FnMut(&mut Schema)) {
    response.headers.iter_mut().for_each(|header| visit(&mut header.schema));
    response.contents.iter_mut().for_each(|content| visit(&mut content.schema));
}

/// Visits the patterns of a schema mutably, but not those of nested schemas.
pub(in crate::lower) fn patterns_mut(schema: &mut Schema, visit: &mut dyn FnMut(&mut PatternId)) {
    match &mut schema.ty {
        Type::Text(rules) => rules.pattern.iter_mut().for_each(visit),
        Type::Map(rules) => {
            let patterns = rules.names.iter_mut().flat_map(|names| &mut names.patterns);
            patterns.for_each(|(id, _)| visit(id));
        }
        _ => {}
    }
}

/// Visits the patterns for names of additional properties mutably.
pub(in crate::lower) fn own_patterns_mut(kind: &mut Kind, visit: &mut dyn FnMut(&mut PatternId)) {
    if let Kind::Struct(def) = kind
        && let Additional::Kept { names, .. } = &mut def.additional
    {
        let patterns = names.iter_mut().flat_map(|names| &mut names.patterns);
        patterns.for_each(|(id, _)| visit(id));
    }
}

//! Field locations and conversions of inputs and responses.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{any_of, code};
use super::super::scope::{Scope, ident};
use super::unions::convertible;
use crate::ir::{Body, Location, Operation, Parameter, StructDef, StructRole, TypeDef};

/// Returns the location of each field in the message: ``Query parameter `page`.``
pub(super) fn notes(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> Vec<String> {
    match body.role {
        StructRole::Input => operation(scope, def).map(operation_notes).unwrap_or_default(),
        StructRole::Response => body.fields.iter().map(|field| response_note(&field.wire)).collect(),
        StructRole::Object => Vec::new(),
    }
}

/// Returns the operation with this input.
fn operation<'a>(scope: &Scope<'a>, input: &TypeDef) -> Option<&'a Operation> {
    scope.api.operations.iter().find(|operation| operation.input == Some(input.id))
}

fn operation_notes(operation: &Operation) -> Vec<String> {
    operation.parameters.iter().map(parameter_note).chain(operation.body.as_ref().map(body_note)).collect()
}

fn response_note(wire: &str) -> String {
    match wire {
        "status" => "Status code.".to_owned(),
        "body" => "Response body.".to_owned(),
        header => format!("Response header {}.", code(header)),
    }
}

fn parameter_note(parameter: &Parameter) -> String {
    let location = match parameter.location {
        Location::Path => "Path parameter",
        Location::Query => "Query parameter",
        Location::QueryString => "Query string",
        Location::Header => "Header parameter",
        Location::Cookie => "Cookie parameter",
    };
    format!("{location} {}.", code(&parameter.name))
}

fn body_note(body: &Body) -> String {
    let types =
        body.contents.iter().flat_map(|content| std::iter::once(&content.media_type).chain(&content.also));
    let types: Vec<_> = types.map(|media_type| code(media_type)).collect();
    any_of(&types).map_or("Request body.".to_owned(), |types| format!("Request body, {types}."))
}

/// Returns the types that convert into an input, for the macro `object!`: `(String, NewPet)`.
///
/// These are the arguments of its constructor. If it has none, they are `()`, and the optional body:
/// `{ body: NewPet }`. The alternatives of a union convert as well: `(PetId: (String), (i64))`.
pub(super) fn conversion(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> Option<TokenStream> {
    if body.role != StructRole::Input {
        return None;
    }
    let asked: Vec<_> = body.fields.iter().filter(|field| field.is_asked()).collect();
    let types: Vec<_> = asked
        .iter()
        .map(|field| match scope.is_string(&field.schema) {
            true => quote!(String),
            false => scope.argument(&field.schema).0,
        })
        .collect();
    if let ([only], [ty]) = (asked.as_slice(), types.as_slice())
        && let Some(union) = scope.union(&only.schema)
    {
        let variants: Vec<_> = convertible(scope, union).into_iter().flatten().collect();
        return Some(if variants.is_empty() { quote!((#ty)) } else { quote!((#ty: #((#variants)),*)) });
    }
    if !types.is_empty() {
        return Some(quote!((#(#types),*)));
    }
    let has_body = operation(scope, def).is_some_and(|operation| operation.body.is_some());
    Some(match body.fields.last() {
        Some(field) if has_body && !field.required => {
            let name = ident(&field.ident);
            let ty = scope.optional_ty(&field.schema);
            quote!({ #name: #ty })
        }
        _ => quote!(()),
    })
}

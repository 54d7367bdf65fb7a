//! Field locations and conversions of inputs and responses.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::docs::code;
use super::super::scope::{Scope, ident};
use super::structs::placeholders_allowed;
use crate::ir::{Body, Location, Operation, Parameter, StructDef, StructRole, TypeDef};

/// Returns the location of each field in the message: ``Query parameter `page`.``
pub(super) fn notes(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> Vec<String> {
    match body.role {
        StructRole::Input => {
            let operation = scope.api.operations.iter().find(|operation| operation.input == Some(def.id));
            operation.map(operation_notes).unwrap_or_default()
        }
        StructRole::Response => body.fields.iter().map(|field| response_note(&field.wire)).collect(),
        StructRole::Object => Vec::new(),
    }
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
    let place = match parameter.location {
        Location::Path => "Path parameter",
        Location::Query => "Query parameter",
        Location::QueryString => "Query string",
        Location::Header => "Header parameter",
        Location::Cookie => "Cookie parameter",
    };
    format!("{place} {}.", code(&parameter.name))
}

fn body_note(body: &Body) -> String {
    let types: Vec<_> = body.contents.iter().map(|content| code(&content.media_type)).collect();
    match types.split_last() {
        Some((last, [])) => format!("Request body, {last}."),
        Some((last, others)) => format!("Request body, {} or {last}.", others.join(", ")),
        None => "Request body.".to_owned(),
    }
}

/// Emits the conversion from the only required field of an input.
///
/// ```text
/// impl From<NewPet> for CreatePetInput {
///     fn from(body: NewPet) -> Self {
///         Self::new(body)
///     }
/// }
/// ```
pub(super) fn conversions(scope: &Scope<'_>, name: &Ident, body: &StructDef) -> Option<TokenStream> {
    let mut required = body.fields.iter().filter(|field| field.is_asked());
    let (only, None) = (required.next()?, required.next()) else { return None };
    let argument = ident(&only.ident);
    let allow = placeholders_allowed(body);
    let conversion = |ty: TokenStream| {
        quote! {
            #allow
            impl From<#ty> for #name {
                fn from(#argument: #ty) -> Self {
                    Self::new(#argument)
                }
            }
        }
    };
    let ty = scope.ty(&only.schema);
    let other = if scope.is_string(&only.schema) {
        Some(conversion(quote!(&str)))
    } else {
        scope.is_byte_stream(&only.schema).then(|| conversion(quote!(rt::Bytes)))
    };
    let owned = conversion(ty);
    Some(quote!(#owned #other))
}

//! Table rows of operations.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{Text, sentence};
use super::super::literal::{count, flag, list, set};
use super::super::scope::{Scope, ident, variant};
use super::schemas::{path, reference, xml};
use crate::ir::{
    Body, Content, ContentFormat, Encoding, Encodings, ErrorUse, Errors, Kind, Location, Module, Operation,
    Parameter, Response, SecurityRequirement, SharedErrors, Status, Style, TagId,
};

/// ```text
/// pub static CREATE_PET: Operation = Operation::new("createPet", "pets", "POST", "/pets")
///     .body(Body::required(&[Content::json(&common::NEW_PET)]))
///     .responses(&[Response::code(201).contents(&[Content::json(&common::PET)])])
///     .errors(responses::API_ERRORS, &[responses::NOT_FOUND.at(404)]);
/// ```
pub(super) fn row(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let name = ident(&operation.constant);
    let Operation { id, method, path, .. } = operation;
    let tag = scope.api.tags.get(operation.tag.0).map_or("", |tag| tag.name.as_str());
    let parameters = list("parameters", operation.parameters.iter().map(|row| parameter(scope, row)));
    let body = set("body", operation.body.as_ref().map(|row| body(scope, row)));
    let responses = list("responses", operation.responses.iter().map(|row| response(scope, row)));
    let errors = errors(scope, &operation.errors);
    let security = operation.security.iter().map(|alternative| {
        let requirements = alternative.iter().filter_map(|row| requirement(scope, row));
        quote!(&[#(#requirements),*])
    });
    let security = list("security", security);
    let requires = list("requires", &operation.requires);
    let closed_query = flag("closed_query", operation.closed_query);
    let server = set("server", operation.server.as_ref());
    quote! {
        pub static #name: Operation = Operation::new(#id, #tag, #method, #path)
            #parameters #body #responses #errors #security #requires #closed_query #server;
    }
}

/// ```text
/// /// The operations of this module, in document order.
/// pub static OPERATIONS: &[&Operation] = &[&CREATE_PET, &GET_PET];
/// ```
pub(super) fn all(scope: &Scope<'_>, tag: TagId) -> TokenStream {
    let routable = scope.api.operations_of(tag).filter(|operation| operation.routable);
    let names = routable.map(|operation| ident(&operation.constant));
    quote! {
        /// The operations of this module, in document order.
        pub static OPERATIONS: &[&Operation] = &[#(&#names),*];
    }
}

/// ```text
/// /// `404`: There is no such pet.
/// pub static NOT_FOUND: Response = Response::code(404).contents(&[Content::json(&common::PROBLEM)]);
/// ```
pub(super) fn shared_error(scope: &Scope<'_>, errors: &SharedErrors, index: usize) -> Option<TokenStream> {
    let name = ident(errors.row_constants.get(index)?);
    let row = response(scope, errors.rows.get(index)?);
    let Kind::Choice(body) = &scope.api.type_def(errors.ty)?.kind else { return None };
    let docs = Text::new().foreign(Some(&sentence(&body.variants.get(index)?.docs))).attributes();
    Some(quote! {
        #docs
        pub static #name: Response = #row;
    })
}

/// ```text
/// /// The shared error responses, one row per variant of the error type.
/// pub static API_ERRORS: &[&Response] = &[&NOT_FOUND];
/// ```
pub(super) fn shared_errors(errors: &SharedErrors) -> TokenStream {
    let name = ident(&errors.constant);
    let rows = errors.row_constants.iter().map(ident);
    quote! {
        /// The shared error responses, one row per variant of the error type.
        pub static #name: &[&Response] = &[#(&#rows),*];
    }
}

/// ```text
/// Parameter::query("tags", &Schema::array(&Schema::TEXT)).explode(false)
/// ```
fn parameter(scope: &Scope<'_>, row: &Parameter) -> TokenStream {
    let name = &row.name;
    // The constructors set these.
    let (location, required, default_style, explode) = match row.location {
        Location::Path => (quote!(path), true, Style::Simple, false),
        Location::Query => (quote!(query), false, Style::Form, true),
        Location::QueryString => (quote!(query_string), false, Style::Form, true),
        Location::Header => (quote!(header), false, Style::Simple, false),
        Location::Cookie => (quote!(cookie), false, Style::Form, true),
    };
    let schema = reference(scope, &row.schema);
    let required = flag("required", row.required && !required);
    let style = set("style", (row.style != default_style).then(|| style(row.style)));
    let explode = set("explode", (row.explode != explode).then_some(row.explode));
    let allow_reserved = flag("allow_reserved", row.allow_reserved);
    let allow_empty = flag("allow_empty", row.allow_empty);
    let reason = set("reason", row.reason.as_ref());
    let content = row.content.map(format);
    if row.location == Location::QueryString {
        let encodings = list("encodings", row.encodings.iter().map(|row| encoding(scope, row)));
        return quote!(Parameter::#location(#name, #content, #schema) #required #encodings #reason);
    }
    let content = set("content", content);
    quote! {
        Parameter::#location(#name, #schema)
            #required #style #explode #allow_reserved #allow_empty #content #reason
    }
}

fn style(style: Style) -> TokenStream {
    let style = variant(style);
    quote!(Style::#style)
}

fn format(format: ContentFormat) -> TokenStream {
    match format {
        // Only contents have this format. They emit it with its root.
        ContentFormat::Xml => quote!(ContentFormat::Xml(&Xml::NONE)),
        ContentFormat::Items(framing) => {
            let framing = variant(framing);
            quote!(ContentFormat::Items(Framing::#framing))
        }
        other => {
            let format = variant(other);
            quote!(ContentFormat::#format)
        }
    }
}

fn body(scope: &Scope<'_>, row: &Body) -> TokenStream {
    let constructor = if row.required { quote!(required) } else { quote!(optional) };
    let contents = row.contents.iter().map(|row| content(scope, row));
    let limit = set("limit", row.limit.map(count));
    quote!(Body::#constructor(&[#(#contents),*]) #limit)
}

fn content(scope: &Scope<'_>, row: &Content) -> TokenStream {
    let Content { media_type, format: content_format, .. } = row;
    let schema = reference(scope, &row.schema);
    let encodings = encodings(scope, &row.encodings);
    let also = list("also", &row.also);
    if media_type == "application/json" && *content_format == ContentFormat::Json {
        return quote!(Content::json(#schema) #also #encodings);
    }
    let format = match &row.xml {
        Some(root) => {
            let root = xml(root);
            quote!(ContentFormat::Xml(&#root))
        }
        None => format(*content_format),
    };
    quote!(Content::new(#media_type, #format, #schema) #also #encodings)
}

fn encodings(scope: &Scope<'_>, rows: &Encodings) -> TokenStream {
    let named = list("encodings", rows.named.iter().map(|row| encoding(scope, row)));
    let prefix = list("prefix_encodings", rows.prefix.iter().map(|row| encoding(scope, row)));
    let item = rows.item.as_ref().map(|row| encoding(scope, row));
    let item = set("item_encoding", item.map(|row| quote!(&#row)));
    quote!(#named #prefix #item)
}

fn encoding(scope: &Scope<'_>, row: &Encoding) -> TokenStream {
    let property = &row.property;
    let new = if property.is_empty() { quote!(Encoding::part()) } else { quote!(Encoding::new(#property)) };
    let content_type = set("content_type", row.content_type.as_ref());
    let style = set("style", row.style.map(style));
    let explode = set("explode", (!row.explode).then_some(false));
    let allow_reserved = flag("allow_reserved", row.allow_reserved);
    let headers = list("headers", row.headers.iter().map(|row| header(scope, row)));
    let own_type = flag("own_type", row.own_type);
    let parts = encodings(scope, &row.parts);
    quote!(#new #content_type #style #explode #allow_reserved #headers #own_type #parts)
}

fn response(scope: &Scope<'_>, row: &Response) -> TokenStream {
    let status = status(row.status, ["code", "class", "default_response"]);
    let headers = list("headers", row.headers.iter().map(|row| header(scope, row)));
    let contents = list("contents", row.contents.iter().map(|row| content(scope, row)));
    let permanent = set("permanent", row.permanent.as_ref());
    quote!(Response::#status #headers #contents #permanent)
}

fn header(scope: &Scope<'_>, row: &Parameter) -> TokenStream {
    let name = &row.name;
    let schema = reference(scope, &row.schema);
    let required = flag("required", row.required);
    let explode = set("explode", row.explode.then_some(true));
    let content = set("content", row.content.map(format));
    quote!(Header::new(#name, #schema) #required #explode #content)
}

/// Emits `.errors(responses::API_ERRORS, &[responses::NOT_FOUND.at(404)])` or `.own_errors(&[…])`.
fn errors(scope: &Scope<'_>, errors: &Errors) -> Option<TokenStream> {
    match errors {
        Errors::None => None,
        Errors::Shared(uses) => {
            let shared = scope.api.shared_errors.as_ref()?;
            let rows = path(scope, Module::Responses, &shared.constant);
            let uses = uses.iter().filter_map(|error| error_use(scope, shared, error));
            Some(quote!(.errors(#rows, &[#(#uses),*])))
        }
        Errors::Own { rows, .. } => {
            let rows = rows.iter().map(|row| response(scope, row));
            Some(quote!(.own_errors(&[#(&#rows),*])))
        }
    }
}

fn error_use(scope: &Scope<'_>, shared: &SharedErrors, error: &ErrorUse) -> Option<TokenStream> {
    let row = path(scope, Module::Responses, shared.row_constants.get(error.row)?);
    let status = status(error.status, ["at", "at_class", "at_default"]);
    Some(quote!(#row.#status))
}

/// Emits the call of the function for a status: that of codes, of classes or of the default.
fn status(status: Status, [code, class, default]: [&str; 3]) -> TokenStream {
    let (function, argument) = match status {
        Status::Code(status) => (code, Some(count(status.into()))),
        Status::Class(status) => (class, Some(count(status.into()))),
        Status::Default => (default, None),
    };
    let function = super::bare(function);
    quote!(#function(#argument))
}

fn requirement(scope: &Scope<'_>, row: &SecurityRequirement) -> Option<TokenStream> {
    let scheme = ident(&scope.api.security_schemes.get(row.scheme)?.constant);
    let scopes = list("scopes", &row.scopes);
    Some(quote!(Requirement::new(&security::#scheme) #scopes))
}

//! Table rows of operations.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::code;
use super::super::literal::{count, option};
use super::super::scope::{Scope, ident};
use super::schemas::{path, reference};
use super::titled;
use crate::ir::{
    Body, Content, ContentFormat, Encoding, ErrorUse, Errors, FamilyId, Framing, Location, Module, Operation,
    Parameter, Response, SecurityRequirement, SharedErrors, Status, Style,
};

/// ```text
/// /// Operation `POST /pets`.
/// pub static CREATE_PET: Operation = Operation {
///     id: "createPet",
///     family: "pets",
///     method: "POST",
///     path: "/pets",
///     …
/// };
/// ```
pub(super) fn row(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let docs = titled(&format!("Operation {}", code(&format!("{} {}", operation.method, operation.path))));
    let name = ident(&operation.constant);
    let Operation { id, method, path, requires, .. } = operation;
    let family = scope.api.families.get(operation.family.0).map_or("", |family| family.tag.as_str());
    let parameters = operation.parameters.iter().map(|row| parameter(scope, row));
    let body = option(operation.body.as_ref(), |row| body(scope, row));
    let responses = operation.responses.iter().map(|row| response(scope, row));
    let errors = errors(scope, &operation.errors);
    let security = operation.security.iter().map(|alternative| {
        let requirements = alternative.iter().filter_map(|row| requirement(scope, row));
        quote!(&[#(#requirements),*])
    });
    quote! {
        #docs
        pub static #name: Operation = Operation {
            id: #id,
            family: #family,
            method: #method,
            path: #path,
            parameters: &[#(#parameters),*],
            body: #body,
            responses: &[#(#responses),*],
            errors: #errors,
            security: &[#(#security),*],
            requires: &[#(#requires),*],
        };
    }
}

/// ```text
/// /// The operations of this module, in document order.
/// pub static OPERATIONS: &[&Operation] = &[&CREATE_PET, &GET_PET];
/// ```
pub(super) fn list(scope: &Scope<'_>, family: FamilyId) -> TokenStream {
    let routable = scope.api.operations_of(family).filter(|operation| operation.routable);
    let names = routable.map(|operation| ident(&operation.constant));
    quote! {
        /// The operations of this module, in document order.
        pub static OPERATIONS: &[&Operation] = &[#(&#names),*];
    }
}

/// ```text
/// /// The shared error responses, one row per variant of the error type.
/// pub static API_ERRORS: &[Response] = &[Response { … }];
/// ```
pub(super) fn shared_errors(scope: &Scope<'_>, errors: &SharedErrors) -> TokenStream {
    let name = ident(&errors.constant);
    let rows = errors.rows.iter().map(|row| response(scope, row));
    quote! {
        /// The shared error responses, one row per variant of the error type.
        pub static #name: &[Response] = &[#(#rows),*];
    }
}

fn parameter(scope: &Scope<'_>, row: &Parameter) -> TokenStream {
    let Parameter { name, required, explode, .. } = row;
    let location = match row.location {
        Location::Path => quote!(Path),
        Location::Query => quote!(Query),
        Location::Header => quote!(Header),
        Location::Cookie => quote!(Cookie),
    };
    let style = style(row.style);
    let content = option(row.content, format);
    let schema = reference(scope, &row.schema);
    let reason = option(row.reason.as_ref(), |reason| quote!(#reason));
    quote! {
        Parameter {
            name: #name,
            location: Location::#location,
            required: #required,
            style: #style,
            explode: #explode,
            content: #content,
            schema: #schema,
            reason: #reason,
        }
    }
}

fn style(style: Style) -> TokenStream {
    match style {
        Style::Form => quote!(Style::Form),
        Style::Simple => quote!(Style::Simple),
        Style::Label => quote!(Style::Label),
        Style::Matrix => quote!(Style::Matrix),
        Style::SpaceDelimited => quote!(Style::SpaceDelimited),
        Style::PipeDelimited => quote!(Style::PipeDelimited),
        Style::DeepObject => quote!(Style::DeepObject),
    }
}

fn format(format: ContentFormat) -> TokenStream {
    match format {
        ContentFormat::Json => quote!(ContentFormat::Json),
        ContentFormat::Form => quote!(ContentFormat::Form),
        ContentFormat::Multipart => quote!(ContentFormat::Multipart),
        ContentFormat::Text => quote!(ContentFormat::Text),
        ContentFormat::Bytes => quote!(ContentFormat::Bytes),
        ContentFormat::Items(Framing::Events) => quote!(ContentFormat::Items(Framing::Events)),
        ContentFormat::Items(Framing::Lines) => quote!(ContentFormat::Items(Framing::Lines)),
        ContentFormat::Items(Framing::Sequence) => quote!(ContentFormat::Items(Framing::Sequence)),
    }
}

fn body(scope: &Scope<'_>, row: &Body) -> TokenStream {
    let required = row.required;
    let limit = option(row.limit, count);
    let contents = row.contents.iter().map(|row| content(scope, row));
    quote!(Body { required: #required, limit: #limit, contents: &[#(#contents),*] })
}

fn content(scope: &Scope<'_>, row: &Content) -> TokenStream {
    let media_type = &row.media_type;
    let format = format(row.format);
    let schema = reference(scope, &row.schema);
    let encodings = row.encodings.iter().map(encoding);
    quote! {
        Content { media_type: #media_type, format: #format, schema: #schema, encodings: &[#(#encodings),*] }
    }
}

fn encoding(row: &Encoding) -> TokenStream {
    let Encoding { property, explode, .. } = row;
    let content_type = option(row.content_type.as_ref(), |media_type| quote!(#media_type));
    let style = style(row.style);
    quote!(Encoding { property: #property, content_type: #content_type, style: #style, explode: #explode })
}

fn response(scope: &Scope<'_>, row: &Response) -> TokenStream {
    let status = status(row.status);
    let headers = row.headers.iter().map(|row| header(scope, row));
    let contents = row.contents.iter().map(|row| content(scope, row));
    let permanent = option(row.permanent.as_ref(), |property| quote!(#property));
    quote! {
        Response {
            status: #status,
            headers: &[#(#headers),*],
            contents: &[#(#contents),*],
            permanent: #permanent,
        }
    }
}

fn status(status: Status) -> TokenStream {
    match status {
        Status::Code(code) => {
            let code = count(code.into());
            quote!(Status::Code(#code))
        }
        Status::Class(class) => {
            let class = count(class.into());
            quote!(Status::Class(#class))
        }
        Status::Default => quote!(Status::Default),
    }
}

fn header(scope: &Scope<'_>, row: &Parameter) -> TokenStream {
    let Parameter { name, required, explode, .. } = row;
    let schema = reference(scope, &row.schema);
    quote!(Header { name: #name, required: #required, explode: #explode, schema: #schema })
}

fn errors(scope: &Scope<'_>, errors: &Errors) -> TokenStream {
    match errors {
        Errors::None => quote!(Errors { rows: &[], documented: &[] }),
        Errors::Shared(uses) => {
            let rows = match &scope.api.shared_errors {
                Some(shared) => path(scope, Module::Responses, &shared.constant),
                None => quote!(&[]),
            };
            let uses = uses.iter().map(error_use);
            quote!(Errors { rows: #rows, documented: &[#(#uses),*] })
        }
        Errors::Own { rows, .. } => {
            let uses =
                rows.iter().enumerate().map(|(row, response)| ErrorUse { status: response.status, row });
            let uses = uses.map(|row| error_use(&row));
            let rows = rows.iter().map(|row| response(scope, row));
            quote!(Errors { rows: &[#(#rows),*], documented: &[#(#uses),*] })
        }
    }
}

fn error_use(row: &ErrorUse) -> TokenStream {
    let status = status(row.status);
    let row = proc_macro2::Literal::usize_unsuffixed(row.row);
    quote!(ErrorUse { status: #status, row: #row })
}

fn requirement(scope: &Scope<'_>, row: &SecurityRequirement) -> Option<TokenStream> {
    let scheme = ident(&scope.api.security_schemes.get(row.scheme)?.constant);
    let scopes = &row.scopes;
    Some(quote!(Requirement { scheme: &security::#scheme, scopes: &[#(#scopes),*] }))
}

//! The validation crate: static tables, and the same constraints as JSON.

mod json;
mod json_schema_text;
mod json_schemas;
mod operations;
mod rules;
mod schemas;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

pub(super) use schemas::row_of;

use super::docs::Text;
use super::literal::{list, set};
use super::scope::{Scope, bare, ident, module_name, variant};
use super::{
    File, Imports, Item, crate_docs, fingerprint, foreign_names, has_responses, modules, rust_file, tag_docs,
    tags, undocumented, unformatted_module,
};
use crate::ir::{Api, Module, OAuthFlow, SchemeKind, SecurityScheme};
use crate::options::{CrateKind, Options};

/// The runtime's table types in import order, then the crate's modules.
const NAMES: &[&str] = &[
    "Array",
    "Body",
    "Content",
    "ContentFormat",
    "CrossRule",
    "Encoding",
    "Field",
    "Flow",
    "FlowKind",
    "Format",
    "Framing",
    "Header",
    "Integer",
    "JsonSchema",
    "Keyword",
    "Kinds",
    "Literal",
    "Names",
    "Number",
    "Object",
    "Operation",
    "Parameter",
    "Pattern",
    "Requirement",
    "Response",
    "Schema",
    "Scheme",
    "SchemeKind",
    "Style",
    "Text",
    "Width",
    "Xml",
    "common",
    "responses",
    "security",
];

/// Returns the crate's files: Rust and `rules.json`.
pub(super) fn files<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    // The JSON comes first: it is one long job, and should not be the last to start.
    let mut files = vec![rules::file(api), lib(api), security(api)];
    files.extend(modules(api).into_iter().map(|module| file(api, options, module)));
    files
}

fn lib(api: &Api) -> File<'_> {
    let head = [
        "/// The operations of all enabled features, grouped by module.",
        "static OPERATIONS: &openapi_crates_runtime::table::Operation;",
    ];
    let mut items: Vec<_> = foreign_names(api).into_iter().collect();
    items.extend([undocumented(), tags(api, &head)]);
    let names = ["common", "responses", "security"].into_iter();
    let names = names.filter(|name| *name != "responses" || has_responses(api));
    items.extend(names.map(|name| unformatted_module(true, name)));
    let docs = crate_docs(api, CrateKind::Validation).paragraph(
        "The tables describe parameters, bodies, responses, security and the constraints on values. The runtime \
         interprets them. A table has the name of its type or operation: `NEW_PET` describes the type `NewPet`, and \
         `CREATE_PET` the operation of the method `create_pet`. The file `rules.json` holds the same constraints for use in other languages.",
    );
    rust_file(CrateKind::Validation, "lib", docs, Imports::default(), items)
}

/// Returns one module: patterns, schemas, shared errors or operations, and the expected fingerprint.
fn file<'a>(api: &'a Api, options: &'a Options, module: Module) -> File<'a> {
    let item = |tokens: Box<dyn Fn(&Scope<'_>) -> TokenStream + Send + Sync + 'a>| {
        Item::new(move || {
            let models = options.crate_ident(CrateKind::Models);
            tokens(&Scope { api, module, models: Some(&models) })
        })
    };
    let patterns = api.patterns.iter().filter(|pattern| pattern.module == module);
    let mut items: Vec<_> = patterns.map(|pattern| Item::new(|| schemas::pattern(pattern))).collect();
    let rows = api
        .types_of(module)
        .map(|def| item(Box::new(|scope| schemas::named(scope, def).unwrap_or_default())));
    items.extend(rows);
    let schemas = api.json_schemas.iter().filter(|def| def.module == module);
    items.extend(schemas.map(|def| item(Box::new(|scope| json_schemas::row(scope, def)))));
    let docs = match module {
        Module::Common => Text::new().paragraph("Tables of the schemas that do not belong to a single tag."),
        Module::Responses => {
            if let Some(errors) = &api.shared_errors {
                items.extend((0..errors.rows.len()).map(|index| {
                    item(Box::new(move |scope| {
                        operations::shared_error(scope, errors, index).unwrap_or_default()
                    }))
                }));
                items.push(Item::new(|| operations::shared_errors(errors)));
            }
            Text::new().paragraph("Tables of the responses under `components/responses`.")
        }
        Module::Tag(id) => {
            let operations = api.operations_of(id);
            items.extend(
                operations.map(|operation| item(Box::new(|scope| operations::row(scope, operation)))),
            );
            items.push(item(Box::new(move |scope| operations::all(scope, id))));
            api.tags.get(id.0).map_or_else(Text::new, |tag| tag_docs(tag, "Validation tables"))
        }
    };
    items.push(Item::new(move || {
        let models = options.crate_ident(CrateKind::Models);
        fingerprint::assertion(api, module, &models).unwrap_or_default()
    }));
    rust_file(CrateKind::Validation, module_name(api, module), docs, imports(), items)
}

/// Returns `security.rs`, which holds the security schemes.
fn security(api: &Api) -> File<'_> {
    let schemes = api.security_schemes.iter().enumerate();
    let schemes = schemes.map(|(index, scheme)| {
        Item::new(move || {
            let scopes = if scheme.flows.is_empty() { BTreeSet::new() } else { api.scopes_of(index) };
            self::scheme(scheme, scopes)
        })
    });
    let schemes = schemes.collect();
    let docs = Text::new().paragraph("The API's security schemes.");
    rust_file(CrateKind::Validation, "security", docs, imports(), schemes)
}

/// ```text
/// pub static SIGN_IN: Scheme = Scheme::new("signIn", SchemeKind::Bearer)
///     .setter("sign_in")
///     .flows(&[Flow::new(FlowKind::ClientCredentials, "https://example.com/token")])
///     .scopes(&["read"]);
/// ```
fn scheme(scheme: &SecurityScheme, scopes: BTreeSet<&str>) -> TokenStream {
    let docs = Text::new()
        .foreign(scheme.description.as_deref())
        .paragraph(format!("Security scheme {}.", super::docs::code(&scheme.name)))
        .attributes();
    let (constant, name) = (ident(&scheme.constant), &scheme.name);
    let kind = match &scheme.kind {
        SchemeKind::ApiKeyHeader(header) => quote!(ApiKeyHeader(#header)),
        SchemeKind::ApiKeyQuery(parameter) => quote!(ApiKeyQuery(#parameter)),
        SchemeKind::ApiKeyCookie(cookie) => quote!(ApiKeyCookie(#cookie)),
        SchemeKind::Basic => quote!(Basic),
        SchemeKind::Bearer => quote!(Bearer),
        SchemeKind::Http(scheme) => quote!(Http(#scheme)),
        SchemeKind::MutualTls => quote!(MutualTls),
    };
    let method = scheme.method.0.trim_start_matches("r#");
    let has_setter = method != name && scheme.kind != SchemeKind::MutualTls;
    let setter = set("setter", has_setter.then_some(method));
    let flows = list("flows", scheme.flows.iter().map(flow));
    let scopes = list("scopes", scopes);
    quote! {
        #docs
        pub static #constant: Scheme = Scheme::new(#name, SchemeKind::#kind) #setter #flows #scopes;
    }
}

fn flow(flow: &OAuthFlow) -> TokenStream {
    let url = &flow.token_url;
    let kind = variant(flow.kind);
    let refresh_url = set("refresh_url", flow.refresh_url.as_ref());
    quote!(Flow::new(FlowKind::#kind, #url) #refresh_url)
}

/// ```text
/// use crate::{common, security};
/// use openapi_crates_runtime::table::{Operation, Schema};
/// ```
fn imports() -> Imports {
    Imports::new(NAMES.iter().map(|name| {
        let is_module = name.starts_with(char::is_lowercase);
        (*name, if is_module { "crate" } else { "openapi_crates_runtime::table" }, *name)
    }))
}

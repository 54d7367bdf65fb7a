//! The crate of tables: static rows for schemas, operations, errors, security; and the same as JSON.

mod cross;
mod json;
mod operations;
mod rules;
mod schemas;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, line};
use super::scope::{Scope, bare, ident, mentioned, module_name};
use super::{
    File, Item, crate_docs, families, family_docs, has_responses, modules, rust_file, unformatted_module,
};
use crate::ir::{Api, Module, SchemeKind};
use crate::options::{CrateKind, Options};

/// The names of the runtime's tables, in the order in which they are imported.
const TABLE: &[&str] = &[
    "Additional",
    "Array",
    "Body",
    "Condition",
    "Content",
    "ContentFormat",
    "CrossRule",
    "Encoding",
    "ErrorUse",
    "Errors",
    "Field",
    "Format",
    "Header",
    "Integer",
    "Literal",
    "Location",
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
    "Status",
    "Style",
    "Text",
    "Type",
    "Union",
    "Width",
];

/// The crate's files: Rust, and `rules.json`.
pub(super) fn files(api: &Api, options: &Options) -> Vec<File> {
    let models = options.crate_ident(CrateKind::Models);
    let mut files = vec![lib(api), security(api)];
    files.extend(modules(api).into_iter().map(|module| file(&Scope { api, module, models: Some(&models) })));
    files.push(rules::file(api));
    files
}

fn lib(api: &Api) -> File {
    let head = [
        "/// Every operation, family by family: those of the families that are compiled in.",
        "static OPERATIONS: &openapi_crates_runtime::table::Operation;",
    ];
    let mut items = vec![families(api, &head)];
    let names = ["common", "responses", "security"].into_iter();
    let names = names.filter(|name| *name != "responses" || has_responses(api));
    items.extend(names.map(|name| unformatted_module(true, name)));
    let docs = crate_docs(api, "The rules").paragraph(
        "Static rows that the runtime interprets: where parameters stand, what bodies may be, what values must be. \
         The same rules stand in `rules.json`, for those who write no Rust.",
    );
    rust_file(CrateKind::Validation, "lib", docs, items)
}

/// One module: patterns, schemas, then the shared errors or the family's operations.
fn file(scope: &Scope<'_>) -> File {
    let api = scope.api;
    let mut items: Vec<TokenStream> = schemas::patterns(scope);
    items.extend(api.types_of(scope.module).filter_map(|def| schemas::named(scope, def)));
    let docs = match scope.module {
        Module::Common => Text::new().paragraph("Rules of the schemas that several families have."),
        Module::Responses => {
            items.extend(api.shared_errors.as_ref().map(|errors| operations::shared_errors(scope, errors)));
            Text::new().paragraph("Rows of the responses that operations share.")
        }
        Module::Family(id) => {
            items.extend(api.operations_of(id).map(|operation| operations::row(scope, operation)));
            items.push(operations::list(scope, id));
            match api.families.get(id.0) {
                Some(family) => family_docs(family, "rules of its schemas, rows of its operations"),
                None => Text::new(),
            }
        }
    };
    with_imports(module_name(api, scope.module), docs, items)
}

/// `security.rs`: the schemes.
fn security(api: &Api) -> File {
    let schemes = api.security_schemes.iter().map(|scheme| {
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
        quote! {
            #docs
            pub static #constant: Scheme = Scheme { name: #name, kind: SchemeKind::#kind };
        }
    });
    let docs = Text::new().paragraph("How callers prove who they are.");
    with_imports("security", docs, schemes.collect())
}

/// The module's file, with the imports that its items need.
fn with_imports(name: &str, docs: Text, items: Vec<TokenStream>) -> File {
    let all = quote!(#(#items)*);
    let table = mentioned(&all, TABLE).into_iter().map(bare).collect::<Vec<_>>();
    let table = match table.as_slice() {
        [] => None,
        [only] => Some(quote!(use openapi_crates_runtime::table::#only;)),
        _ => Some(quote!(use openapi_crates_runtime::table::{#(#table),*};)),
    };
    let modules =
        mentioned(&all, &["common", "responses", "security"]).into_iter().map(bare).collect::<Vec<_>>();
    let modules = match modules.as_slice() {
        [] => None,
        [only] => Some(quote!(use crate::#only;)),
        _ => Some(quote!(use crate::{#(#modules),*};)),
    };
    let imports = table.into_iter().chain(modules);
    let items = imports.chain(items).map(Item::Tokens).collect();
    rust_file(CrateKind::Validation, name, docs, items)
}

/// A documentation line in front of a static.
fn titled(title: &str) -> TokenStream {
    line(format!("{title}."))
}

//! The crate of types: a module per family, plain data with its codec.

mod choices;
mod defaults;
mod enums;
mod inputs;
mod size;
mod structs;
mod unions;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, line};
use super::scope::{Scope, bare, module_name};
use super::{
    File, Imports, Item, List, crate_docs, families, family_docs, has_responses, modules, rust_file,
    unformatted_module,
};
use crate::ir::{Api, Kind, Module, Schema, StructRole, TypeDef};
use crate::options::CrateKind;

/// The crate's Rust files.
pub(super) fn files(api: &Api) -> Vec<File<'_>> {
    std::iter::once(lib(api)).chain(modules(api).into_iter().map(|module| file(api, module))).collect()
}

/// `lib.rs`: the list of families.
fn lib(api: &Api) -> File<'_> {
    let mut items = vec![families(api, &[]), unformatted_module(true, "common")];
    items.extend(has_responses(api).then(|| unformatted_module(true, "responses")));
    items.push(Item::new(|| {
        quote!(
            pub use openapi_crates_runtime::types;
        )
    }));
    let docs = crate_docs(api, "The types").paragraph(
        "A module, behind a feature of its own, for each family of operations: their inputs and outputs, and the \
         schemas that only they have. Every type is read and written by the runtime's codec, and by serde.",
    );
    rust_file(CrateKind::Models, "lib", docs, Imports::none(), items)
}

/// One module: its types in the order of the document, then their bridge to serde.
fn file(api: &Api, module: Module) -> File<'_> {
    let scope = Scope { api, module, models: None };
    let types = api.types_of(module).map(|def| Item::new(move || item(&scope, def)));
    let items = types.chain(bridge(api, module)).collect();
    rust_file(CrateKind::Models, module_name(api, module), module_docs(api, module), imports(), items)
}

/// ```text
/// use crate::common;
/// use openapi_crates_runtime::model as rt;
/// ```
fn imports() -> Imports<'static> {
    let import = |name: &&str| match *name {
        "rt" => quote!(
            use openapi_crates_runtime::model as rt;
        ),
        module => {
            let module = bare(module);
            quote!(use crate::#module;)
        }
    };
    let of = Box::new(move |mentioned: &[&str]| mentioned.iter().map(import).collect());
    Imports { names: &["common", "responses", "rt"], of }
}

fn module_docs(api: &Api, module: Module) -> Text {
    match module {
        Module::Common => Text::new().paragraph("Schemas that several families have."),
        Module::Responses => {
            Text::new().paragraph("Responses that operations share, and the error type made of them.")
        }
        Module::Family(family) => match api.families.get(family.0) {
            Some(family) => family_docs(family, "inputs, outputs and schemas"),
            None => Text::new(),
        },
    }
}

/// All items of one type.
fn item(scope: &Scope<'_>, def: &TypeDef) -> TokenStream {
    match &def.kind {
        Kind::Struct(body) => structs::items(scope, def, body),
        Kind::StringEnum(body) => enums::string_enum(scope, def, body),
        Kind::IntegerEnum(body) => enums::integer_enum(scope, def, body),
        Kind::Union(body) => unions::items(scope, def, body),
        Kind::Choice(body) => choices::items(scope, def, body),
        Kind::Alias(schema) => alias(scope, def, schema),
    }
}

/// ```text
/// /// Labels by name.
/// ///
/// /// Schema `Labels`.
/// pub type Labels = rt::Map<String>;
/// ```
fn alias(scope: &Scope<'_>, def: &TypeDef, schema: &Schema) -> TokenStream {
    let docs = type_docs(def, |text| text.paragraph(super::docs::value(scope, schema, None, &def.docs)))
        .attributes();
    let name = super::scope::ident(&def.name);
    let ty = scope.ty(schema);
    quote! {
        #docs
        pub type #name = #ty;
    }
}

/// Documentation of a type: what the document says, `more`, provenance, origin, deprecation, a long example.
fn type_docs(def: &TypeDef, more: impl FnOnce(Text) -> Text) -> Text {
    let text = more(Text::new().said(&def.docs)).paragraph(def.provenance.clone()).status(&def.docs);
    let example = def.docs.example.as_ref().filter(|example| example.is_object());
    let pretty = example.and_then(|example| serde_json::to_string_pretty(example).ok());
    match pretty.filter(|pretty| pretty.lines().count() <= 40) {
        Some(pretty) => {
            text.paragraph("# Example").block(super::docs::sanitise(&format!("```json\n{pretty}\n```")))
        }
        None => text,
    }
}

/// The bridge to serde, for what is a value on the wire: not for the choices among responses.
fn bridge(api: &Api, module: Module) -> Option<Item<'static>> {
    let is_value = |def: &&TypeDef| match &def.kind {
        Kind::Struct(body) => body.role != StructRole::Response,
        Kind::StringEnum(_) | Kind::IntegerEnum(_) | Kind::Union(_) => true,
        Kind::Choice(_) | Kind::Alias(_) => false,
    };
    let entries: Vec<_> = api.types_of(module).filter(is_value).map(|def| def.name.0.clone()).collect();
    let path = "openapi_crates_runtime::serde_bridge".to_owned();
    (!entries.is_empty()).then_some(Item::List(List { path, head: Vec::new(), entries }))
}

/// `#[must_use]` and a line of documentation, in front of a function.
fn pure(docs: impl Into<String>) -> TokenStream {
    let docs = line(docs);
    quote! {
        #docs
        #[must_use]
    }
}

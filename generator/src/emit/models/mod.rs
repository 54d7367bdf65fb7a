//! The models crate: a module per tag, plain data and its codec.

mod choices;
mod defaults;
mod enums;
mod inputs;
mod size;
mod structs;
mod unions;

pub use choices::error_text;
pub(super) use choices::inner_type;
pub(super) use defaults::accessor_type;
pub(super) use unions::convertible;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, line};
use super::scope::{Scope, module_name};
use super::{
    File, Imports, Item, RUNTIME, crate_docs, fingerprint, foreign_names, has_responses, modules, rust_file,
    tag_docs, tags, undocumented, unformatted_module,
};
use crate::ir::{Api, Kind, Module, Schema, StructRole, TypeDef};
use crate::options::CrateKind;

/// Returns the crate's Rust files.
pub(super) fn files(api: &Api) -> Vec<File<'_>> {
    std::iter::once(lib(api)).chain(modules(api).into_iter().map(|module| file(api, module))).collect()
}

/// Returns `lib.rs`, which lists the tags.
fn lib(api: &Api) -> File<'_> {
    let mut items: Vec<_> = foreign_names(api).into_iter().collect();
    items.extend([undocumented(), tags(api, &[]), unformatted_module(true, "common")]);
    items.extend(has_responses(api).then(|| unformatted_module(true, "responses")));
    items.push(Item::new(|| quote! { pub use openapi_crates_runtime::types; }));
    let docs = crate_docs(api, CrateKind::Models).paragraph(
        "Each tag has a module and a Cargo feature. The module holds the inputs and outputs of the tag's operations \
         and the schemas that belong to this tag alone. Every type implements the runtime's codec; schemas and inputs \
         implement serde's `Serialize` and `Deserialize` as well.",
    );
    rust_file(CrateKind::Models, "lib", docs, Imports::default(), items)
}

/// Returns one module: its types in document order, then their serde implementations and fingerprint.
fn file(api: &Api, module: Module) -> File<'_> {
    let scope = Scope { api, module, models: None };
    let types = api.types_of(module).map(|def| Item::new(move || item(&scope, def)));
    let fingerprint = Item::new(move || fingerprint::constant(api, module).unwrap_or_default());
    let items = types.chain(bridge(api, module)).chain([fingerprint]).collect();
    rust_file(CrateKind::Models, module_name(api, module), module_docs(api, module), imports(), items)
}

/// ```text
/// use crate::common;
/// use openapi_crates_runtime::model as rt;
/// ```
fn imports() -> Imports {
    Imports::new([
        ("common", "", "crate::common"),
        ("responses", "", "crate::responses"),
        ("rt", RUNTIME, "model as rt"),
    ])
}

fn module_docs(api: &Api, module: Module) -> Text {
    match module {
        Module::Common => Text::new().paragraph("Schemas that do not belong to a single tag."),
        Module::Responses => Text::new()
            .paragraph("Responses under `components/responses` and the error type built from them."),
        Module::Tag(tag) => {
            let tag = api.tags.get(tag.0);
            tag.map_or_else(Text::new, |tag| tag_docs(tag, "Inputs, outputs and schemas"))
        }
    }
}

/// Returns all items of one type.
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
    let docs = match super::validation::row_of(scope.api, def.id).filter(|same| same.id != def.id) {
        // The other type has the documentation, unless this one has a description of its own.
        Some(same) if same.docs.description == def.docs.description => Text::new().status(&def.docs),
        Some(_) => Text::new().described(&def.docs).status(&def.docs),
        None => {
            type_docs(scope, def, |text| text.paragraph(super::docs::value(scope, schema, None, &def.docs)))
        }
    };
    let docs = docs.attributes();
    let name = super::scope::ident(&def.name);
    let ty = scope.ty(schema);
    quote! {
        #docs
        pub type #name = #ty;
    }
}

/// Returns the documentation of a type.
///
/// It has the description, `more`, provenance, deprecation and a long example. Without a description, the provenance
/// comes first.
fn type_docs(scope: &Scope<'_>, def: &TypeDef, more: impl FnOnce(Text) -> Text) -> Text {
    let description = Text::new().described(&def.docs);
    let text = if description.is_empty() {
        more(description.paragraph(def.provenance.sentence()))
    } else {
        more(description).paragraph(def.provenance.sentence())
    };
    let text = match def.also {
        Some(also) => super::docs::added(scope.api, text, also, matches!(def.kind, Kind::Struct(_))),
        None => text,
    };
    let text = text.status(&def.docs);
    let example = def.docs.example.as_ref().filter(|example| example.is_object());
    let pretty = example.and_then(|example| serde_json::to_string_pretty(example).ok());
    match pretty.filter(|pretty| pretty.lines().count() <= 40) {
        Some(pretty) => {
            text.paragraph("# Example").block(super::docs::sanitise(&format!("```json\n{pretty}\n```")))
        }
        None => text,
    }
}

/// Returns the serde implementations of types that are a single JSON value. Choices and responses have none.
fn bridge(api: &Api, module: Module) -> Option<Item<'static>> {
    let is_input = |kind: &Kind| matches!(kind, Kind::Struct(body) if body.role == StructRole::Input);
    let is_value = |def: &&TypeDef| def.kind.has_derives() || is_input(&def.kind);
    let entries: Vec<_> = api.types_of(module).filter(is_value).map(|def| def.name.0.clone()).collect();
    (!entries.is_empty()).then(|| Item::list("serde_bridge", &[], entries))
}

/// Returns a line of documentation and `#[must_use]` for a function.
fn pure(docs: impl Into<String>) -> TokenStream {
    let docs = line(docs);
    quote! {
        #docs
        #[must_use]
    }
}

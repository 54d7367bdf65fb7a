//! Turns the intermediate representation into Rust.
//!
//! There is one module per generated crate and one function per kind of item.
//!
//! The code of one tag does not depend on the other tags of the document, so a new tag leaves the code of all
//! others unchanged. The imports of a file depend on the content of that file only.

mod calls;
mod client;
mod docs;
mod fingerprint;
mod literal;
mod manifest;
mod models;
mod outside;
#[cfg(test)]
mod sample;
mod scope;
mod server;
#[cfg(test)]
mod tests;
mod validation;
mod value;

use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Api, Field, Module, Schema};
use crate::options::{CrateKind, Options};

/// The name of the runtime in code.
const RUNTIME: &str = "openapi_crates_runtime";

pub use manifest::runtime_features;
pub use models::error_text;
pub use outside::Outside;
use scope::Scope;
pub use scope::module_name;

/// A file that is not rendered yet: its path and its contents.
pub struct File<'a> {
    /// The path, relative to the output folder: `models/src/pets.rs`.
    pub path: String,
    /// The contents.
    pub contents: Contents<'a>,
}

/// Builds a value later, on any thread. Tokens are not `Send`, and all of them at once would take much
/// memory.
pub type Later<'a, T> = Box<dyn Fn() -> T + Send + Sync + 'a>;

/// The contents of a file.
pub enum Contents<'a> {
    /// A Rust module.
    Rust(RustFile<'a>),
    /// A manifest.
    Toml(String),
    /// JSON.
    Json(Later<'a, String>),
}

/// A Rust module, before it is formatted.
pub struct RustFile<'a> {
    /// The lines of the module documentation (`//!`), ready for rustdoc.
    pub docs: Vec<String>,
    /// The imports, which depend on the items.
    pub imports: Imports,
    /// The items, in order.
    pub items: Vec<Item<'a>>,
}

/// The imports of a module, limited to the names that its items mention.
#[derive(Default)]
pub struct Imports {
    /// The names with which a path can begin. The name of a module, in lower case, counts only in front of
    /// `::`, because fields can have the same name.
    pub names: Vec<&'static str>,
    /// The root and the rest of the path of each name. Names of one root share an import, unless the root is empty.
    pub paths: Vec<(String, String)>,
}

impl Imports {
    /// Creates imports from names, each with the root and the rest of its path.
    fn new<'p>(rows: impl IntoIterator<Item = (&'static str, &'p str, &'p str)>) -> Self {
        let rows = rows.into_iter().map(|(name, root, rest)| (name, (root.to_owned(), rest.to_owned())));
        let (names, paths) = rows.unzip();
        Self { names, paths }
    }
}

/// Returns the imports of these paths: `use root::{one, other};`.
pub fn imports_of<'p>(paths: impl Iterator<Item = &'p (String, String)>) -> String {
    let mut roots: IndexMap<&str, Vec<&str>> = IndexMap::new();
    paths.for_each(|(root, rest)| roots.entry(root).or_default().push(rest));
    let import = |(root, rests): (&str, Vec<&str>)| match rests.as_slice() {
        several if root.is_empty() => several.iter().map(|path| format!("use {path};")).collect(),
        [only] => format!("use {root}::{only};"),
        several => format!("use {root}::{{{}}};", several.join(", ")),
    };
    roots.into_iter().map(import).collect()
}

/// An item of a Rust module, before it is formatted.
pub enum Item<'a> {
    /// Items of any kind.
    Tokens(Later<'a, TokenStream>),
    /// The text of an item.
    Text(String),
}

impl<'a> Item<'a> {
    fn new(tokens: impl Fn() -> TokenStream + Send + Sync + 'a) -> Self {
        Self::Tokens(Box::new(tokens))
    }

    /// Creates a call of a macro whose input is a list, with a line for each entry after these lines.
    ///
    /// ```text
    /// openapi_crates_runtime::tags! {
    ///     "toys" => toys,
    /// }
    /// ```
    fn list(name: &str, head: &[&str], entries: impl IntoIterator<Item = String>) -> Self {
        let head = head.iter().map(|line| format!("    {line}\n"));
        let entries = entries.into_iter().map(|entry| format!("    {entry},\n"));
        let lines: String = head.chain(entries).collect();
        Self::Text(format!("{RUNTIME}::{name}! {{\n{lines}}}"))
    }
}

/// Returns the files of all selected crates, ordered by crate and tag.
pub fn emit<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    let mut files = Vec::new();
    for kind in options.all_crates() {
        files.push(manifest::manifest(api, options, kind));
        files.extend(match kind {
            CrateKind::Models => models::files(api),
            CrateKind::Validation => validation::files(api, options),
            CrateKind::Server => server::files(api, options),
            CrateKind::Client => client::files(api, options),
        });
    }
    files
}

/// Returns the Rust type of a schema, as other crates name it: `pet_store_models::pets::Pet`.
pub fn model_type(api: &Api, schema: &Schema, options: &Options) -> String {
    Outside::new(api, options).ty(schema)
}

/// Returns the Rust type of a schema, as this module of the models names it: `Option<common::Task>`.
pub fn type_within(api: &Api, module: Module, schema: &Schema) -> String {
    scope::tidy(&Scope { api, module, models: None }.ty(schema))
}

/// Returns the Rust type of a field, as this module of the models names it.
pub fn field_type_within(api: &Api, module: Module, field: &Field) -> String {
    scope::tidy(&Scope { api, module, models: None }.field_ty(field))
}

/// Returns the static that holds the table row of a type, as other crates name it: `pet_store_validation::pets::PET`.
///
/// Returns `None` if the type has no row.
pub fn table_row(api: &Api, id: crate::ir::TypeId, options: &Options) -> Option<String> {
    let row = validation::row_of(api, id)?;
    let (validation, module) =
        (options.crate_ident(CrateKind::Validation), scope::module_ident(api, row.module));
    Some(format!("{validation}::{module}::{}", row.constant))
}

/// Returns the Rust file with this name in this crate.
fn rust_file<'a>(
    kind: CrateKind,
    name: &str,
    docs: docs::Text,
    imports: Imports,
    items: Vec<Item<'a>>,
) -> File<'a> {
    let name = name.trim_start_matches("r#");
    let path = format!("{}/src/{name}.rs", kind.folder());
    File { path, contents: Contents::Rust(RustFile { docs: docs.into_lines(), imports, items }) }
}

/// Returns the modules of types and tables: `common`, `responses` unless it is empty, and one per tag.
pub fn modules(api: &Api) -> Vec<Module> {
    let mut modules = vec![Module::Common];
    modules.extend(has_responses(api).then_some(Module::Responses));
    modules.extend((0..api.tags.len()).map(|index| Module::Tag(crate::ir::TagId(index))));
    modules
}

/// Returns whether there is a module `responses`.
fn has_responses(api: &Api) -> bool {
    api.shared_errors.is_some() || api.types_of(Module::Responses).next().is_some()
}

/// Returns the call of `openapi_crates_runtime::tags!`, with a line per tag.
fn tags(api: &Api, head: &[&str]) -> Item<'static> {
    let entry = |tag: &crate::ir::Tag| {
        let module = &tag.module;
        // The compiler derives a module's file name only if the module's name is ASCII.
        let file = if module.0.is_ascii() { String::new() } else { format!(" in \"{module}.rs\"") };
        format!("\"{module}\" => {module}{file}")
    };
    Item::list("tags", head, api.tags.iter().map(entry))
}

/// Returns `#[rustfmt::skip] pub mod common;`.
///
/// The attribute stops `cargo fmt` from formatting the module's file again.
fn unformatted_module(public: bool, name: &'static str) -> Item<'static> {
    Item::new(move || {
        let visibility = public.then(|| quote!(pub));
        let name = scope::local(name);
        quote! { #[rustfmt::skip] #visibility mod #name; }
    })
}

/// Returns the attribute for items that the document does not describe. They have no documentation.
fn undocumented() -> Item<'static> {
    Item::new(|| quote!(#![allow(missing_docs, reason = "not everything has a description")]))
}

/// Allows the lints about characters of names, if the document's names are not all ASCII. They apply to whole crates.
fn foreign_names(api: &Api) -> Option<Item<'static>> {
    let allow = || {
        quote!(
            #![allow(
                confusable_idents,
                mixed_script_confusables,
                uncommon_codepoints,
                reason = "the API description defines the names"
            )]
        )
    };
    (!api.is_named_in_ascii()).then(|| Item::new(allow))
}

/// Returns one sentence about a crate, for its documentation and its manifest.
fn crate_summary(api: &Api, kind: CrateKind) -> String {
    let what = match kind {
        CrateKind::Models => "Request, response and schema types",
        CrateKind::Validation => "Validation tables",
        CrateKind::Server => "Server traits and routing",
        CrateKind::Client => "HTTP client",
    };
    format!("{what} for {}.", docs::sanitise(&api.title).join(" "))
}

/// Returns the documentation of a crate: the summary, then the API's description.
fn crate_docs(api: &Api, kind: CrateKind) -> docs::Text {
    docs::Text::new().paragraph(crate_summary(api, kind)).foreign(api.description.as_deref())
}

/// Returns ``the `pets` operations``. Operations without a tag are in the module `operations`.
fn operations_text(tag: &crate::ir::Tag) -> String {
    match tag.name.as_str() {
        "operations" => "the operations".to_owned(),
        tag => format!("the {} operations", docs::code(tag)),
    }
}

/// Returns the documentation of a tag's module; `what` describes its content.
fn tag_docs(tag: &crate::ir::Tag, what: &str) -> docs::Text {
    docs::Text::new()
        .paragraph(format!("{what} of {}.", operations_text(tag)))
        .foreign(tag.description.as_deref())
}

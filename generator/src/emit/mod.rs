//! From the intermediate representation to Rust: one module per generated crate, one function per item kind.
//!
//! Nothing emitted for one family depends on which other families there are, so that a new family moves no other
//! family's code. What is emitted for a file depends on that file's content alone, its imports included.

mod calls;
mod client;
mod docs;
mod literal;
mod manifest;
mod models;
#[cfg(test)]
mod sample;
mod scope;
mod server;
#[cfg(test)]
mod tests;
mod validation;
mod value;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Api, Module, Schema};
use crate::options::{CrateKind, Options};

/// A file to be: where, and what.
pub struct File<'a> {
    /// The path from the folder of the generated crates: `models/src/pets.rs`.
    pub path: String,
    /// What is in it.
    pub contents: Contents<'a>,
}

/// What is made later, on any thread: tokens can't travel from one to another, and would take much memory all at once.
pub type Later<'a, T> = Box<dyn Fn() -> T + Send + Sync + 'a>;

/// What is in a file.
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
    /// What it is for (`//!`), fit for rustdoc.
    pub docs: Vec<String>,
    /// Its imports, which depend on its items.
    pub imports: Imports<'a>,
    /// Its items, in order.
    pub items: Vec<Item<'a>>,
}

/// The imports of a module: those whose names its items mention.
pub struct Imports<'a> {
    /// Names with which paths may begin. A module's name, in lower case, only counts in front of `::`, because fields
    /// may have the same.
    pub names: &'static [&'static str],
    /// The imports, if these names are mentioned (a subset, in the same order).
    pub of: Box<ImportsOf<'a>>,
}

/// The imports of the names that are mentioned.
type ImportsOf<'a> = dyn Fn(&[&str]) -> Vec<TokenStream> + Send + Sync + 'a;

impl Imports<'_> {
    /// None.
    fn none() -> Self {
        Self { names: &[], of: Box::new(|_| Vec::new()) }
    }
}

/// An item of a Rust module, before it is formatted.
pub enum Item<'a> {
    /// Any items.
    Tokens(Later<'a, TokenStream>),
    /// A call of a macro whose input is a list, which is written one entry a line.
    List(List),
}

impl<'a> Item<'a> {
    fn new(tokens: impl Fn() -> TokenStream + Send + Sync + 'a) -> Self {
        Self::Tokens(Box::new(tokens))
    }
}

/// A call of a macro whose input is a list.
#[derive(Debug, Clone)]
pub struct List {
    /// The macro's path.
    pub path: String,
    /// Lines in front of the list.
    pub head: Vec<String>,
    /// The entries.
    pub entries: Vec<String>,
}

/// The files of all crates that are wanted, in a fixed order: crate by crate, family by family.
#[must_use]
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

/// The Rust type of a schema, as code that depends on the crate of models names it: `pet_store_models::pets::Pet`.
#[must_use]
pub fn model_type(api: &Api, schema: &Schema, options: &Options) -> String {
    scope::outside(api, schema, &options.crate_ident(CrateKind::Models)).to_string()
}

/// The Rust file of this crate and name.
fn rust_file<'a>(
    kind: CrateKind,
    name: &str,
    docs: docs::Text,
    imports: Imports<'a>,
    items: Vec<Item<'a>>,
) -> File<'a> {
    let name = name.trim_start_matches("r#");
    let path = format!("{}/src/{name}.rs", kind.folder());
    File { path, contents: Contents::Rust(RustFile { docs: docs.into_lines(), imports, items }) }
}

/// The modules of types and tables: `common`, `responses` if something is in it, each family.
fn modules(api: &Api) -> Vec<Module> {
    let mut modules = vec![Module::Common];
    modules.extend(has_responses(api).then_some(Module::Responses));
    modules.extend((0..api.families.len()).map(|place| Module::Family(crate::ir::FamilyId(place))));
    modules
}

/// Whether there is a module `responses`.
fn has_responses(api: &Api) -> bool {
    api.shared_errors.is_some() || api.types_of(Module::Responses).next().is_some()
}

/// `openapi_crates_runtime::families! { … }`: a line for each family.
fn families(api: &Api, head: &[&str]) -> Item<'static> {
    let entry = |family: &crate::ir::Family| {
        let crate::ir::Family { feature, module, .. } = family;
        // The compiler finds the files of modules by names of ASCII only.
        let file = if module.0.is_ascii() { String::new() } else { format!(" in \"{module}.rs\"") };
        format!("\"{feature}\" => {module}{file}")
    };
    Item::List(List {
        path: "openapi_crates_runtime::families".to_owned(),
        head: head.iter().map(|line| (*line).to_owned()).collect(),
        entries: api.families.iter().map(entry).collect(),
    })
}

/// `#[rustfmt::skip] pub mod common;`: a module whose file `cargo fmt` is not to follow, because it is formatted already.
fn unformatted_module(public: bool, name: &'static str) -> Item<'static> {
    Item::new(move || {
        let visibility = public.then(|| quote!(pub));
        let name = scope::local(name);
        quote! { #[rustfmt::skip] #visibility mod #name; }
    })
}

/// Documentation of a crate: what it is, of which API, and what the API says about itself.
fn crate_docs(api: &Api, what: &str) -> docs::Text {
    let title = docs::sanitise(&api.title).join(" ");
    docs::Text::new().paragraph(format!("{what} of {title}.")).foreign(api.description.as_deref())
}

/// Documentation of a family's module: what of the family is in it, and what the document says about it.
fn family_docs(family: &crate::ir::Family, what: &str) -> docs::Text {
    docs::Text::new()
        .paragraph(format!("{}: {what}.", docs::code(&family.tag)))
        .foreign(family.description.as_deref())
}

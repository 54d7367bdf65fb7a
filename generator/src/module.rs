//! The generated types as one module, for crates that generate code when they are built.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::file_tree::FileTree;
use crate::render::RenderError;

/// The folder of the types' files.
const FOLDER: &str = "models/src/";

impl FileTree {
    /// Returns the generated types as the text of one module.
    ///
    /// A build script writes it to a file, and the crate includes that file in a module of any name. The text holds
    /// a module for each file of the crate of types, and `types`. The including crate depends on
    /// `openapi-crates-runtime`, and on what [`Options::dependencies`](crate::Options::dependencies) names.
    ///
    /// # Errors
    /// Returns an error if a file of the tree is not Rust, which the generator never writes.
    ///
    /// # Example
    /// In `build.rs`:
    ///
    /// ```no_run
    /// use openapi_crates::{CrateKind, Options, generate};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// println!("cargo::rerun-if-changed=petstore.yaml");
    /// let text = std::fs::read_to_string("petstore.yaml")?;
    /// let options = Options::new("petstore", "petstore.yaml").crates([CrateKind::Models]);
    /// let generated = generate("petstore.yaml", &text, &options)?;
    /// let files = generated.files.ok_or_else(|| generated.report.to_string())?;
    /// let out = std::env::var("OUT_DIR")?;
    /// std::fs::write(format!("{out}/petstore.rs"), files.types_module()?)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// In `lib.rs`:
    ///
    /// ```text
    /// /// The types of the petstore.
    /// pub mod petstore {
    ///     include!(concat!(env!("OUT_DIR"), "/petstore.rs"));
    /// }
    /// ```
    pub fn types_module(&self) -> Result<String, RenderError> {
        let mut module = TokenStream::new();
        for (path, text) in self.iter() {
            let name = path.strip_prefix(FOLDER).and_then(|file| file.strip_suffix(".rs"));
            // `lib.rs` only lists the others, each behind a feature that the including crate does not have.
            let Some(name) = name.filter(|name| *name != "lib") else { continue };
            let name: Ident = syn::parse_str(name).map_err(|error| no_rust(path, &error))?;
            let file = syn::parse_file(text).map_err(|error| no_rust(path, &error))?;
            let contents = relative(file.into_token_stream());
            module.extend(quote! {
                #[allow(missing_docs, reason = "not everything has a description")]
                pub mod #name { #contents }
            });
        }
        module.extend(quote! { pub use openapi_crates_runtime::types; });
        let file = syn::parse2(module).map_err(|error| no_rust(FOLDER, &error))?;
        Ok(prettyplease::unparse(&file))
    }
}

/// Replaces `crate` by `super`: every file is one level below the root of the crate of types.
fn relative(tokens: TokenStream) -> TokenStream {
    let relative = |token| match token {
        TokenTree::Ident(name) if name == "crate" => Ident::new("super", name.span()).into(),
        TokenTree::Group(group) => Group::new(group.delimiter(), relative(group.stream())).into(),
        other => other,
    };
    tokens.into_iter().map(relative).collect()
}

fn no_rust(path: &str, error: &syn::Error) -> RenderError {
    RenderError { path: path.to_owned(), message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use crate::{Options, generate};

    const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Zoo, version: 1.0.0}
paths:
  /a:
    get: {operationId: getA, tags: [keepers], responses: {'200': {$ref: '#/components/responses/Animal'}}}
  /b:
    get: {operationId: getB, tags: [visits], responses: {'200': {$ref: '#/components/responses/Animal'}}}
components:
  responses:
    Animal:
      description: An animal.
      content: {application/json: {schema: {$ref: '#/components/schemas/Animal'}}}
  schemas:
    Animal:
      type: object
      description: Not `crate::Plant`.
      properties: {keeper: {$ref: '#/components/schemas/Keeper'}}
    Keeper: {type: object, x-family: keepers, properties: {visit: {$ref: '#/components/schemas/Visit'}}}
    Visit: {type: object, x-family: visits, properties: {animal: {$ref: '#/components/schemas/Animal'}}}
";

    fn module() -> String {
        let generated = generate("zoo.yaml", DOCUMENT, &Options::new("zoo", "zoo.yaml")).unwrap();
        generated.files.expect("the document has no errors").types_module().unwrap()
    }

    #[test]
    fn paths_do_not_depend_on_where_the_module_is() {
        let module = module();
        for expected in
            ["use super::common;", "Option<Box<super::keepers::Keeper>>", "Option<Box<super::visits::Visit>>"]
        {
            assert!(module.contains(expected), "`{expected}` is not in:\n{module}");
        }
        let code: Vec<&str> = module.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        assert!(!code.concat().contains("crate::"), "{module}");
        assert!(module.contains("/// Not `crate::Plant`."), "documentation stays as it is:\n{module}");
    }

    #[test]
    fn every_file_becomes_a_module() {
        let module: syn::File = syn::parse_file(&module()).unwrap();
        let names = module.items.iter().filter_map(|item| match item {
            syn::Item::Mod(item) => Some(item.ident.to_string()),
            _ => None,
        });
        assert_eq!(names.collect::<Vec<_>>(), ["common", "keepers", "visits"]);
    }
}

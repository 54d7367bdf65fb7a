//! The generated types as programs outside of the crates name them.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

use super::{
    models,
    scope::{Scope, local, tidy},
};
use crate::ir::{Api, Choice, Field, Module, Schema, TypeDef, UnionDef};
use crate::options::{CrateKind, Options};

/// A program outside of the generated crates, which begins paths with their names: `pet_store_models::pets::Pet`.
pub struct Outside<'a> {
    api: &'a Api,
    models: String,
}

impl<'a> Outside<'a> {
    /// Creates a program that uses the crates of this document.
    pub fn new(api: &'a Api, options: &Options) -> Self {
        Self { api, models: options.crate_ident(CrateKind::Models) }
    }

    /// Creates a program that calls the models crate `models`, to compare the crates of two documents.
    pub fn of_any_crate(api: &'a Api) -> Self {
        Self { api, models: "models".to_owned() }
    }

    /// Returns the path of a type: `models::pets::Pet`.
    pub fn path(&self, def: &TypeDef) -> String {
        self.written(self.scope().path(def))
    }

    /// Returns the type of an argument for a value of this schema: `impl Into<String>`.
    pub fn argument(&self, schema: &Schema) -> String {
        let (ty, converts) = self.scope().argument(schema);
        let ty = self.written(ty);
        if converts { format!("impl Into<{ty}>") } else { ty }
    }

    /// Returns the traits that a type derives, as far as they depend on the document or on the settings.
    pub fn derives(&self, def: &TypeDef) -> Vec<String> {
        let scope = self.scope();
        let usual = if scope.is_read_once(&def.kind) { &[][..] } else { &["Clone", "PartialEq"] };
        let chosen = self
            .api
            .derives
            .iter()
            .filter(|derive| def.kind.has_derives() && !derive.left_out.contains(&def.id));
        let chosen = chosen.map(|derive| derive.path.as_str().to_owned());
        usual.iter().map(|name| (*name).to_owned()).chain(chosen).collect()
    }

    /// Returns the Rust type of a schema.
    pub fn ty(&self, schema: &Schema) -> String {
        self.written(self.scope().ty(schema))
    }

    /// Returns the Rust type of a field.
    pub fn field_ty(&self, field: &Field) -> String {
        self.written(self.scope().field_ty(field))
    }

    /// Returns the type that the accessor of a field's default returns, if the field has an accessor.
    pub fn accessor_ty(&self, field: &Field) -> Option<String> {
        models::accessor_type(&self.scope(), field).map(|ty| self.written(ty))
    }

    /// Returns the type of all documented alternatives, if they have the same.
    pub fn inner(&self, choice: &Choice) -> Option<String> {
        models::inner_type(&self.scope(), choice).map(|ty| self.written(ty))
    }

    /// Returns for each variant of a union the type that converts into it, if one does.
    pub fn conversions(&self, union: &UnionDef) -> Vec<Option<String>> {
        let types = models::convertible(&self.scope(), union);
        types.into_iter().map(|ty| ty.map(|ty| self.written(ty))).collect()
    }

    /// Returns a scope whose paths begin with a module of the models or with the crate itself.
    fn scope(&self) -> Scope<'_> {
        // Paths in the common module look like paths that are imported from it.
        Scope { api: self.api, module: Module::Common, models: Some(&self.models) }
    }

    fn written(&self, ty: TokenStream) -> String {
        tidy(&qualified(ty, &local(&self.models)))
    }
}

/// Puts the models crate in front of paths that begin with one of its modules.
fn qualified(tokens: TokenStream, root: &Ident) -> TokenStream {
    let own = ["common", "responses", "types"];
    let mut is_beginning = true;
    let qualify = |token: TokenTree| {
        let token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), qualified(group.stream(), root)).into(),
            other => other,
        };
        let is_own = matches!(&token, TokenTree::Ident(name) if own.iter().any(|own| name == own));
        let tokens = if is_own && is_beginning { quote!(#root::#token) } else { quote!(#token) };
        // A token after a colon continues a path.
        is_beginning = !matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        tokens
    };
    tokens.into_iter().map(qualify).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_begin_with_the_crate() {
        let tokens = quote!((types::Map<Vec<common::Task>, pets_models::common::types::X>,));
        let expected =
            quote!((pets_models::types::Map<Vec<pets_models::common::Task>, pets_models::common::types::X>,));
        let found = qualified(tokens, &local("pets_models"));
        assert_eq!(found.to_string(), expected.to_string());
    }
}

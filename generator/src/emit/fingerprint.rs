//! The fingerprint of what generated models and tables must agree on.
//!
//! A checker compares the fields of a value with the rows of a table by their positions. Models and tables of
//! different documents could take one field for another. So both crates carry the fingerprint, and the compiler
//! compares them.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::docs::line;
use super::scope::{Scope, bare, module_ident};
use crate::ir::{Additional, Api, Kind, Module, TypeDef};
use crate::names::hash;

/// ```text
/// /// Fingerprint of this module's types, which the validation tables expect.
/// pub const FINGERPRINT: u64 = 0x0123_4567_89ab_cdef;
/// ```
///
/// A module has its own, so that adding a tag changes no code of other modules.
pub(super) fn constant(api: &Api, module: Module) -> Option<TokenStream> {
    let fingerprint = literal(api, module)?;
    let docs = line("Fingerprint of this module's types, which the validation tables expect.");
    Some(quote! {
        #docs
        pub const FINGERPRINT: u64 = #fingerprint;
    })
}

/// ```text
/// const _: () = openapi_crates_runtime::table::agree(pet_store_models::pets::FINGERPRINT, 0x0123_4567_89ab_cdef);
/// ```
pub(super) fn assertion(api: &Api, module: Module, models: &str) -> Option<TokenStream> {
    let fingerprint = literal(api, module)?;
    let (models, module) = (bare(models), module_ident(api, module));
    Some(quote! {
        const _: () = openapi_crates_runtime::table::agree(#models::#module::FINGERPRINT, #fingerprint);
    })
}

/// Returns the fingerprint of a module that has types.
fn literal(api: &Api, module: Module) -> Option<Literal> {
    let mut types = api.types_of(module).peekable();
    types.peek()?;
    let text = types.map(|def| describe(api, def)).collect::<String>();
    let digits = format!("{:016x}", hash(&text));
    let groups: Vec<&str> = (0..4).filter_map(|group| digits.get(group * 4..group * 4 + 4)).collect();
    format!("0x{}", groups.join("_")).parse().ok()
}

/// Returns the name of a type, the names and order of what it holds, and their Rust types.
fn describe(api: &Api, def: &TypeDef) -> String {
    // Paths in the common module name the module of each type.
    let scope = Scope { api, module: Module::Common, models: Some("models") };
    let mut text = format!("{} {}", scope.path(def), matches!(def.kind, Kind::Struct(_)));
    match &def.kind {
        Kind::Struct(def) => {
            text.extend(def.fields.iter().map(|field| format!("{:?}{}", field.wire, field.required)));
            text.push_str(&matches!(def.additional, Additional::Forbidden).to_string());
        }
        Kind::StringEnum(def) => {
            text.extend(def.variants.iter().map(|variant| format!("{:?}", variant.wire)))
        }
        Kind::IntegerEnum(def) => {
            text.extend(def.variants.iter().map(|variant| format!("{},", variant.wire)))
        }
        Kind::Union(_) | Kind::Alias(_) | Kind::Choice(_) => {}
    }
    def.kind.schemas(&mut |schema| text.push_str(&format!("{};", scope.ty(schema))));
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample::lowered;
    use super::*;

    fn fingerprint_of(pet: &str) -> String {
        let head =
            "{openapi: 3.1.0, info: {title: Pets, version: '1'}, paths: {}, components: {schemas: {Pet: ";
        let api = lowered(&format!("{head}{pet}}}}}}}"));
        literal(&api, Module::Common).unwrap().to_string()
    }

    #[test]
    fn properties_that_checks_rely_on_change_the_fingerprint() {
        let pet = |properties: &str| format!("{{type: object, properties: {{{properties}}}}}");
        let base = pet("a: {type: string}, b: {type: string}");
        let differing = [
            pet("b: {type: string}, a: {type: string}"),
            pet("a: {type: string}, c: {type: string}"),
            pet("a: {type: string}, b: {type: integer}"),
            pet("a: {type: string}"),
            "{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}".to_owned(),
            "{type: string, enum: [a, b]}".to_owned(),
            "{type: string, enum: [a, c]}".to_owned(),
            "{type: integer, enum: [1, 2]}".to_owned(),
            "{oneOf: [{type: string}, {type: integer}]}".to_owned(),
            "{oneOf: [{type: integer}, {type: string}]}".to_owned(),
        ];
        let mut found: Vec<_> = differing.iter().map(|pet| fingerprint_of(pet)).collect();
        found.push(fingerprint_of(&base));
        let count = found.len();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    #[test]
    fn documentation_and_constraints_do_not_change_the_fingerprint() {
        let plain = "{type: object, properties: {a: {type: string}}}";
        let documented = "{type: object, description: A pet., properties: {a: {type: string, maxLength: 5, description: x}}}";
        assert_eq!(fingerprint_of(plain), fingerprint_of(documented));
    }
}

//! Types and arguments of the generated code as texts, to compare two documents.
//!
//! Paths begin with `models`, whatever the crates are called and whichever module they are seen from.

use super::models::conversions;
use super::scope::{Scope, outside, outside_tokens, tidy};
use crate::ir::{Api, Field, Kind, Module, Schema, StructDef, TypeDef, UnionDef};

/// The name of the models crate in these texts.
const MODELS: &str = "models";

fn scope(api: &Api) -> Scope<'_> {
    Scope { api, module: Module::Common, models: Some(MODELS) }
}

/// Returns the path of a type: `models::pets::Pet`.
#[must_use]
pub fn path(api: &Api, def: &TypeDef) -> String {
    tidy(&outside_tokens(scope(api).path(def), MODELS))
}

/// Returns the Rust type of a schema.
#[must_use]
pub fn ty(api: &Api, schema: &Schema) -> String {
    tidy(&outside(api, schema, MODELS))
}

/// Returns the Rust type of a field.
#[must_use]
pub fn field(api: &Api, field: &Field) -> String {
    tidy(&outside_tokens(scope(api).field_ty(field), MODELS))
}

/// Returns the type of an argument for a value of this schema: `impl Into<String>`.
#[must_use]
pub fn argument(api: &Api, schema: &Schema) -> String {
    let (ty, converts) = scope(api).argument(schema);
    let ty = tidy(&outside_tokens(ty, MODELS));
    if converts { format!("impl Into<{ty}>") } else { ty }
}

/// Returns the types that convert into each variant of a union.
#[must_use]
pub fn variant_conversions(api: &Api, union: &UnionDef) -> Vec<Option<String>> {
    let types = conversions(&scope(api), union).into_iter();
    types.map(|ty| Some(tidy(&outside_tokens(ty?, MODELS)))).collect()
}

/// Returns the traits that a type derives, as far as they depend on the document or on the settings.
#[must_use]
pub fn derives(api: &Api, def: &TypeDef) -> Vec<String> {
    let scope = scope(api);
    let is_read_once = match &def.kind {
        Kind::Struct(body) => scope.has_stream(body),
        Kind::Choice(choice) => choice.variants.iter().any(|variant| scope.holds_stream(&variant.payload)),
        _ => false,
    };
    let usual = if is_read_once { &[][..] } else { &["Clone", "PartialEq"] };
    let is_schema = match &def.kind {
        Kind::Struct(StructDef { role, .. }) => *role == crate::ir::StructRole::Object,
        Kind::StringEnum(_) | Kind::IntegerEnum(_) | Kind::Union(_) => true,
        Kind::Choice(_) | Kind::Alias(_) => false,
    };
    let chosen = api.derives.iter().filter(|derive| is_schema && !derive.left_out.contains(&def.id));
    let chosen = chosen.map(|derive| derive.path.as_str().to_owned());
    usual.iter().map(|name| (*name).to_owned()).chain(chosen).collect()
}

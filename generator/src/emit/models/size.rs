//! Estimates the size of values in memory.
//!
//! Clippy warns about enums whose variants differ much in size, so such enums need an `allow` attribute.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::scope::Scope;
use crate::ir::{Kind, Schema, Stream, Type, TypeDef};

/// The difference in bytes that counts as large. Clippy warns at 200; the estimate is rough, so this is
/// lower.
const LARGE_DIFFERENCE: usize = 150;

/// The depth to which the estimate looks. A deeper value counts as a pointer.
const DEPTH: usize = 12;

/// Returns the `allow` attribute for an enum whose variants differ much in size.
pub(super) fn uneven_allowed<'s>(
    scope: &Scope<'_>,
    variants: impl Iterator<Item = &'s Schema>,
) -> Option<TokenStream> {
    let mut sizes: Vec<_> = variants.map(|schema| schema_size(scope, schema, DEPTH)).collect();
    sizes.sort_unstable();
    let largest = sizes.pop()?;
    let second = sizes.pop().unwrap_or_default();
    (largest >= second + LARGE_DIFFERENCE).then(
        || quote!(#[allow(clippy::large_enum_variant, reason = "the API description defines the variants")]),
    )
}

fn schema_size(scope: &Scope<'_>, schema: &Schema, depth: usize) -> usize {
    let size = match &schema.ty {
        Type::Unit => 0,
        Type::Boolean => 1,
        Type::Integer(_) | Type::Number(_) => 8,
        Type::Text(_) | Type::Array(_) | Type::Map(_) => 24,
        Type::Any | Type::Bytes => 32,
        Type::File => 80,
        Type::Stream(stream) if **stream == Stream::Bytes => 72,
        Type::Stream(_) => 56,
        Type::Tuple(items) => items.iter().map(|item| schema_size(scope, item, depth)).sum(),
        Type::Named { boxed: true, .. } => 8,
        Type::Named { id, .. } => match (scope.api.type_def(*id), depth.checked_sub(1)) {
            (Some(def), Some(depth)) => type_size(scope, def, depth),
            _ => 8,
        },
    };
    if schema.nullable { size + 8 } else { size }
}

fn type_size(scope: &Scope<'_>, def: &TypeDef, depth: usize) -> usize {
    let size = |schema: &Schema| schema_size(scope, schema, depth);
    match &def.kind {
        Kind::Struct(body) => body
            .fields
            .iter()
            .map(|field| {
                let own = size(&field.schema).next_multiple_of(8);
                let has_niche = own > 16 || field.required;
                if has_niche { own } else { own + 8 }
            })
            .sum(),
        Kind::StringEnum(_) => 24,
        Kind::IntegerEnum(_) => 16,
        Kind::Union(body) => 8 + body.variants.iter().map(|variant| size(&variant.schema)).max().unwrap_or(0),
        Kind::Choice(body) => {
            8 + body.variants.iter().map(|variant| size(&variant.payload)).max().unwrap_or(0)
        }
        Kind::Alias(schema) => size(schema),
    }
}

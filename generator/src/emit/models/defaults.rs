//! Accessors that apply the defaults of the document.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{code, literal_text};
use super::super::scope::{Scope, ident};
use super::pure;
use super::structs::default_value;
use crate::ir::{Field, StructDef};

/// An accessor for each field with a default that Rust can say.
pub(super) fn accessors(scope: &Scope<'_>, body: &StructDef) -> TokenStream {
    body.fields.iter().filter_map(|field| accessor(scope, field)).collect()
}

/// ```text
/// /// `speed`, or its default `1.0`.
/// #[must_use]
/// pub fn speed_or_default(&self) -> f64 {
///     self.speed.unwrap_or(1.0)
/// }
/// ```
fn accessor(scope: &Scope<'_>, field: &Field) -> Option<TokenStream> {
    let name = ident(field.default_accessor.as_ref()?);
    let default = default_value(scope, field)?;
    let text = code(&literal_text(field.default.as_ref()?));
    let docs = pure(format!("{}, or its default {text}.", code(&field.wire)));
    let (ty, body) = (default.ty, default.body);
    Some(quote! {
        #docs
        pub fn #name(&self) -> #ty {
            #body
        }
    })
}

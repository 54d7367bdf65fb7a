//! Accessors that apply the document's defaults.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::code;
use super::super::scope::{Scope, ident};
use super::super::value;
use super::pure;
use crate::ir::{Field, Kind, Literal, Schema, StructDef, TextType, Type};

/// Emits an accessor for each field whose default has a Rust expression.
pub(super) fn accessors(scope: &Scope<'_>, body: &StructDef) -> TokenStream {
    body.fields.iter().filter_map(|field| accessor(scope, field)).collect()
}

/// ```text
/// /// Returns `speed`, or the default `1.0` if it is absent.
/// #[must_use]
/// pub fn speed_or_default(&self) -> f64 {
///     self.speed.unwrap_or(1.0)
/// }
/// ```
///
/// The accessor borrows strings and returns other values by value.
fn accessor(scope: &Scope<'_>, field: &Field) -> Option<TokenStream> {
    let accessor = ident(field.default_accessor.as_ref()?);
    let (ty, body) = parts(scope, field)?;
    let text = code(&default(field)?.to_string());
    let docs = pure(format!("Returns {}, or the default {text} if it is absent.", code(&field.wire)));
    Some(quote! {
        #docs
        pub fn #accessor(&self) -> #ty {
            #body
        }
    })
}

/// Returns the type that a field's accessor returns, if it has one.
pub(in crate::emit) fn accessor_type(scope: &Scope<'_>, field: &Field) -> Option<TokenStream> {
    field.default_accessor.as_ref()?;
    parts(scope, field).map(|(ty, _)| ty)
}

/// Returns the type and the expression of a field or its default, if that has an expression.
fn parts(scope: &Scope<'_>, field: &Field) -> Option<(TokenStream, TokenStream)> {
    let (default, name) = (default(field)?, ident(&field.ident));
    let schema = scope.resolved(&field.schema);
    if let Literal::Text(text) = default
        && is_string(&schema)
    {
        return Some((quote!(&str), quote!(self.#name.as_deref().unwrap_or(#text))));
    }
    let (value, is_constant) = value::with_constness(scope, &field.schema, &value::json(default))?;
    let own = if is_copy(scope, &schema) { quote!(self.#name) } else { quote!(self.#name.clone()) };
    let text = value.to_string();
    let is_empty =
        ["vec ! []", "rt :: Map :: new ()"].contains(&text.as_str()) || text.ends_with(":: default ()");
    let body = match (is_empty, is_constant) {
        (true, _) => quote!(#own.unwrap_or_default()),
        (_, true) => quote!(#own.unwrap_or(#value)),
        (_, false) => quote!(#own.unwrap_or_else(|| #value)),
    };
    Some((scope.optional_ty(&field.schema), body))
}

fn default(field: &Field) -> Option<&Literal> {
    field.default.as_ref().filter(|_| !field.required)
}

/// Returns whether the schema's Rust type, behind all aliases, is a plain `String`.
fn is_string(schema: &Schema) -> bool {
    matches!(&schema.ty, Type::Text(rules) if rules.ty == TextType::String)
}

/// Returns whether the schema's Rust type is `Copy`.
fn is_copy(scope: &Scope<'_>, schema: &Schema) -> bool {
    match &schema.ty {
        Type::Boolean | Type::Integer(_) | Type::Number(_) => true,
        Type::Text(rules) => matches!(rules.ty, TextType::Uuid | TextType::Timestamp | TextType::Date),
        Type::Named { id, boxed: false } => scope.api.type_def(*id).is_some_and(|def| match &def.kind {
            Kind::StringEnum(def) => def.open.is_none(),
            Kind::IntegerEnum(_) => true,
            _ => false,
        }),
        _ => false,
    }
}

//! Enums of documented alternatives: media types or statuses.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{Text, sentence};
use super::super::scope::{Scope, ident};
use super::size::uneven_allowed;
use super::{pure, type_docs};
use crate::ir::{Choice, ChoiceRole, ChoiceVariant, Type, TypeDef};

/// Emits an enum with a variant for each table row, and its codec. Errors implement `std::error::Error` as
/// well.
///
/// ```text
/// #[derive(Debug, Clone, PartialEq)]
/// #[non_exhaustive]
/// pub enum CreatePetOutput {
///     /// 200: The task.
///     Ok(Task),
///     /// 204: Nothing to do.
///     NoContent,
/// }
/// rt::choice! {
///     CreatePetOutput;
///     0 => Ok(value),
///     1 => NoContent,
/// }
/// ```
pub(super) fn items(scope: &Scope<'_>, def: &TypeDef, body: &Choice) -> TokenStream {
    let docs = type_docs(scope, def, |text| text).attributes();
    let name = ident(&def.name);
    let allow = uneven_allowed(scope, body.variants.iter().map(|variant| &variant.payload));
    // A server matches the media types of a body and must handle all. Clients match responses, which can gain
    // statuses.
    let non_exhaustive = (body.role != ChoiceRole::Content).then(|| quote!(#[non_exhaustive]));
    let variants = body.variants.iter().map(|variant| {
        let docs = Text::new().foreign(Some(&sentence(&variant.docs))).attributes();
        let name = ident(&variant.ident);
        let payload = (!is_empty(variant)).then(|| {
            let ty = scope.ty(&variant.payload);
            quote!((#ty))
        });
        quote!(#docs #name #payload,)
    });
    let rows = body.variants.iter().enumerate().map(|(index, variant)| {
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        let name = ident(&variant.ident);
        let value = (!is_empty(variant)).then(|| quote!((value)));
        quote!(#index => #name #value,)
    });
    let error = (body.role == ChoiceRole::Errors).then(|| error(&name, body));
    let inner = into_inner(scope, &name, body);
    let more = (!scope.is_read_once(&def.kind)).then(|| quote!(, Clone, PartialEq));
    quote! {
        #docs
        #[derive(Debug #more)]
        #non_exhaustive
        #allow
        pub enum #name {
            #(#variants)*
        }
        #error
        #inner
        rt::choice! { #name; #(#rows)* }
    }
}

/// Emits the method that drops the status or the media type, if all alternatives have one type.
///
/// ```text
/// impl GetPictureContent {
///     /// Returns the value, whatever its media type.
///     #[must_use]
///     pub fn into_inner(self) -> rt::ByteStream {
///         match self {
///             Self::ImagePng(value) | Self::ImageJpeg(value) => value,
///         }
///     }
/// }
/// ```
fn into_inner(scope: &Scope<'_>, name: &proc_macro2::Ident, body: &Choice) -> Option<TokenStream> {
    let ty = inner_type(scope, body)?;
    let docs = pure(match body.role {
        ChoiceRole::Content => "Returns the value, whatever its media type.",
        ChoiceRole::Output | ChoiceRole::Errors => "Returns the value, whatever the status of the response.",
    });
    let variants = body.variants.iter().map(|variant| ident(&variant.ident));
    Some(quote! {
        impl #name {
            #docs
            pub fn into_inner(self) -> #ty {
                match self {
                    #(Self::#variants(value))|* => value,
                }
            }
        }
    })
}

/// Returns the Rust type of all alternatives, if they have the same.
pub(in crate::emit) fn inner_type(scope: &Scope<'_>, body: &Choice) -> Option<TokenStream> {
    let (first, others) = body.variants.split_first()?;
    let ty = scope.ty(&first.payload);
    let is_equal = |other: &ChoiceVariant| scope.ty(&other.payload).to_string() == ty.to_string();
    let has_one = body.role != ChoiceRole::Errors && !is_empty(first) && others.iter().all(is_equal);
    has_one.then_some(ty)
}

/// ```text
/// impl std::fmt::Display for ApiError {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         let text = match self {
///             Self::BadRequest(_) => "400: The request is not valid",
///         };
///         f.write_str(text)
///     }
/// }
/// impl std::error::Error for ApiError {}
/// ```
fn error(name: &proc_macro2::Ident, body: &Choice) -> TokenStream {
    let arms = body.variants.iter().map(|variant| {
        let name = ident(&variant.ident);
        let pattern = if is_empty(variant) { quote!(Self::#name) } else { quote!(Self::#name(_)) };
        let text = error_text(variant);
        quote!(#pattern => #text,)
    });
    quote! {
        impl std::fmt::Display for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = match self {
                    #(#arms)*
                };
                f.write_str(text)
            }
        }
        impl std::error::Error for #name {}
    }
}

/// Returns the text of an error: the first sentence of its documentation, without its full stop.
pub fn error_text(variant: &ChoiceVariant) -> String {
    let line = variant.docs.lines().next().unwrap_or_default().trim();
    let sentence = line.split_once(". ").map_or(line, |(sentence, _)| sentence);
    sentence.trim_end_matches('.').replace('`', "")
}

fn is_empty(variant: &ChoiceVariant) -> bool {
    variant.payload.ty == Type::Unit
}

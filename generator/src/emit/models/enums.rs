//! Enums of strings and enums of integers.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{Text, code, line};
use super::super::scope::{Scope, ident};
use super::{pure, type_docs};
use crate::emit::literal;
use crate::ir::{EnumDef, EnumVariant, IntegerEnum, TypeDef};

/// Emits an enum of strings. An open enum accepts values that the document does not list.
///
/// ```text
/// #[derive(Debug, Clone, PartialEq, Eq, Hash)]
/// pub enum Format {
///     /// The value `png`.
///     Png,
///     /// A value that the API description does not list. A newer server may send it.
///     Unknown(String),
/// }
/// rt::string_enum! { … }
/// ```
pub(super) fn string_enum(scope: &Scope<'_>, def: &TypeDef, body: &EnumDef) -> TokenStream {
    let docs = type_docs(scope, def, |text| text).attributes();
    let name = ident(&def.name);
    let open = body.open.as_ref().map(ident);
    let copy = open.is_none().then(|| quote!(Copy,));
    let copied = if open.is_none() { "Copy" } else { "" };
    let more = scope.more_derives(def, &["Debug", "Clone", copied, "PartialEq", "Eq", "Hash"]);
    let names = body.variants.iter().map(|variant| ident(&variant.ident));
    let wires = body.variants.iter().map(|variant| &variant.wire);
    let variants = variants(body, &quote!(String));
    let head = match &open {
        Some(open) => quote!(#name + #open),
        None => quote!(#name),
    };
    quote! {
        #docs
        #[derive(Debug, Clone, #copy PartialEq, Eq, Hash)]
        #more
        pub enum #name { #variants }
        rt::string_enum! { #head; #(#wires => #names,)* }
    }
}

/// Emits an enum of integers.
///
/// ```text
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
/// pub enum Size {
///     /// The value `512`.
///     Value512,
/// }
/// impl Size {
///     pub fn as_i64(&self) -> i64 { … }
/// }
/// impl TryFrom<i64> for Size { … }    // `From<i64>` if it is open
/// impl rt::Decode for Size { … }
/// impl rt::Encode for Size { … }
/// ```
pub(super) fn integer_enum(scope: &Scope<'_>, def: &TypeDef, body: &IntegerEnum) -> TokenStream {
    let docs = type_docs(scope, def, |text| text).attributes();
    let name = ident(&def.name);
    let more = scope.more_derives(def, &["Debug", "Clone", "Copy", "PartialEq", "Eq", "Hash"]);
    let names: Vec<_> = body.variants.iter().map(|variant| ident(&variant.ident)).collect();
    let wires: Vec<_> = body.variants.iter().map(|variant| literal::integer(variant.wire.into())).collect();
    let variants = variants(body, &quote!(i64));

    let allowed = body.variants.iter().map(|variant| variant.wire.to_string());
    let open = body.open.as_ref().map(ident);
    let unknown_as_i64 = open.as_ref().map(|open| quote!(Self::#open(value) => value,));
    let conversion = match &open {
        Some(open) => quote! {
            impl From<i64> for #name {
                fn from(value: i64) -> Self {
                    match value {
                        #(#wires => Self::#names,)*
                        other => Self::#open(other),
                    }
                }
            }
        },
        None => quote! {
            impl TryFrom<i64> for #name {
                type Error = rt::DecodeError;
                fn try_from(value: i64) -> Result<Self, rt::DecodeError> {
                    match value {
                        #(#wires => Ok(Self::#names),)*
                        other => Err(rt::DecodeError::not_allowed(other, &[#(#allowed),*])),
                    }
                }
            }
        },
    };
    let decoded = match &open {
        Some(_) => quote!(<i64 as rt::Decode>::decode(from).map(Self::from)),
        None => quote!(<i64 as rt::Decode>::decode(from)?.try_into()),
    };
    let as_i64_docs = pure("Returns the value as it is serialized.");
    quote! {
        #docs
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #more
        pub enum #name { #variants }
        impl #name {
            #as_i64_docs
            pub fn as_i64(&self) -> i64 {
                match *self {
                    #(Self::#names => #wires,)*
                    #unknown_as_i64
                }
            }
        }
        #conversion
        impl std::fmt::Display for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.as_i64(), f)
            }
        }
        impl rt::Decode for #name {
            fn decode(from: &mut dyn rt::Reader) -> Result<Self, rt::DecodeError> {
                #decoded
            }
        }
        impl rt::Encode for #name {
            fn encode(&self, into: &mut dyn rt::Writer) {
                into.i64(self.as_i64());
            }
        }
    }
}

/// Emits the variants of an enum. The variant for unlisted values holds a value of the type `wire`.
fn variants<W: Display>(body: &EnumDef<W>, wire: &TokenStream) -> TokenStream {
    let variants = body.variants.iter().map(|EnumVariant { wire, ident: name, description }| {
        let docs = Text::new().foreign(description.as_deref());
        let docs = docs.paragraph(format!("The value {}.", code(&wire.to_string()))).attributes();
        let name = ident(name);
        quote!(#docs #name,)
    });
    let unknown = body.open.as_ref().map(|open| {
        let docs = line("A value that the API description does not list. A newer server may send it.");
        let open = ident(open);
        quote!(#docs #open(#wire),)
    });
    quote!(#(#variants)* #unknown)
}

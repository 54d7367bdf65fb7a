//! Unions: a variant for each alternative. Decoding and validation select the variant by the same shape.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::line;
use super::super::scope::{Scope, bare, ident};
use super::size::uneven_allowed;
use super::type_docs;
use crate::ir::{Discriminator, Kinds, Shape, TagKind, TypeDef, UnionDef};

/// Emits a union with the shape of its variants and its codec.
///
/// ```text
/// #[derive(Debug, Clone, PartialEq)]
/// pub enum Pet {
///     Cat(Cat),
///     Dog(Box<Dog>),
///     Unknown(rt::Value),
/// }
/// impl Pet {
///     pub const SHAPE: &'static rt::UnionShape = &rt::UnionShape::new("Pet", &[…]);
/// }
/// impl rt::Decode for Pet { … }
/// impl rt::Encode for Pet { … }
/// ```
pub(super) fn items(scope: &Scope<'_>, def: &TypeDef, body: &UnionDef) -> TokenStream {
    let docs = type_docs(scope, def, |text| text).attributes();
    let name = ident(&def.name);
    let allow = uneven_allowed(scope, body.variants.iter().map(|variant| &variant.schema));
    let open = body.open.as_ref().map(ident);
    let more = scope.more_derives(def, &["Debug", "Clone", "PartialEq"]);

    let names: Vec<_> = body.variants.iter().map(|variant| ident(&variant.ident)).collect();
    let places: Vec<_> = (0..names.len()).map(proc_macro2::Literal::usize_unsuffixed).collect();
    let variants = body.variants.iter().zip(&names).map(|(variant, name)| {
        let docs = line(format!("The alternative {}.", super::super::docs::code(&variant.shape.name)));
        let ty = scope.ty(&variant.schema);
        quote!(#docs #name(#ty),)
    });
    let unknown = open.as_ref().map(|open| {
        let docs = line("A value that matches no other variant. A newer server may send it.");
        quote!(#docs #open(rt::Value),)
    });

    let shape = shape(&def.name.0, body);
    let holds_null = body.variants.iter().any(|variant| variant.shape.kinds.null).then(|| {
        quote!(
            const HOLDS_NULL: bool = true;
        )
    });
    let read = quote! {
        |variant, from| match variant {
            #(#places => rt::Decode::decode(from).map(Self::#names),)*
            unknown => Err(rt::DecodeError::unknown_choice(unknown)),
        }
    };
    let choose = match &open {
        Some(open) => quote!(rt::one_of_or(from, Self::SHAPE, Self::#open, #read)),
        None => quote!(rt::one_of(from, Self::SHAPE, #read)),
    };
    let encode_known = names.iter().zip(&places).map(|(name, place)| match &body.discriminator {
        Some(_) => quote!(Self::#name(value) => into.tagged(Self::SHAPE, #place, value),),
        None => quote!(Self::#name(value) => into.variant(#place, value),),
    });
    let encode_unknown = open.as_ref().map(|open| quote!(Self::#open(value) => into.value(value),));
    quote! {
        #docs
        #[derive(Debug, Clone, PartialEq)]
        #more
        #allow
        pub enum #name {
            #(#variants)*
            #unknown
        }
        impl #name {
            /// The shapes by which decoding and validation select a variant.
            pub const SHAPE: &'static rt::UnionShape = #shape;
        }
        impl rt::Decode for #name {
            #holds_null
            fn decode(from: &mut dyn rt::Reader) -> Result<Self, rt::DecodeError> {
                #choose
            }
        }
        impl rt::Encode for #name {
            fn encode(&self, into: &mut dyn rt::Writer) {
                match self {
                    #(#encode_known)*
                    #encode_unknown
                }
            }
        }
    }
}

fn shape(name: &str, body: &UnionDef) -> TokenStream {
    let variants = body.variants.iter().map(|variant| variant_shape(&variant.shape));
    let discriminator = body.discriminator.as_ref().map(|Discriminator { property, kind, values }| {
        let function = bare(match kind {
            TagKind::Text => "discriminator",
            TagKind::Integer => "integer_discriminator",
            TagKind::Boolean => "boolean_discriminator",
        });
        let mapping = values.iter().map(|(value, place)| {
            let place = proc_macro2::Literal::usize_unsuffixed(*place);
            quote!((#value, #place))
        });
        quote!(.#function(#property, &[#(#mapping),*]))
    });
    let default = body.default_variant.map(|place| {
        let place = proc_macro2::Literal::usize_unsuffixed(place);
        quote!(.default_variant(#place))
    });
    quote!(&rt::UnionShape::new(#name, &[#(#variants),*]) #discriminator #default)
}

fn variant_shape(shape: &Shape) -> TokenStream {
    let Shape { name, required, known, constants, closed, .. } = shape;
    let kinds = kinds(shape.kinds);
    let list = |function: &str, items: Vec<TokenStream>| {
        let function = bare(function);
        (!items.is_empty()).then(|| quote!(.#function(&[#(#items),*])))
    };
    let names = |names: &[String]| names.iter().map(|name| quote!(#name)).collect();
    let constants = constants.iter().map(|(property, values)| quote!((#property, &[#(#values),*])));
    let required = list("required", names(required));
    let known = list("known", names(known));
    let constants = list("constants", constants.collect());
    let closed = closed.then(|| quote!(.closed()));
    quote!(rt::Shape::new(#name, #kinds) #required #known #constants #closed)
}

/// Emits a set of kinds, such as `rt::Kinds::STRING.or(rt::Kinds::NULL)`.
fn kinds(kinds: Kinds) -> TokenStream {
    let Kinds { null, boolean, number, string, array, object, .. } = kinds;
    if null && boolean && number && string && array && object {
        return quote!(rt::Kinds::ANY);
    }
    let mut names = kinds.names().map(|name| bare(&name.to_uppercase()));
    match names.next() {
        Some(first) => quote!(rt::Kinds::#first #(.or(rt::Kinds::#names))*),
        None => quote!(rt::Kinds::ANY),
    }
}

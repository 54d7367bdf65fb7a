//! Unions: a variant for each alternative. Decoding and validation select the variant by the same shape.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::line;
use super::super::literal::{self, flag, list};
use super::super::scope::{Scope, bare, ident};
use super::size::uneven_allowed;
use super::type_docs;
use crate::ir::{Discriminator, Kinds, Schema, Shape, TagKind, TextType, Type, TypeDef, UnionDef};

/// Emits a union with the shape of its variants and its codec.
///
/// ```text
/// #[derive(Debug, Clone, PartialEq)]
/// pub enum Pet {
///     Cat(Cat),
///     Dog(Box<Dog>),
///     Unknown(rt::Value),
/// }
/// rt::union! {
///     Pet + Unknown by discriminator("kind");
///     Cat(Cat) => rt::Shape::object("Cat").tags(&["cat"]),
///     Dog(Dog) => rt::Shape::object("Dog").tags(&["dog"]),
/// }
/// ```
pub(super) fn items(scope: &Scope<'_>, def: &TypeDef, body: &UnionDef) -> TokenStream {
    let docs = type_docs(scope, def, |text| text).attributes();
    let name = ident(&def.name);
    let allow = uneven_allowed(scope, body.variants.iter().map(|variant| &variant.schema));
    let open = body.open.as_ref().map(ident);
    let more = scope.more_derives(def, &["Debug", "Clone", "PartialEq"]);

    let names: Vec<_> = body.variants.iter().map(|variant| ident(&variant.ident)).collect();
    let variants = body.variants.iter().zip(&names).map(|(variant, name)| {
        let docs = line(format!("The alternative {}.", super::super::docs::code(&variant.shape.name)));
        let ty = scope.ty(&variant.schema);
        quote!(#docs #name(#ty),)
    });
    let unknown = open.as_ref().map(|open| {
        let docs = line("A value that matches no other variant. A newer server may send it.");
        quote!(#docs #open(rt::Value),)
    });
    let others = open.as_ref().map(|open| quote!(+ #open));
    let by = body.discriminator.as_ref().map(|Discriminator { property, kind, .. }| {
        let function = bare(match kind {
            TagKind::Text => "discriminator",
            TagKind::Integer => "integer_discriminator",
            TagKind::Boolean => "boolean_discriminator",
        });
        quote!(by #function(#property))
    });
    let from = convertible(scope, body).into_iter().map(|ty| ty.map(|ty| quote!((#ty))));
    let shapes = (0..).zip(&body.variants).map(|(index, variant)| shape(body, index, &variant.shape));
    quote! {
        #docs
        #[derive(Debug, Clone, PartialEq)]
        #more
        #allow
        pub enum #name {
            #(#variants)*
            #unknown
        }
        rt::union! { #name #others #by; #(#names #from => #shapes,)* }
    }
}

/// Returns the type of each variant that converts into the union, without its box. `&str` converts like `String`.
///
/// A variant has none if another variant has the same Rust type, or if its type is an `Option`, `Value` or `()`.
pub(in crate::emit) fn convertible(scope: &Scope<'_>, body: &UnionDef) -> Vec<Option<TokenStream>> {
    let types: Vec<Option<String>> =
        body.variants.iter().map(|variant| rust_type(scope, &variant.schema)).collect();
    let is_own = |ty: &String| types.iter().flatten().filter(|other| *other == ty).count() == 1;
    let variants = body.variants.iter().zip(&types);
    variants
        .map(|(variant, ty)| {
            ty.as_ref().filter(|ty| is_own(ty))?;
            let schema = &variant.schema;
            let is_any =
                scope.is_option(schema) || matches!(scope.resolved(schema).ty, Type::Any | Type::Unit);
            match schema.ty {
                _ if is_any => None,
                _ if scope.is_string(schema) => Some(quote!(String)),
                Type::Named { id, .. } => Some(scope.ty(&Schema::new(Type::Named { id, boxed: false }))),
                _ => Some(scope.ty(schema)),
            }
        })
        .collect()
}

/// Returns a key that is equal for equal Rust types.
///
/// `None` for a type from the settings, because it can equal any other. While a document is read, `same.rs` of the
/// unions compares schemas likewise.
fn rust_type(scope: &Scope<'_>, schema: &Schema) -> Option<String> {
    let schema = scope.resolved(schema);
    let ty = match &schema.ty {
        Type::Text(rules) if matches!(rules.ty, TextType::Foreign(_)) => return None,
        Type::Array(rules) => format!("Vec<{}>", rust_type(scope, &rules.items)?),
        Type::Map(rules) => format!("Map<{}>", rust_type(scope, &rules.values)?),
        Type::Tuple(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| rust_type(scope, item)).collect();
            format!("({})", items?.join(", "))
        }
        Type::Named { id, .. } => format!("type {}", id.0),
        ty => scope.ty(&Schema::new(ty.clone())).to_string(),
    };
    let is_option = schema.nullable && !matches!(schema.ty, Type::Any | Type::Unit);
    Some(if is_option { format!("Option<{ty}>") } else { ty })
}

/// Emits the shape of the variant at this index.
fn shape(body: &UnionDef, index: usize, shape: &Shape) -> TokenStream {
    let Shape { name, required, known, constants, closed, .. } = shape;
    let new = if shape.kinds.names().eq(["object"]) {
        quote!(rt::Shape::object(#name))
    } else {
        let kinds = kinds(shape.kinds);
        quote!(rt::Shape::new(#name, #kinds))
    };
    let values = body.discriminator.iter().flat_map(|discriminator| &discriminator.values);
    let tags = list("tags", values.filter(|(_, of)| *of == index).map(|(value, _)| value));
    let default = flag("default", body.default_variant == Some(index));
    let constants = constants.iter().map(|(property, values)| quote!((#property, &[#(#values),*])));
    let (required, known, constants) =
        (list("required", required), list("known", known), list("constants", constants));
    let closed = flag("closed", *closed);
    quote!(#new #tags #default #required #known #constants #closed)
}

/// Emits a set of kinds, such as `rt::Kinds::STRING.or(rt::Kinds::NULL)`.
fn kinds(kinds: Kinds) -> TokenStream {
    let is_any = Kinds { integer: true, ..kinds } == Kinds::ALL;
    if is_any || kinds.names().next().is_none() {
        return quote!(rt::Kinds::ANY);
    }
    literal::kinds(kinds, &quote!(rt::Kinds))
}

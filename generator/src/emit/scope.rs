//! The module that code is emitted into, which determines the paths of types.

use std::fmt::Debug;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::{
    self, Api, Field, Inline, Module, Schema, Stream, TextType, Type, TypeDef, TypeId, UnionDef,
};
use crate::names::is_keyword;

/// The module that code is emitted into.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The whole API.
    pub(super) api: &'a Api,
    /// The current module.
    pub(super) module: Module,
    /// The name of the models crate in code, or `None` within that crate.
    pub(super) models: Option<&'a str>,
}

impl Scope<'_> {
    /// Returns the path of a type.
    ///
    /// Within the models crate it is `Task`, `common::Task` or `crate::toys::Task`. In other crates, the
    /// types of the module's own tag are `models::Task`.
    pub(super) fn path(&self, def: &TypeDef) -> TokenStream {
        let name = ident(&def.name);
        let is_own = def.module == self.module;
        match (def.module, self.models) {
            (Module::Tag(_), Some(_)) if is_own => quote!(models::#name),
            (_, None) if is_own => quote!(#name),
            (Module::Common, _) => quote!(common::#name),
            (Module::Responses, _) => quote!(responses::#name),
            (Module::Tag(_), models) => {
                let root = models.map_or_else(|| quote!(crate), bare);
                let tag = module_ident(self.api, def.module);
                quote!(#root::#tag::#name)
            }
        }
    }

    /// Returns the module of the runtime's types: `rt` in the models crate, `types` in others.
    fn runtime(&self) -> Ident {
        local(if self.models.is_some() { "types" } else { "rt" })
    }

    /// Returns the path of the type with this id.
    pub(super) fn named(&self, id: TypeId) -> TokenStream {
        match self.api.type_def(id) {
            Some(def) => self.path(def),
            None => {
                let rt = self.runtime();
                quote!(#rt::Value)
            }
        }
    }

    /// Returns the Rust type of a schema. `None` is null.
    pub(super) fn ty(&self, schema: &Schema) -> TokenStream {
        let inner = self.inner(&schema.ty);
        if self.is_wrapped(schema) { quote!(Option<#inner>) } else { inner }
    }

    /// Returns the Rust type of a value that can be absent, within the `Option` of its field.
    pub(super) fn optional_ty(&self, schema: &Schema) -> TokenStream {
        let inner = self.inner(&schema.ty);
        let rt = self.runtime();
        if self.is_wrapped(schema) { quote!(#rt::Nullable<#inner>) } else { inner }
    }

    /// Returns the Rust type of a field.
    pub(super) fn field_ty(&self, field: &Field) -> TokenStream {
        if field.required {
            return self.ty(&field.schema);
        }
        let ty = self.optional_ty(&field.held());
        quote!(Option<#ty>)
    }

    /// Returns whether the schema is nullable, and its type alone has no value for null.
    pub(super) fn is_wrapped(&self, schema: &Schema) -> bool {
        let holds_null = || {
            matches!(schema.ty, Type::Any | Type::Unit)
                || self.api.aliases(&schema.ty).last().is_some_and(|target| target.nullable)
        };
        schema.nullable && !holds_null()
    }

    /// Returns whether null is `None` in the schema's Rust type, also by way of an alias.
    pub(super) fn is_option(&self, schema: &Schema) -> bool {
        self.is_wrapped(schema) || self.api.aliases(&schema.ty).any(|target| self.is_wrapped(target))
    }

    fn inner(&self, ty: &Type) -> TokenStream {
        let rt = self.runtime();
        let of = |outer: TokenStream, inner: TokenStream| quote!(#outer<#inner>);
        match ty {
            Type::Any => quote!(#rt::Value),
            Type::Unit => quote!(()),
            Type::Boolean => quote!(bool),
            Type::Integer(rules) => bare(&format!("{:?}", rules.width).to_lowercase()),
            Type::Number(_) => quote!(f64),
            Type::Text(rules) => match rules.ty {
                TextType::String => quote!(String),
                TextType::Foreign(index) => self.foreign(index),
                other => {
                    let name = variant(other);
                    quote!(#rt::#name)
                }
            },
            Type::Bytes => quote!(#rt::Bytes),
            Type::File => quote!(#rt::File),
            Type::Stream(stream) => match &**stream {
                Stream::Bytes => quote!(#rt::ByteStream),
                Stream::Items(item) => of(quote!(#rt::ItemStream), self.ty(item)),
                Stream::Events(data) => {
                    let data = self.ty(data);
                    quote!(#rt::ItemStream<#rt::Event<#data>>)
                }
            },
            Type::Array(rules) => of(quote!(Vec), self.ty(&rules.items)),
            Type::Tuple(items) => {
                let types = items.iter().map(|item| self.ty(item));
                match items.len() {
                    1 => quote!((#(#types,)*)),
                    _ => quote!((#(#types),*)),
                }
            }
            Type::Map(rules) => of(quote!(#rt::Map), self.ty(&rules.values)),
            Type::Named { id, boxed: true } => of(quote!(Box), self.named(*id)),
            Type::Named { id, boxed: false } => self.named(*id),
        }
    }

    /// Returns a type from the user's settings.
    fn foreign(&self, index: usize) -> TokenStream {
        let path = self.api.foreign_types.get(index).and_then(|path| path.as_str().parse().ok());
        path.unwrap_or_else(|| quote!(String))
    }

    /// Returns the `derive` attribute for traits of the user's settings.
    ///
    /// Traits in `given` are derived already.
    pub(super) fn more_derives(&self, def: &TypeDef, given: &[&str]) -> Option<TokenStream> {
        let is_new =
            |derive: &&ir::Derive| !given.contains(&derive.path.last()) && !derive.left_out.contains(&def.id);
        let derives = self.api.derives.iter().filter(is_new);
        let paths: Vec<TokenStream> =
            derives.filter_map(|derive| derive.path.as_str().parse().ok()).collect();
        (!paths.is_empty()).then(|| quote!(#[derive(#(#paths),*)]))
    }

    /// Returns the schema behind all aliases, or the schema itself. It is nullable if any alias on the way
    /// is.
    pub(super) fn resolved(&self, schema: &Schema) -> Schema {
        match self.api.aliases(&schema.ty).last() {
            Some(target) => Schema { nullable: schema.nullable || target.nullable, ..target.clone() },
            None => schema.clone(),
        }
    }

    /// Returns whether a value holds a stream. A stream can be read once only, so it can't be cloned or
    /// compared.
    ///
    /// Only choices, responses and inputs hold streams. None of them is recursive.
    fn holds_stream(&self, schema: &Schema) -> bool {
        match &schema.ty {
            Type::Stream(_) => true,
            Type::Named { id, .. } => self.api.type_def(*id).is_some_and(|def| self.is_read_once(&def.kind)),
            _ => false,
        }
    }

    /// Returns whether the values of a type hold a stream.
    pub(super) fn is_read_once(&self, kind: &ir::Kind) -> bool {
        match kind {
            ir::Kind::Choice(choice) => {
                choice.variants.iter().any(|variant| self.holds_stream(&variant.payload))
            }
            ir::Kind::Struct(body) if body.role != ir::StructRole::Object => {
                body.fields.iter().any(|field| self.holds_stream(&field.schema))
            }
            _ => false,
        }
    }

    /// Returns the type of an argument for a value of this schema, and whether the argument converts into it.
    pub(super) fn argument(&self, schema: &Schema) -> (TokenStream, bool) {
        if let Some(ty) = self.medium(schema) {
            return (ty, true);
        }
        if self.is_string(schema) {
            return (quote!(String), true);
        }
        let converts = self.is_option(schema)
            || self.is_byte_stream(schema)
            || self.union(schema).is_some()
            || self.resolved(schema).ty == Type::Any;
        (self.optional_ty(schema), converts)
    }

    /// Returns the union that a schema refers to, unless it is in a box or can be null.
    ///
    /// Arguments take such a union as `impl Into<Union>`, and so each of its alternatives.
    pub(super) fn union(&self, schema: &Schema) -> Option<&UnionDef> {
        match (schema.nullable, self.resolved(schema)) {
            (false, Schema { nullable: false, ty: Type::Named { id, boxed: false }, .. }) => {
                match &self.api.type_def(id)?.kind {
                    ir::Kind::Union(body) => Some(body),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns whether the schema is a stream of bytes.
    ///
    /// Arguments take such a stream as `impl Into<ByteStream>`.
    pub(super) fn is_byte_stream(&self, schema: &Schema) -> bool {
        !schema.nullable && matches!(&schema.ty, Type::Stream(stream) if **stream == Stream::Bytes)
    }

    /// Returns the type from which a `String` converts that can hold a medium, also from a file or bytes.
    pub(super) fn medium(&self, schema: &Schema) -> Option<TokenStream> {
        let Type::Text(rules) = &self.resolved(schema).ty else { return None };
        let inline = rules.stated.as_ref()?.media.as_ref()?.inline.filter(|_| self.is_string(schema))?;
        let rt = self.runtime();
        Some(match inline {
            Inline::Base64 => quote!(#rt::Base64Medium),
            Inline::DataUri => quote!(#rt::DataUriMedium),
        })
    }

    /// Returns whether the schema is a plain `String`.
    ///
    /// Arguments take such a string as `impl Into<String>`.
    pub(super) fn is_string(&self, schema: &Schema) -> bool {
        let schema = self.resolved(schema);
        !schema.nullable && matches!(schema.ty, Type::Text(rules) if rules.ty == TextType::String)
    }
}

/// Returns the identifier, raw if the name is.
pub(super) fn ident(name: &ir::Ident) -> Ident {
    local(&name.0)
}

/// Returns an identifier that the generator chose.
pub(super) fn local(name: &str) -> Ident {
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|first| first == '_' || unicode_ident::is_xid_start(first));
    if begins && characters.all(unicode_ident::is_xid_continue) && !is_keyword(name) {
        return Ident::new(name, Span::call_site());
    }
    syn::parse_str(name).unwrap_or_else(|_| Ident::new("unnameable", Span::call_site()))
}

/// Returns the identifier of a variant, which has the same name in the runtime.
pub(super) fn variant(of: impl Debug) -> Ident {
    local(&format!("{of:?}"))
}

/// Returns an identifier as tokens.
pub(super) fn bare(name: &str) -> TokenStream {
    let name = local(name);
    quote!(#name)
}

/// Returns the name of a module, which is the same in each crate.
pub fn module_name(api: &Api, module: Module) -> &str {
    match module {
        Module::Common => "common",
        Module::Responses => "responses",
        Module::Tag(tag) => api.tags.get(tag.0).map_or("common", |tag| tag.module.0.as_str()),
    }
}

/// Returns the name of a module as an identifier.
pub(super) fn module_ident(api: &Api, module: Module) -> Ident {
    local(module_name(api, module))
}

/// Returns the text of a type, with spaces only after commas.
pub(super) fn tidy(ty: &TokenStream) -> String {
    ty.to_string().replace(' ', "").replace(',', ", ").replace(", )", ",)")
}

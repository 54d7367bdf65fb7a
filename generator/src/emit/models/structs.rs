//! Structs: JSON objects, inputs of operations, responses with headers.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::super::docs::{code, cross_rules, field as field_docs, line, name_rules};
use super::super::scope::{Scope, ident};
use super::super::value;
use super::{defaults, inputs, pure, type_docs};
use crate::ir::{Additional, Field, StructDef, StructRole, TypeDef};

/// Emits a struct with its constructor, the accessors of its defaults and its codec.
///
/// ```text
/// #[derive(Debug, Clone, PartialEq)]
/// #[non_exhaustive]
/// pub struct NewPet {
///     pub text: String,
///     pub speed: Option<f64>,
/// }
/// impl NewPet {
///     pub fn new(text: impl Into<String>) -> Self { … }
///     pub fn speed_or_default(&self) -> f64 { … }
/// }
/// impl rt::Decode for NewPet { … }
/// impl rt::Encode for NewPet { … }
/// ```
pub(super) fn items(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let name = ident(&def.name);
    let definition = definition(scope, def, body);
    let required = Required::of(def, body);
    let constructor = required.constructor(scope, body);
    let default = required.default(scope, body);
    let accessors = defaults::accessors(scope, body);
    let methods = (!constructor.is_empty() || !accessors.is_empty()).then(|| {
        let allow = placeholders_allowed(body);
        quote! {
            #allow
            impl #name {
                #constructor
                #accessors
            }
        }
    });
    let fields_struct = required.fields_struct(scope);
    let conversions = (body.role == StructRole::Input).then(|| inputs::conversions(scope, &name, body));
    let decode = decode(&name, body);
    let encode = encode(&name, body);
    quote! {
        #definition
        #methods
        #default
        #fields_struct
        #conversions
        #decode
        #encode
    }
}

fn definition(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let docs = type_docs(scope, def, |text| cross_rules(text, &body.rules)).attributes();
    let name = ident(&def.name);
    let asks_nothing = body.fields.iter().all(|field| !field.is_asked());
    let given = ["Debug", "Clone", "PartialEq", if asks_nothing { "Default" } else { "" }];
    let more = (body.role == StructRole::Object).then(|| scope.more_derives(def, &given));
    let default = body.fields.iter().all(|field| !field.required).then(|| quote!(, Default));
    let comparable = (!scope.has_stream(body)).then(|| quote!(, Clone, PartialEq));
    let notes = inputs::notes(scope, def, body);
    let fields = body.fields.iter().enumerate().map(|(place, field)| {
        let docs = field_docs(scope, field, notes.get(place).map_or("", String::as_str)).attributes();
        let name = ident(&field.ident);
        let ty = scope.field_ty(&field.schema, field.required);
        let allow = complexity_allowed(&ty);
        quote!(#docs #allow pub #name: #ty)
    });
    let additional = additional(body).map(|(name, schema)| {
        let ty = scope.ty(schema);
        let docs = line(additional_docs(scope, body));
        quote!(#docs pub #name: rt::Map<#ty>)
    });
    let fields = fields.chain(additional);
    quote! {
        #docs
        #[derive(Debug #comparable #default)]
        #more
        #[non_exhaustive]
        pub struct #name {
            #(#fields,)*
        }
    }
}

/// Returns the documentation of the field that holds an object's additional properties.
fn additional_docs(scope: &Scope<'_>, body: &StructDef) -> String {
    let names = match &body.additional {
        Additional::Kept { names: Some(names), .. } => name_rules(scope, names),
        _ => String::new(),
    };
    format!("Additional properties by name. {names}").trim_end().to_owned()
}

/// The fields that the constructor takes: the required ones, except constants.
struct Required<'a> {
    name: Ident,
    /// The struct that holds the fields if there are too many for arguments.
    fields_struct: Option<Ident>,
    fields: Vec<&'a Field>,
}

impl<'a> Required<'a> {
    fn of(def: &TypeDef, body: &'a StructDef) -> Self {
        let fields = body.fields.iter().filter(|field| field.is_asked()).collect();
        Self { name: ident(&def.name), fields_struct: body.fields_struct.as_ref().map(ident), fields }
    }

    /// Emits `new`, or nothing if it would take no arguments. `Default` replaces it then.
    fn constructor(&self, scope: &Scope<'_>, body: &StructDef) -> TokenStream {
        if self.fields.is_empty() {
            return TokenStream::new();
        }
        let others = unasked(scope, body);
        let has_constants = body.fields.iter().any(|field| field.required && !field.is_asked());
        let has_optional = body.fields.iter().any(|field| !field.required) || additional(body).is_some();
        let what = match body.role {
            StructRole::Object => "a value",
            StructRole::Input => "an input",
            StructRole::Response => "a response",
        };
        let given = if has_optional { "its required fields" } else { "all its fields" };
        let filled = if has_constants { " Fields with a single possible value are filled in." } else { "" };
        let docs = pure(format!("Creates {what} with {given}.{filled}"));
        if let Some(fields_struct) = &self.fields_struct {
            let values = self.fields.iter().map(|field| {
                let name = ident(&field.ident);
                quote!(#name: fields.#name)
            });
            return quote! {
                #docs
                pub fn new(fields: #fields_struct) -> Self {
                    Self { #(#values,)* #(#others,)* }
                }
            };
        }
        let arguments = self.fields.iter().map(|field| {
            let name = ident(&field.ident);
            let ty = scope.ty(&field.schema);
            if scope.is_string(&field.schema) {
                quote!(#name: impl Into<String>)
            } else if scope.is_byte_stream(&field.schema) {
                quote!(#name: impl Into<#ty>)
            } else {
                quote!(#name: #ty)
            }
        });
        let values = self.fields.iter().map(|field| {
            let name = ident(&field.ident);
            let is_converted = scope.is_string(&field.schema) || scope.is_byte_stream(&field.schema);
            if is_converted { quote!(#name: #name.into()) } else { quote!(#name) }
        });
        quote! {
            #docs
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* #(#others,)* }
            }
        }
    }

    /// Emits `Default` for a struct whose required fields are all constants.
    ///
    /// The derived `Default` would not fill in the constants.
    fn default(&self, scope: &Scope<'_>, body: &StructDef) -> Option<TokenStream> {
        let name = &self.name;
        let has_constants = body.fields.iter().any(|field| field.required);
        (self.fields.is_empty() && has_constants).then(|| {
            let values = unasked(scope, body);
            quote! {
                impl Default for #name {
                    fn default() -> Self {
                        Self { #(#values,)* }
                    }
                }
            }
        })
    }

    /// Emits the struct of the required fields if there are too many for arguments. It replaces a list of
    /// arguments, so it derives nothing.
    ///
    /// ```text
    /// /// Required fields of [`Resource`], the argument of [`Resource::new`].
    /// pub struct ResourceFields {
    ///     pub id: i64,
    ///     …
    /// }
    /// ```
    fn fields_struct(&self, scope: &Scope<'_>) -> Option<TokenStream> {
        let Self { name, fields, .. } = self;
        let docs = line(format!("Required fields of [`{name}`], the argument of [`{name}::new`]."));
        let fields = fields.iter().map(|field| {
            let docs = line(format!("The value of {} in [`{name}`].", code(&field.wire)));
            let name = ident(&field.ident);
            let ty = scope.ty(&field.schema);
            let allow = complexity_allowed(&ty);
            quote!(#docs #allow pub #name: #ty)
        });
        self.fields_struct.as_ref().map(|fields_struct| {
            quote! {
                #docs
                pub struct #fields_struct {
                    #(#fields,)*
                }
            }
        })
    }
}

/// Returns the values of fields that `new` does not take.
fn unasked(scope: &Scope<'_>, body: &StructDef) -> Vec<TokenStream> {
    let others = body.fields.iter().filter(|field| !field.is_asked()).map(|field| {
        let name = ident(&field.ident);
        let constant = field.constant.as_ref().filter(|_| field.required);
        let value = constant.and_then(|value| value::expression(scope, &field.schema, &value::json(value)));
        let value = value.unwrap_or_else(|| quote!(None));
        quote!(#name: #value)
    });
    others.chain(additional(body).map(|(name, _)| quote!(#name: rt::Map::new()))).collect()
}

/// ```text
/// impl rt::Decode for Task {
///     fn decode(from: &mut dyn rt::Reader) -> Result<Self, rt::Fault> {
///         let mut id = None;
///         let mut note = None;
///         from.object(&["id", "note"], &mut [&mut id, &mut note], rt::Rest::Ignore)?;
///         let Some(id) = id else { return Err(rt::Fault::missing("id")) };
///         Ok(Self { id, note })
///     }
/// }
/// ```
fn decode(name: &Ident, body: &StructDef) -> TokenStream {
    let locals = Locals::of(body);
    let (from, rest) = (&locals.from, &locals.rest);
    let names: Vec<_> = body.fields.iter().map(|field| ident(&field.ident)).collect();
    let wires: Vec<_> = body.fields.iter().map(|field| field.wire.as_str()).collect();
    // `let … else` instead of `?`: the compiler has no error conversion to instantiate for each field.
    let required = body.fields.iter().filter(|field| field.required).map(|field| {
        let (name, wire) = (ident(&field.ident), &field.wire);
        quote!(let Some(#name) = #name else { return Err(rt::Fault::missing(#wire)) };)
    });
    let kept = additional(body).map(|(name, _)| name);
    let (map, others, kept) = match (&body.additional, kept) {
        (Additional::Kept { .. }, Some(kept)) => {
            let others = quote!(rt::Rest::Keep(&mut |name, from| rt::keep(&mut #rest, name, from)));
            let value = if kept == *rest { quote!(#kept) } else { quote!(#kept: #rest) };
            (Some(quote!(let mut #rest = rt::Map::new();)), others, Some(value))
        }
        (Additional::Forbidden, _) => (None, quote!(rt::Rest::Closed), None),
        _ => (None, quote!(rt::Rest::Ignore), None),
    };
    let values = names.iter().map(|name| quote!(#name)).chain(kept);
    let allow = placeholders_allowed(body);
    quote! {
        #allow
        impl rt::Decode for #name {
            fn decode(#from: &mut dyn rt::Reader) -> Result<Self, rt::Fault> {
                #(let mut #names = None;)*
                #map
                #from.object(&[#(#wires),*], &mut [#(&mut #names),*], #others)?;
                #(#required)*
                Ok(Self { #(#values),* })
            }
        }
    }
}

/// ```text
/// impl rt::Encode for Task {
///     fn encode(&self, into: &mut dyn rt::Writer) {
///         into.object(&[("id", &self.id), ("note", &self.note)], None);
///     }
/// }
/// ```
fn encode(name: &Ident, body: &StructDef) -> TokenStream {
    let fields = body.fields.iter().map(|field| {
        let (name, wire) = (ident(&field.ident), &field.wire);
        quote!((#wire, &self.#name))
    });
    let rest = match additional(body) {
        Some((name, _)) => quote!(Some(&mut rt::entries(&self.#name))),
        None => quote!(None),
    };
    quote! {
        impl rt::Encode for #name {
            fn encode(&self, into: &mut dyn rt::Writer) {
                into.object(&[#(#fields),*], #rest);
            }
        }
    }
}

/// Returns the field of additional properties and their schema.
fn additional(body: &StructDef) -> Option<(Ident, &crate::ir::Schema)> {
    match &body.additional {
        Additional::Kept { ident: name, schema, .. } => Some((ident(name), schema)),
        Additional::Ignored | Additional::Forbidden => None,
    }
}

/// Names of local variables that differ from the names of all fields.
struct Locals {
    from: Ident,
    rest: Ident,
}

impl Locals {
    fn of(body: &StructDef) -> Self {
        let free = |name: &str| {
            let mut name = format_ident!("{name}");
            while body.fields.iter().any(|field| ident(&field.ident) == name) {
                name = format_ident!("{name}_");
            }
            name
        };
        Self { from: free("from"), rest: free("rest") }
    }
}

/// Returns the `allow` attribute for names that clippy takes for placeholders.
pub(super) fn placeholders_allowed(body: &StructDef) -> Option<TokenStream> {
    let is_placeholder = |field: &Field| matches!(field.ident.0.as_str(), "foo" | "baz" | "quux");
    body.fields
        .iter()
        .any(is_placeholder)
        .then(|| quote!(#[allow(clippy::disallowed_names, reason = "the API description defines the names")]))
}

/// Returns the `allow` attribute for a type that the document nests deeply.
fn complexity_allowed(ty: &TokenStream) -> Option<TokenStream> {
    const MOST_NESTED: usize = 6;
    let depth = ty.to_string().matches('<').count();
    (depth >= MOST_NESTED)
        .then(|| quote!(#[allow(clippy::type_complexity, reason = "the API description defines the type")]))
}

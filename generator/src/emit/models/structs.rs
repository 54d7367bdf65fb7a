//! Structs: JSON objects, inputs of operations, responses with headers.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::super::docs::{cross_rules, field as field_docs, line, name_rules};
use super::super::scope::{Scope, ident};
use super::super::value;
use super::{defaults, inputs, pure, type_docs};
use crate::ir::{Additional, Field, Literal, StructDef, StructRole, TypeDef};

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
/// rt::object! { … }
/// ```
pub(super) fn items(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let name = ident(&def.name);
    let definition = definition(scope, def, body);
    let constructor = constructor(scope, body);
    let default = default(scope, &name, body);
    let accessors = defaults::accessors(scope, body);
    let methods = (constructor.is_some() || !accessors.is_empty()).then(|| {
        let allow = placeholders_allowed(body);
        quote! {
            #allow
            impl #name {
                #constructor
                #accessors
            }
        }
    });
    let fields_struct = body.fields_struct.as_ref().map(|it| fields_struct(scope, &name, &ident(it), body));
    let codec = codec(scope, def, body);
    quote! {
        #definition
        #methods
        #default
        #fields_struct
        #codec
    }
}

fn definition(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let docs = type_docs(scope, def, |text| cross_rules(text, &body.rules)).attributes();
    let name = ident(&def.name);
    let has_no_arguments = constructor_fields(body).next().is_none();
    let given = ["Debug", "Clone", "PartialEq", if has_no_arguments { "Default" } else { "" }];
    let more = (body.role == StructRole::Object).then(|| scope.more_derives(def, &given));
    let default = body.fields.iter().all(has_usual_default).then(|| quote!(, Default));
    let comparable = (!scope.is_read_once(&def.kind)).then(|| quote!(, Clone, PartialEq));
    let notes = inputs::notes(scope, def, body);
    let fields = body.fields.iter().enumerate().map(|(index, field)| {
        let docs = field_docs(scope, field, notes.get(index).map_or("", String::as_str)).attributes();
        let name = ident(&field.ident);
        let ty = scope.field_ty(field);
        let allow = complexity_allowed(&ty);
        quote!(#docs #allow pub #name: #ty)
    });
    let additional = additional(body).map(|(name, schema)| {
        let ty = scope.ty(schema);
        let docs = line(additional_docs(scope, body));
        quote!(#docs pub #name: rt::Map<#ty>)
    });
    let fields = fields.chain(additional);
    let non_exhaustive = (!body.exhaustive).then(|| quote!(#[non_exhaustive]));
    quote! {
        #docs
        #[derive(Debug #comparable #default)]
        #more
        #non_exhaustive
        pub struct #name {
            #(#fields,)*
        }
    }
}

/// Returns whether a derived `Default` gives the field its value: nothing, or the constant `false`.
fn has_usual_default(field: &Field) -> bool {
    !field.required || field.constant == Some(Literal::Boolean(false))
}

/// Returns the documentation of the field that holds an object's additional properties.
fn additional_docs(scope: &Scope<'_>, body: &StructDef) -> String {
    let names = match &body.additional {
        Additional::Kept { names: Some(names), .. } => name_rules(scope.api, names).join(" "),
        _ => String::new(),
    };
    format!("Additional properties by name. {names}").trim_end().to_owned()
}

/// Returns the fields that the constructor takes: the required ones, except constants.
fn constructor_fields(body: &StructDef) -> impl Iterator<Item = &Field> {
    body.fields.iter().filter(|field| field.is_asked())
}

/// Emits `new`, or nothing if it would take no arguments. `Default` replaces it then.
fn constructor(scope: &Scope<'_>, body: &StructDef) -> Option<TokenStream> {
    constructor_fields(body).next()?;
    let others = other_values(scope, body);
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
    let (arguments, made) = match &body.fields_struct {
        // The codec's macro converts the fields, unless it would have to know constants.
        Some(fields_struct) => {
            let names = constructor_fields(body).map(|field| ident(&field.ident));
            let fields_struct = ident(fields_struct);
            let made = match has_constants {
                true => quote!(Self { #(#names: fields.#names,)* #(#others,)* }),
                false => quote!(Self::from(fields)),
            };
            (quote!(fields: #fields_struct), made)
        }
        None => {
            let arguments = constructor_fields(body).map(|field| {
                let name = ident(&field.ident);
                let (ty, converts) = scope.argument(&field.schema);
                if converts { quote!(#name: impl Into<#ty>) } else { quote!(#name: #ty) }
            });
            let values = constructor_fields(body).map(|field| {
                let name = ident(&field.ident);
                match scope.argument(&field.schema) {
                    _ if scope.is_wrapped(&field.schema) => quote!(#name: #name.into().into_option()),
                    (ty, true) if scope.medium(&field.schema).is_some() => {
                        quote!(#name: Into::<#ty>::into(#name).into())
                    }
                    (_, true) => quote!(#name: #name.into()),
                    (_, false) => quote!(#name),
                }
            });
            (quote!(#(#arguments),*), quote!(Self { #(#values,)* #(#others,)* }))
        }
    };
    Some(quote! {
        #docs
        pub fn new(#arguments) -> Self {
            #made
        }
    })
}

/// Emits `Default` for a struct whose required fields are all constants, if the derived one would not fill them in.
fn default(scope: &Scope<'_>, name: &Ident, body: &StructDef) -> Option<TokenStream> {
    let is_derived = body.fields.iter().all(has_usual_default);
    (constructor_fields(body).next().is_none() && !is_derived).then(|| {
        let values = other_values(scope, body);
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
fn fields_struct(scope: &Scope<'_>, name: &Ident, fields_struct: &Ident, body: &StructDef) -> TokenStream {
    let docs = line(format!("Required fields of [`{name}`], the argument of [`{name}::new`]."));
    let fields = constructor_fields(body).map(|field| {
        let name = ident(&field.ident);
        let ty = scope.ty(&field.schema);
        let allow = complexity_allowed(&ty);
        quote!(#allow pub #name: #ty)
    });
    quote! {
        #docs
        pub struct #fields_struct {
            #(#fields,)*
        }
    }
}

/// Returns the values of fields that `new` does not take.
fn other_values(scope: &Scope<'_>, body: &StructDef) -> Vec<TokenStream> {
    let others = body.fields.iter().filter(|field| !field.is_asked()).map(|field| {
        let name = ident(&field.ident);
        let constant = field.constant.as_ref().filter(|_| field.required);
        let value = constant.and_then(|value| value::expression(scope, &field.schema, &value::json(value)));
        let value = value.unwrap_or_else(|| quote!(None));
        quote!(#name: #value)
    });
    others.chain(additional(body).map(|(name, _)| quote!(#name: rt::Map::new()))).collect()
}

/// Emits the codec, the setters and the conversions, which the runtime's macro implements.
///
/// ```text
/// rt::object! {
///     Task from (String);
///     id,
///     (owner),
///     "createdAt" => [created_at with_created_at: rt::Timestamp],
/// }
/// ```
fn codec(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let name = ident(&def.name);
    let allow = placeholders_allowed(body);
    let has_constants = body.fields.iter().any(|field| field.required && !field.is_asked());
    let from = match &body.fields_struct {
        Some(fields_struct) => (!has_constants).then(|| ident(fields_struct).into_token_stream()),
        None => inputs::conversion(scope, def, body),
    };
    let from = from.map(|from| quote!(from #from));
    let head = match (&body.additional, additional(body)) {
        (Additional::Kept { .. }, Some((others, _))) => quote!(#name + #others),
        (Additional::Forbidden, _) => quote!(closed #name),
        _ => quote!(#name),
    };
    let fields = body.fields.iter().map(|field| {
        let name = ident(&field.ident);
        let wire = (name != field.wire).then_some(&field.wire).map(|wire| quote!(#wire =>));
        match field.required {
            true if scope.is_option(&field.schema) => quote!(#wire (#name)),
            true => quote!(#wire #name),
            false => {
                let setter = setter(scope, field);
                let null = field.null_is_absent.then(|| quote!(@null));
                quote!(#wire [#null #name #setter])
            }
        }
    });
    quote! {
        rt::object! { #allow #head #from; #(#fields,)* }
    }
}

/// Returns the name and the argument of a field's setter: `with_age: i64`, or `with_name => String` if it converts.
fn setter(scope: &Scope<'_>, field: &Field) -> Option<TokenStream> {
    let setter = ident(field.setter.as_ref()?);
    let (ty, converts) = scope.argument(&field.held());
    Some(if converts { quote!(#setter => #ty) } else { quote!(#setter: #ty) })
}

/// Returns the field of additional properties and their schema.
fn additional(body: &StructDef) -> Option<(Ident, &crate::ir::Schema)> {
    match &body.additional {
        Additional::Kept { ident: name, schema, .. } => Some((ident(name), schema)),
        Additional::Ignored | Additional::Forbidden => None,
    }
}

/// Returns the `allow` attribute for names that clippy takes for placeholders.
fn placeholders_allowed(body: &StructDef) -> Option<TokenStream> {
    let is_placeholder = |field: &Field| matches!(field.ident.0.as_str(), "foo" | "baz" | "quux");
    body.fields
        .iter()
        .any(is_placeholder)
        .then(|| quote!(#[allow(clippy::disallowed_names, reason = "the API description defines the names")]))
}

/// Returns the `allow` attribute for a type that the document nests deeply.
fn complexity_allowed(ty: &TokenStream) -> Option<TokenStream> {
    const MAX_NESTED: usize = 6;
    let depth = ty.to_string().matches('<').count();
    (depth >= MAX_NESTED)
        .then(|| quote!(#[allow(clippy::type_complexity, reason = "the API description defines the type")]))
}

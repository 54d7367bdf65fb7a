//! The server trait of one tag and the builder method that mounts it.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::calls::{self, Call};
use super::super::docs::{Text, line};
use super::super::scope::{Scope, ident};
use super::super::{File, Item, operations_text, rust_file, tag_docs};
use crate::ir::{Api, Module, Operation, Tag, TagId};
use crate::options::{CrateKind, Options};

/// Returns the module of a tag.
pub(super) fn file<'a>(api: &'a Api, options: &'a Options, id: TagId) -> Option<File<'a>> {
    let tag = api.tags.get(id.0)?;
    let tokens = move || {
        let models = options.crate_ident(CrateKind::Models);
        let scope = Scope { api, module: Module::Tag(id), models: Some(&models) };
        let routable = api.operations_of(id).filter(|operation| operation.routable);
        let operations: Vec<_> = routable.map(|operation| Call::new(&scope, operation)).collect();
        let (api_trait, mount) = (api_trait(tag, &operations), mount(tag, &operations));
        quote!(#api_trait #mount)
    };
    let imports = calls::imports(options, tag, "server");
    let docs = tag_docs(tag, "Server trait");
    Some(rust_file(CrateKind::Server, &tag.module.0, docs, imports, vec![Item::new(tokens)]))
}

/// ```text
/// /// Implements the `pets` operations.
/// pub trait PetsApi: Send + Sync + 'static {
///     /// The authenticated caller, as returned by the [`rt::Authenticate`] hook.
///     type Principal: Send + 'static;
///     …
/// }
/// ```
fn api_trait(tag: &Tag, operations: &[Call<'_>]) -> TokenStream {
    let docs = Text::new()
        .paragraph(format!("Implements {}.", operations_text(tag)))
        .paragraph(
            "Write each method as an `async fn`. A method without an implementation responds with 501.",
        )
        .attributes();
    let name = ident(&tag.api_trait);
    let principal = has_principal(operations).then(|| {
        quote! {
            /// The authenticated caller, as returned by the [`rt::Authenticate`] hook.
            type Principal: Send + 'static;
        }
    });
    let methods = operations.iter().map(method);
    quote! {
        #docs
        pub trait #name: Send + Sync + 'static {
            #principal
            #(#methods)*
        }
    }
}

/// ```text
/// /// Creates a pet.
/// ///
/// /// `POST /pets`
/// fn create_pet(
///     &self,
///     context: rt::Context<Self::Principal>,
///     input: models::CreatePetInput,
/// ) -> impl Future<Output = Result<common::Task, rt::Failure<responses::ApiError>>> + Send {
///     let _ = (context, input);
///     async { Err(rt::Failure::NotImplemented) }
/// }
/// ```
fn method(call: &Call<'_>) -> TokenStream {
    let docs = call.brief_docs("Handles").attributes();
    let name = ident(&call.operation.ident);
    let principal = match Security::of(call.operation) {
        Security::Required => quote!(Self::Principal),
        Security::Optional => quote!(Option<Self::Principal>),
        Security::None => quote!(()),
    };
    let (output, error) = (&call.output, &call.error);
    let input = call.input.as_ref().map(|input| quote!(, input: #input));
    let unused = if call.input.is_some() { quote!((context, input)) } else { quote!(context) };
    let allow = convention_allowed(&call.operation.ident.0);
    quote! {
        #docs
        #allow
        fn #name(
            &self,
            context: rt::Context<#principal>
            #input
        ) -> impl Future<Output = Result<#output, rt::Failure<#error>>> + Send {
            let _ = #unused;
            async { Err(rt::Failure::NotImplemented) }
        }
    }
}

/// Returns the `allow` attribute for a method whose name forbids `&self` by Rust's conventions.
pub(in super::super) fn convention_allowed(name: &str) -> Option<TokenStream> {
    (name.starts_with("into_") || name.starts_with("from_")).then(
        || quote!(#[allow(clippy::wrong_self_convention, reason = "the API description defines the name")]),
    )
}

/// ```text
/// impl<A: rt::Authenticate> crate::Builder<A> {
///     /// Mounts the `pets` operations.
///     pub fn pets<T: PetsApi<Principal = A::Principal>>(mut self, api: Arc<T>) -> Self {
///         let to = &mut self.0;
///         to.mount(
///             &table::CREATE_PET,
///             rt::secured(&api, |api, context, input| async move { T::create_pet(&api, context, input).await }),
///         );
///         self
///     }
/// }
/// ```
fn mount(tag: &Tag, operations: &[Call<'_>]) -> TokenStream {
    let docs = line(format!("Mounts {}.", operations_text(tag)));
    let module = ident(&tag.module);
    let name = ident(&tag.api_trait);
    let bound = has_principal(operations).then(|| quote!(<Principal = A::Principal>));
    let mounts = operations.iter().map(|call| {
        let row = ident(&call.operation.constant);
        let method = ident(&call.operation.ident);
        let handler = match Security::of(call.operation) {
            Security::Required => quote!(secured),
            Security::Optional => quote!(optional),
            Security::None => quote!(open),
        };
        let (taken, given) = match call.input {
            Some(_) => (quote!(input), quote!(&api, context, input)),
            None => (quote!(()), quote!(&api, context)),
        };
        quote! {
            to.mount(
                &table::#row,
                rt::#handler(&api, |api, context, #taken| async move { T::#method(#given).await }),
            );
        }
    });
    let receiver = if operations.is_empty() { quote!(self) } else { quote!(mut self) };
    let start = if operations.is_empty() { quote!(let _ = api;) } else { quote!(let to = &mut self.0;) };
    quote! {
        impl<A: rt::Authenticate> crate::Builder<A> {
            #docs
            #[must_use]
            pub fn #module<T: #name #bound>(#receiver, api: Arc<T>) -> Self {
                #start
                #(#mounts)*
                self
            }
        }
    }
}

/// Returns whether any operation receives the authenticated caller.
fn has_principal(operations: &[Call<'_>]) -> bool {
    operations.iter().any(|call| Security::of(call.operation) != Security::None)
}

/// Whether an operation requires an authenticated caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    Required,
    Optional,
    None,
}

impl Security {
    fn of(operation: &Operation) -> Self {
        let alternatives = &operation.security;
        if alternatives.iter().all(Vec::is_empty) {
            Self::None
        } else if alternatives.iter().any(Vec::is_empty) {
            Self::Optional
        } else {
            Self::Required
        }
    }
}

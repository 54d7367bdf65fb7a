//! The client methods of one tag.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::calls::{self, Call};
use super::super::scope::{Scope, ident};
use super::super::{File, Item, rust_file, tag_docs};
use super::example;
use super::follow::{self, Follow};
use crate::ir::{Api, Module, TagId};
use crate::options::{CrateKind, Options};

/// Returns the module of a tag.
pub(super) fn file<'a>(api: &'a Api, options: &'a Options, id: TagId) -> Option<File<'a>> {
    let tag = api.tags.get(id.0)?;
    let tokens = move || {
        let models = options.crate_ident(CrateKind::Models);
        let scope = Scope { api, module: Module::Tag(id), models: Some(&models) };
        let calls: Vec<_> = api.operations_of(id).map(|operation| Call::new(&scope, operation)).collect();
        let methods = calls.iter().map(|call| method(&scope, options, call));
        let tasks = calls.iter().filter_map(|call| follow::description(&scope, call));
        let client = (!calls.is_empty()).then(|| quote!(#(#tasks)* impl crate::Client { #(#methods)* }));
        let dynamic = dynamic(&calls);
        quote!(#client #dynamic)
    };
    let imports = calls::imports(options, tag, "client");
    let docs = tag_docs(tag, "Client methods");
    Some(rust_file(CrateKind::Client, &tag.module.0, docs, imports, vec![Item::new(tokens)]))
}

/// ```text
/// /// Creates a pet.
/// ///
/// /// `POST /pets`
/// pub fn create_pet(
///     &self,
///     input: impl Into<models::CreatePetInput>,
/// ) -> rt::Call<common::Task, responses::ApiError> {
///     self.0.call(&table::CREATE_PET, &input.into())
/// }
/// ```
fn method(scope: &Scope<'_>, options: &Options, call: &Call<'_>) -> TokenStream {
    let example = example::docs(scope, options, call.operation).into_lines();
    let Follow { docs, ty, description, method, arguments } = follow::parts(scope, call);
    let docs = call.docs("Calls").paragraph(docs).block(example).attributes();
    let name = ident(&call.operation.ident);
    let row = ident(&call.operation.constant);
    let (argument, value) = match &call.input {
        Some(input) => (quote!(, input: impl Into<#input>), quote!(&input.into())),
        None => (quote!(), quote!(&())),
    };
    quote! {
        #docs
        pub fn #name(&self #argument) -> #ty {
            #description
            self.0.#method(&table::#row, #value #arguments)
        }
    }
}

/// ```text
/// /// The operations of this module with their types, in document order.
/// #[cfg(feature = "dynamic")]
/// pub static DYNAMIC: &[rt::Dynamic] = &[
///     rt::Dynamic::new::<models::CreatePetInput, common::Task, responses::ApiError>(&table::CREATE_PET),
/// ];
/// ```
fn dynamic(calls: &[Call<'_>]) -> TokenStream {
    let rows = calls.iter().map(|call| {
        let row = ident(&call.operation.constant);
        let input = call.input.clone().unwrap_or(quote!(()));
        let (output, error) = (&call.output, &call.error);
        quote!(rt::Dynamic::new::<#input, #output, #error>(&table::#row))
    });
    let ty =
        if calls.is_empty() { quote!(openapi_crates_runtime::client::Dynamic) } else { quote!(rt::Dynamic) };
    quote! {
        /// The operations of this module with their types, in document order.
        #[cfg(feature = "dynamic")]
        pub static DYNAMIC: &[#ty] = &[#(#rows),*];
    }
}

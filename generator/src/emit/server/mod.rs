//! The crate of traits: what a service implements, one trait per family, and the builder that mounts them.

mod family;
mod rejections;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::Text;
use super::scope::local;
use super::{File, Imports, Item, crate_docs, families, rust_file, unformatted_module};
use crate::ir::{Api, FamilyId};
use crate::options::{CrateKind, Options};

/// The crate's Rust files.
pub(super) fn files<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    let mut files = vec![lib(api, options), builder(api, options)];
    files.extend((0..api.families.len()).filter_map(|place| family::file(api, options, FamilyId(place))));
    files
}

fn lib<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let items = vec![
        families(api, &[]),
        unformatted_module(false, "builder"),
        Item::new(|| {
            let models = local(&options.crate_ident(CrateKind::Models));
            let validation = local(&options.crate_ident(CrateKind::Validation));
            // What an authenticator names.
            let security = (!api.security_schemes.is_empty()).then(|| quote!(pub use #validation::security;));
            quote! {
                pub use #models as models;
                #security
                pub use builder::{Builder, REJECTIONS, Server};
                pub use openapi_crates_runtime::server as runtime;
                // Short lines, which every width of rustfmt leaves as they are.
                pub use openapi_crates_runtime::server::{Attempt, Authenticate, Context};
                pub use openapi_crates_runtime::server::{Credential, Denied, NoSecurity};
                pub use openapi_crates_runtime::server::{Failure, Rejection, RejectionStyle, Service};
            }
        }),
    ];
    let docs = crate_docs(api, "The server").paragraph(
        "A trait for each family of operations, whose methods answer 501 until they are implemented, so that a new \
         operation breaks no build, unless it is the first of its family that has security, which gives the trait a \
         `Principal`, or has the first security scheme of all, which gives the builder an authenticator. \
         [`Server::builder`] mounts what implements them; a family that is not mounted \
         answers 501 as well.",
    );
    rust_file(CrateKind::Server, "lib", docs, Imports::none(), items)
}

/// `builder.rs`: the runtime's builder, on which each family's module puts a method.
fn builder<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let docs = Text::new().paragraph("Mounting families, and how refusals look.");
    let items = vec![Item::new(|| builder_items(api, options))];
    rust_file(CrateKind::Server, "builder", docs, Imports::none(), items)
}

fn builder_items(api: &Api, options: &Options) -> TokenStream {
    let validation = local(&options.crate_ident(CrateKind::Validation));
    let server = if api.security_schemes.is_empty() {
        quote! {
            impl Server {
                /// A builder with no family mounted.
                #[must_use]
                pub fn builder() -> Builder<rt::NoSecurity> {
                    let builder = rt::Builder::new(#validation::OPERATIONS, rt::NoSecurity, &REJECTIONS);
                    Builder(builder)
                }
            }
        }
    } else {
        quote! {
            impl Server {
                /// A builder with no family mounted; `authenticator` says who is calling.
                #[must_use]
                pub fn builder<A: rt::Authenticate>(authenticator: A) -> Builder<A> {
                    let builder = rt::Builder::new(#validation::OPERATIONS, authenticator, &REJECTIONS);
                    Builder(builder)
                }
            }
        }
    };
    let mut items = vec![quote!(
        use openapi_crates_runtime::server as rt;
    )];
    items.push(rejections::constant(api));
    items.push(quote! {
        /// Where a server begins: [`Server::builder`].
        #[derive(Debug, Clone, Copy)]
        pub struct Server;
    });
    items.push(server);
    items.push(quote! {
        /// A server under construction: the families that are mounted, and how it refuses.
        pub struct Builder<A: rt::Authenticate>(pub(crate) rt::Builder<A>);
    });
    items.push(quote! {
        impl<A: rt::Authenticate> Builder<A> {
            /// Makes the answer to every refusal, instead of what the API's description says.
            #[must_use]
            pub fn reject<F>(mut self, hook: F) -> Self
            where
                F: Fn(rt::Rejection) -> rt::http::Response<rt::Body> + Send + Sync + 'static,
            {
                self.0.reject(hook);
                self
            }

            /// The largest body, in bytes, that operations accept which have no limit of their own.
            #[must_use]
            pub fn default_body_limit(mut self, bytes: u64) -> Self {
                self.0.default_body_limit(bytes);
                self
            }

            /// The service: a `tower::Service`, to be mounted in a router or served as it is.
            ///
            /// # Errors
            /// A family is mounted twice, or two operations have the same place.
            pub fn build(self) -> Result<rt::Service, rt::BuildError> {
                self.0.build()
            }
        }
    });
    quote!(#(#items)*)
}

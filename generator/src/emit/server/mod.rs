//! The server crate: a trait per tag, and the builder that mounts implementations.

mod rejections;
mod tag;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, line};
use super::scope::local;
use super::{File, Imports, Item, crate_docs, foreign_names, rust_file, tags, unformatted_module};
pub(super) use tag::convention_allowed;

use crate::ir::{Api, TagId};
use crate::options::{CrateKind, Options};

/// Returns the crate's Rust files.
pub(super) fn files<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    let mut files = vec![lib(api, options), builder(api, options)];
    files.extend((0..api.tags.len()).filter_map(|index| tag::file(api, options, TagId(index))));
    files
}

fn lib<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let own = [
        tags(api, &[]),
        unformatted_module(false, "builder"),
        Item::new(|| {
            let models = local(&options.crate_ident(CrateKind::Models));
            let validation = local(&options.crate_ident(CrateKind::Validation));
            // Authenticators refer to the security schemes.
            let security = (!api.security_schemes.is_empty()).then(|| quote!(pub use #validation::security;));
            quote! {
                pub use #models as models;
                #security
                pub use builder::{Builder, REJECTIONS, Server};
                pub use openapi_crates_runtime::server as runtime;
                // Short lines, so that rustfmt keeps them at any `max_width`.
                pub use openapi_crates_runtime::server::{Attempt, Authenticate, Context};
                pub use openapi_crates_runtime::server::{Credential, Denied, NoSecurity};
                pub use openapi_crates_runtime::server::{Failure, Rejection, RejectionStyle, Service};
            }
        }),
    ];
    let items = foreign_names(api).into_iter().chain(own).collect();
    let docs = crate_docs(api, CrateKind::Server)
        .paragraph(
            "Each tag has a trait with a method per operation. [`Server::builder`] returns a builder that mounts \
             implementations of these traits. Operations that are not implemented or not mounted respond with 501.",
        )
        .paragraph(
            "So a new operation rarely breaks a build. Two additions do. The first operation of a tag that requires \
             security adds the type `Principal` to the trait. The first security scheme of the API adds an authenticator \
             to [`Server::builder`].",
        );
    rust_file(CrateKind::Server, "lib", docs, Imports::default(), items)
}

/// Returns `builder.rs`, which wraps the runtime's builder. The module of each tag adds a method to it.
fn builder<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let docs = Text::new().paragraph("The server builder and the format of rejections.");
    let items = vec![Item::new(|| builder_items(api, options))];
    rust_file(CrateKind::Server, "builder", docs, Imports::default(), items)
}

fn builder_items(api: &Api, options: &Options) -> TokenStream {
    let validation = local(&options.crate_ident(CrateKind::Validation));
    let rejections = rejections::constant(api);
    let is_open = api.security_schemes.is_empty();
    let callers = if is_open { "" } else { " `authenticator` identifies the callers." };
    let docs = line(format!("Returns a builder with no operations mounted.{callers}"));
    let (signature, authenticator) = if is_open {
        (quote!(builder() -> Builder<rt::NoSecurity>), quote!(rt::NoSecurity))
    } else {
        (quote!(builder<A: rt::Authenticate>(authenticator: A) -> Builder<A>), quote!(authenticator))
    };
    quote! {
        use openapi_crates_runtime::server as rt;

        #rejections

        /// The entry point of this crate; see [`Server::builder`].
        #[derive(Debug, Clone, Copy)]
        pub struct Server;

        impl Server {
            #docs
            #[must_use]
            pub fn #signature {
                let builder = rt::Builder::new(#validation::OPERATIONS, #authenticator, &REJECTIONS);
                Builder(builder)
            }
        }

        /// A builder for the [`Service`](rt::Service) that serves the mounted operations.
        pub struct Builder<A: rt::Authenticate>(pub(crate) rt::Builder<A>);

        impl<A: rt::Authenticate> Builder<A> {
            /// Sets the hook that builds the response to every rejected request.
            ///
            /// Without a hook, [`REJECTIONS`] defines the responses, and internal errors are logged: with the
            /// feature `tracing` as events, otherwise on stderr.
            #[must_use]
            pub fn reject<F>(mut self, hook: F) -> Self
            where
                F: Fn(rt::Rejection) -> rt::http::Response<rt::Body> + Send + Sync + 'static,
            {
                self.0.reject(hook);
                self
            }

            /// Sets the maximum size of request bodies, in bytes.
            ///
            /// The default is 2 MiB. Operations with a limit of their own keep it.
            #[must_use]
            pub fn default_body_limit(mut self, bytes: u64) -> Self {
                self.0.default_body_limit(bytes);
                self
            }

            /// Sets the hook that runs the decoding and validation of request bodies.
            ///
            /// It gets the size of the body in bytes and a function, which it must call before it returns. With it,
            /// large bodies can be decoded where they hold up no other request, such as in
            /// `tokio::task::block_in_place`.
            #[must_use]
            pub fn decode_body<F>(mut self, hook: F) -> Self
            where
                F: Fn(usize, &mut dyn FnMut()) + Send + Sync + 'static,
            {
                self.0.decode_body(hook);
                self
            }

            /// Builds the service, a `tower::Service` to serve directly or to mount in a router.
            ///
            /// # Errors
            /// Returns an error if an operation is mounted twice, or if two operations match the same
            /// requests.
            pub fn build(self) -> Result<rt::Service, rt::BuildError> {
                self.0.build()
            }
        }
    }
}

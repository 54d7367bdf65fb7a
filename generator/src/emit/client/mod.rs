//! The client crate: a method for each operation.

mod example;
mod follow;
mod receiver;
mod tag;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, code};
use super::scope::{ident, local};
use super::{File, Imports, Item, crate_docs, foreign_names, rust_file, tags, unformatted_module};
pub(super) use receiver::has_events;

use crate::ir::{Api, NamedServer, SchemeKind, SecurityScheme, TagId};
use crate::options::{CrateKind, NaiveDateTimes, Options};

/// Returns the crate's Rust files.
pub(super) fn files<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    let mut files = vec![lib(api, options), dynamic()];
    files.extend(has_credentials(api).then(|| security(api, options)));
    files.extend(receiver::file(api, options));
    files.extend((0..api.tags.len()).filter_map(|location| tag::file(api, options, TagId(location))));
    files
}

fn lib<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let server = absolute_url(api).map_or_else(|| "None".to_owned(), |url| format!("Some({url:?})"));
    let mut entries = vec![
        format!("server: {server}"),
        "user_agent: concat!(env!(\"CARGO_PKG_NAME\"), \"/\", env!(\"CARGO_PKG_VERSION\"))".to_owned(),
    ];
    entries.extend(has_only_own_servers(api).then(|| "needs_server: false".to_owned()));
    entries.extend((options.naive_date_times == NaiveDateTimes::Utc).then(|| "assume_utc: true".to_owned()));
    let client = Item::list("implement_client", &[], entries);
    let head = [
        "/// All operations with their types, grouped by module, for calls by operation id.",
        "#[cfg(feature = \"dynamic\")]",
        "static DYNAMIC: openapi_crates_runtime::client::Dynamic;",
    ];
    let mut items: Vec<_> = foreign_names(api).into_iter().chain([tags(api, &head)]).collect();
    items.push(unformatted_module(false, "dynamic"));
    items.extend(has_credentials(api).then(|| unformatted_module(false, "security")));
    items.extend(receiver::module(api));
    items.push(Item::new(client_types));
    items.push(client);
    items.extend(servers(api));
    items.push(Item::new(|| {
        let models = local(&options.crate_ident(CrateKind::Models));
        quote! {
            pub use #models as models;
            pub use openapi_crates_runtime::client as runtime;
            // Two short lines, so that rustfmt keeps them at any `max_width`.
            pub use openapi_crates_runtime::client::{BuildError, Call, Credential, Error, ErrorKind};
            pub use openapi_crates_runtime::client::{Response, RetryPolicy};
        }
    }));
    rust_file(CrateKind::Client, "lib", lib_docs(api), Imports::default(), items)
}

/// Returns the types whose methods the runtime's macro implements.
///
/// They are not in the macro, so that "go to definition" leads to them.
fn client_types() -> TokenStream {
    quote! {
        /// A client of the API, with one method per operation.
        ///
        /// Cloning is cheap. Clones share connections, credentials and settings.
        #[derive(Debug, Clone)]
        pub struct Client(openapi_crates_runtime::client::Client);

        /// A builder of a [`Client`].
        ///
        /// The setters never fail. [`build`](Self::build) reports invalid settings.
        #[derive(Debug, Clone)]
        pub struct ClientBuilder(openapi_crates_runtime::client::ClientBuilder);
    }
}

fn lib_docs(api: &Api) -> Text {
    let server = match (absolute_url(api), base_path(api)) {
        (Some(url), _) => {
            format!("Requests go to <{url}> unless [`ClientBuilder::base_url`] sets another URL.")
        }
        (None, Some(path)) => format!(
            "The API description gives only the path `{path}` of the server. Set its URL with [`ClientBuilder::base_url`]."
        ),
        (None, None) if has_only_own_servers(api) => {
            "The API description names servers of operations only. [`ClientBuilder::base_url`] sets another URL.".to_owned()
        }
        (None, None) => {
            "The API description names no server. Set its URL with [`ClientBuilder::base_url`].".to_owned()
        }
    };
    crate_docs(api, CrateKind::Client).paragraph(
        "[`Client`] has a method for each operation. Await the [`Call`] that a method returns, or first set headers, \
         time limits and retries on it.",
    )
    .paragraph(server)
}

/// Returns the URL of the document's server if it is absolute.
fn absolute_url(api: &Api) -> Option<&str> {
    plain_url(api).filter(|url| is_absolute(url))
}

/// Returns whether a client can send requests without a server of the document, because operations have some.
fn has_only_own_servers(api: &Api) -> bool {
    let mut servers = api.operations.iter().filter_map(|operation| operation.server.as_deref());
    absolute_url(api).is_none() && servers.any(is_absolute)
}

/// Returns the URL of the document's server if it is a path without a host.
fn base_path(api: &Api) -> Option<&str> {
    plain_url(api).filter(|url| url.starts_with('/') && !url.starts_with("//") && *url != "/")
}

/// Returns the URL of the document's server if it needs no escapes.
fn plain_url(api: &Api) -> Option<&str> {
    api.server_url.as_deref().filter(|url| is_plain(url))
}

fn is_absolute(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// Returns whether a URL needs no escapes.
fn is_plain(url: &str) -> bool {
    !url.contains(|c: char| c.is_whitespace() || "<>{}`".contains(c))
}

/// Returns `dynamic.rs`, which calls operations by id if the feature `dynamic` is on.
fn dynamic() -> File<'static> {
    let tokens = || {
        quote! {
            #[cfg(feature = "dynamic")]
            use openapi_crates_runtime::{client as rt, types::Value};

            #[cfg(feature = "dynamic")]
            impl crate::Client {
                /// Calls an operation by its id, with JSON as input and output.
                ///
                /// `input` is an object with each parameter under its name and the request body under `body`.
                ///
                /// # Errors
                /// Returns an error if no enabled feature has an operation of this id, or if `input` does not
                /// match the operation's input.
                pub fn call(&self, operation_id: &str, input: &Value) -> Result<rt::DynamicCall, rt::Error<Value>> {
                    self.0.call_dynamic(crate::DYNAMIC, operation_id, input)
                }
            }
        }
    };
    let docs = Text::new().paragraph("Calls by operation id, for command lines and scripts.");
    rust_file(CrateKind::Client, "dynamic", docs, Imports::default(), vec![Item::new(tokens)])
}

/// Returns the setters of the builder for servers that have a name.
///
/// ```text
/// /// Sends requests to the server `staging`, <https://staging.example.com>.
/// pub fn server_staging(self) -> Self {
///     self.base_url("https://staging.example.com")
/// }
/// ```
fn servers(api: &Api) -> Option<Item<'_>> {
    let usable = |server: &&NamedServer| is_absolute(&server.url) && is_plain(&server.url);
    let servers: Vec<_> = api.named_servers.iter().filter(usable).collect();
    let setters = move || {
        let methods = servers.iter().map(|NamedServer { name, method, url, description }| {
            let method = ident(method);
            let docs = Text::new()
                .paragraph(format!("Sends requests to the server {}, <{url}>.", code(name)))
                .foreign(description.as_deref())
                .attributes();
            quote! {
                #docs
                #[must_use]
                pub fn #method(self) -> Self {
                    self.base_url(#url)
                }
            }
        });
        quote!(impl ClientBuilder { #(#methods)* })
    };
    api.named_servers.iter().any(|server| usable(&server)).then(|| Item::new(setters))
}

/// Returns whether a request can carry the credentials of any security scheme.
fn has_credentials(api: &Api) -> bool {
    api.security_schemes.iter().any(|scheme| scheme.kind != SchemeKind::MutualTls)
}

/// Returns `security.rs`, a setter for each scheme's credential.
fn security<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let tokens = || {
        let validation = local(&options.crate_ident(CrateKind::Validation));
        let methods = api.security_schemes.iter().filter_map(credential);
        quote! {
            use openapi_crates_runtime::client as rt;
            use #validation::security;
            impl crate::ClientBuilder { #(#methods)* }
        }
    };
    let docs = Text::new().paragraph("Credentials for the API's security schemes.");
    rust_file(CrateKind::Client, "security", docs, Imports::default(), vec![Item::new(tokens)])
}

/// ```text
/// /// Sets the API key, sent in the header `x-api-key`.
/// pub fn api_key(self, key: impl Into<rt::Credential>) -> Self {
///     self.credential(&security::API_KEY, key)
/// }
/// ```
fn credential(scheme: &SecurityScheme) -> Option<TokenStream> {
    let (constant, method) = (ident(&scheme.constant), ident(&scheme.method));
    let key = |location: &str, name: &str| {
        let what = format!("Sets the API key, sent in the {location} {}.", code(name));
        (what, quote!(key: impl Into<rt::Credential>), quote!(key))
    };
    let token = |what: String| (what, quote!(token: impl Into<rt::Credential>), quote!(token));
    let (what, arguments, value) = match &scheme.kind {
        SchemeKind::ApiKeyHeader(name) => key("header", name),
        SchemeKind::ApiKeyQuery(name) => key("query parameter", name),
        SchemeKind::ApiKeyCookie(name) => key("cookie", name),
        SchemeKind::Basic => (
            "Sets the user name and password for HTTP Basic authentication.".to_owned(),
            quote!(user: impl AsRef<str>, password: impl AsRef<str>),
            quote!(rt::Credential::basic(user, password)),
        ),
        SchemeKind::Bearer => token("Sets the bearer token.".to_owned()),
        SchemeKind::Http(scheme) => {
            token(format!("Sets the credentials that follow {} in the header `Authorization`.", code(scheme)))
        }
        SchemeKind::MutualTls => return None,
    };
    let grants = "An [`OAuth2`](rt::OAuth2) grant fetches tokens from the endpoint of the API description.";
    let docs = Text::new()
        .paragraph(what)
        .paragraph(if scheme.flows.is_empty() { "" } else { grants })
        .foreign(scheme.description.as_deref())
        .paragraph(format!("Security scheme {}.", code(&scheme.name)))
        .attributes();
    let deprecated = scheme.deprecated.then(|| quote!(#[deprecated]));
    Some(quote! {
        #docs
        #deprecated
        #[must_use]
        pub fn #method(self, #arguments) -> Self {
            self.credential(&security::#constant, #value)
        }
    })
}

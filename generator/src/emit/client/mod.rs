//! The crate of the client: a method for each operation.

mod example;
mod family;

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Text, code};
use super::scope::{ident, local};
use super::{File, Imports, Item, List, crate_docs, families, rust_file, unformatted_module};
use crate::ir::{Api, FamilyId, SchemeKind, SecurityScheme};
use crate::options::{CrateKind, Options};

/// The crate's Rust files.
pub(super) fn files<'a>(api: &'a Api, options: &'a Options) -> Vec<File<'a>> {
    let mut files = vec![lib(api, options), dynamic()];
    files.extend(has_credentials(api).then(|| security(api, options)));
    files.extend((0..api.families.len()).filter_map(|place| family::file(api, options, FamilyId(place))));
    files
}

fn lib<'a>(api: &'a Api, options: &'a Options) -> File<'a> {
    let server = absolute_url(api).map_or_else(|| "None".to_owned(), |url| format!("Some({url:?})"));
    let client = Item::List(List {
        path: "openapi_crates_runtime::declare_client".to_owned(),
        head: Vec::new(),
        entries: vec![
            format!("server: {server}"),
            "user_agent: concat!(env!(\"CARGO_PKG_NAME\"), \"/\", env!(\"CARGO_PKG_VERSION\"))".to_owned(),
        ],
    });
    let head = [
        "/// Every operation with its types, family by family, for calls with JSON.",
        "#[cfg(feature = \"dynamic\")]",
        "static DYNAMIC: openapi_crates_runtime::client::Dynamic;",
    ];
    let mut items = vec![families(api, &head)];
    items.push(unformatted_module(false, "dynamic"));
    items.extend(has_credentials(api).then(|| unformatted_module(false, "security")));
    items.push(client);
    items.push(Item::new(|| {
        let models = local(&options.crate_ident(CrateKind::Models));
        quote! {
            pub use #models as models;
            pub use openapi_crates_runtime::client as runtime;
            // Two short lines, which every width of rustfmt leaves as they are.
            pub use openapi_crates_runtime::client::{BuildError, Call, Credential, Error};
            pub use openapi_crates_runtime::client::{Response, RetryPolicy};
        }
    }));
    rust_file(CrateKind::Client, "lib", lib_docs(api), Imports::none(), items)
}

fn lib_docs(api: &Api) -> Text {
    let server = match (absolute_url(api), base_path(api)) {
        (Some(url), _) => {
            format!("Requests go to <{url}> unless [`ClientBuilder::base_url`] says otherwise.")
        }
        (None, Some(path)) => format!(
            "[`ClientBuilder::base_url`] says where requests go; the path that the API's document names is `{path}`."
        ),
        (None, None) => "[`ClientBuilder::base_url`] says where requests go.".to_owned(),
    };
    crate_docs(api, "A client").paragraph(
        "[`Client`] has a method for each operation. What a method returns is awaited, or given options first: \
         headers, time limits, retries.",
    )
    .paragraph(server)
}

/// The document's server, if it says where it is by itself.
fn absolute_url(api: &Api) -> Option<&str> {
    let is_absolute = |url: &&str| url.starts_with("https://") || url.starts_with("http://");
    plain_url(api).filter(is_absolute)
}

/// The path of the document's server, if it says nothing else: its base URL is then the caller's host and this.
fn base_path(api: &Api) -> Option<&str> {
    plain_url(api).filter(|url| url.starts_with('/') && !url.starts_with("//") && *url != "/")
}

/// The document's server, if it can stand in code and documentation as it is.
fn plain_url(api: &Api) -> Option<&str> {
    let is_odd = |c: char| c.is_whitespace() || "<>{}`".contains(c);
    api.server_url.as_deref().filter(|url| !url.contains(is_odd))
}

/// `dynamic.rs`: calls by operation id, if the feature is on.
fn dynamic() -> File<'static> {
    let tokens = || {
        quote! {
            #[cfg(feature = "dynamic")]
            use openapi_crates_runtime::{client as rt, types::Value};

            #[cfg(feature = "dynamic")]
            impl crate::Client {
                /// A call of an operation by its id, JSON in and JSON out. The input is an object of the operation's
                /// parameters by their names, and `body`.
                ///
                /// # Errors
                /// There is no such operation among the families that are compiled in, or the input does not fit it.
                pub fn call(&self, operation_id: &str, input: &Value) -> Result<rt::DynamicCall, rt::Error<Value>> {
                    self.0.call_dynamic(crate::DYNAMIC, operation_id, input)
                }
            }
        }
    };
    let docs = Text::new().paragraph("Calls by operation id, for command lines and scripts.");
    rust_file(CrateKind::Client, "dynamic", docs, Imports::none(), vec![Item::new(tokens)])
}

/// Whether any scheme is proven by something in the request.
fn has_credentials(api: &Api) -> bool {
    api.security_schemes.iter().any(|scheme| scheme.kind != SchemeKind::MutualTls)
}

/// `security.rs`: a setter for each scheme's credential.
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
    let docs = Text::new().paragraph("How the client proves who it is.");
    rust_file(CrateKind::Client, "security", docs, Imports::none(), vec![Item::new(tokens)])
}

/// ```text
/// /// The key in the header `x-api-key`.
/// pub fn api_key(self, key: impl Into<rt::Credential>) -> Self {
///     self.credential(&security::API_KEY, key)
/// }
/// ```
fn credential(scheme: &SecurityScheme) -> Option<TokenStream> {
    let (constant, method) = (ident(&scheme.constant), ident(&scheme.method));
    let place = match &scheme.kind {
        SchemeKind::ApiKeyHeader(header) => format!("The key, sent in the header {}.", code(header)),
        SchemeKind::ApiKeyQuery(name) => format!("The key, sent in the query parameter {}.", code(name)),
        SchemeKind::ApiKeyCookie(name) => format!("The key, sent in the cookie {}.", code(name)),
        SchemeKind::Basic => "User and password.".to_owned(),
        SchemeKind::Bearer => "The bearer token.".to_owned(),
        SchemeKind::Http(scheme) => format!("What `Authorization` says after {}.", code(scheme)),
        SchemeKind::MutualTls => return None,
    };
    let docs = Text::new()
        .paragraph(place)
        .foreign(scheme.description.as_deref())
        .paragraph(format!("Security scheme {}.", code(&scheme.name)))
        .attributes();
    let (arguments, value) = match &scheme.kind {
        SchemeKind::Basic => (
            quote!(user: impl AsRef<str>, password: impl AsRef<str>),
            quote!(rt::Credential::basic(user, password)),
        ),
        SchemeKind::Bearer | SchemeKind::Http(_) => (quote!(token: impl Into<rt::Credential>), quote!(token)),
        _ => (quote!(key: impl Into<rt::Credential>), quote!(key)),
    };
    Some(quote! {
        #docs
        #[must_use]
        pub fn #method(self, #arguments) -> Self {
            self.credential(&security::#constant, #value)
        }
    })
}

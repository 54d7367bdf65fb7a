//! What every generated client declares of its own, so that operations can be methods of it.

/// Declares `Client` and `ClientBuilder` around the runtime's, with these values set at first.
///
/// ```ignore
/// openapi_crates_runtime::declare_client! {
///     server: Some("https://api.example.com"),
///     user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")),
/// }
///
/// impl ClientBuilder {
///     /// The API key.
///     #[must_use]
///     pub fn api_key(self, key: impl Into<rt::Credential>) -> Self {
///         Self(self.0.credential(&security::API_KEY, key))
///     }
/// }
///
/// impl Client {
///     pub fn list_icons(&self, input: ListIconsInput) -> rt::Call<IconList, ApiError> {
///         self.0.call(&table::LIST_ICONS, &input)
///     }
/// }
/// ```
#[macro_export]
macro_rules! declare_client {
    (server: $server:expr, user_agent: $agent:expr $(,)?) => {
        /// A client of the API: one method per operation. Cloning is cheap; clones share connections, credentials and
        /// settings.
        #[derive(Debug, Clone)]
        pub struct Client($crate::client::Client);

        /// Settings of a [`Client`] to be. Nothing here fails; [`build`](Self::build) tells what is wrong.
        #[derive(Debug, Clone)]
        pub struct ClientBuilder($crate::client::ClientBuilder);

        impl Client {
            /// A builder with the default settings.
            #[must_use]
            pub fn builder() -> ClientBuilder {
                let builder = $crate::client::Client::builder().user_agent($agent);
                let server: Option<&'static str> = $server;
                ClientBuilder(match server {
                    Some(url) => builder.server(url),
                    None => builder,
                })
            }

            /// The client beneath, for calls that no method here makes.
            #[must_use]
            pub const fn runtime(&self) -> &$crate::client::Client {
                &self.0
            }
        }

        impl Default for ClientBuilder {
            fn default() -> Self {
                Client::builder()
            }
        }

        $crate::client_builder_methods! {
            /// The server's URL, with a path that every operation's path is put behind if it has one; without query
            /// and fragment.
            base_url(url: impl Into<String>);
            /// What proves the caller where an operation asks for this security scheme.
            credential(
                scheme: &'static $crate::table::Scheme,
                credential: impl Into<$crate::client::Credential>,
            );
            /// The HTTP client to use, with its own proxies, certificates and redirects. Mind its redirect policy:
            /// `reqwest`'s default sends an API key's header along to another origin.
            http(http: $crate::client::reqwest::Client);
            /// How long one attempt may take; 60 s by default, `Duration::MAX` is no limit.
            timeout(timeout: ::core::time::Duration);
            /// How long a call may take with all its attempts and the waits between them; no limit by default.
            deadline(deadline: ::core::time::Duration);
            /// When and how often calls are tried again.
            retry(policy: $crate::client::RetryPolicy);
            /// How long the body of an answer may be, in bytes; 64 MiB by default, `u64::MAX` is no limit.
            response_limit(bytes: u64);
            /// The value of `User-Agent`.
            user_agent(agent: impl Into<String>);
            /// A header for every request; the operation's own and the call's win over it.
            header(name: impl Into<String>, value: impl Into<String>);
            /// Whether inputs are checked against the API's rules before they are sent; off by default.
            preflight(check: bool);
        }
    };
}

/// The setters of a generated `ClientBuilder`, each handed on to the runtime's.
#[doc(hidden)]
#[macro_export]
macro_rules! client_builder_methods {
    ($($(#[$meta:meta])* $name:ident($($argument:ident: $type:ty),+ $(,)?);)+) => {
        impl ClientBuilder {
            $(
                $(#[$meta])*
                #[must_use]
                pub fn $name(self, $($argument: $type),+) -> Self {
                    Self(self.0.$name($($argument),+))
                }
            )+

            /// The client.
            ///
            /// # Errors
            /// There is no server's URL, or a setting can't be used.
            pub fn build(self) -> Result<Client, $crate::client::BuildError> {
                self.0.build().map(Client)
            }
        }
    };
}

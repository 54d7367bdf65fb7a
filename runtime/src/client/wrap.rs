//! The macro for the types of a generated client, whose methods are the operations.

/// Implements a `Client` and a `ClientBuilder` that wrap those of the runtime.
///
/// `server`, `user_agent`, `needs_server` and `assume_utc` are the defaults of the builder. The last two can be left out.
///
/// # Examples
///
/// ```ignore
/// #[derive(Debug, Clone)]
/// pub struct Client(openapi_crates_runtime::client::Client);
///
/// #[derive(Debug, Clone)]
/// pub struct ClientBuilder(openapi_crates_runtime::client::ClientBuilder);
///
/// openapi_crates_runtime::implement_client! {
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
macro_rules! implement_client {
    (
        server: $server:expr, user_agent: $agent:expr
        $(, needs_server: $needs:expr)? $(, assume_utc: $assume:expr)? $(,)?
    ) => {
        impl Client {
            /// Creates a builder with the default settings.
            #[must_use]
            pub fn builder() -> ClientBuilder {
                let builder = $crate::client::Client::builder().user_agent($agent)
                    $(.needs_server($needs))?$(.assume_utc($assume))?;
                let server: Option<&'static str> = $server;
                ClientBuilder(match server {
                    Some(url) => builder.server(url),
                    None => builder,
                })
            }

            /// Returns the runtime's client, for calls that no method covers.
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
            /// Sets the URL of the server.
            ///
            /// The URL can have a path, to which the paths of the operations are appended. It must not have a
            /// query, a fragment, a user name or a password.
            base_url(url: impl Into<String>);
            /// Sets whether operations go to servers of their own, where the API's document has them.
            ///
            /// The default is `true`, and `false` if a base URL is set: then all requests go to that URL.
            operation_servers(use_them: bool);
            /// Sets the credential for a security scheme.
            ///
            /// It is sent with the operations that accept the scheme.
            credential(
                scheme: &'static $crate::table::Scheme,
                credential: impl Into<$crate::client::Credential>,
            );
            /// Sets the credential for all schemes that take a bearer token.
            ///
            /// A credential for one scheme has precedence.
            bearer_credential(credential: impl Into<$crate::client::Credential>);
            /// Sets whether a call fails if no credential is set for the security schemes of its operation.
            ///
            /// The default is `true`. Set `false` for a server that requires no credential.
            require_credentials(require: bool);
            /// Sets the HTTP client to use, with its own proxies and certificates.
            ///
            /// Build it with `runtime::http_builder()`: the default redirect policy of `reqwest` sends the header of an
            /// API key to other origins.
            http(http: $crate::client::reqwest::Client);
            /// Sets the transport, which sends all requests, in place of an HTTP client.
            ///
            /// It is a `Transport` or a tower service, such as an axum router or a generated server.
            transport(transport: impl $crate::client::Transport);
            /// Sets the maximum duration of one attempt.
            ///
            /// The default is 60 s. `Duration::MAX` means no limit.
            timeout(timeout: ::core::time::Duration);
            /// Sets the maximum duration of a call.
            ///
            /// It covers all attempts, the waits between them, and a streamed response. The default is no
            /// limit.
            deadline(deadline: ::core::time::Duration);
            /// Sets the policy for retries. The default is that of `RetryPolicy::default`.
            retry(policy: $crate::client::RetryPolicy);
            /// Sets the budget of retries, which all clones of the client share.
            ///
            /// The default is 100 retries. Calls that succeed pay in.
            retry_budget(budget: $crate::client::RetryBudget);
            /// Sets the maximum size of a response body, in bytes.
            ///
            /// The default is 64 MiB. `u64::MAX` means no limit.
            response_limit(bytes: u64);
            /// Sets the value of the `User-Agent` header.
            user_agent(agent: impl Into<String>);
            /// Adds a header to every request.
            ///
            /// Headers of the operation and of the call have precedence.
            header(name: impl Into<String>, value: impl Into<String>);
            /// Sets whether inputs are validated before they are sent.
            ///
            /// The default is `false`.
            preflight(check: bool);
            /// Sets whether a success with an undocumented status is an error.
            ///
            /// The default is `false`: it is decoded as the operation's only documented success, if it fits.
            strict_status(strict: bool);
            /// Sets whether a date-time without an offset in a response is one in UTC, and not an error.
            assume_utc(assume: bool);
            /// Adds a function that is called with the request of each attempt before it is sent.
            ///
            /// It can sign the request or add headers.
            before_attempt(
                hook: impl Fn(
                    $crate::client::Attempt,
                    &mut $crate::client::reqwest::Request,
                ) -> Result<(), $crate::client::BoxError>
                    + Send
                    + Sync
                    + 'static,
            );
            /// Adds a function that is called at the end of each attempt, for metrics and logs.
            after_attempt(hook: impl Fn(&$crate::client::Finished<'_>) + Send + Sync + 'static);
        }
    };
}

/// Declares the setters of a generated `ClientBuilder`.
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

            /// Builds the client.
            ///
            /// # Errors
            /// Returns an error if no server is set, or if a setting is invalid.
            pub fn build(self) -> Result<Client, $crate::client::BuildError> {
                self.0.build().map(Client)
            }
        }
    };
}

//! HTTP clients of the tests: none reads the machine's root certificates.
//!
//! No test speaks to the internet. Without optimisation, reading 150 certificates takes longer than most tests.

use reqwest::{ClientBuilder, IntoUrl, Response};

/// Returns a client without root certificates.
pub fn new() -> reqwest::Client {
    builder().build().unwrap()
}

/// Returns the builder of such a client, after it has made reqwest usable.
///
/// reqwest is compiled without a provider of cryptography, and panics if the test process has no default one.
pub fn builder() -> ClientBuilder {
    // An error means that another test has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().tls_certs_only([])
}

/// Sends a `GET` request.
///
/// # Errors
/// Returns why there is no response.
pub async fn get(url: impl IntoUrl) -> reqwest::Result<Response> {
    new().get(url).send().await
}

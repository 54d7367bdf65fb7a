//! Credentials that refresh: a client with OAuth 2.0, and the error without a credential.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use axum::http::{HeaderMap, StatusCode};

// BEGIN docs/use-the-client.md
use std::time::Duration;

use fixture_security_client::{
    Client,
    runtime::{BuildError, Credential, OAuth2, RetryBudget, Token},
};

/// A service, which has an id and a secret.
pub fn service(secret: &str) -> OAuth2 {
    OAuth2::client_credentials("my-service", secret).scopes(["read"])
}

/// A program to which a user has given consent before.
pub fn user(refresh_token: &str) -> OAuth2 {
    let store = |_new: &str| { /* the server may replace the refresh token: store the new one */ };
    OAuth2::refresh_token(refresh_token).public_client("my-app").on_refresh_token(store)
}

/// Builds a client. `oauth` is the setter of the security scheme with this name.
pub fn sign_in(url: &str, grant: OAuth2) -> Result<Client, BuildError> {
    Client::builder()
        .base_url(url)
        .oauth(grant)
        .deadline(Duration::from_secs(30)) // all attempts of a call, with the waits
        .retry_budget(RetryBudget::new(20)) // all calls of all clones
        .build()
}

/// Builds a client whose tokens come from elsewhere, for all schemes that take a bearer token.
pub fn with_tokens_of_vault(url: &str) -> Result<Client, BuildError> {
    async fn token() -> Result<Token, std::io::Error> {
        let secret = std::fs::read_to_string("/run/secrets/token")?;
        Ok(Token::new(secret).expires_in(Duration::from_secs(600)))
    }
    Client::builder().base_url(url).bearer_credential(Credential::tokens(token)).build()
}
// END docs/use-the-client.md

/// Starts a server with a token endpoint. Returns its URL, and the number of tokens that it gave out.
async fn start() -> (String, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let tokens = Arc::clone(&count);
    let token = move |form: String| {
        assert!(form.starts_with("grant_type="), "{form}");
        let number = tokens.fetch_add(1, Ordering::Relaxed) + 1;
        async move { format!(r#"{{"access_token": "t{number}", "expires_in": 3600}}"#) }
    };
    let door = |headers: HeaderMap| async move {
        match headers.get("authorization") {
            Some(token) if token == "Bearer t1" => StatusCode::NO_CONTENT,
            _ => StatusCode::UNAUTHORIZED,
        }
    };
    let app = axum::Router::new()
        .route("/token", axum::routing::post(token))
        .route("/one", axum::routing::get(door));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, count)
}

#[tokio::test]
async fn clones_share_one_token_of_each_grant() {
    for grant in [service("secret"), user("refresh"), OAuth2::password("me", "secret")] {
        let (url, tokens) = start().await;
        let client = sign_in(&url, grant.token_url("/token")).expect("a client");
        let calls: Vec<_> = (0..10)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.one_of_them().await })
            })
            .collect();
        for call in calls {
            call.await.expect("it does not panic").expect("the door is open");
        }
        assert_eq!(tokens.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn a_missing_credential_is_named_with_its_setter() {
    let client = Client::builder().base_url("http://127.0.0.1:1").bearer("token").build().expect("a client");
    let error = client.all_of_them().await.expect_err("a key is missing").to_string();
    assert_eq!(
        error,
        "GET /all: no credential is set: set `query_key` with `ClientBuilder::query_key` and `bearer` with \
         `ClientBuilder::bearer` (`require_credentials(false)` sends calls without)"
    );
}

#[tokio::test]
async fn a_provider_that_fails_is_named() {
    let client = with_tokens_of_vault("http://127.0.0.1:1").expect("a client");
    let error = client.one_of_them().await.expect_err("there is no such file").to_string();
    assert!(error.starts_with("GET /one: the provider of the credential failed: "), "{error}");
}

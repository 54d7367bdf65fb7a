//! The programs that README.md and docs/getting-started.md show: their clients call their servers.

use std::{collections::HashMap, sync::Arc};

use fixture_petstore_client::{
    Client,
    models::common::{Pet, PetKind},
    runtime::http_builder,
};
use fixture_petstore_server::Server;
use serde_json::Value;

use crate::{petstore_client, petstore_readme, petstore_server, serving};

/// The request that docs/getting-started.md shows, and its response.
const REQUEST: &str = r#"{"name": "", "kind": "bird", "age": -1}"#;
const RESPONSE: &str = r#"
{
  "type": "about:blank",
  "title": "Bad Request",
  "status": 400,
  "detail": "`name` must be at least 1 character long",
  "errors": [
    {
      "name": "name",
      "in": "body",
      "code": "min-length",
      "detail": "`name` must be at least 1 character long"
    },
    {"name": "kind", "in": "body", "code": "not-allowed", "detail": "`kind` must be one of 'cat', 'dog'"},
    {"name": "age", "in": "body", "code": "minimum", "detail": "`age` must be at least 0"}
  ]
}
"#;

/// Serves an app on a free port until the test ends. Returns its URL.
async fn start(app: axum::Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound socket");
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

fn client(url: &str) -> Client {
    Client::builder().base_url(url).build().expect("a client")
}

#[tokio::test]
async fn a_pet_is_added_once() {
    let client = client(&start(petstore_server::app().expect("a service")).await);
    for _ in 0..2 {
        let pet = petstore_client::add(&client, "Rex").await.expect("a pet");
        assert_eq!((pet.name.as_str(), &pet.kind, pet.age), ("Rex", &PetKind::Dog, Some(3)));
    }
    let error = client.get_pet("Max").await.expect_err("no such pet");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(404));
}

#[tokio::test]
async fn every_violation_is_reported() {
    let url = start(petstore_server::app().expect("a service")).await;
    let http = http_builder().build().expect("an HTTP client");
    let request = http.post(format!("{url}/pets")).body(REQUEST);
    let response = request.header("content-type", "application/json").send().await.expect("a response");
    assert_eq!(response.status().as_u16(), 400);
    let body: Value = serde_json::from_slice(&response.bytes().await.expect("a body")).expect("JSON");
    let shown: Value = serde_json::from_str(RESPONSE).expect("JSON");
    assert_eq!(body, shown);
}

#[tokio::test]
async fn the_lines_of_the_readme_work() {
    let mut rex = Pet::new("Rex", PetKind::Dog);
    rex.age = Some(3);
    let store = petstore_readme::Store(HashMap::from([("Rex".to_owned(), rex)]));
    let service = Server::builder().pets(Arc::new(store)).build().expect("a service");
    let client = client(&serving::start(service).await);
    assert_eq!(petstore_readme::age_of(&client, "Rex").await.expect("a pet"), Some(3));
    assert!(petstore_readme::age_of(&client, "Max").await.is_err());
    let error = client.add_pet(Pet::new("Max", PetKind::Cat)).await.expect_err("`add_pet` is left out");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(501));
}

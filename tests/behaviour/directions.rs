//! `readOnly` and `writeOnly` behind references, from client to server and back.

use std::sync::Arc;

use fixture_read_only_client::{Client, models};
use fixture_read_only_server::{
    Server,
    runtime::{Context, Failure},
    users::UsersApi,
};
use models::{
    common::{Bug, BugNested, Session, User},
    types::NoError,
    users::{AddBugInput, CreateSessionInput, CreateUserInput},
};

use crate::serving;

struct Tracker;

impl UsersApi for Tracker {
    async fn create_user(&self, _: Context<()>, input: CreateUserInput) -> Result<User, Failure<NoError>> {
        Ok(input.body)
    }

    async fn create_session(&self, _: Context<()>, _: CreateSessionInput) -> Result<Session, Failure<NoError>> {
        Ok(Session::new("t", 0))
    }

    async fn list_bugs(&self, _: Context<()>) -> Result<Vec<Bug>, Failure<NoError>> {
        Ok(vec![Bug::new("listed", BugNested::new("t"))])
    }

    async fn add_bug(&self, _: Context<()>, input: AddBugInput) -> Result<Bug, Failure<NoError>> {
        let mut bug = input.body;
        (bug.id, bug.secret) = (Some(7), None);
        Ok(bug)
    }
}

/// The server demands nothing that only responses contain, and the client nothing that only requests contain.
#[tokio::test]
async fn properties_of_the_other_direction_are_not_demanded() {
    let service = Server::builder().users(Arc::new(Tracker)).build().expect("a service");
    let url = serving::start(service).await;
    for (body, status, part) in [
        (r#"{"name":"n","secret":"1234","nested":{"text":"t"}}"#, 201, r#""id":7"#),
        (r#"{"name":"n","secret":"1","nested":{"text":"t"}}"#, 400, "secret"),
        (r#"{"secret":"1234","nested":{"text":"t"}}"#, 400, "name"),
        (r#"{"name":"n","secret":"1234","nested":{}}"#, 400, "nested.text"),
        (r#"{"name":"n","secret":"1234","nested":{"text":"t"},"bug":1}"#, 400, "body"),
    ] {
        let response = serving::post(&url, "/bugs", "application/json", body).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{body}: {response}");
    }
    let client = Client::builder().base_url(&url).build().expect("a client");
    let mut bug = Bug::new("n", BugNested::new("t"));
    bug.secret = Some("1234".to_owned());
    let added = client.add_bug(bug).await.expect("a bug");
    assert_eq!((added.id, added.secret), (Some(7), None));
    let listed = client.list_bugs().await.expect("bugs");
    assert_eq!(listed.first().map(|bug| bug.name.as_str()), Some("listed"));
}

//! Generic schemas: `$dynamicRef`s whose targets depend on the schemas that lead to them.

use std::sync::Arc;

use fixture_dynamic_references_client::{Client, models};
use fixture_dynamic_references_server::{
    Server,
    pages::PagesApi,
    runtime::{Context, Failure},
    trees::TreesApi,
};
use models::{
    common::*,
    pages::*,
    trees::{EchoNamedInput, EchoTreeInput},
    types::NoError,
};

use crate::serving;

struct Echo;

impl PagesApi for Echo {
    async fn echo_users(&self, _: Context<()>, input: EchoUsersInput) -> Result<PageOfUsers, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_groups(&self, _: Context<()>, input: EchoGroupsInput) -> Result<PageOfGroups, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_small(&self, _: Context<()>, _: EchoSmallInput) -> Result<(), Failure<NoError>> {
        Ok(())
    }

    async fn echo_sorted(&self, _: Context<()>, input: EchoSortedInput) -> Result<SortedUsers, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_envelope(&self, _: Context<()>, input: EchoEnvelopeInput) -> Result<UsersEnvelope, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_pair(&self, _: Context<()>, input: EchoPairInput) -> Result<UserAndNumber, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_result(&self, _: Context<()>, input: EchoResultInput) -> Result<UserResult, Failure<NoError>> {
        Ok(input.body)
    }

    async fn send_without(&self, _: Context<()>, _: SendWithoutInput) -> Result<(), Failure<NoError>> {
        Ok(())
    }
}

impl TreesApi for Echo {
    async fn echo_tree(&self, _: Context<()>, input: EchoTreeInput) -> Result<Tree, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_named(&self, _: Context<()>, input: EchoNamedInput) -> Result<NamedTree, Failure<NoError>> {
        Ok(input.body)
    }
}

async fn start() -> (Client, String) {
    let api = Arc::new(Echo);
    let service = Server::builder().pages(Arc::clone(&api)).trees(api).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

#[tokio::test]
async fn each_binding_has_its_values() {
    let (client, _) = start().await;
    let (user, group) = (User::new("u1"), Group::new("g1"));
    let users = PageOfUsers::new(vec![user.clone()], 1);
    assert_eq!(client.echo_users(users.clone()).await.expect("a page"), users);
    let groups = PageOfGroups::new(vec![group], 1);
    assert_eq!(client.echo_groups(groups.clone()).await.expect("a page"), groups);
    let envelope = UsersEnvelope::new(users);
    assert_eq!(client.echo_envelope(envelope.clone()).await.expect("an envelope"), envelope);
    let pair = UserAndNumber::new(user.clone(), 7);
    assert_eq!(client.echo_pair(pair.clone()).await.expect("a pair"), pair);
    let result = UserResult::from(UserResultOk::new(user));
    assert_eq!(client.echo_result(result.clone()).await.expect("a result"), result);
}

#[tokio::test]
async fn requests_are_validated_by_their_bindings() {
    let (_, url) = start().await;
    for (path, body, expected) in [
        ("/users", r#"{"items":[{"id":"a"}],"total":1}"#, ""),
        ("/users", r#"{"items":[{"title":"a"}],"total":1}"#, "items[0].id"),
        ("/groups", r#"{"items":[{"title":"a"}],"total":1}"#, ""),
        ("/groups", r#"{"items":[{"id":"a"}],"total":1}"#, "items[0].title"),
        ("/small", r#"[{"items":[5],"total":1}]"#, ""),
        ("/small", r#"[{"items":[5,6],"total":1}]"#, "[0].items[1]"),
        ("/small", r#"[{"items":["5"],"total":1}]"#, "[0].items[0]"),
        ("/sorted", r#"{"by":"id","items":[{"id":"a"}],"total":1}"#, ""),
        ("/sorted", r#"{"by":"id","items":["a"],"total":1}"#, "items[0]"),
        ("/envelopes", r#"{"page":{"items":[{"id":"a"}],"total":1}}"#, ""),
        ("/envelopes", r#"{"page":{"items":[{}],"total":1}}"#, "page.items[0].id"),
        ("/pairs", r#"{"left":{"id":"a"},"right":1}"#, ""),
        ("/pairs", r#"{"left":1,"right":{"id":"a"}}"#, "left"),
        ("/results", r#"{"error":"x"}"#, ""),
        ("/results", r#"{"ok":{"id":"a"}}"#, ""),
        ("/results", r#"{"ok":{}}"#, "ok.id"),
        ("/without", r#"["user"]"#, ""),
        ("/without", r#"["user","admin"]"#, "body"),
        ("/trees", r#"{"children":[{"other":1,"children":[]}]}"#, ""),
        ("/trees", r#"{"children":[1]}"#, "children[0]"),
        ("/named", r#"{"name":"a","children":[{"name":"b","children":[]}]}"#, ""),
        ("/named", r#"{"name":"a","children":[{"children":[]}]}"#, "children[0].name"),
        ("/named", r#"{"name":"a","children":[{"name":"b","other":1}]}"#, "children[0]"),
    ] {
        let response = serving::post(&url, path, "application/json", body).await;
        let is_valid = response.starts_with("HTTP/1.1 200 ") || response.starts_with("HTTP/1.1 204 ");
        assert_eq!(is_valid, expected.is_empty(), "{path} {body}: {response}");
        assert!(response.contains(expected), "{path} {body}: {response}");
    }
}

/// The document has no server but that of a path.
#[tokio::test]
async fn a_client_needs_no_server_but_that_of_the_operation() {
    let refuse = || {
        Client::builder().before_attempt(|_, request| Err(request.url().to_string().into())).build().expect("a client")
    };
    let error = refuse().echo_users(PageOfUsers::new(Vec::new(), 0)).await.expect_err("the hook refuses the request");
    assert!(error.to_string().contains("https://users.example.com/v1/users"), "{error}");
    let error = refuse().echo_tree(Tree::default()).await.expect_err("there is no server");
    assert!(error.to_string().contains("`POST /trees` has no server: set the client's base URL"), "{error}");
}

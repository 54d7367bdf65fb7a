//! New features of OpenAPI 3.2: methods, query strings, cookies, reserved characters and default mappings.

use std::{
    error::Error as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fixture_openapi_3_2_client::{Client, ErrorKind, RetryPolicy, models, runtime::EncodeError};
use fixture_openapi_3_2_server::{
    Server,
    goods::GoodsApi,
    prices::PricesApi,
    runtime::{Body, Context, Failure},
};
use models::{
    common::{Ball, Conditions, Good, OtherGood, Seen},
    goods::{ListGoodsConditions, ListGoodsConditionsSize, ListGoodsInput, PurgeGoodsInput, SearchGoodsInput},
    prices::GetPriceInput,
    types::NoError,
};
use openapi_crates_runtime::codec::{from_json, to_json};

use crate::{received, serving};

/// A shop whose proxy fails if the name to search for is `busy`.
#[derive(Default)]
struct Shop {
    calls: AtomicUsize,
}

impl Shop {
    /// Counts a call. The response 502 leaves open whether the call was processed.
    fn pass(&self, conditions: &Conditions) -> Result<(), Failure<NoError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if conditions.name != "busy" {
            return Ok(());
        }
        let mut response = axum::http::Response::new(Body::empty());
        *response.status_mut() = axum::http::StatusCode::BAD_GATEWAY;
        Err(Failure::response(response))
    }

    fn take_calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

impl GoodsApi for Shop {
    async fn search_goods(
        &self,
        _: Context<()>,
        input: SearchGoodsInput,
    ) -> Result<Vec<Good>, Failure<NoError>> {
        self.pass(&input.body)?;
        Ok(vec![Good::OtherGood(OtherGood::new(input.body.name))])
    }

    async fn list_goods(&self, _: Context<()>, input: ListGoodsInput) -> Result<Vec<Good>, Failure<NoError>> {
        let ListGoodsConditions { words, size, near, .. } = input.conditions;
        let size = size.unwrap_or_default();
        let text = format!("{} {:?} {:?} {near:?}", words.join("+"), size.least, size.most);
        Ok(vec![Good::OtherGood(OtherGood::new(text))])
    }

    async fn purge_goods(&self, _: Context<()>, input: PurgeGoodsInput) -> Result<i64, Failure<NoError>> {
        let Some(conditions) = input.conditions else { return Ok(-1) };
        self.pass(&conditions)?;
        Ok(conditions.least.unwrap_or(-1))
    }
}

impl PricesApi for Shop {
    async fn get_price(&self, _: Context<()>, input: GetPriceInput) -> Result<Seen, Failure<NoError>> {
        let mut seen = Seen::new(input.list);
        (seen.good, seen.session, seen.flags) = (input.good, input.session, input.flags);
        Ok(seen)
    }
}

async fn start() -> (Client, String, Arc<Shop>) {
    let shop = Arc::new(Shop::default());
    let service =
        Server::builder().goods(Arc::clone(&shop)).prices(Arc::clone(&shop)).build().expect("a service");
    let url = serving::start(service).await;
    let retry = RetryPolicy::default().attempts(3).base_delay(Duration::ZERO);
    (Client::builder().base_url(&url).retry(retry).build().expect("a client"), url, shop)
}

fn other(name: &str) -> Good {
    Good::OtherGood(OtherGood::new(name))
}

/// QUERY is safe, so a client may send it again. An additional method is not known to be.
#[tokio::test]
async fn methods_of_any_name() {
    let (client, _, shop) = start().await;
    let found = client.search_goods(Conditions::new("ball")).await.expect("goods");
    assert_eq!(found, [other("ball")]);
    assert_eq!(client.purge_goods(()).await.expect("a number"), -1);
    assert_eq!(shop.take_calls(), 1);

    let busy = || Conditions::new("busy");
    let error = client.search_goods(busy()).await.expect_err("it is busy");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    assert_eq!(shop.take_calls(), 3, "the policy has three attempts");
    let mut input = PurgeGoodsInput::default();
    input.conditions = Some(busy());
    let error = client.purge_goods(input).await.expect_err("it is busy");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    assert_eq!(shop.take_calls(), 1, "it may have been processed");
}

#[tokio::test]
async fn a_query_string_is_one_value() {
    let (client, url, _) = start().await;
    let mut conditions = ListGoodsConditions::new(vec!["red".to_owned(), "a b&c".to_owned()]);
    conditions.size = Some(ListGoodsConditionsSize::default());
    conditions.size.get_or_insert_default().least = Some(2);
    conditions.near = Some("a/b:c&d".to_owned());
    let listed = client.list_goods(conditions).await.expect("goods");
    assert_eq!(listed, [other("red+a b&c Some(2) None Some(\"a/b:c&d\")")]);

    let mut conditions = Conditions::new("über");
    conditions.least = Some(7);
    let mut input = PurgeGoodsInput::default();
    input.conditions = Some(conditions);
    assert_eq!(client.purge_goods(input).await.expect("a number"), 7);

    for (method, query, status, part) in [
        ("GET", "words=a%7Cb&size%5Bleast%5D=1&near=a/b", 200, "a+b Some(1) None"),
        ("GET", "words=", 400, "words"),
        ("GET", "words=a&size%5Bleast%5D=-1", 400, "size.least"),
        ("GET", "words=a&color=red", 400, "color"),
        ("GET", "words=%zz", 400, "query"),
        ("GET", "", 400, "words"),
        ("PURGE", "%7B%22name%22:%22a+b%22,%22least%22:3%7D", 200, "3"),
        ("PURGE", "%7B%22name%22:%22a%22,%22least%22:-3%7D", 400, "least"),
        ("PURGE", "name=a", 400, "query"),
    ] {
        let response = serving::request(&url, method, &format!("/goods?{query}"), "").await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{method} {query}: {response}");
    }
}

#[tokio::test]
async fn cookies_are_plain_and_reserved_characters_stay() {
    let (client, url, _) = start().await;
    let mut input = GetPriceInput::new("a:b/c?d");
    input.good = Some("x/y?z,%20&#".to_owned());
    input.session = Some("a%20b=\"c\"".to_owned());
    input.flags = Some(vec!["x".to_owned(), "y z".to_owned()]);
    let seen = client.get_price(input.clone()).await.expect("a response");
    assert_eq!(seen.list, "a:b/c?d");
    assert_eq!(seen.good.as_deref(), Some("x/y?z, &#"), "what is percent-encoded stays so");
    assert_eq!(seen.session, input.session);
    assert_eq!(seen.flags, input.flags);

    input.session = Some("a; admin=true".to_owned());
    let error = client.get_price(input.clone()).await.expect_err("it would be two cookies");
    assert!(matches!(error.kind(), ErrorKind::Encode(EncodeError::Value { name: "session" })), "{error}");
    input.session = None;
    input.flags = Some(vec!["x,y".to_owned()]);
    let error = client.get_price(input).await.expect_err("it would be two flags");
    assert!(matches!(error.kind(), ErrorKind::Encode(EncodeError::Value { name: "flags" })), "{error}");

    let cookie = "cookie: session=50%25; flags=a,b%2Cc\r\n";
    let response = serving::request(&url, "GET", "/prices/a%2Fb:c?good=d/e+f", cookie).await;
    for part in
        ["\"list\":\"a/b:c\"", "\"good\":\"d/e f\"", "\"session\":\"50%25\"", "\"flags\":[\"a\",\"b%2Cc\"]"]
    {
        assert!(response.contains(part), "{part}: {response}");
    }
}

#[test]
fn a_default_mapping_is_for_no_tag_and_for_unknown_tags() {
    for (text, tag) in [
        ("{\"name\":\"x\"}", None),
        ("{\"name\":\"x\",\"kind\":\"kite\"}", Some("kite")),
        ("{\"name\":\"x\",\"kind\":\"OtherGood\"}", Some("OtherGood")),
    ] {
        let Ok(Good::OtherGood(good)) = from_json::<Good>(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(good.kind.as_deref(), tag);
        let written = to_json(&Good::OtherGood(good));
        let again = from_json::<Good>(&written).expect("what was written can be read");
        assert_eq!(to_json(&again), written, "the tag stays as it was");
        assert_eq!(String::from_utf8_lossy(&written).contains("kind"), tag.is_some());
    }
    assert!(matches!(received::<Good>("{\"kind\":\"ball\",\"size\":1}"), Good::Ball(Ball { size: 1, .. })));
    assert!(from_json::<Good>(b"{\"kind\":\"ball\",\"name\":\"x\"}").is_err(), "the tag selects a ball");
    assert!(from_json::<Good>(b"{\"kind\":\"kite\"}").is_err(), "another good has a name");
    assert!(matches!(received::<Good>("{\"kind\":\"kite\"}"), Good::Unknown(_)), "a client keeps it");

    let mut wrong = OtherGood::new("x");
    wrong.kind = Some("ball".to_owned());
    let written = to_json(&Good::OtherGood(wrong));
    assert!(String::from_utf8_lossy(&written).contains("OtherGood"), "a tag of another variant is replaced");
}

#[tokio::test]
async fn a_named_server_is_chosen_by_its_setter() {
    for (builder, base) in [
        (Client::builder(), "https://shop.example.com/v1"),
        (Client::builder().server_try_out(), "https://eu.shop.example.com/v1"),
        (Client::builder().server_try_out().server_main(), "https://shop.example.com/v1"),
    ] {
        // The hook ends each attempt before anything is sent.
        let client = builder.before_attempt(|_, request| Err(request.url().to_string().into()));
        let error = client.build().expect("a client").purge_goods(()).await.expect_err("the hook fails");
        let causes = std::iter::successors(error.source(), |&error| error.source());
        let messages: Vec<_> = std::iter::once(error.to_string()).chain(causes.map(|cause| cause.to_string())).collect();
        assert!(messages.iter().any(|text| text.ends_with(&format!("{base}/goods"))), "{messages:?}");
    }
}

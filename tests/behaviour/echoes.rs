//! Unions with keywords beside them, from client to server and back.

use std::sync::Arc;

use fixture_unions_beside_keywords_client::{Client, models};
use fixture_unions_beside_keywords_server::{
    Server,
    runtime::{Context, Failure},
    unions::UnionsApi,
};
use models::{
    common::{
        Animal, Dog, Event, Label, LabelStriped, Note, NoteSoundNote, Pair, PairBoth, Stamp, StampSquare, Value,
    },
    types::NoError,
    unions::EchoInput,
};

use crate::{received, serving};

struct Mirror;

impl UnionsApi for Mirror {
    async fn echo(&self, _: Context<()>, input: EchoInput) -> Result<Value, Failure<NoError>> {
        Ok(input.body)
    }
}

async fn start() -> (Client, String) {
    let service = Server::builder().unions(Arc::new(Mirror)).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

/// Sends bodies. Each is returned as it is, or refused with a violation of this property.
async fn assert_echoed(url: &str, cases: &[(&str, Result<(), &str>)]) {
    for (body, expected) in cases {
        let response = serving::post(url, "/echo", "application/json", body).await;
        let is_right = match expected {
            Ok(()) => response.starts_with("HTTP/1.1 200") && response.ends_with(body),
            Err(name) => response.starts_with("HTTP/1.1 400") && response.contains(&format!("\"name\":\"{name}\"")),
        };
        assert!(is_right, "{body}: {response}");
    }
}

/// The mapping holds even where both variants can have both values or are equal otherwise.
#[tokio::test]
async fn the_discriminator_chooses_the_variant() {
    let (client, url) = start().await;
    let cases = [
        (r#"{"stamp":{"stampKind":"SQUARE","side":2}}"#, Ok(())),
        (r#"{"stamp":{"stampKind":"ROUND","radius":2}}"#, Ok(())),
        (r#"{"stamp":{"stampKind":"ROUND","side":2}}"#, Err("stamp.radius")),
        (r#"{"stamp":{"side":2}}"#, Err("stamp.stampKind")),
        (r#"{"note":{"k":"text","author":"a","text":"t"}}"#, Ok(())),
        (r#"{"note":{"k":"voice","author":"a","seconds":3}}"#, Ok(())),
        (r#"{"note":{"k":"music","author":"a","bars":3}}"#, Ok(())),
        (r#"{"note":{"k":"text","text":"t"}}"#, Err("note.author")),
        (r#"{"note":{"k":"text","author":"a","seconds":3}}"#, Err("note.text")),
        (r#"{"label":{"kind":"Plain","text":"t"}}"#, Ok(())),
        (r#"{"animal":{"type":"cat","name":"n","lives":9}}"#, Ok(())),
        (r#"{"animal":{"type":"dog"}}"#, Err("animal.name")),
    ];
    assert_echoed(&url, &cases).await;
    let value = Value::default()
        .with_stamp(Stamp::Square(StampSquare::new(2)))
        .with_label(Label::Striped(LabelStriped::default()))
        .with_animal(Animal::Dog(Dog::new("n")));
    assert_eq!(client.echo(value.clone()).await.expect("a value"), value);
}

/// A variant that is a union has its values, too.
#[test]
fn variants_of_variants_are_found() {
    let note = received::<Note>(r#"{"k":"music","author":"a","bars":3}"#);
    assert!(matches!(note, Note::SoundNote(NoteSoundNote::MusicNote(_))), "{note:?}");
}

/// An object that matches several branches keeps its properties. Its variant is the one with the fewest others.
#[tokio::test]
async fn no_property_is_lost() {
    let (client, url) = start().await;
    let cases = [
        (r#"{"event":"Started"}"#, Ok(())),
        (r#"{"event":{"Failed":{"code":3}}}"#, Ok(())),
        (r#"{"event":{"Moved":[1,2]}}"#, Ok(())),
        (r#"{"event":{"Named":"n"}}"#, Ok(())),
        (r#"{"pair":{"a":1}}"#, Ok(())),
        (r#"{"pair":{"b":2}}"#, Ok(())),
        (r#"{"pair":{"a":1,"b":2}}"#, Ok(())),
        (r#"{"pair":{"b":-1}}"#, Err("pair.b")),
        (r#"{"pair":{}}"#, Err("pair")),
        // The second branch does not match, so its property is an additional one of the first.
        (r#"{"pair":{"a":1,"b":-5}}"#, Ok(())),
        (r#"{"filter":{"a":1,"b":2}}"#, Ok(())),
        (r#"{"filter":{"b":2,"c":3}}"#, Ok(())),
        (r#"{"filter":{"a":1,"b":2,"c":3}}"#, Ok(())),
        (r#"{"filter":{}}"#, Ok(())),
        (r#"{"filter":{"c":"text"}}"#, Err("filter.c")),
    ];
    assert_echoed(&url, &cases).await;
    let value = Value::default().with_pair(Pair::Both(PairBoth::new(1, 2)));
    assert_eq!(client.echo(value.clone()).await.expect("a value"), value);
    assert!(matches!(received(r#"{"a":1}"#), Pair::Left(_)));
    let event = received::<Event>(r#"{"Moved":[1,2]}"#);
    assert!(matches!(event, Event::Moved(_)), "{event:?}");
}

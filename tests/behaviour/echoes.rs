//! Unions with keywords beside them, from client to server and back.

use std::sync::Arc;

use fixture_unions_beside_keywords_client::{Client, models};
use fixture_unions_beside_keywords_server::{
    Server,
    runtime::{Context, Failure},
    unions::UnionsApi,
};
use models::{
    common::{Animal, Dog, Event, Filter, Note, Pair, PairBoth, NoteSoundNote, NoteTextNote, Stamp, StampSquare},
    types::NoError,
    unions::{
        EchoAnimalInput, EchoEventInput, EchoFilterInput, EchoPairInput, EchoLabelsBodyItem, EchoLabelsBodyItemStriped, EchoLabelsInput, EchoNoteInput, EchoStampInput,
    },
};

use crate::{received, serving};

struct Mirror;

impl UnionsApi for Mirror {
    async fn echo_stamp(&self, _: Context<()>, input: EchoStampInput) -> Result<Stamp, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_note(&self, _: Context<()>, input: EchoNoteInput) -> Result<Note, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_labels(&self, _: Context<()>, input: EchoLabelsInput) -> Result<Vec<String>, Failure<NoError>> {
        let variant = |label: &EchoLabelsBodyItem| match label {
            EchoLabelsBodyItem::Plain(_) => "plain".to_owned(),
            EchoLabelsBodyItem::Coloured(_) => "coloured".to_owned(),
            EchoLabelsBodyItem::Striped(_) => "striped".to_owned(),
        };
        Ok(input.body.iter().map(variant).collect())
    }

    async fn echo_animal(&self, _: Context<()>, input: EchoAnimalInput) -> Result<Animal, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_event(&self, _: Context<()>, input: EchoEventInput) -> Result<Event, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_pair(&self, _: Context<()>, input: EchoPairInput) -> Result<Pair, Failure<NoError>> {
        Ok(input.body)
    }

    async fn echo_filter(&self, _: Context<()>, input: EchoFilterInput) -> Result<Filter, Failure<NoError>> {
        Ok(input.body)
    }
}

async fn start() -> (Client, String) {
    let service = Server::builder().unions(Arc::new(Mirror)).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

/// The mapping holds, also where both variants can have both values or are equal otherwise.
#[tokio::test]
async fn the_discriminator_chooses_the_variant() {
    let (client, url) = start().await;
    for (path, body, expected) in [
        ("/stamps", r#"{"stampKind":"SQUARE","side":2}"#, Ok(())),
        ("/stamps", r#"{"stampKind":"ROUND","radius":2}"#, Ok(())),
        ("/stamps", r#"{"stampKind":"ROUND","side":2}"#, Err("radius")),
        ("/stamps", r#"{"side":2}"#, Err("stampKind")),
        ("/notes", r#"{"k":"text","author":"a","text":"t"}"#, Ok(())),
        ("/notes", r#"{"k":"voice","author":"a","seconds":3}"#, Ok(())),
        ("/notes", r#"{"k":"music","author":"a","bars":3}"#, Ok(())),
        ("/notes", r#"{"k":"text","text":"t"}"#, Err("author")),
        ("/notes", r#"{"k":"text","author":"a","seconds":3}"#, Err("text")),
        ("/animals", r#"{"type":"cat","name":"n","lives":9}"#, Ok(())),
        ("/animals", r#"{"type":"dog"}"#, Err("name")),
    ] {
        let response = serving::post(&url, path, "application/json", body).await;
        let (status, part) = expected.map_or_else(|name| (400, name), |()| (200, body));
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{path} {body}: {response}");
    }
    let body = r#"[{"kind":"striped"},{"kind":"Coloured"},{"kind":"Plain","text":"t"}]"#;
    let response = serving::post(&url, "/labels", "application/json", body).await;
    assert!(response.contains(r#"["striped","coloured","plain"]"#), "{response}");

    let stamp = Stamp::Square(StampSquare::new(2));
    assert_eq!(client.echo_stamp(stamp.clone()).await.expect("a stamp"), stamp);
    let note = Note::TextNote(NoteTextNote::new("a", "t"));
    assert_eq!(client.echo_note(note.clone()).await.expect("a note"), note);
    let labels = vec![EchoLabelsBodyItem::Striped(EchoLabelsBodyItemStriped::default())];
    assert_eq!(client.echo_labels(labels).await.expect("labels"), ["striped"]);
    let dog = Animal::Dog(Dog::new("n"));
    assert_eq!(client.echo_animal(dog.clone()).await.expect("an animal"), dog);
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
    for (path, body, status) in [
        ("/events", r#""Started""#, 200),
        ("/events", r#"{"Failed":{"code":3}}"#, 200),
        ("/events", r#"{"Moved":[1,2]}"#, 200),
        ("/events", r#"{"Named":"n"}"#, 200),
        ("/pairs", r#"{"a":1}"#, 200),
        ("/pairs", r#"{"b":2}"#, 200),
        ("/pairs", r#"{"a":1,"b":2}"#, 200),
        ("/pairs", r#"{"b":-1}"#, 400),
        ("/pairs", "{}", 400),
        ("/filters", r#"{"name":"n","a":1,"b":2}"#, 200),
        ("/filters", r#"{"b":2,"c":3}"#, 200),
        ("/filters", r#"{"name":"n","a":1,"b":2,"c":3}"#, 200),
        ("/filters", r#"{"name":"n"}"#, 200),
        ("/filters", r#"{"name":1}"#, 400),
    ] {
        let response = serving::post(&url, path, "application/json", body).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}"));
        assert!(is_right && (status != 200 || response.ends_with(body)), "{path} {body}: {response}");
    }
    // The second branch does not match, so its property is an additional one of the first.
    for body in [r#"{"a":1,"b":"text"}"#, r#"{"a":1,"b":-5}"#] {
        let response = serving::post(&url, "/pairs", "application/json", body).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{body}: {response}");
    }
    let pair = Pair::Both(PairBoth::new(1, 2));
    assert_eq!(client.echo_pair(pair.clone()).await.expect("a pair"), pair);
    assert!(matches!(received(r#"{"a":1}"#), Pair::Left(_)));
    let event = received::<Event>(r#"{"Moved":[1,2]}"#);
    assert!(matches!(event, Event::Moved(_)), "{event:?}");
}

//! Bodies that are sequences of items, which the handler decodes.

use std::task::{self, Poll, Waker};

use futures_core::Stream;

use super::*;
use crate::stream::{ItemStream, StreamErrorKind};
use crate::table::Framing;
use crate::types::{Bytes, Event};
use crate::validation::InvalidItem;

static NOTE_EVENT: Schema = Schema::object(&[
    Field::optional("event", &Schema::TEXT),
    Field::required("data", &NOTE),
    Field::optional("id", &Schema::TEXT),
    Field::optional("retry", &Schema::INTEGER),
]);
static STREAMS: Operation = operation(
    &[],
    Some(Body::required(&[
        Content::new("application/x-ndjson", ContentFormat::Items(Framing::Lines), &NOTE),
        Content::new("application/json-seq", ContentFormat::Items(Framing::Sequence), &NOTE),
    ])),
);
static EVENTS: Operation = operation(
    &[],
    Some(Body::required(&[Content::new(
        "text/event-stream",
        ContentFormat::Items(Framing::Events),
        &NOTE_EVENT,
    )])),
);

/// An input with a body alone.
struct Only<T>(T);

impl<T: Decode> Decode for Only<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut body = None;
        reader.object(&["body"], &mut [&mut body], AdditionalProperties::Closed)?;
        body.map(Self).ok_or_else(|| DecodeError::missing("body"))
    }
}

impl<T: Encode> Encode for Only<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("body", &self.0)], None);
    }
}

/// An alternative, of which only the value matters here.
struct Either<T>(T);

impl<T: Decode> Decode for Either<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let _index = reader.choice();
        T::decode(reader).map(Self)
    }
}

impl<T: Encode> Encode for Either<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.choice(0, &self.0);
    }
}

fn input<T: Decode + Encode>(operation: &'static Operation, content: usize, body: &str) -> Only<T> {
    let (headers, body) = (HeaderMap::new(), Bytes::copy_from_slice(body.as_bytes()));
    let raw =
        RawRequest { path: &[], query: "", headers: &headers, content: Some(content), body: (&body).into() };
    decode_input(operation, &raw).unwrap()
}

/// Returns the items in short form: their text, the names and codes of violations, or that they are malformed.
fn items<T: Decode + Encode>(mut items: ItemStream<T>, text: impl Fn(T) -> String) -> Vec<String> {
    let mut context = task::Context::from_waker(Waker::noop());
    let mut found = Vec::new();
    while let Poll::Ready(Some(item)) = std::pin::Pin::new(&mut items).poll_next(&mut context) {
        found.push(match item {
            Ok(item) => text(item),
            Err(error) => match error.into_kind() {
                StreamErrorKind::Invalid(error) => {
                    let item = error.downcast::<InvalidItem>().unwrap();
                    let reported =
                        item.violations.iter().map(|it| format!("{} {}", it.name, it.code().as_str()));
                    reported.collect::<Vec<_>>().join(", ")
                }
                StreamErrorKind::Item(_) => "malformed".to_owned(),
                other => other.to_string(),
            },
        });
    }
    found
}

#[test]
fn each_item_is_decoded_and_validated_by_itself() {
    for (content, body, expected) in [
        (0, "", &[][..]),
        (0, "{\"text\":\"a\"}\n{\"text\":\"b\"}", &["a", "b"]),
        (
            0,
            "{\"text\":\"a\"}\n{\"text\":\"long\",\"size\":0}\n{\"text\":\"b\"}\n",
            &["a", "[1].text max-length, [1].size minimum", "b"],
        ),
        (
            0,
            "{\"text\":1,\"other\":2}\n{\"text\":\n1\n",
            &["[0].text wrong-type, [0].other unknown", "malformed", "[2] wrong-type"],
        ),
        (0, "{\"text\":\"a\",\"text\":\"b\"}", &["[0].text duplicate"]),
        (1, "\u{1e}{\"text\":\n\"a\"}\n\u{1e}{\u{1e}{}\n", &["a", "malformed", "[2].text missing"]),
    ] {
        let Only(Either(notes)) = input::<Either<ItemStream<Note>>>(&STREAMS, content, body);
        assert_eq!(items(notes, |note| note.text), expected, "{body:?}");
    }
}

#[test]
fn the_text_of_an_invalid_item_lists_its_violations() {
    let body = "{\"text\":\"long\",\"size\":0}\n";
    let Only(Either(mut notes)) = input::<Either<ItemStream<Note>>>(&STREAMS, 0, body);
    let mut context = task::Context::from_waker(Waker::noop());
    let Poll::Ready(Some(Err(error))) = std::pin::Pin::new(&mut notes).poll_next(&mut context) else {
        panic!("it is invalid")
    };
    assert_eq!(
        error.to_string(),
        "an item of the stream violates the API's constraints: `[0].text` must be at most 3 characters long; \
         `[0].size` must be at least 1"
    );
}

#[test]
fn events_are_objects_whose_data_is_validated() {
    for (body, expected) in [
        ("event: new\nid: 7\ndata: {\"text\":\ndata: \"a\"}\n\n", &["new 7 a"][..]),
        ("data: {\"text\":\"long\"}\n\ndata: none\n\n", &["[0].data.text max-length", "[1].data wrong-type"]),
        ("data: {\"data\":{\"text\":\"a\"}}\n\n", &["[0].data.text missing, [0].data.data unknown"]),
        (
            "data: {\"text\":\"a\"}, \"id\": \"1\"\n\ndata: [DONE]\n\ndata: never\n\n",
            &["[0].data wrong-type"],
        ),
    ] {
        let Only(events) = input::<ItemStream<Event<Note>>>(&EVENTS, 0, body);
        let text = |event: Event<Note>| {
            format!(
                "{} {} {}",
                event.event.unwrap_or_default(),
                event.id.unwrap_or_default(),
                event.data.text
            )
        };
        assert_eq!(items(events, text), expected, "{body:?}");
    }
}

//! Tests that streams do not depend on how they are cut into chunks.
#![cfg(feature = "http")]

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use futures_core::Stream;
use proptest::prelude::*;

use super::{
    read::{Decoded, ItemSchema},
    *,
};
use crate::{
    codec::{
        AdditionalProperties, Decode, DecodeError, Encode, Item, Reader, Writer, from_json, to_json, to_value,
    },
    types::{Bytes, Value},
};

/// A stream of chunks that is pending once before each chunk.
struct Script(std::vec::IntoIter<Result<Bytes, StreamError>>, bool);

impl Stream for Script {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.1 = !self.1;
        if self.1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.0.next())
    }
}

fn pieces(pieces: Vec<Bytes>) -> ByteStream {
    ByteStream::of(Script(pieces.into_iter().map(Ok).collect::<Vec<_>>().into_iter(), false))
}

/// Runs a future that wakes itself, by polling it until it is ready.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = Box::pin(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

fn read<T: Decode>(bytes: ByteStream, framing: Framing, is_text: bool) -> ItemStream<T> {
    let schema = Accepting { is_strict: false, has_text_data: is_text };
    ItemStream::read(Box::new(RawItems::with_schema(bytes, framing, Box::new(schema))))
}

async fn all<T: Decode + Encode>(mut items: ItemStream<T>) -> Vec<Result<T, String>> {
    let mut found = Vec::new();
    while let Some(item) = items.next().await {
        found.push(item.map_err(|error| error.to_string()));
    }
    assert!(items.next().await.is_none(), "the stream continues after its end");
    found
}

fn texts(text: &'static str) -> Vec<Event<String>> {
    let found = run(all(read::<Event<String>>(text.into(), Framing::Events, true)));
    found.into_iter().map(Result::unwrap).collect()
}

fn event(event: Option<&str>, data: &str, id: Option<&str>) -> Event<String> {
    Event { event: event.map(str::to_owned), data: data.to_owned(), id: id.map(str::to_owned), retry: None }
}

/// Checks the examples of the standard and its other rules.
#[test]
fn events_by_the_standard() {
    let message = |data| event(None, data, None);
    let cases = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", vec![message("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            vec![event(None, "first event", Some("1")), event(None, "second event", Some(""))],
        ),
        ("data\n\ndata\ndata\n\ndata:", vec![message(""), message("\n")]),
        ("data:test\n\ndata: test\n\n", vec![message("test"), message("test")]),
        ("event: add\ndata: 1\n\ndata: 2\n\n", vec![event(Some("add"), "1", None), message("2")]),
        ("event: add\n\ndata: 2\n\n", vec![message("2")]),
        ("\u{feff}data: 1\n\n", vec![message("1")]),
        ("\u{feff}\u{feff}data: 1\n\ndata: 2\n\n", vec![message("2")]),
        ("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\r\n", vec![message("1"), message("2"), message("3")]),
        ("id: a\0b\ndata: 1\n\n", vec![message("1")]),
        ("retry: 1x\nDATA: 0\ndatas: 0\n data: 0\ndata: 1: 2\n\n", vec![message("1: 2")]),
        ("data: [DONE]\n\ndata: 1\n\n", vec![message("[DONE]"), message("1")]),
    ];
    for (text, expected) in cases {
        assert_eq!(texts(text), expected, "{text:?}");
    }
}

#[test]
fn the_last_event_id_and_retry_persist() {
    let text = "retry: 1500\n\nid: 7\ndata: 1\n\ndata: 2\n\nid: 8\n\n";
    let mut items = read::<Event<i64>>(text.into(), Framing::Events, false);
    assert_eq!((items.last_event_id(), items.retry()), (None, None));
    assert_eq!(run(items.next()).unwrap().unwrap(), Event { id: Some("7".to_owned()), ..Event::new(1) });
    assert_eq!(items.retry(), Some(std::time::Duration::from_millis(1500)));
    assert_eq!(run(items.next()).unwrap().unwrap(), Event::new(2));
    assert_eq!(items.last_event_id().as_deref(), Some("7"));
    assert!(run(items.next()).is_none());
    assert_eq!(items.last_event_id().as_deref(), Some("8"));
}

/// A schema that accepts every item, as rows may.
struct Accepting {
    is_strict: bool,
    has_text_data: bool,
}

impl ItemSchema for Accepting {
    fn is_strict(&self) -> bool {
        self.is_strict
    }

    fn has_text_data(&self, _: &str) -> bool {
        self.has_text_data
    }

    fn validate(
        &self,
        _: usize,
        _: Option<Decoded<'_>>,
        _: &mut dyn FnMut(&mut Item<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), StreamError> {
        Ok(())
    }
}

#[test]
fn the_text_of_a_bad_event_is_its_data() {
    const TEXT: &str = "event: a\ndata: [1,\ndata: true]\n\n";
    for is_strict in [false, true] {
        let schema = Accepting { is_strict, has_text_data: false };
        let items = RawItems::with_schema(TEXT.into(), Framing::Events, Box::new(schema));
        let item = run(ItemStream::<Event<Vec<i64>>>::read(Box::new(items)).next());
        let Some(Err(error)) = item else { panic!("{item:?}") };
        let StreamErrorKind::Item(error) = error.into_kind() else { panic!("it is an item's") };
        assert_eq!(error.text, "[1,\ntrue]");
    }
}

#[test]
fn data_may_be_null() {
    let event = Event::new(None::<i64>).named("gone");
    assert_eq!(to_json(&event), br#"{"event":"gone","data":null}"#);
    assert_eq!(from_json::<Event<Option<i64>>>(&to_json(&event)).unwrap(), event);
    let missing = from_json::<Event<Option<i64>>>(br#"{"event":"gone"}"#).unwrap_err();
    assert_eq!(missing.to_string(), "the field `data` is missing");
    let bytes =
        run(ItemStream::from(vec![event.clone()]).frames(Box::new(Framing::Events)).collect()).unwrap();
    assert_eq!(bytes, "event: gone\ndata: null\n\n");
    let found = run(all(read::<Event<Option<i64>>>(bytes.into(), Framing::Events, false)));
    assert_eq!(found, [Ok(event)]);
}

/// An event whose schema describes the whole event.
#[derive(Debug, PartialEq)]
struct Tick {
    event: String,
    data: Vec<i64>,
}

impl Decode for Tick {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut event, mut data) = (None, None);
        reader.object(&["event", "data"], &mut [&mut event, &mut data], AdditionalProperties::Ignore)?;
        let Some(event) = event else { return Err(DecodeError::missing("event")) };
        let Some(data) = data else { return Err(DecodeError::missing("data")) };
        Ok(Self { event, data })
    }
}

impl Encode for Tick {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("event", &self.event), ("data", &self.data)], None);
    }
}

#[test]
fn data_is_json_where_it_should_be() {
    let text = "event: a\ndata: [1,\ndata: 2]\n\nevent: b\ndata: nothing\n\nevent: c\ndata: {\"data\": 1}\n\n\
                data: {\"event\": \"d\", \"data\": [3]}\n\ndata: [DONE]\n\nevent: e\ndata: []\n\n";
    let found = run(all(read::<Tick>(text.into(), Framing::Events, false)));
    let expected = [
        Ok(Tick { event: "a".to_owned(), data: vec![1, 2] }),
        Err("an item of the stream isn't as documented: data: expected an array, found a string, in `nothing`"
            .to_owned()),
        Err("an item of the stream isn't as documented: data: expected an array, found an object, in `{\"data\": 1}`"
            .to_owned()),
        Ok(Tick { event: "d".to_owned(), data: vec![3] }),
    ];
    assert_eq!(found, expected);
    // Data that looks like a number may be a string.
    let found = run(all(read::<Event<String>>("data: 12\n\ndata: a\n\n".into(), Framing::Events, false)));
    assert_eq!(found, [Ok(event(None, "12", None)), Ok(event(None, "a", None))]);
}

#[test]
fn texts_between_marks() {
    let lines = "\n1\r\n\n 2\n[\n3".to_owned();
    let found = run(all(read::<i64>(lines.into(), Framing::Lines, false)));
    assert!(matches!(found.as_slice(), [Ok(1), Ok(2), Err(_), Ok(3)]), "{found:?}");
    let records = "\u{1e}1\n\u{1e}\u{1e}2\n\u{1e}{\n\u{1e} \n3\n".to_owned();
    let found = run(all(read::<i64>(records.into(), Framing::Sequence, false)));
    assert!(matches!(found.as_slice(), [Ok(1), Ok(2), Err(_), Ok(3)]), "{found:?}");
}

#[test]
fn a_record_is_complete_before_the_next_one_begins() {
    let sent = "\u{1e}{\"a\": [\n\"}\\\"\"]\n}\n\u{1e}\"\n\u{1e}12\n";
    let mut items = read::<Value>(pieces(vec![sent.into()]), Framing::Sequence, false);
    let mut context = Context::from_waker(Waker::noop());
    let mut next = || {
        let mut found = Vec::new();
        while let Poll::Ready(Some(item)) = Pin::new(&mut items).poll_next(&mut context) {
            found.push(item.map(|item| item.to_string()).map_err(|error| error.to_string()));
        }
        found
    };
    assert!(next().is_empty(), "nothing has arrived");
    let found = next();
    let [Ok(object), Err(_), Ok(number)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((object.as_str(), number.as_str()), ("{\"a\":[\"}\\\"\"]}", "12"));
}

#[test]
fn no_item_is_larger_than_is_taken() {
    for (framing, text) in
        [(Framing::Events, "data: 1\n\ndata: 1234\ndata: 5678\n\n"), (Framing::Lines, "1\n12345678901\n2\n")]
    {
        let bytes = ByteStream::from(text).with_limit(10);
        let mut items = read::<Value>(bytes, framing, false);
        assert!(run(items.next()).unwrap().is_ok(), "{framing:?}");
        let second = run(items.next()).unwrap();
        assert!(
            matches!(&second, Err(error) if matches!(error.kind(), StreamErrorKind::TooLarge { limit: 10 })),
            "{framing:?}: {second:?}"
        );
        assert!(run(items.next()).is_none());
    }
}

#[test]
fn bytes_are_collected_up_to_their_limit() {
    let three = || pieces(vec!["ab".into(), "".into(), "cd".into()]);
    assert_eq!(run(three().collect()).unwrap(), "abcd");
    assert_eq!(run(three().with_limit(4).collect()).unwrap(), "abcd");
    for stream in
        [three().with_limit(3), three().with_length(4).with_limit(3), ByteStream::from("abcd").with_limit(3)]
    {
        let error = run(stream.collect()).unwrap_err();
        assert!(matches!(error.kind(), StreamErrorKind::TooLarge { limit: 3 }));
    }
    let broken =
        ByteStream::of(Script(vec![Ok("ab".into()), Err(StreamError::broken("gone"))].into_iter(), false));
    assert_eq!(run(broken.collect()).unwrap_err().to_string(), "the stream failed: gone");
    assert_eq!(ByteStream::from("abc").length(), Some(3));
}

/// Endless items that count their drops.
struct Endless(Arc<AtomicUsize>);

impl Stream for Endless {
    type Item = Result<Event<i64>, std::fmt::Error>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(Some(Ok(Event::new(1))))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_dropped_stream_drops_its_source() {
    let drops = Arc::new(AtomicUsize::new(0));
    let items = ItemStream::new(Endless(Arc::clone(&drops)));
    let mut frames = items.frames(Box::new(Framing::Events));
    drop(items);
    assert_eq!(run(frames.next()).unwrap().unwrap(), "data: 1\n\n");
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(frames);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

/// Checks that ticks are written while no item is ready, and the final `[DONE]`.
#[test]
fn ticks_are_written_while_no_item_arrives() {
    struct Never;
    impl Stream for Never {
        type Item = Result<Event<i64>, std::fmt::Error>;
        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Pending
        }
    }
    struct Always;
    impl Stream for Always {
        type Item = u8;
        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u8>> {
            Poll::Ready(Some(0))
        }
    }
    let mut frames = ItemStream::new(Never).keep_alive(Always).frames(Box::new(Framing::Events));
    assert_eq!(run(frames.next()).unwrap().unwrap(), ":\n\n");
    let done = ItemStream::from(vec![Event::new(1)]).with_done().frames(Box::new(Framing::Events));
    assert_eq!(run(done.collect()).unwrap(), "data: 1\n\ndata: [DONE]\n\n");
    let nulls = serde_json::json!({"event": null, "id": null, "retry": null, "data": null});
    let nulls = ItemStream::from(vec![nulls]).frames(Box::new(Framing::Events));
    assert_eq!(run(nulls.collect()).unwrap(), "data: null\n\n");
}

#[test]
fn a_value_that_is_no_event_ends_the_stream_with_an_error() {
    let named = ItemStream::from(vec![Event::new(1).named("a\nb")]);
    let error = run(named.frames(Box::new(Framing::Events)).collect()).unwrap_err();
    assert!(error.to_string().contains("`event`"), "{error}");
    let number = ItemStream::from(vec![1_i64]);
    assert!(run(number.frames(Box::new(Framing::Events)).collect()).is_err());
    assert_eq!(to_value(&ItemStream::from(vec![1_i64, 2])), serde_json::json!([1, 2]));
}

/// Checks that an error before the end ends the stream and is reported.
#[test]
fn errors_of_the_source_reach_the_reader() {
    let script =
        Script(vec![Ok("data: 1\n\nda".into()), Err(StreamError::broken("gone"))].into_iter(), false);
    let found = run(all(read::<Event<i64>>(ByteStream::of(script), Framing::Events, false)));
    assert!(
        matches!(found.as_slice(), [Ok(_), Err(error)] if error == "the stream failed: gone"),
        "{found:?}"
    );
    let mut bytes =
        ByteStream::new(Script(vec![Err(StreamErrorKind::TooLarge { limit: 1 }.into())].into_iter(), false));
    let first = run(poll_fn(|context| Pin::new(&mut bytes).poll_next(context)));
    let kind = first.unwrap().unwrap_err().into_kind();
    assert!(matches!(kind, StreamErrorKind::TooLarge { limit: 1 }), "a `StreamError` is not wrapped");
}

/// Cuts bytes into chunks, each cut modulo the remaining length.
fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Bytes> {
    let mut rest = Bytes::copy_from_slice(bytes);
    let mut pieces = Vec::new();
    for cut in cuts {
        pieces.push(rest.split_to(cut % (rest.len() + 1)));
    }
    pieces.push(rest);
    pieces
}

/// Parses a whole text by the standard, as a reference.
fn reference(text: &[u8]) -> Vec<Event<String>> {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let (mut data, mut name, mut id, mut retry) = (String::new(), String::new(), None, None);
    let Some((lines, _unfinished)) = text.rsplit_once('\n') else { return events };
    for line in lines.split('\n') {
        if line.is_empty() {
            if !data.is_empty() {
                data.pop();
                let event = (!name.is_empty()).then(|| name.clone());
                events.push(Event { event, data: data.clone(), id: id.clone(), retry });
            }
            (data, name, id, retry) = (String::new(), String::new(), None, None);
            continue;
        }
        let (field, value) = line.find(':').map_or((line, ""), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data += &format!("{value}\n"),
            "event" => name = value.to_owned(),
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if value.chars().all(|c| c.is_ascii_digit()) => retry = value.parse().ok().or(retry),
            _ => {}
        }
    }
    events
}

proptest! {
    /// Checks that the events are the same however the text is cut.
    #[test]
    fn events_do_not_depend_on_cuts(
        start in "\u{feff}{0,2}",
        text in proptest::collection::vec(
            prop_oneof![
                4 => "(data|event|id|retry|da|:|comment)?:? ?(a|1|\u{e9}|\u{1f600}|:| |\0){0,4}",
                1 => Just(String::new()),
            ],
            0..12,
        ),
        ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r"), Just("\r\n")], 13),
        noise in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let mut bytes = start.into_bytes();
        for (line, end) in text.iter().zip(&ends) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(end.as_bytes());
        }
        if let Some((at, byte)) = noise {
            let at = at.index(bytes.len() + 1);
            bytes.insert(at, byte);
        }
        let found = run(all(read::<Event<String>>(pieces(cut(&bytes, &cuts)), Framing::Events, true)));
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        prop_assert_eq!(found, reference(&bytes));
    }

    /// Checks that items are read as they were written, however they are cut.
    #[test]
    fn items_are_read_as_they_were_written(
        items in proptest::collection::vec(("[a\n\r\u{1f600} ]{1,4}", proptest::option::of("[a-c]{1,2}")), 0..5),
        framing in prop_oneof![Just(Framing::Events), Just(Framing::Lines), Just(Framing::Sequence)],
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let items: Vec<Event<Vec<String>>> = items
            .into_iter()
            .map(|(data, name)| Event { event: name, ..Event::new(vec![data]) })
            .collect();
        let bytes = run(ItemStream::from(items.clone()).frames(Box::new(framing)).collect()).unwrap();
        let found = run(all(read::<Event<Vec<String>>>(pieces(cut(&bytes, &cuts)), framing, false)));
        prop_assert_eq!(found, items.into_iter().map(Ok).collect::<Vec<_>>());
    }
}

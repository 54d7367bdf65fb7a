//! `text/event-stream`: a generated server and client, and the streams of other servers.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use fixture_event_streams_client::{Client, ErrorKind, models};
use fixture_event_streams_server::{
    Server,
    chat::ChatApi,
    events::EventsApi,
    runtime::{Context, Failure},
};
use futures_util::{StreamExt, stream};
use models::{
    chat::{ChatBody, ChatOutput, ChatError, ChatInput},
    common::{Answer, Happening, Stopped, Ticked, TickedData, Word},
    events::{ProgressOutputItem, TicksOkResponse, TicksOutput},
    types::{Event, ItemStream, NoError, StreamError, StreamErrorKind},
};
use tokio::sync::mpsc;

use crate::serving;

type StreamItem = Result<Event<Word>, &'static str>;

/// Sends the items of a channel; dropped when the client is gone.
struct ChatService(Mutex<Option<mpsc::Receiver<StreamItem>>>);

impl ChatApi for ChatService {
    async fn chat(&self, _: Context<()>, input: ChatInput) -> Result<ChatOutput, Failure<ChatError>> {
        if !input.body.stream_or_default() {
            return Ok(ChatOutput::Json(Answer::new(input.body.prompt)));
        }
        let receiver = self.0.lock().expect("one request at a time").take();
        let words = stream::unfold(receiver, |receiver| async {
            let mut receiver = receiver?;
            Some((receiver.recv().await?, Some(receiver)))
        });
        Ok(ChatOutput::TextEventStream(ItemStream::new(words)))
    }
}

fn tick(count: i64) -> Happening {
    let data = TickedData::new(count);
    let mut ticked = Ticked::new(data);
    ticked.id = Some(format!("tick {count}"));
    Happening::Ticked(ticked)
}

struct Events;

impl EventsApi for Events {
    async fn ticks(&self, _: Context<()>) -> Result<TicksOutput, Failure<models::events::TicksError>> {
        let stopped = Stopped::new("\"1\"\nand all");
        let items = vec![tick(1), tick(2), Happening::Stopped(stopped)];
        Ok(TicksOutput::Ok(TicksOkResponse::new("now", ItemStream::from(items).with_done())))
    }

    async fn log(
        &self,
        _: Context<()>,
    ) -> Result<ItemStream<Event<String>>, Failure<NoError>> {
        Ok(vec![Event::new("12".to_owned()).named("info"), Event::new("[DONE]".to_owned())].into())
    }

    async fn progress(
        &self,
        _: Context<()>,
    ) -> Result<ItemStream<Event<ProgressOutputItem>>, Failure<NoError>> {
        let ticks = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Some(((), ()))
        });
        let late = stream::once(async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            Ok::<_, StreamError>(Event::new(ProgressOutputItem::new(100)))
        });
        Ok(ItemStream::new(late).keep_alive(ticks))
    }
}

fn client(url: &str) -> Client {
    Client::builder().base_url(url).build().expect("a client")
}

/// Starts a server and returns its client, with the sender of its items.
async fn start_chat() -> (Client, mpsc::Sender<StreamItem>) {
    let (sender, receiver) = mpsc::channel(1);
    let service = Server::builder().chat(Arc::new(ChatService(Mutex::new(Some(receiver))))).build().expect("a service");
    (client(&serving::start(service).await), sender)
}

/// Returns the text of the next item, which is an error.
async fn next_error(words: &mut ItemStream<Event<Word>>) -> String {
    words.next().await.expect("one more").expect_err("it is an error").to_string()
}

async fn listen(client: &Client) -> ItemStream<Event<Word>> {
    let mut body = ChatBody::new("Hello");
    body.stream = Some(true);
    match client.chat(body).await.expect("a response") {
        ChatOutput::TextEventStream(words) => words,
        ChatOutput::Json(response) => panic!("all at once: {response:?}"),
    }
}

async fn events() -> Client {
    let service = Server::builder().events(Arc::new(Events)).build().expect("a service");
    client(&serving::start(service).await)
}

#[tokio::test]
async fn events_arrive_before_the_next_one_is_sent() {
    let (client, sender) = start_chat().await;
    let mut words = listen(&client).await;
    for text in ["Good", "morning\n", "é"] {
        sender.send(Ok(Event::new(Word::new(text)).with_id(text.trim()))).await.expect("somebody listens");
        let word = words.next().await.expect("one more").expect("a word");
        assert_eq!((word.data.word.as_str(), word.id.as_deref()), (text, Some(text.trim())));
        assert_eq!(words.last_event_id().as_deref(), Some(text.trim()));
    }
    drop(sender);
    assert!(words.next().await.is_none());
    assert!(
        matches!(client.chat(ChatBody::new("All")).await, Ok(ChatOutput::Json(all)) if all.text == "All")
    );
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_the_stream_of_the_server() {
    let (client, sender) = start_chat().await;
    let mut words = listen(&client).await;
    sender.send(Ok(Word::new("Good").into())).await.expect("somebody listens");
    assert!(words.next().await.expect("one").is_ok());
    drop(words);
    let gone = tokio::time::timeout(Duration::from_secs(20), sender.closed()).await;
    assert!(gone.is_ok(), "the server's stream is still there");
}

#[tokio::test]
async fn an_error_does_not_end_the_stream() {
    let (client, sender) = start_chat().await;
    let mut words = listen(&client).await;
    sender.send(Ok(Word::new("Good").into())).await.expect("somebody listens");
    assert!(words.next().await.expect("one").is_ok());
    sender.send(Err("the voice broke")).await.expect("somebody listens");
    let error = words.next().await.expect("something").expect_err("it broke off");
    assert!(matches!(error.kind(), StreamErrorKind::Broken(_)), "{error}");
    assert!(words.next().await.is_none());
}

#[tokio::test]
async fn events_are_what_the_document_says_they_are() {
    let client = events().await;
    let Ok(TicksOutput::Ok(response)) = client.ticks().await else { panic!("it ticks") };
    assert_eq!(response.x_started, "now");
    let items: Vec<_> = response.body.map(|item| item.expect("an event")).collect().await;
    let stopped = Stopped::new("\"1\"\nand all");
    assert_eq!(items, [tick(1), tick(2), Happening::Stopped(stopped)]);

    let lines: Vec<_> = client.log().await.expect("a log").map(Result::unwrap).collect().await;
    assert_eq!(lines, [Event::new("12".to_owned()).named("info"), Event::new("[DONE]".to_owned())]);

    let raw = client.progress().send_raw().await.expect("all of it");
    let text = String::from_utf8_lossy(&raw.body);
    assert_eq!(raw.headers["cache-control"], "no-cache");
    assert!(text.starts_with(":\n\n:\n\n") && text.ends_with("data: {\"percent\":100}\n\n"), "{text}");
    let mut items = client.progress().await.expect("progress");
    assert_eq!(items.next().await.expect("one").expect("an item").data.percent, 100);
}

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";

/// Returns a response in chunks of this size, each in its own packet, with or without the final chunk.
fn chunked(text: &str, size: usize, has_end: bool) -> Vec<Vec<u8>> {
    let mut pieces = vec![HEAD.as_bytes().to_vec()];
    for chunk in text.as_bytes().chunks(size) {
        let mut piece = format!("{:x}\r\n", chunk.len()).into_bytes();
        piece.extend_from_slice(chunk);
        piece.extend_from_slice(b"\r\n");
        pieces.push(piece);
    }
    pieces.extend(has_end.then(|| b"0\r\n\r\n".to_vec()));
    pieces
}

#[tokio::test]
async fn streams_of_other_servers_are_read_in_any_pieces() {
    let text = "\u{feff}: hello\r\nretry: 10\r\n\r\nid: 1\revent: ping\rdata: {\"word\":\rdata: \"é\"}\r\r\
                data: {\"mood\": 1}\n\ndata: {\"word\": \"b\", \"mood\": \"new\"}\r\n\r\ndata: [DONE]\n\ndata: no";
    for size in [1, 2, 3, 7, 1000] {
        let client = client(&serving::response(chunked(text, size, false), true).await);
        let mut words = listen(&client).await;
        let first = words.next().await.expect("one").expect("an event");
        assert_eq!((first.event.as_deref(), first.data.word.as_str()), (Some("ping"), "é"));
        assert_eq!(words.retry(), Some(Duration::from_millis(10)));
        let error = words.next().await.expect("one").expect_err("it is not as documented");
        assert_eq!(
            error.to_string(),
            "POST /chat: an item of the stream isn't as documented: data.mood: expected a string, found a number, \
             in `{\"mood\": 1}`"
        );
        let StreamErrorKind::Item(item) = error.kind() else { panic!("it is an item's: {error}") };
        assert_eq!(item.text, "{\"mood\": 1}");
        let third = words.next().await.expect("it goes on").expect("an event");
        assert!(third.data.mood.is_some_and(|mood| mood.as_str() == "new"), "a mood of a newer server");
        // The connection is still open: `[DONE]` is the end.
        assert!(words.next().await.is_none());
    }
}

#[tokio::test]
async fn limits_hold_for_streams() {
    let pieces = chunked("data: {\"word\": \"a\"}\n\n", 1000, false);
    let silent = serving::response(pieces.clone(), true).await;
    let patient =
        Client::builder().base_url(&silent).timeout(Duration::from_secs(1)).build().expect("a client");
    let mut words = listen(&patient).await;
    assert!(words.next().await.expect("one").is_ok());
    assert_eq!(next_error(&mut words).await, "POST /chat: the stream sent nothing within 1s");
    let hurried =
        Client::builder().base_url(&silent).deadline(Duration::from_secs(1)).build().expect("a client");
    let mut words = listen(&hurried).await;
    assert!(words.next().await.expect("one").is_ok());
    assert_eq!(
        next_error(&mut words).await,
        "POST /chat: the stream didn't end within the call's deadline of 1s"
    );

    let cut_off = client(&serving::response(pieces, false).await);
    let mut words = listen(&cut_off).await;
    assert!(words.next().await.expect("one").is_ok());
    let error = next_error(&mut words).await;
    assert!(error.starts_with("POST /chat: the stream failed: "), "a missing end is an error: {error}");

    let long = format!("data: {{\"word\": \"a\"}}\n\ndata: {}", "a".repeat(3000));
    let url = serving::response(chunked(&long, 500, true), true).await;
    let small = Client::builder().base_url(url).response_limit(1000).build().expect("a client");
    let mut words = listen(&small).await;
    assert!(words.next().await.expect("one").is_ok(), "more than the limit in all is fine");
    let error = words.next().await.expect("one").expect_err("it is too large");
    assert!(matches!(error.kind(), StreamErrorKind::TooLarge { limit: 1000 }), "{error}");
    let call = error.call().expect("it is a response");
    assert_eq!((call.operation, call.method, call.path, call.attempts), ("chat", "POST", "/chat", 1));
    let mut body = ChatBody::new("Hello");
    body.stream = Some(true);
    assert!(
        matches!(small.chat(body).send_raw().await.unwrap_err().kind(), ErrorKind::TooLarge { .. }),
        "as a whole it is too much"
    );
}

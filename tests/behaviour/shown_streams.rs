//! The lines that docs/streams.md shows, with what they need around them.

use std::{convert::Infallible, error::Error, fmt, io, sync::Arc};

use fixture_event_streams_client::Client as EventsClient;
use fixture_event_streams_server::{
    Server as EventsServer,
    events::EventsApi,
    models::{
        common::Word,
        responses::ApiError,
        types::{Event, ItemStream},
    },
    runtime::{Context, Failure},
};
use fixture_streamed_bodies_client::{
    Client as FilesClient,
    models::{
        files::{DownloadError, DownloadInput, DownloadOutput, UploadInput},
        types::{ByteStream, Bytes, NoError},
    },
};
use fixture_streamed_bodies_server::{Server as FilesServer, files::FilesApi};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::serving;

pub async fn files(
    client: &FilesClient,
    mut out: impl AsyncWrite + Unpin,
    pieces: impl Stream<Item = Result<Bytes, io::Error>> + Send + 'static,
) -> Result<Bytes, Box<dyn Error>> {
    // BEGIN docs/streams.md
    let mut file = client.download("ada.zip").await?.body; // the head of the response is here
    while let Some(piece) = file.next().await {
        out.write_all(&piece?).await?;
    }
    let small = client.download("ada.txt").await?.body.collect().await?; // the whole body
    client.upload(UploadInput::new("ada.zip", ByteStream::new(pieces))).await?;
    // END docs/streams.md
    Ok(small)
}

pub struct Words<S>(pub S);

impl<S> EventsApi for Words<S>
where
    S: Stream<Item = Result<Word, fmt::Error>> + Clone + Send + Sync + 'static,
{
    async fn words(&self, _: Context<()>) -> Result<ItemStream<Event<Word>>, Failure<ApiError>> {
        let words = self.0.clone();
        // BEGIN docs/streams.md
        Ok(ItemStream::new(words.map_ok(Event::new)).with_done()) // `words` is a stream of results
        // END docs/streams.md
    }
}

pub fn infallible(
    words: impl Stream<Item = Word> + Send + 'static,
) -> Result<ItemStream<Event<Word>>, Failure<ApiError>> {
    // BEGIN docs/streams.md
    Ok(ItemStream::new(words.map(Event::new).map(Ok::<_, Infallible>))) // `words` can't fail
    // END docs/streams.md
}

pub async fn events(client: &EventsClient) -> Result<Option<String>, Box<dyn Error>> {
    // BEGIN docs/streams.md
    let mut events = client.words().await?;
    while let Some(event) = events.next().await {
        println!("{}", event?.data.word);
    }
    let last = events.last_event_id(); // a new request can continue after this event
    // END docs/streams.md
    Ok(last)
}

struct Files;

impl FilesApi for Files {
    async fn download(
        &self,
        _: Context<()>,
        input: DownloadInput,
    ) -> Result<DownloadOutput, Failure<DownloadError>> {
        Ok(DownloadOutput::new("e", input.name))
    }

    async fn upload(
        &self,
        _: Context<()>,
        input: UploadInput,
    ) -> Result<i64, Failure<NoError>> {
        let bytes = input.body.collect().await.map_err(Failure::unread)?;
        assert_eq!(bytes, "pieces");
        Ok(6)
    }
}

#[tokio::test]
async fn files_are_streamed() {
    let service = FilesServer::builder().files(Arc::new(Files)).build().expect("a service");
    let url = serving::start(service).await;
    let client = FilesClient::builder().base_url(url).build().expect("a client");
    let pieces = stream::iter([Ok(Bytes::from_static(b"pie")), Ok(Bytes::from_static(b"ces"))]);
    let mut out = Vec::new();
    let small = files(&client, &mut out, pieces).await.expect("no call fails");
    assert_eq!((out.as_slice(), small.as_ref()), (b"ada.zip".as_slice(), b"ada.txt".as_slice()));
}

#[tokio::test]
async fn events_are_streamed() {
    let words = Words(stream::iter([Ok(Word::new("one")), Ok(Word::new("two"))]));
    let service = EventsServer::builder().events(Arc::new(words)).build().expect("a service");
    let url = serving::start(service).await;
    let client = EventsClient::builder().base_url(url).build().expect("a client");
    assert_eq!(events(&client).await.expect("no event fails"), None, "no event has an id");
    let mut words = infallible(stream::iter([Word::new("three")])).expect("a stream");
    assert_eq!(words.next().await.expect("an event").expect("a word").data.word, "three");
}

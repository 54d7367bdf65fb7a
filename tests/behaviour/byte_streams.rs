//! Bodies of raw bytes, sent and received piece by piece.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fixture_streamed_bodies_client::{Client, ErrorKind, RetryPolicy, models};
use fixture_streamed_bodies_server::{
    Server,
    files::FilesApi,
    runtime::{Context, Failure},
};
use futures_util::{StreamExt, stream};
use models::{
    files::{
        DownloadError, DownloadInput, DownloadOutput, EchoBody, EchoInput, EchoJsonBody, FlipInput,
        UploadInput,
    },
    types::{ByteStream, Bytes, NoError, StreamErrorKind},
};

use crate::serving;

/// Returns 1 MiB in pieces of 64 KiB.
fn mebibyte() -> impl stream::Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static {
    stream::iter((0..16_u8).map(|piece| Ok(Bytes::from(vec![piece; 64 * 1024]))))
}

#[derive(Default)]
struct Files {
    calls: AtomicUsize,
}

impl FilesApi for Files {
    async fn download(
        &self,
        _: Context<()>,
        input: DownloadInput,
    ) -> Result<DownloadOutput, Failure<DownloadError>> {
        let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[0; 1024])));
        Ok(match input.name.as_str() {
            "none" => return Err(DownloadError::NotFound(Bytes::from_static(b"nothing")).into()),
            "mebibyte" => DownloadOutput::new("m", ByteStream::new(mebibyte()).with_length(1 << 20)),
            "endless" => DownloadOutput::new("e", ByteStream::new(endless)),
            "broken" => {
                let first = stream::once(async { Ok(Bytes::from_static(b"all ")) });
                let second = stream::once(async {
                    // The first piece is sent before the second one exists.
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    Err("the disk is gone")
                });
                DownloadOutput::new("b", ByteStream::new(first.chain(second)))
            }
            _ => DownloadOutput::new("s", "small"),
        })
    }

    async fn upload(&self, _: Context<()>, mut input: UploadInput) -> Result<i64, Failure<NoError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if input.name == "busy" {
            return Err(Failure::rejected(fixture_streamed_bodies_server::Rejection::Unavailable {
                retry_after: Some(Duration::ZERO),
            }));
        }
        let mut size = 0;
        while let Some(piece) = input.body.next().await {
            size += piece.map_err(Failure::unread)?.len();
        }
        i64::try_from(size).map_err(Failure::internal)
    }

    async fn echo(&self, _: Context<()>, input: EchoInput) -> Result<ByteStream, Failure<NoError>> {
        Ok(match input.body {
            Some(EchoBody::AudioOgg(body)) => body,
            Some(EchoBody::Json(body)) => body.text.into(),
            None => ByteStream::default(),
        })
    }

    async fn flip(&self, _: Context<()>, input: FlipInput) -> Result<ByteStream, Failure<NoError>> {
        let mut bytes = input.body.collect().await.map_err(Failure::unread)?.to_vec();
        bytes.reverse();
        Ok(bytes.into())
    }
}

async fn start() -> (Client, Arc<Files>) {
    let files = Arc::new(Files::default());
    let service = Server::builder().files(Arc::clone(&files)).build().expect("a service");
    let url = serving::start(service).await;
    let retry = RetryPolicy::default().base_delay(Duration::ZERO);
    (Client::builder().base_url(url).retry(retry).response_limit(100_000).build().expect("a client"), files)
}

#[tokio::test]
async fn downloads_are_as_long_as_they_like_and_held_up_to_the_limit() {
    let (client, _) = start().await;
    let small = client.download("small").await.expect("a file");
    assert_eq!((small.etag.as_str(), small.body.length()), ("s", Some(5)));
    assert_eq!(small.body.collect().await.expect("its bytes"), "small");

    let mut large = client.download("mebibyte").await.expect("a file").body;
    assert_eq!(large.length(), Some(1 << 20));
    let mut size = 0;
    while let Some(piece) = large.next().await {
        size += piece.expect("a piece").len();
    }
    assert_eq!(size, 1 << 20);
    for name in ["mebibyte", "endless"] {
        let whole = client.download(name).await.expect("a file").body.collect().await;
        let error = whole.expect_err(name);
        assert!(matches!(error.kind(), StreamErrorKind::TooLarge { limit: 100_000 }), "{error}");
        let error = client.download(name).send_raw().await.expect_err("it is too large");
        assert!(matches!(error.kind(), ErrorKind::TooLarge { .. }), "{name}");
    }

    let broken = client.download("broken").await.expect("a file").body;
    let error = broken.collect().await.expect_err("it breaks off");
    assert!(matches!(error.kind(), StreamErrorKind::Broken(_)), "{error}");
    let error = client.download("none").await.expect_err("no file");
    assert_eq!(error.api_body(), Some(&DownloadError::NotFound(Bytes::from_static(b"nothing"))));
}

#[tokio::test]
async fn uploads_are_read_as_they_come_and_up_to_the_limit() {
    let (client, files) = start().await;
    let half = || mebibyte().take(1);
    assert_eq!(
        client.upload(UploadInput::new("a", ByteStream::new(half()))).await.expect("a size"),
        64 * 1024
    );
    assert_eq!(client.upload(UploadInput::new("a", vec![0; 100_000])).await.expect("a size"), 100_000);
    let sized = ByteStream::new(half()).with_length(64 * 1024);
    assert_eq!(client.upload(UploadInput::new("a", sized)).await.expect("a size"), 64 * 1024);
    let reached = files.calls.load(Ordering::SeqCst);

    // A body that announces too large a size does not reach the operation. One without a size does.
    for (body, calls) in [
        (ByteStream::from(vec![0; 100_001]), reached),
        (ByteStream::new(mebibyte()).with_length(1 << 20), reached),
        (ByteStream::new(mebibyte()), reached + 1),
    ] {
        match client.upload(UploadInput::new("a", body)).await {
            // The server responded and closed before the whole body was sent.
            Err(error) if matches!(error.kind(), ErrorKind::Transport(_)) => {}
            other => assert_eq!(other.expect_err("too large").status().map(|it| it.as_u16()), Some(413)),
        }
        assert_eq!(files.calls.load(Ordering::SeqCst), calls);
    }

    let mut input = UploadInput::new("a", ByteStream::new(half()));
    input.size = Some(0);
    let error = client.upload(input).await.expect_err("parameters are checked");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(400));
    let error = client.upload(UploadInput::new("a", "")).await.expect_err("a body is required");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(400));
}

#[tokio::test]
async fn a_stream_is_sent_once() {
    let (client, files) = start().await;
    let error = client.upload(UploadInput::new("busy", ByteStream::new(mebibyte().take(1)))).await;
    assert!(error.is_err());
    assert_eq!(files.calls.swap(0, Ordering::SeqCst), 1, "its bytes are gone");
    let error = client.upload(UploadInput::new("busy", "bytes")).await;
    assert_eq!(error.expect_err("it is busy").status().map(|status| status.as_u16()), Some(503));
    assert_eq!(files.calls.load(Ordering::SeqCst), 3, "bytes can be sent again");
}

/// The echo of the first piece arrives before the last piece is sent.
#[tokio::test]
async fn pieces_pass_through_without_delay() {
    let (client, _) = start().await;
    let (sender, receiver) = tokio::sync::mpsc::channel::<&'static str>(1);
    let spoken = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|word| (Ok::<_, std::io::Error>(word), receiver))
    });
    sender.send("one").await.expect("somebody listens");
    let mut input = EchoInput::default();
    input.body = Some(EchoBody::AudioOgg(ByteStream::new(spoken)));
    let mut heard = client.echo(input).await.expect("a response");
    assert_eq!(heard.next().await.expect("a piece").expect("bytes"), "one");
    sender.send("two").await.expect("somebody listens");
    assert_eq!(heard.next().await.expect("a piece").expect("bytes"), "two");
    drop(sender);
    assert!(heard.next().await.is_none());
}

#[tokio::test]
async fn buffered_bytes_need_no_stream() {
    let (client, _) = start().await;
    let flipped = client.flip(Bytes::from_static(b"abc")).await.expect("a response");
    assert_eq!(flipped.collect().await.expect("bytes"), "cba");
    let mut input = EchoInput::default();
    assert_eq!(client.echo(input).await.expect("a response").collect().await.expect("bytes"), "");
    input = EchoInput::default();
    input.body = Some(EchoBody::Json(EchoJsonBody::new("text")));
    assert_eq!(client.echo(input).await.expect("a response").collect().await.expect("bytes"), "text");
    assert!(client.parts().await.is_err(), "it is not implemented");
}

//! A stream with an idle timeout.
//!
//! It ends in a way that the client can read the last response: see [`IdleTimeout::discard`].

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long the rest of a request is read after the last response.
const LINGER: Duration = Duration::from_secs(2);

/// A stream that fails when no byte has passed in either direction for a time.
///
/// A download may take an hour. A client that neither sends nor receives is cut off.
pub(super) struct IdleTimeout<S> {
    stream: S,
    timeout: Duration,
    /// The time of the last successful read or write.
    last: Instant,
    /// The next time to check: `last` + `timeout`, or earlier.
    alarm: Pin<Box<Sleep>>,
    /// Whether the client may still send a body that is not read.
    unread: Arc<AtomicBool>,
    /// The stream is shut down for writing, and `alarm` is the end of [`LINGER`].
    lingers: bool,
}

impl<S> IdleTimeout<S> {
    pub(super) fn new(stream: S, timeout: Duration, unread: Arc<AtomicBool>) -> Self {
        let (last, alarm) = (Instant::now(), Box::pin(sleep(timeout)));
        Self { stream, timeout, last, alarm, unread, lingers: false }
    }

    /// Returns a completed read or write; fails a pending one after the idle timeout.
    fn watch<T>(&mut self, context: &mut Context<'_>, attempt: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if attempt.is_ready() {
            self.last = Instant::now();
            return attempt;
        }
        loop {
            ready!(self.alarm.as_mut().poll(context));
            let end = self.last + self.timeout;
            if end <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.alarm.as_mut().reset(end);
        }
    }
}

impl<S: AsyncRead + Unpin> IdleTimeout<S> {
    /// Reads and discards what the client sends, until it closes its side or [`LINGER`] has passed.
    ///
    /// The system resets a connection that is closed with unread bytes, and the client then loses the response.
    fn discard(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut buffer = [0; 4096];
        loop {
            if self.alarm.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let mut buffer = ReadBuf::new(&mut buffer);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                Ok(()) | Err(_) => return Poll::Ready(()),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watch(context, read)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for IdleTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.lingers {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            if !self.unread.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
            self.lingers = true;
            self.alarm.as_mut().reset(Instant::now() + LINGER);
        }
        self.discard(context).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_neither_reads_nor_sends_is_cut_off() {
        let (near, _far) = duplex(16);
        let mut stream = IdleTimeout::new(near, Duration::from_millis(20), Arc::default());
        assert_eq!(stream.write_all(&[0; 64]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(stream.read_u8().await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn traffic_in_one_direction_keeps_the_other_one_open() {
        let (near, mut far) = duplex(16);
        let mut stream = IdleTimeout::new(near, Duration::from_secs(1), Arc::default());
        for _ in 0..6 {
            let read = tokio::time::timeout(Duration::from_millis(250), stream.read_u8()).await;
            assert!(read.is_err(), "writes must keep the connection open although nothing arrives");
            stream.write_all(b"x").await.unwrap();
            far.read_u8().await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_end_waits_for_a_client_that_still_sends() {
        for (unread, waits) in [(false, false), (true, true)] {
            let (near, mut far) = duplex(16);
            let mut stream = IdleTimeout::new(near, Duration::from_secs(60), Arc::new(unread.into()));
            let mut end = Box::pin(stream.shutdown());
            let ended = tokio::time::timeout(Duration::from_millis(50), &mut end).await.is_ok();
            assert_eq!(ended, !waits);
            if waits {
                let (sent, ended) = tokio::join!(far.write_all(&[0; 64]), async {
                    tokio::time::timeout(Duration::from_millis(50), &mut end).await.is_ok()
                });
                assert!(sent.is_ok() && !ended);
                drop(far);
                end.await.unwrap();
            }
        }
    }
}

//! Enforces a minimum speed of request bodies, and the memory for them, so that no client can hold all memory.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, Request, StatusCode, Version, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::{message, unavailable};
use crate::keys::bodies::BodyPermit;
use crate::telemetry::Limit;

/// The minimum speed of request bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// The time that every body has to arrive.
    pub(super) begin: Duration,
    /// The number of received bytes that extend the time by one second.
    pub(super) per_second: u64,
}

impl Pace {
    /// The speed that the service demands.
    pub(crate) const DEFAULT: Self = Self { begin: Duration::from_secs(30), per_second: 128 * 1024 };

    /// Returns the number of seconds after which a body of this many bytes must have arrived.
    pub(crate) const fn longest(self, bytes: u64) -> u64 {
        self.begin.as_secs() + bytes / self.per_second
    }
}

/// The number of bytes of a body that are read although its request has a response.
const SMALL_REST: u64 = 64 * 1024;

/// How long such a body may take.
const REST_TIME: Duration = Duration::from_secs(1);

/// Returns the request with a body that fails when it is too slow or finds no memory, and the reason for that.
///
/// Authentication finds the body's [`BodyPermit`] in the extensions.
pub(super) fn paced<B: HttpBody>(pace: Pace, mut request: Request<B>) -> (Request<Paced<B>>, Cut<B>) {
    let has_body = !request.body().is_end_stream();
    let progress = || Progress {
        cut: OnceLock::new(),
        arrived: Mutex::default(),
        rest: Mutex::default(),
        blocks: request.version() < Version::HTTP_2,
        waits: request.headers().contains_key(header::EXPECT),
    };
    let cut = Cut(has_body.then(|| Arc::new(progress())));
    let permit = BodyPermit::default();
    if cut.0.is_some() {
        request.extensions_mut().insert(permit.clone());
    }
    let request = request.map(|body| Paced {
        body: Some(body),
        pace,
        arrived_bytes: 0,
        end: None,
        permit,
        cut: cut.clone(),
    });
    (request, cut)
}

/// Why the rest of a body is not read.
#[derive(Debug, Clone, Copy)]
enum Reason {
    /// The body did not arrive in time.
    TooSlow,
    /// The bodies in progress leave no memory for it.
    Full,
}

/// The progress of a body.
struct Progress<B> {
    cut: OnceLock<Reason>,
    /// The time at which its last bytes arrived.
    arrived: Mutex<Option<Instant>>,
    /// The unread part.
    rest: Mutex<Option<B>>,
    /// Whether the connection can't be used for another request before the body is read.
    blocks: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    waits: bool,
}

/// The progress of a body, and the reason why it was cut off; `None` if the request has no body.
pub(super) struct Cut<B>(Option<Arc<Progress<B>>>);

impl<B> Clone for Cut<B> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> Cut<B> {
    /// Reads and discards the rest of a small body; returns whether the connection is good for another request.
    ///
    /// Otherwise the connection of a proxy would break, and with it the next request of another client.
    pub(super) async fn discard(self) -> bool {
        let Some(progress) = self.0 else { return true };
        let Some(mut rest) = progress.rest.lock().take() else { return true };
        if !progress.blocks {
            return true;
        }
        if progress.waits || progress.cut.get().is_some() || rest.size_hint().lower() > SMALL_REST {
            return false;
        }
        let discard = async {
            let mut arrived_bytes = 0;
            while let Some(frame) = poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {
                let Ok(frame) = frame else { return false };
                arrived_bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                if arrived_bytes > SMALL_REST {
                    return false;
                }
            }
            true
        };
        timeout(REST_TIME, pin!(discard)).await.unwrap_or(false)
    }
}

impl<B> Cut<B> {
    /// Returns a 408 or 503 if the body was cut off, else this response.
    pub(super) fn or(&self, response: Response) -> Response {
        match self.0.as_ref().and_then(|progress| progress.cut.get().copied()) {
            None => response,
            Some(Reason::TooSlow) => {
                Limit::BodyTime.count();
                let late = message(StatusCode::REQUEST_TIMEOUT, "The request body did not arrive in time");
                instead(response.headers(), late)
            }
            Some(Reason::Full) => {
                Limit::Bodies.count();
                instead(response.headers(), unavailable())
            }
        }
    }

    /// Resolves once this much time has passed since the last byte of the request arrived.
    pub(super) async fn is_silent_for(&self, time: Duration) {
        let begun = Instant::now();
        loop {
            let arrived = self.0.as_ref().and_then(|progress| *progress.arrived.lock());
            let end = arrived.unwrap_or(begun) + time;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end).await;
        }
    }

    fn arrived(&self) {
        if let Some(progress) = &self.0 {
            *progress.arrived.lock() = Some(Instant::now());
        }
    }

    fn because(&self, reason: Reason) -> std::io::Error {
        if let Some(cut) = &self.0 {
            let _ = cut.cut.set(reason);
        }
        std::io::Error::from(match reason {
            Reason::TooSlow => std::io::ErrorKind::TimedOut,
            Reason::Full => std::io::ErrorKind::OutOfMemory,
        })
    }
}

/// Returns the response that replaces one with these headers: it gets those that describe the caller's rate limit.
fn instead(replaced: &HeaderMap, mut response: Response) -> Response {
    let of_limit = replaced.iter().filter(|(name, _)| name.as_str().starts_with("x-ratelimit-"));
    response.headers_mut().extend(of_limit.map(|(name, value)| (name.clone(), value.clone())));
    response
}

/// A body that fails when it is too slow or finds no memory.
pub(super) struct Paced<B> {
    /// The body until its end.
    body: Option<B>,
    pace: Pace,
    arrived_bytes: u64,
    /// The start of the time limit, and the timer.
    ///
    /// The time limit starts when the handler first waits for the body.
    end: Option<(Instant, Pin<Box<Sleep>>)>,
    permit: BodyPermit,
    cut: Cut<B>,
}

impl<B> Drop for Paced<B> {
    fn drop(&mut self) {
        if let Some(progress) = &self.cut.0 {
            *progress.rest.lock() = self.body.take();
        }
    }
}

impl<B> Paced<B> {
    /// Resolves when the body is too slow.
    fn poll_timeout(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (begun, alarm) = self.end.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + self.pace.begin)))
        });
        let earned = Duration::from_secs(self.arrived_bytes / self.pace.per_second.max(1));
        let end = *begun + self.pace.begin + earned;
        while alarm.as_mut().poll(context).is_ready() {
            if end <= Instant::now() {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(end);
        }
        Poll::Pending
    }
}

impl<B> HttpBody for Paced<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                let arrived_bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
                self.arrived_bytes = self.arrived_bytes.saturating_add(arrived_bytes);
                self.cut.arrived();
                if !self.permit.take(arrived_bytes) {
                    return Poll::Ready(Some(Err(axum::Error::new(self.cut.because(Reason::Full)))));
                }
            } else {
                self.body = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(axum::Error::new)));
        }
        ready!(self.poll_timeout(context));
        Poll::Ready(Some(Err(axum::Error::new(self.cut.because(Reason::TooSlow)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::response::IntoResponse as _;
    use futures_util::{StreamExt, stream};

    use super::*;

    /// Returns the status of the response to a request with this body.
    async fn status_of(body: Body, pace: Pace) -> StatusCode {
        let (request, cut) = paced(pace, Request::new(body));
        let limit = [("x-ratelimit-limit", "50")];
        let read = match to_bytes(Body::new(request.into_body()), usize::MAX).await {
            Ok(body) => (limit, body).into_response(),
            Err(_) => (StatusCode::BAD_REQUEST, limit).into_response(),
        };
        let response = cut.or(read);
        assert_eq!(response.headers()["x-ratelimit-limit"], "50");
        response.status()
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_is_not_waited_for() {
        let pace = Pace { begin: Duration::from_millis(30), per_second: 1024 };
        let begun = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"abc"))]);
        let never = Body::from_stream(begun.chain(stream::pending()));
        assert_eq!(status_of(never, pace).await, StatusCode::REQUEST_TIMEOUT);
        assert_eq!(status_of(Body::from("all of it"), pace).await, StatusCode::OK);
    }

    #[tokio::test(start_paused = true)]
    async fn an_arriving_body_has_more_time() {
        let pace = Pace { begin: Duration::from_millis(30), per_second: 1 };
        let drops = stream::iter(0..5).then(async |_| {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok::<_, std::io::Error>(Bytes::from_static(&[0; 10]))
        });
        assert_eq!(status_of(Body::from_stream(drops), pace).await, StatusCode::OK);
    }
}

//! Bodies have to come: after a while to begin with, as fast as a slow telephone sends them.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// How fast bodies have to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The time that any body has.
    pub(super) begin: Duration,
    /// How many bytes prolong it by a second.
    pub(super) per_second: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { begin: Duration::from_secs(30), per_second: 128 * 1024 }
    }
}

/// Answers 408 where a body is read and does not come.
pub(super) async fn on_time(State(pace): State<Pace>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let late = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&late);
    let paced = request.map(|body| Body::new(Paced { body, pace, came: 0, end: None, late: flag }));
    let response = next.run(paced).await;
    if late.load(Ordering::Relaxed) { too_late() } else { response }
}

fn too_late() -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    let body = r#"{"message":"The body of the request did not come in time"}"#;
    (StatusCode::REQUEST_TIMEOUT, headers, body).into_response()
}

/// A body that breaks when it is late.
struct Paced {
    body: Body,
    pace: Pace,
    came: u64,
    /// When it is late. It begins with the first wait for it: before that nobody has asked for the body.
    end: Option<(Instant, Pin<Box<Sleep>>)>,
    late: Arc<AtomicBool>,
}

impl Paced {
    /// Ready when it is late.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (begun, alarm) = self.end.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + self.pace.begin)))
        });
        let earned = Duration::from_secs(self.came / self.pace.per_second.max(1));
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

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                let came = frame.data_ref().map_or(0, |data| data.len() as u64);
                self.came = self.came.saturating_add(came);
            }
            return Poll::Ready(frame);
        }
        ready!(self.poll_late(context));
        self.late.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(std::io::Error::from(std::io::ErrorKind::TimedOut)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use futures_util::{StreamExt, stream};
    use tower_service::Service;

    use super::*;

    /// The status of a request whose body comes like this.
    async fn answered(body: Body, pace: Pace) -> StatusCode {
        let echo = post(async |body: Bytes| body);
        let mut router = Router::new().route("/", echo).layer(from_fn_with_state(pace, on_time));
        let request = Request::post("/").body(body).unwrap();
        router.call(request).await.unwrap().status()
    }

    #[tokio::test]
    async fn a_body_that_stops_is_not_waited_for() {
        let pace = Pace { begin: Duration::from_millis(30), per_second: 1024 };
        let begun = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"abc"))]);
        let never = Body::from_stream(begun.chain(stream::pending()));
        assert_eq!(answered(never, pace).await, StatusCode::REQUEST_TIMEOUT);
        assert_eq!(answered(Body::from("all of it"), pace).await, StatusCode::OK);
    }

    #[tokio::test]
    async fn one_that_comes_has_more_time() {
        let pace = Pace { begin: Duration::from_millis(30), per_second: 1 };
        let drops = stream::iter(0..5).then(async |_| {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok::<_, std::io::Error>(Bytes::from_static(&[0; 10]))
        });
        assert_eq!(answered(Body::from_stream(drops), pace).await, StatusCode::OK);
    }
}

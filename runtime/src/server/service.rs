//! The service: it turns HTTP requests into responses.

use std::any::Any;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Method, Request, Response, header::CONTENT_LENGTH};
use http_body::Body as HttpBody;
use http_body_util::BodyExt;

use super::handler::{Arriving, Endpoint, Reject, Responding};
use super::receive::RequestBody;
use super::routing::{Found, Router};
use super::{Body, BodyError, Rejection};
use crate::table::Operation;

/// An API as a `tower_service::Service` for requests with any type of body.
///
/// The service never fails. Clones share everything.
///
/// It routes by the whole path and responds with 404 itself, so mount it as a fallback after other routes:
/// `axum::Router::new().route("/healthz", …).fallback_service(service)`. (`nest_service` would cut the path.)
/// A layer in front of it that measures or traces gets the operation of a request from
/// [`Service::operation`].
///
/// If a handler panics, the request is rejected as an internal error (500 by default).
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    router: Router,
    /// The operations, by the index of their route.
    entries: Vec<Entry>,
    reject: Arc<Reject>,
}

/// An operation of the service.
pub(super) struct Entry {
    pub(super) operation: &'static Operation,
    pub(super) endpoint: Option<Endpoint>,
}

impl Service {
    pub(super) fn new(router: Router, entries: Vec<Entry>, reject: Arc<Reject>) -> Self {
        Self(Arc::new(Inner { router, entries, reject }))
    }

    /// Returns the response to a request.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use openapi_crates_runtime::server::{Body, Builder, NoSecurity, RejectionStyle, http};
    ///
    /// let service = Builder::new(&[], NoSecurity, &RejectionStyle::PROBLEM_DETAILS).build()?;
    /// let request = http::Request::get("/v1/icons").body(Body::empty())?;
    /// let response = service.handle(request).await?;
    /// assert_eq!(response.status(), 404);
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle<B>(&self, request: Request<B>) -> ResponseFuture
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let inner = &*self.0;
        let (parts, body) = request.into_parts();
        let is_head = parts.method == Method::HEAD;
        let (entry, captures) = match inner.router.find(parts.method.as_str(), parts.uri.path()) {
            Found::Route(route, captures) => match inner.entries.get(route) {
                Some(entry) => (entry, captures),
                None => return self.refuse(Rejection::NoRoute, is_head),
            },
            Found::MethodNotAllowed(allow) => {
                return self.refuse(Rejection::MethodNotAllowed { allow: allow.to_owned() }, is_head);
            }
            Found::NoRoute => return self.refuse(Rejection::NoRoute, is_head),
        };
        let operation = entry.operation;
        let Some(endpoint) = &entry.endpoint else {
            return self.refuse(Rejection::NotImplemented { operation }, is_head);
        };
        // The service never polls a body that the document does not describe.
        let body: RequestBody = if operation.body.is_none() || body.is_end_stream() {
            None
        } else {
            Some(body.map_err(BodyError::new).boxed_unsync())
        };
        let future = endpoint(Box::new(Arriving { captures, parts, body }));
        ResponseFuture { service: self.clone(), state: State::Running(operation, future), is_head }
    }

    /// Returns the operation for a method and a path, whether it is mounted or not.
    ///
    /// This is for layers in front of the service. `path` is the path of the URI, still percent-encoded. The
    /// call costs as much as routing does.
    ///
    /// # Examples
    /// ```ignore
    /// async fn count(State(service): State<Service>, request: Request, next: Next) -> Response {
    ///     let operation = service.operation(request.method(), request.uri().path());
    ///     let response = next.run(request).await;
    ///     REQUESTS.add(operation.map_or("none", |operation| operation.id), response.status());
    ///     response
    /// }
    ///
    /// Router::new().fallback_service(service.clone()).layer(from_fn_with_state(service, count))
    /// ```
    #[must_use]
    pub fn operation(&self, method: &Method, path: &str) -> Option<&'static Operation> {
        match self.0.router.find(method.as_str(), path) {
            Found::Route(route, _) => self.0.entries.get(route).map(|entry| entry.operation),
            Found::MethodNotAllowed(_) | Found::NoRoute => None,
        }
    }

    fn refuse(&self, rejection: Rejection, is_head: bool) -> ResponseFuture {
        ResponseFuture { service: self.clone(), state: State::Refused(Some(rejection)), is_head }
    }
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        self.handle(request)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Service").field("operations", &self.0.entries.len()).finish_non_exhaustive()
    }
}

/// The future of a [`Service`]'s response.
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture {
    service: Service,
    state: State,
    /// Whether the response has no body: it is the response to `HEAD`.
    is_head: bool,
}

enum State {
    Running(&'static Operation, Responding),
    Refused(Option<Rejection>),
    Done,
}

impl ResponseFuture {
    /// Polls the handler or takes the rejection. A panic becomes a rejection.
    fn poll_response(&mut self, context: &mut Context<'_>) -> Poll<Response<Body>> {
        let (rejection, operation) = match &mut self.state {
            State::Running(operation, future) => {
                match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
                    Ok(poll) => return poll,
                    Err(panic) => (Rejection::internal(HandlerPanic(panic_text(&*panic))), Some(*operation)),
                }
            }
            State::Refused(rejection) => match rejection.take() {
                Some(rejection) => (rejection, None),
                None => return Poll::Pending,
            },
            State::Done => return Poll::Pending,
        };
        Poll::Ready((self.service.0.reject)(rejection, operation))
    }
}

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(response) = self.poll_response(context) else { return Poll::Pending };
        self.state = State::Done;
        Poll::Ready(Ok(if self.is_head { without_body(response) } else { response }))
    }
}

/// Removes the body, whose length is kept as the header `Content-Length`.
fn without_body(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
        parts.headers.entry(CONTENT_LENGTH).or_insert(length.into());
    }
    Response::from_parts(parts, Body::empty())
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

/// A handler panicked.
#[derive(Debug, thiserror::Error)]
#[error("a handler panicked: {0}")]
struct HandlerPanic(String);

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

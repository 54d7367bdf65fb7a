//! Handlers: an operation's code, behind one future that does everything from the credentials to the answer.
//!
//! What is generic over an operation's types is kept thin here: it is compiled for every operation there is. The rest
//! of a request's way is in functions that are compiled once per authenticator, or once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Response};

use super::authenticate::{Authenticate, authenticate};
use super::decode::{RawRequest, Refused, decode_input};
use super::receive::{Received, RequestBody, receive};
use super::routing::Captures;
use super::{Body, Context, Failure, Rejection, reply};
use crate::codec::{Decode, Encode};
use crate::table::Operation;

/// The future of a response.
pub(super) type Responding = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// The hook that turns refusals into responses.
pub(super) type Reject = dyn Fn(Rejection) -> Response<Body> + Send + Sync;

/// An operation in its service: from a request to the future of its response, whatever the authenticator.
pub(super) type Endpoint = Box<dyn Fn(Arriving) -> Responding + Send + Sync>;

/// An operation's code, ready to be mounted; made by [`secured`], [`optional`] or [`open`].
pub struct Handler<A: Authenticate>(Box<dyn FnOnce(Mount<A>) -> Endpoint + Send + Sync>);

impl<A: Authenticate> Handler<A> {
    pub(super) fn mount(self, mount: Mount<A>) -> Endpoint {
        (self.0)(mount)
    }
}

impl<A: Authenticate> fmt::Debug for Handler<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handler").finish_non_exhaustive()
    }
}

/// What the handlers of a service share.
pub(super) struct Core<A> {
    pub(super) authenticator: A,
    pub(super) reject: Arc<Reject>,
    pub(super) default_body_limit: u64,
}

/// Where a handler is mounted.
pub(super) struct Mount<A> {
    pub(super) core: Arc<Core<A>>,
    pub(super) operation: &'static Operation,
    /// The names of the captures.
    pub(super) names: Vec<&'static str>,
}

/// A request that was routed.
pub(super) struct Arriving {
    pub(super) captures: Captures,
    pub(super) parts: Parts,
    pub(super) body: RequestBody,
}

/// The handler of an operation that insists on credentials: it gets the principal.
pub fn secured<A, T, I, O, E, F, Fut>(api: &Arc<T>, call: F) -> Handler<A>
where
    A: Authenticate,
    T: Send + Sync + 'static,
    I: Decode + Encode + Send + 'static,
    O: Encode,
    E: Encode,
    F: Fn(Arc<T>, Context<A::Principal>, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failure<E>>> + Send,
{
    handler(api, call, |principal, operation| principal.ok_or(Rejection::MissingCredentials { operation }))
}

/// The handler of an operation that may be called without credentials: it gets the principal if there is one.
pub fn optional<A, T, I, O, E, F, Fut>(api: &Arc<T>, call: F) -> Handler<A>
where
    A: Authenticate,
    T: Send + Sync + 'static,
    I: Decode + Encode + Send + 'static,
    O: Encode,
    E: Encode,
    F: Fn(Arc<T>, Context<Option<A::Principal>>, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failure<E>>> + Send,
{
    handler(api, call, |principal, _| Ok(principal))
}

/// The handler of an operation without security.
pub fn open<A, T, I, O, E, F, Fut>(api: &Arc<T>, call: F) -> Handler<A>
where
    A: Authenticate,
    T: Send + Sync + 'static,
    I: Decode + Encode + Send + 'static,
    O: Encode,
    E: Encode,
    F: Fn(Arc<T>, Context<()>, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failure<E>>> + Send,
{
    handler(api, call, |_, _| Ok(()))
}

/// Makes a handler; `admit` says what of the principal the code gets.
fn handler<A, T, P, I, O, E, F, Fut>(
    api: &Arc<T>,
    call: F,
    admit: fn(Option<A::Principal>, &'static Operation) -> Result<P, Rejection>,
) -> Handler<A>
where
    A: Authenticate,
    T: Send + Sync + 'static,
    P: Send + 'static,
    I: Decode + Encode + Send + 'static,
    O: Encode,
    E: Encode,
    F: Fn(Arc<T>, Context<P>, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failure<E>>> + Send,
{
    let api = Arc::clone(api);
    Handler(Box::new(move |mount| {
        let mounted = Arc::new((mount, api, call));
        Box::new(move |mut arriving| {
            let mounted = Arc::clone(&mounted);
            Box::pin(async move {
                let (mount, api, call) = &*mounted;
                let operation = mount.operation;
                let Arrived { received, principal, headers } = match arrive(mount, &mut arriving).await {
                    Ok(arrived) => arrived,
                    Err(response) => return response,
                };
                let input = arriving.input::<I>(operation, &mount.names, &received);
                let prepared = admit(principal, operation).and_then(|principal| Ok((principal, input?)));
                let answer = match prepared {
                    Ok((principal, input)) => {
                        let context = Context::of(principal, operation, arriving.parts);
                        match call(Arc::clone(api), context, input).await {
                            Ok(output) => answer(operation, Outcome::Success(&output)),
                            Err(Failure::Documented(error)) => answer(operation, Outcome::Documented(&error)),
                            Err(Failure::NotImplemented) => Err(Rejection::NotImplemented { operation }),
                            Err(Failure::Internal(error)) => Err(Rejection::Internal { error }),
                            Err(Failure::Rejected(rejection)) => Err(*rejection),
                            Err(Failure::Response(response)) => Ok(*response),
                        }
                    }
                    Err(rejection) => Err(rejection),
                };
                finish(answer, &*mount.core.reject, headers)
            })
        })
    }))
}

/// What an operation's code answered, without its types.
enum Outcome<'a> {
    Success(&'a dyn Encode),
    Documented(&'a dyn Encode),
}

/// The response of an operation's own answer.
fn answer(operation: &'static Operation, outcome: Outcome<'_>) -> Result<Response<Body>, Rejection> {
    let response = match outcome {
        Outcome::Success(output) => reply::success(operation, output),
        Outcome::Documented(error) => reply::error(&operation.errors, error),
    };
    response.map_err(Rejection::internal)
}

/// The response at last, with the headers that the authenticator wants on every answer; the answer's own win.
fn finish(
    answer: Result<Response<Body>, Rejection>,
    reject: &Reject,
    mut headers: HeaderMap,
) -> Response<Body> {
    let mut response = answer.unwrap_or_else(reject);
    if !headers.is_empty() {
        headers.extend(std::mem::take(response.headers_mut()));
        *response.headers_mut() = headers;
    }
    response
}

/// What is known of a request once its caller is and its body is here. The request itself is large, and stays where it
/// is.
struct Arrived<P> {
    received: Received,
    principal: Option<P>,
    /// What the authenticator wants on the answer.
    headers: HeaderMap,
}

/// Authenticates a request, and only then takes its body in.
async fn arrive<A: Authenticate>(
    Mount { core, operation, .. }: &Mount<A>,
    request: &mut Arriving,
) -> Result<Arrived<A::Principal>, Response<Body>> {
    let principal = match authenticate(&core.authenticator, operation, &request.parts).await {
        Ok(principal) => principal,
        Err(refusal) => return Err(finish(Err(refusal.rejection), &*core.reject, refusal.headers)),
    };
    let mut headers = HeaderMap::new();
    if let Some(principal) = &principal {
        core.authenticator.response_headers(principal, &mut headers);
    }
    let received = match &operation.body {
        None => Ok(Received::default()),
        // Apart, so that the futures of requests without a body stay small.
        Some(row) => {
            let body = request.body.take();
            Box::pin(receive(row, &request.parts.headers, body, core.default_body_limit)).await
        }
    };
    match received {
        Ok(received) => Ok(Arrived { received, principal, headers }),
        Err(rejection) => Err(finish(Err(rejection), &*core.reject, headers)),
    }
}

impl Arriving {
    fn input<I: Decode + Encode>(
        &self,
        operation: &'static Operation,
        names: &[&'static str],
        received: &Received,
    ) -> Result<I, Rejection> {
        self.with_raw(names, received, |raw| decode_input::<I>(operation, raw)).map_err(refusal)
    }

    /// Names the captures; few templates have so many that this allocates.
    fn with_raw<R>(
        &self,
        names: &[&'static str],
        received: &Received,
        then: impl FnOnce(&RawRequest<'_>) -> R,
    ) -> R {
        self.captures.named(names, self.parts.uri.path(), |path| {
            then(&RawRequest {
                path,
                query: self.parts.uri.query().unwrap_or_default(),
                headers: &self.parts.headers,
                content: received.content,
                body: received.payload(),
            })
        })
    }
}

fn refusal(refused: Refused) -> Rejection {
    match refused {
        Refused::Invalid(violations) => Rejection::Invalid { violations },
        Refused::MalformedBody(detail) => Rejection::MalformedBody { detail },
    }
}

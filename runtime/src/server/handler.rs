//! Handlers: operations as futures, from authentication to the response.
//!
//! The code that is generic over an operation's types is short here, because it is compiled for every
//! operation. The other steps are functions that are compiled once per authenticator, or once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Response};

use super::authenticate::{Authenticate, authenticate};
use super::decode::{Payload, RawRequest, Refused, decode_input};
use super::receive::{Received, RequestBody, receive};
use super::routing::Captures;
use super::{Body, Context, Failure, Rejection, Unsupported, reply};
use crate::codec::{Decode, Encode};
use crate::table::Operation;

/// The future of a response.
pub(super) type Responding = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Turns rejections into responses. The operation is that of the request, if a handler was called.
pub(super) type Reject = dyn Fn(Rejection, Option<&'static Operation>) -> Response<Body> + Send + Sync;

/// A mounted operation: turns a request into the future of its response.
///
/// It does not depend on the type of the authenticator.
pub(super) type Endpoint = Box<dyn Fn(Box<Arriving>) -> Responding + Send + Sync>;

/// The handler of an operation, ready to be mounted.
///
/// [`secured`], [`optional`] and [`open`] create handlers.
pub struct Handler<A: Authenticate>(pub(super) Box<dyn FnOnce(Mount<A>) -> Endpoint + Send + Sync>);

impl<A: Authenticate> fmt::Debug for Handler<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handler").finish_non_exhaustive()
    }
}

/// Runs a function that decodes a body of this size.
pub(super) type DecodeBody = dyn Fn(usize, &mut dyn FnMut()) + Send + Sync;

/// The data that the handlers of a service share.
pub(super) struct Core<A> {
    pub(super) authenticator: A,
    pub(super) reject: Arc<Reject>,
    pub(super) default_body_limit: u64,
    pub(super) decode_body: Box<DecodeBody>,
}

/// The context that a handler is mounted in.
pub(super) struct Mount<A> {
    pub(super) core: Arc<Core<A>>,
    pub(super) operation: &'static Operation,
    /// The names of the path's parameters, in the order of the captures.
    pub(super) names: Vec<&'static str>,
}

/// A request for which a route was found.
///
/// It is boxed, because futures are copied.
pub(super) struct Arriving {
    pub(super) captures: Captures,
    pub(super) parts: Parts,
    pub(super) body: RequestBody,
}

/// Creates the handler of an operation that requires credentials.
///
/// `call` gets the principal in its context.
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

/// Creates the handler of an operation for which credentials are optional.
///
/// `call` gets the principal in its context, if the caller has credentials.
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

/// Creates the handler of an operation without security.
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

/// Creates a handler. `admit` selects what `call` gets of the principal.
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
                // The locals of this closure take no space in the future.
                let start = move || {
                    let input = arriving.input::<I, A>(mount, &received);
                    let principal = admit(principal, operation)?;
                    let context = Context::of(principal, operation, arriving.parts);
                    input.map(|input| call(Arc::clone(api), context, input))
                };
                let called = match start() {
                    Ok(called) => called,
                    Err(rejection) => return finish(Err(rejection), &*mount.core.reject, operation, headers),
                };
                let response = match called.await {
                    Ok(output) => reply::success(operation, &output).map_err(Rejection::internal),
                    Err(Failure::Documented(error)) => {
                        reply::error(&operation.errors, &error).map_err(Rejection::internal)
                    }
                    Err(Failure::NotImplemented) => Err(Rejection::NotImplemented { operation }),
                    Err(Failure::Internal(error)) => Err(Rejection::Internal { error }),
                    Err(Failure::Rejected(rejection)) => Err(*rejection),
                    Err(Failure::Response(response)) => Ok(*response),
                };
                finish(response, &*mount.core.reject, operation, headers)
            })
        })
    }))
}

/// Completes the response with the authenticator's headers.
///
/// The response's own headers win.
fn finish(
    response: Result<Response<Body>, Rejection>,
    reject: &Reject,
    operation: &'static Operation,
    mut headers: HeaderMap,
) -> Response<Body> {
    let mut response = response.unwrap_or_else(|rejection| reject(rejection, Some(operation)));
    if !headers.is_empty() {
        headers.extend(std::mem::take(response.headers_mut()));
        *response.headers_mut() = headers;
    }
    response
}

/// The data about a request after authentication, with its body.
///
/// The request itself is large and is not moved.
struct Arrived<P> {
    received: Received,
    principal: Option<P>,
    /// The headers that the authenticator adds to the response.
    headers: HeaderMap,
}

/// Authenticates the caller, and only then reads the body.
async fn arrive<A: Authenticate>(
    Mount { core, operation, .. }: &Mount<A>,
    request: &mut Arriving,
) -> Result<Arrived<A::Principal>, Response<Body>> {
    let principal = match authenticate(&core.authenticator, operation, &request.parts).await {
        Ok(principal) => principal,
        Err((rejection, headers)) => return Err(finish(Err(rejection), &*core.reject, operation, headers)),
    };
    let mut headers = HeaderMap::new();
    if let Some(principal) = &principal {
        core.authenticator.response_headers(principal, &mut headers);
    }
    let received = match &operation.body {
        None => Ok(Received::default()),
        // Boxed, so that the futures of requests without a body stay small.
        Some(row) => {
            let body = request.body.take();
            Box::pin(receive(row, &request.parts.headers, body, core.default_body_limit)).await
        }
    };
    match received {
        Ok(received) => Ok(Arrived { received, principal, headers }),
        Err(rejection) => Err(finish(Err(rejection), &*core.reject, operation, headers)),
    }
}

impl Arriving {
    fn input<I: Decode + Encode, A: Authenticate>(
        &self,
        Mount { core, operation, names }: &Mount<A>,
        received: &Received,
    ) -> Result<I, Rejection> {
        let Parts { uri, headers, .. } = &self.parts;
        let mut input = None;
        let mut decode = || {
            // It allocates only if the path has many parameters.
            input = Some(self.captures.named(names, uri.path(), |path| {
                let query = uri.query().unwrap_or_default();
                let (content, body) = (received.content, received.payload());
                decode_input::<I>(operation, &RawRequest { path, query, headers, content, body })
            }));
        };
        match received.payload() {
            Payload::Bytes(body) if !body.is_empty() => (core.decode_body)(body.len(), &mut decode),
            _ => decode(),
        }
        input
            .ok_or_else(|| Rejection::internal("the hook `decode_body` did not call its function"))?
            .map_err(refusal)
    }
}

fn refusal(refused: Refused) -> Rejection {
    match refused {
        Refused::Invalid(violations) => Rejection::Invalid { violations },
        Refused::MalformedBody(detail) => Rejection::MalformedBody { detail },
        Refused::PartType { part, supported } => Rejection::UnsupportedMediaType {
            supported: supported.to_owned(),
            cause: Unsupported::Part(part),
        },
    }
}

//! Handlers of events, and the rows of the operations that they are.

use std::{future::Future, sync::Arc, time::SystemTime};

use bytes::Bytes;
use http::HeaderMap;

use crate::{
    codec::{AdditionalProperties, Decode, DecodeError, Encode, Needed, Reader, Writer},
    server::{Builder, Context, Failure, Handler, NoSecurity, RejectionStyle, open},
    table::{Body, Content, ContentFormat, Operation, Schema},
    types::NoError,
};

/// The result of a handler. A success is a 2xx response; after another response, the sender tries again.
///
/// A handler that wants no more events returns the failure [`Response`](Failure::Response) with the status 410.
pub type Handled = Result<(), Failure<NoError>>;

/// A verified message, which a handler gets in addition to the event. Tests of handlers can use the default.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Delivery {
    /// The id of the event, which is the same in each attempt to deliver it.
    pub id: Option<String>,
    /// The time of this attempt. Events can arrive in another order than they occurred.
    pub sent_at: Option<SystemTime>,
    /// The headers of the request.
    pub headers: HeaderMap,
    /// The body, exactly as it was received.
    pub body: Bytes,
}

/// The input of an event's operation: the body alone.
struct Payload<T>(T);

impl<T: Decode> Decode for Payload<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut body = None;
        reader.object(&["body"], &mut [&mut Needed(&mut body)], AdditionalProperties::Ignore)?;
        body.map(Self).ok_or_else(|| DecodeError::missing("body"))
    }
}

impl<T: Encode> Encode for Payload<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("body", &self.0)], None);
    }
}

static JSON: [Content; 1] = [Content::new("*/*", ContentFormat::Json, &Schema::ANY)];

/// Creates the row of an event whose body has a type. `name` is its method in the trait; `path` is `/` and the name.
///
/// Its constraints are not checked: the sender may be newer than this program.
pub const fn event(name: &'static str, method: &'static str, path: &'static str) -> Operation {
    message(name, method, path).body(Body::required(&JSON))
}

/// Creates the row of an event whose body has no type.
pub const fn message(name: &'static str, method: &'static str, path: &'static str) -> Operation {
    Operation::new(name, "events", method, path)
}

/// Creates a builder of the service behind a [`Receiver`](super::Receiver), which limits bodies itself.
#[must_use]
pub fn builder(events: &[&'static Operation]) -> Builder<NoSecurity> {
    let mut builder = Builder::new(&[events], NoSecurity, &RejectionStyle::PROBLEM_DETAILS);
    builder.default_body_limit(u64::MAX);
    builder
}

/// Creates the handler of an event whose body has a type.
pub fn typed<T, I, F, Fut>(api: &Arc<T>, call: F) -> Handler<NoSecurity>
where
    T: Send + Sync + 'static,
    I: Decode + Encode + Send + 'static,
    F: Fn(Arc<T>, Delivery, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Handled> + Send,
{
    open(api, move |api, context, Payload(event)| call(api, Delivery::of(context), event))
}

/// Creates the handler of an event whose body has no type.
pub fn untyped<T, F, Fut>(api: &Arc<T>, call: F) -> Handler<NoSecurity>
where
    T: Send + Sync + 'static,
    F: Fn(Arc<T>, Delivery) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Handled> + Send,
{
    open(api, move |api, context, ()| call(api, Delivery::of(context)))
}

impl Delivery {
    fn of(mut context: Context<()>) -> Self {
        let mut delivery = context.extensions.remove::<Self>().unwrap_or_default();
        delivery.headers = context.headers;
        delivery
    }
}

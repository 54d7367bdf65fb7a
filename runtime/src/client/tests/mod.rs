//! The client, with real connections.

mod calls;
mod credentials;
#[cfg(feature = "file-transfer")]
mod downloads;
#[cfg(feature = "mock")]
mod hostile;
mod monitor;
mod pages;
mod requests;
mod retries;
mod server;
#[cfg(all(feature = "mock", feature = "blocking"))]
mod transports;
mod wait;

use std::time::Duration;

use serde_json::json;

use self::server::{Reply, Server};
use super::*;
use crate::{
    codec::{Decode, DecodeError, Encode, Reader, Writer},
    table::{
        Body, Content, ContentFormat, Errors, Location, Operation, Parameter, Requirement, Response as Row,
        Schema, Scheme, SchemeKind, Status, Style, Text, Type,
    },
    types::Value,
};

static ANY: Schema = Schema::new(Type::Any);
static SHORT: Schema = Schema::new(Type::Text(Text { max_length: Some(36), ..Text::ANY }));
static JSON: [Content; 1] = [Content::new("application/json", ContentFormat::Json, &ANY)];

static KEY: Scheme = Scheme::new("api_key", SchemeKind::ApiKeyHeader("x-api-key"));
static QUERY_KEY: Scheme = Scheme::new("query_key", SchemeKind::ApiKeyQuery("key"));
static COOKIE_KEY: Scheme = Scheme::new("cookie_key", SchemeKind::ApiKeyCookie("session"));
static TOKEN: Scheme = Scheme::new("token", SchemeKind::Bearer);
static PASSWORD: Scheme = Scheme::new("password", SchemeKind::Basic);
static DIGEST: Scheme = Scheme::new("digest", SchemeKind::Http("Custom"));
static CERTIFICATE: Scheme = Scheme::new("certificate", SchemeKind::MutualTls);

const fn needs(scheme: &'static Scheme) -> Requirement {
    Requirement { scheme, scopes: &[] }
}

const fn parameter(name: &'static str, location: Location) -> Parameter {
    Parameter {
        name,
        location,
        required: true,
        style: Style::Simple,
        explode: false,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: &[],
        schema: &SHORT,
        reason: None,
    }
}

static FAILED: Row = Row::code(404).contents(&JSON).permanent("permanent");
static ERRORS: Errors = Errors { rows: &[&FAILED], documented: Some(&[FAILED.at(404), FAILED.at(503)]) };

const OK: &[Row] = &[Row { status: Status::Code(200), headers: &[], contents: &JSON, permanent: None }];

static GET_ICON: Operation = Operation {
    id: "getIcon",
    tag: "icons",
    method: "GET",
    path: "/v1/icons/{id}",
    parameters: &[parameter("id", Location::Path)],
    body: None,
    responses: OK,
    errors: ERRORS,
    security: &[&[needs(&KEY)], &[needs(&QUERY_KEY), needs(&CERTIFICATE)]],
    requires: &[],
    closed_query: false,
    server: None,
};

static CREATE_ICON: Operation = Operation {
    id: "createIcon",
    tag: "icons",
    method: "POST",
    path: "/v1/icons",
    parameters: &[Parameter { required: false, ..parameter("Idempotency-Key", Location::Header) }],
    body: Some(Body { required: true, limit: None, contents: &JSON }),
    responses: OK,
    errors: ERRORS,
    security: &[],
    requires: &[],
    closed_query: false,
    server: None,
};

static PING: Operation = Operation {
    id: "ping",
    tag: "icons",
    method: "GET",
    path: "/ping",
    parameters: &[],
    body: None,
    responses: &[],
    errors: Errors { rows: &[], documented: None },
    security: &[&[], &[needs(&TOKEN)], &[needs(&PASSWORD), needs(&COOKIE_KEY)], &[needs(&DIGEST)]],
    requires: &[],
    closed_query: false,
    server: None,
};

/// An operation whose calls can't be repeated if they are lost.
static SUBMIT_ICON: Operation = Operation::new("submitIcon", "icons", "POST", "/v1/icons")
    .body(Body::required(&JSON))
    .responses(OK)
    .errors(&[&FAILED], &[FAILED.at(404), FAILED.at(503)]);

struct SubmitIcon;

impl Encode for SubmitIcon {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("body", &json!({"secret": "hunter2"}))], None);
    }
}

struct GetIcon(&'static str);

impl Encode for GetIcon {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("id", &self.0.to_owned())], None);
    }
}

impl Decode for GetIcon {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut id = None::<String>;
        reader.object(&["id"], &mut [&mut id], crate::codec::AdditionalProperties::Closed)?;
        Ok(Self(id.ok_or_else(|| DecodeError::missing("id"))?.leak()))
    }
}

struct CreateIcon {
    key: Option<&'static str>,
    body: Value,
}

impl Encode for CreateIcon {
    fn encode(&self, writer: &mut dyn Writer) {
        let key = self.key.map(str::to_owned);
        writer.object(&[("Idempotency-Key", &key), ("body", &self.body)], None);
    }
}

/// The only documented error.
#[derive(Debug, PartialEq)]
struct NotFound(Value);

impl Decode for NotFound {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.choice() {
            0 => Value::decode(reader).map(Self),
            other => Err(DecodeError::unknown_choice(other)),
        }
    }
}

impl Encode for NotFound {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.choice(0, &self.0);
    }
}

const IS_JSON: &[&str] = &["content-type: application/json"];
const ICON: Reply = Reply::Response(200, IS_JSON, r#"{"id":"7"}"#);

/// Creates a builder whose waits are zero, so that tests don't wait. Calls need no credentials.
fn builder(server: &Server) -> ClientBuilder {
    let retry = RetryPolicy::default().random(|| 0.0);
    Client::builder().base_url(&server.url).retry(retry).require_credentials(false)
}

/// Starts a server with these responses in order. The last one is repeated.
async fn serve<const N: usize>(script: [Reply; N]) -> Server {
    Server::start(Box::leak(Box::new(script))).await
}

fn client(server: &Server) -> Client {
    builder(server).build().unwrap()
}

fn get(client: &Client, id: &'static str) -> Call<Value, NotFound> {
    client.call(&GET_ICON, &GetIcon(id))
}

fn create(client: &Client, key: Option<&'static str>) -> Call<Value, NotFound> {
    client.call(&CREATE_ICON, &CreateIcon { key, body: json!({"secret": "hunter2"}) })
}

fn submit(client: &Client) -> Call<Value, NotFound> {
    client.call(&SUBMIT_ICON, &SubmitIcon)
}

//! Requests to a small API.

mod http_round_trip;
mod log;
mod mounting;
mod refusals;
mod security;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::BodyExt;

use super::*;
use crate::codec::{AdditionalProperties, Decode, DecodeError, Encode, Reader, Writer};
use crate::table::{Body as BodyRow, Response as ResponseRow};
use crate::table::{
    Content, ContentFormat, Errors, Field, Header, Location, Object, Operation, Parameter, Requirement,
    Schema, Scheme, SchemeKind, Status, Style, Text, Type,
};

static TEXT: Schema = Schema::new(Type::Text(Text { max_length: Some(20), ..Text::ANY }));
static NOTE: Schema = Schema::new(Type::Object(Object::new(&[Field::required("text", &TEXT)])));
static NOTE_JSON: &[Content] = &[content("application/json", ContentFormat::Json, &NOTE)];
static API_KEY: Scheme = Scheme::new("apiKey", SchemeKind::ApiKeyHeader("x-api-key"));
static BASIC: Scheme = Scheme::new("basic", SchemeKind::Basic);
static BEARER: Scheme = Scheme::new("token", SchemeKind::Bearer);
static NEEDS_KEY: &[&[Requirement]] = &[&[Requirement { scheme: &API_KEY, scopes: &[] }]];

const fn content(media_type: &'static str, format: ContentFormat, schema: &'static Schema) -> Content {
    Content::new(media_type, format, schema)
}

/// An operation without parameters, body and responses.
pub(super) const BARE: Operation = Operation {
    id: "bare",
    tag: "notes",
    method: "GET",
    path: "/",
    parameters: &[],
    body: None,
    responses: &[],
    errors: Errors { rows: &[], documented: None },
    security: &[],
    requires: &[],
    closed_query: false,
    server: None,
};

static GET_NOTE: Operation = Operation {
    id: "getNote",
    path: "/v1/notes/{id}",
    parameters: &[Parameter {
        name: "id",
        location: Location::Path,
        required: true,
        style: Style::Simple,
        explode: false,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: &[],
        schema: &TEXT,
        reason: None,
    }],
    responses: &[ResponseRow {
        status: Status::Code(200),
        headers: &[],
        contents: NOTE_JSON,
        permanent: None,
    }],
    errors: Errors { rows: &[&NOT_FOUND], documented: Some(&[NOT_FOUND.at(410)]) },
    security: NEEDS_KEY,
    ..BARE
};
static NOT_FOUND: ResponseRow = ResponseRow::code(404).contents(NOTE_JSON);
static CREATE_NOTE: Operation = Operation {
    id: "createNote",
    method: "POST",
    path: "/v1/notes",
    body: Some(BodyRow { required: true, limit: Some(40), contents: NOTE_JSON }),
    responses: &[ResponseRow {
        status: Status::Code(201),
        headers: &[Header::new("location", &TEXT)],
        contents: NOTE_JSON,
        permanent: None,
    }],
    security: NEEDS_KEY,
    ..BARE
};
static CHECK_NOTE: Operation = Operation {
    id: "checkNote",
    method: "PUT",
    path: "/v1/check",
    body: Some(BodyRow { required: false, limit: None, contents: NOTE_JSON }),
    security: &[&[Requirement { scheme: &API_KEY, scopes: &[] }], &[]],
    ..BARE
};
static GET_BOTH: Operation = Operation {
    id: "getBoth",
    path: "/v1/both",
    security: &[
        &[Requirement { scheme: &API_KEY, scopes: &[] }, Requirement { scheme: &BASIC, scopes: &["read"] }],
        &[Requirement { scheme: &BEARER, scopes: &[] }],
    ],
    ..BARE
};
static GET_OPEN: Operation = Operation { id: "getOpen", path: "/v1/open", ..BARE };
static DELETE_OPEN: Operation = Operation { id: "deleteOpen", method: "DELETE", path: "/v1/open", ..BARE };
static OPERATIONS: &[&[&Operation]] =
    &[&[&GET_NOTE, &CREATE_NOTE, &CHECK_NOTE], &[&GET_BOTH, &GET_OPEN, &DELETE_OPEN]];

#[derive(Debug, Clone, PartialEq)]
struct Note {
    text: String,
}

impl Decode for Note {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut text = None;
        reader.object(&["text"], &mut [&mut text], AdditionalProperties::Ignore)?;
        Ok(Self { text: text.ok_or_else(|| DecodeError::missing("text"))? })
    }
}

impl Encode for Note {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("text", &self.text)], None);
    }
}

/// An input with one field.
struct Input<const NAME: usize, T>(T);

const NAMES: [&[&str; 1]; 2] = [&["id"], &["body"]];

impl<const NAME: usize, T: Decode> Decode for Input<NAME, T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut member = None;
        reader.object(NAMES[NAME], &mut [&mut member], AdditionalProperties::Closed)?;
        Ok(Self(member.ok_or_else(|| DecodeError::missing(NAMES[NAME][0]))?))
    }
}

impl<const NAME: usize, T: Encode> Encode for Input<NAME, T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[(NAMES[NAME][0], &self.0)], None);
    }
}

/// An input whose body is optional.
struct MaybeNote(Option<Note>);

impl Decode for MaybeNote {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut body = None;
        reader.object(&["body"], &mut [&mut body], AdditionalProperties::Closed)?;
        Ok(Self(body))
    }
}

impl Encode for MaybeNote {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("body", &self.0)], None);
    }
}

/// A note with a header.
struct Created {
    location: Option<String>,
    body: Note,
}

impl Encode for Created {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("location", &self.location), ("body", &self.body)], None);
    }
}

#[derive(Debug)]
struct Gone(Note);

impl Encode for Gone {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.choice(0, &self.0);
    }
}

/// A trait as the generator writes it.
trait NotesApi: Send + Sync + 'static {
    type Principal: Send + Sync + 'static;

    fn get_note(
        &self,
        context: Context<Self::Principal>,
        input: Input<0, String>,
    ) -> impl Future<Output = Result<Note, Failure<Gone>>> + Send {
        let _ = (context, input);
        async { Err(Failure::NotImplemented) }
    }
}

/// Mounts the operations, as a generated function does.
fn mount_notes<A: Authenticate, T: NotesApi<Principal = A::Principal>>(
    builder: &mut Builder<A>,
    api: &Arc<T>,
) {
    builder.mount(
        &GET_NOTE,
        secured(api, |api, context, input| async move { api.get_note(context, input).await }),
    );
}

struct Api;

impl NotesApi for Api {
    type Principal = String;

    async fn get_note(
        &self,
        context: Context<String>,
        Input(id): Input<0, String>,
    ) -> Result<Note, Failure<Gone>> {
        let note = |text: String| Note { text };
        match id.as_str() {
            "gone" => Err(Gone(note("gone".to_owned())).into()),
            "later" => Err(Failure::NotImplemented),
            "broken" => Err(Failure::internal("the secret reason")),
            "panic" => panic!("the handler's own words"),
            "busy" => {
                Err(Failure::rejected(Rejection::Unavailable { retry_after: Some(Duration::from_secs(9)) }))
            }
            "refused" => Err(Failure::rejected(Rejection::invalid(In::Path, "id", "must be free"))),
            "raw" => Err(Failure::response(Response::new(Body::from("raw")))),
            _ => Ok(note(format!("{} {id} {}", context.principal, context.operation.id))),
        }
    }
}

/// Returns the headers that describe a rate limit.
fn limit() -> HeaderMap {
    HeaderMap::from_iter([(HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from_static("50"))])
}

struct Keys;

impl Authenticate for Keys {
    type Principal = String;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<String, Denied> {
        let mut principal = Vec::new();
        for credential in attempt.credentials {
            principal.push(match (credential.scheme.name, credential.secret()) {
                ("apiKey", "forbidden") => return Err(Denied::Forbidden { headers: limit() }),
                ("apiKey", "down") => {
                    let retry_after = Some(Duration::from_secs(3));
                    return Err(Denied::Unavailable { retry_after, headers: limit() });
                }
                ("apiKey", "fast") => {
                    let retry_after = Some(Duration::from_millis(1500));
                    return Err(Denied::TooManyRequests { retry_after, headers: limit() });
                }
                ("apiKey", key @ "good") | ("token", key @ "t0ken") => key.to_owned(),
                ("basic", _) if credential.basic() == Some(("user", "pass:word")) => {
                    credential.scopes.join(" ")
                }
                _ => return Err(Denied::Invalid),
            });
        }
        Ok(principal.join("+"))
    }

    fn response_headers(&self, principal: &String, headers: &mut HeaderMap) {
        headers.insert("x-caller", HeaderValue::from_str(principal).unwrap());
    }
}

fn builder() -> Builder<Keys> {
    let api = Arc::new(Api);
    let mut builder = Builder::new(OPERATIONS, Keys, &RejectionStyle::PROBLEM_DETAILS);
    mount_notes(&mut builder, &api);
    builder.mount(
        &CREATE_NOTE,
        secured(&api, |_, _, Input(body): Input<1, Note>| async move {
            let location = Some(format!("/v1/notes/{}", body.text.len()));
            Ok::<_, Failure<Gone>>(Created { location, body })
        }),
    );
    builder.mount(
        &CHECK_NOTE,
        optional(&api, |_, context: Context<Option<String>>, input: MaybeNote| async move {
            let text = format!("{:?} {:?}", context.principal, input.0.map(|note| note.text));
            Err::<(), Failure<Gone>>(Failure::response(Response::new(text.into())))
        }),
    );
    builder.mount(
        &GET_BOTH,
        secured(&api, |_, context: Context<String>, ()| async move {
            Err::<(), Failure<Gone>>(Failure::response(Response::new(context.principal.into())))
        }),
    );
    builder.mount(&GET_OPEN, open(&api, |_, _, ()| async { Ok::<_, Failure<Gone>>(()) }));
    builder
}

fn service() -> Service {
    builder().build().unwrap()
}

/// The headers of a request.
type Headers<'a> = &'a [(&'a str, &'a str)];

/// A response, read to its end.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn send<B>(service: &Service, request: Request<B>) -> Reply
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (parts, body) = service.handle(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Reply { status: parts.status, headers: parts.headers, body: String::from_utf8(body.to_vec()).unwrap() }
}

fn request<B>(method: &str, path: &str, headers: Headers<'_>, body: B) -> Request<B> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body).unwrap()
}

/// A body that is sent in chunks and does not announce its length.
struct Chunks(VecDeque<&'static str>);

impl Chunks {
    fn new(chunks: &[&'static str]) -> Self {
        Self(chunks.iter().copied().collect())
    }
}

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.pop_front().map(|chunk| match chunk {
            "<broken>" => Err(std::io::Error::other("reset")),
            "<unread>" => panic!("the body was read"),
            chunk => Ok(Frame::data(Bytes::from_static(chunk.as_bytes()))),
        }))
    }
}

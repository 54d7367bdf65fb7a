//! The requests to a provider.
//!
//! They go to the engine's own origin, with the key, and follow no redirects.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use super::settings::{Form, Header, Protocol};
use super::{Http, find};
use crate::blocking::in_place;
use crate::engine::failure::quoted;
use crate::engine::template::{Template, Unrendered};
use crate::engine::{Failure, Medium};
use crate::net::failure;
use crate::trace;

/// The maximum size of a response that is read into memory, in bytes. Results may be base64 within JSON.
const MAX_RESPONSE_BYTES: usize = 128 * 1024 * 1024;

/// The maximum number of characters of a provider's message in a log or a task.
const MAX_MESSAGE_CHARACTERS: usize = 300;

/// Why a request has no complete response.
#[derive(Debug)]
pub(super) enum Broken {
    /// The request has not been sent.
    Unsent(String),
    /// The request may have been sent.
    Unknown(String),
}

impl Broken {
    fn of(error: &reqwest::Error) -> Self {
        let why = failure::cause(error).to_owned();
        if error.is_connect() || error.is_builder() { Self::Unsent(why) } else { Self::Unknown(why) }
    }

    pub(super) fn why(self) -> String {
        match self {
            Self::Unsent(why) | Self::Unknown(why) => why,
        }
    }
}

/// A response that has been read.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Bytes,
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(super) fn json(&self) -> Value {
        in_place(self.body.len(), || serde_json::from_slice(&self.body).unwrap_or_default())
    }

    /// Returns whether a later request may succeed.
    pub(super) fn is_temporary(&self) -> bool {
        is_temporary(self.status)
    }
}

/// Returns whether a later request may get another status.
pub(super) fn is_temporary(status: u16) -> bool {
    matches!(status, 401 | 403 | 408 | 425 | 429 | 500..)
}

impl Http {
    /// Returns the URL of a target for these variables.
    pub(super) fn url(
        &self,
        path: &Template,
        query: Option<&Template>,
        variables: &Value,
    ) -> Result<Url, Failure> {
        let path = text(path, variables)?;
        let is_plain = |part: &str| {
            !matches!(part, "." | "..")
                && part.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'@')
                })
        };
        let parts = path.strip_prefix('/').filter(|path| path.split('/').all(is_plain));
        if parts.is_none() {
            // It may hold a key, so it is not shown.
            let why = "the path must begin with `/` and have letters, digits and `-_.:@` only: put parameters into `query`";
            return Err(Failure::Internal(why.to_owned()));
        }
        let mut url = Url::parse(&format!("{}{path}", self.settings.protocol.base_url)).map_err(|error| {
            Failure::Internal(format!("the base URL and the path form an invalid URL: {error}"))
        })?;
        let query = query.map(|query| query.render(variables)).transpose()?.flatten();
        if let Some(Value::Object(query)) =
            query.filter(|query| *query != Value::Object(serde_json::Map::new()))
        {
            let pairs = query
                .iter()
                .map(|(name, value)| (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
            url.query_pairs_mut().extend_pairs(pairs);
        }
        Ok(url)
    }

    /// Begins a request to the provider's origin, with the key and the trace context.
    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        let request =
            self.client.request(method, url).header(ACCEPT_ENCODING, "identity").headers(trace::headers());
        let Some(key) = &self.settings.key else { return request };
        let Protocol { key_header, key_prefix, .. } = &self.settings.protocol;
        let prefix = key_prefix.as_deref().unwrap_or("Bearer ");
        let value = HeaderValue::from_str(&format!("{prefix}{}", key.reveal()));
        match value {
            Ok(mut value) => {
                value.set_sensitive(true);
                request.header(key_header.as_ref().map_or(&AUTHORIZATION, |header| &header.0), value)
            }
            // Both parts were checked at start.
            Err(_) => request,
        }
    }

    /// Sends a request that reads.
    pub(super) async fn get(
        &self,
        path: &Template,
        query: Option<&Template>,
        variables: &Value,
    ) -> Result<Reply, Broken> {
        let url = self.url(path, query, variables).map_err(|failure| Broken::Unsent(failure.to_string()))?;
        self.send(self.request(Method::GET, url)).await
    }

    /// Sends a request, and reads the response.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Reply, Broken> {
        let sent = async { read(request.send().await.map_err(|error| Broken::of(&error))?).await };
        let timeout = tokio::time::timeout(self.settings.protocol.timeout(), sent).await;
        timeout.unwrap_or_else(|_| Err(Broken::Unknown("no complete response in time".to_owned())))
    }

    /// Sets the body of a request. In a form, the text of a medium is a file.
    pub(super) fn with_body(
        &self,
        request: RequestBuilder,
        body: &Value,
        media: &BTreeMap<String, Medium>,
    ) -> RequestBuilder {
        if self.settings.protocol.create.form == Form::Json {
            return request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let mut form = Multipart::new();
        for (name, value) in body.as_object().into_iter().flatten() {
            form.value(name, value, media);
        }
        form.of(request)
    }

    /// Uploads a medium, and returns its value in requests; `None` if it is sent inline.
    pub(super) async fn upload(&self, medium: &Medium) -> Result<Option<Value>, Failure> {
        let Some(upload) = &self.settings.protocol.upload else { return Ok(None) };
        if medium.bytes.len() < upload.over_bytes {
            return Ok(None);
        }
        let mut form = Multipart::new();
        form.file(&upload.field, medium);
        let url = self.url(&upload.path, None, &Value::Null)?;
        let reply = self.send(form.of(self.request(Method::POST, url))).await;
        // An upload costs nothing, so it may be repeated in any case.
        let reply = reply.map_err(|broken| Failure::Unavailable(format!("an upload: {}", broken.why())))?;
        if !reply.is_success() {
            return Err(match self.refusal(&reply) {
                Failure::Uncertain(why) => Failure::Unavailable(format!("an upload: {why}")),
                failure => failure,
            });
        }
        let value = upload.value.render(&serde_json::json!({"response": reply.json()}))?;
        value.filter(|value| !value.is_null()).map(Some).ok_or_else(|| {
            Failure::Unavailable("the response to an upload does not name the file".to_owned())
        })
    }

    /// Returns the failure that a response to a create means. Statuses from 500 leave the outcome unknown.
    pub(super) fn refusal(&self, reply: &Reply) -> Failure {
        let body = reply.json();
        if self.is_moderation(&body) && reply.status < 500 {
            return moderation();
        }
        let status = reply.status;
        let said = self.message(&body).map_or_else(String::new, |message| quoted(&message));
        match status {
            300..=399 => {
                Failure::Unavailable(format!("status {status}: redirects to other servers are not followed"))
            }
            401 | 403 => Failure::Credentials(format!("status {status}")),
            402 => Failure::Credentials("the account has no credit".to_owned()),
            404 | 405 => Failure::Unavailable(format!("status {status}{said}")),
            429 => Failure::Busy { retry_after: reply.retry_after },
            408 => Failure::Uncertain(format!("status {status}{said}")),
            400..=499 => {
                Failure::Invalid(format!("The engine refused the request with status {status}{said}"))
            }
            _ => Failure::Uncertain(format!("status {status}{said}")),
        }
    }

    /// Returns the provider's message in a body.
    pub(super) fn message(&self, body: &Value) -> Option<String> {
        let message =
            self.settings.protocol.errors.message.iter().find_map(|pointer| find::text(body, pointer))?;
        let message: String = message.chars().take(MAX_MESSAGE_CHARACTERS).collect();
        (!message.trim().is_empty()).then_some(message)
    }

    /// Returns whether an error says that moderation refused the request.
    ///
    /// Only its messages and types count: bodies of jobs also quote the prompt.
    pub(super) fn is_moderation(&self, body: &Value) -> bool {
        let errors = &self.settings.protocol.errors;
        let said = errors.message.iter().chain(&errors.types).flat_map(|pointer| find::all(body, pointer));
        let said: Vec<String> = said.filter_map(Value::as_str).map(str::to_lowercase).collect();
        let is_said = |word: &String| said.iter().any(|text| text.contains(&word.to_lowercase()));
        errors.moderation.iter().any(is_said)
    }
}

pub(super) fn moderation() -> Failure {
    Failure::Moderation("The engine's moderation refused the request.".to_owned())
}

impl From<Unrendered> for Failure {
    fn from(error: Unrendered) -> Self {
        Self::Internal(format!("a template of the engine: {error}"))
    }
}

/// Renders a template that gives a text.
pub(super) fn text(template: &Template, variables: &Value) -> Result<String, Unrendered> {
    template.text(variables).map(Option::unwrap_or_default)
}

/// Reads a response of limited size.
async fn read(mut response: Response) -> Result<Reply, Broken> {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = retry_after.and_then(seconds);
    let mut body = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| Broken::Unknown(Broken::of(&error).why()))?
    {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(Broken::Unknown(format!("the response is larger than {MAX_RESPONSE_BYTES} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Reply { status, retry_after, body: body.into() })
}

/// Returns the time until a `Retry-After`: seconds, or a date.
fn seconds(text: &str) -> Option<Duration> {
    let date = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    text.trim().parse().ok().map(Duration::from_secs).or_else(date)
}

/// A body of the media type `multipart/form-data`.
struct Multipart {
    boundary: String,
    body: Vec<u8>,
}

impl Multipart {
    fn new() -> Self {
        Self { boundary: Uuid::new_v4().simple().to_string(), body: Vec::new() }
    }

    fn part(&mut self, name: &str, more: &str, content: &[u8]) {
        // Names come from the settings; a quote or a line break would end them.
        let name = name.replace(['"', '\r', '\n'], "_");
        let head =
            format!("--{}\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n", self.boundary);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
    }

    /// Adds the parts of a field: one for each item of an array.
    fn value(&mut self, name: &str, value: &Value, media: &BTreeMap<String, Medium>) {
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| self.value(name, item, media)),
            Value::String(text) => match media.get(text) {
                Some(medium) => self.file(name, medium),
                None => self.text(name, text),
            },
            value => self.text(name, &value.to_string()),
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.part(name, "", text.as_bytes());
    }

    fn file(&mut self, name: &str, medium: &Medium) {
        let (media_type, extension) = super::media_type(medium);
        // A random name, so that no upload replaces another.
        let file = Uuid::new_v4().simple();
        let more = format!("; filename=\"{file}.{extension}\"\r\nContent-Type: {media_type}");
        self.part(name, &more, &medium.bytes);
    }

    fn of(mut self, request: RequestBuilder) -> RequestBuilder {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        let content_type = format!("multipart/form-data; boundary={}", self.boundary);
        request.header(CONTENT_TYPE, content_type).body(self.body)
    }
}

/// Adds a header if its value can be one.
pub(super) fn with_header(
    request: RequestBuilder,
    Header(name): &Header,
    value: &str,
) -> Result<RequestBuilder, Failure> {
    let value = HeaderValue::from_str(value).map_err(|_| {
        Failure::Internal(format!("the header `{name}` can't have the value of its template"))
    })?;
    Ok(request.header(name, value))
}

//! A recorded exchange: a request and its response, as a file has them.

use http::StatusCode;
use serde_json::Map;

use super::body::Body;
use crate::client::secrets::{Secrets, is_text};
use crate::client::{Attempt, Outgoing, idempotency, response::content_type};
use crate::{
    table::{Location, Operation},
    types::Value,
};

/// Headers of responses that the client reads, or a program is likely to read.
const HEADERS: [&str; 8] = [
    "accept-ranges",
    "content-disposition",
    "content-range",
    "content-type",
    "etag",
    "link",
    "location",
    "retry-after",
];

/// A request, and the response to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exchange {
    pub operation: String,
    pub request: Request,
    pub status: StatusCode,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

/// A request as a recording has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// The method and the path with the query: `GET /v1/icons?page=2`.
    pub line: String,
    /// The headers that the document describes.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

impl Request {
    /// Reads a request, without its secrets.
    pub(super) fn read(outgoing: &Outgoing, secrets: &Secrets<'_>) -> Self {
        let request = &outgoing.request;
        let body = match request.body().map(reqwest::Body::as_bytes) {
            Some(Some(bytes)) => Body::read(content_type(request.headers()), bytes, secrets),
            Some(None) => Body::Stream,
            None => Body::None,
        };
        let headers = secrets.headers(request.headers(), &request_headers(outgoing.attempt));
        Self { line: secrets.text(&line(outgoing)), headers, body }
    }

    /// Returns how a request differs from this recorded one. `None` if it does not.
    pub(super) fn difference(&self, outgoing: &Outgoing) -> Option<String> {
        if !is_text(&self.line, &line(outgoing)) {
            return Some("the path or the query".to_owned());
        }
        let headers = outgoing.request.headers();
        let header = request_headers(outgoing.attempt).into_iter().find(|name| {
            let value = headers.get(*name).map(|value| value.to_str().unwrap_or_default());
            let recorded = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            match (recorded, value) {
                (Some((_, recorded)), Some(value)) => !is_text(recorded, value),
                (recorded, value) => recorded.is_some() != value.is_some(),
            }
        });
        if let Some(name) = header {
            return Some(format!("the header `{name}`"));
        }
        match outgoing.request.body() {
            Some(body) => self.body.difference(body.as_bytes()),
            None => self.body.difference(Some(&[])),
        }
    }
}

impl Exchange {
    pub(super) fn to_value(&self) -> Value {
        let headers = |headers: &[(String, String)]| -> Value {
            headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
        };
        let mut exchange = Map::new();
        exchange.insert("operation".to_owned(), self.operation.as_str().into());
        exchange.insert("request".to_owned(), self.request.line.as_str().into());
        if !self.request.headers.is_empty() {
            exchange.insert("request_headers".to_owned(), headers(&self.request.headers));
        }
        self.request.body.write("request", &mut exchange);
        exchange.insert("response".to_owned(), self.status.as_u16().into());
        if !self.headers.is_empty() {
            exchange.insert("response_headers".to_owned(), headers(&self.headers));
        }
        self.body.write("response", &mut exchange);
        exchange.into()
    }

    /// Reads an exchange. Returns `None` if it is none, or has a property that no exchange has.
    pub(super) fn from_value(value: Value) -> Option<Self> {
        let Value::Object(mut exchange) = value else { return None };
        let headers = |exchange: &mut Map<String, Value>, name: &str| {
            let headers = match exchange.remove(name) {
                Some(Value::Object(headers)) => headers,
                Some(_) => return None,
                None => return Some(Vec::new()),
            };
            let header = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
            headers.into_iter().map(header).collect::<Option<Vec<_>>>()
        };
        let line = exchange.remove("request")?.as_str()?.to_owned();
        let request = Request {
            line,
            headers: headers(&mut exchange, "request_headers")?,
            body: Body::take("request", &mut exchange)?,
        };
        let status = u16::try_from(exchange.remove("response")?.as_u64()?).ok()?;
        let read = Self {
            operation: exchange.remove("operation")?.as_str()?.to_owned(),
            request,
            status: StatusCode::from_u16(status).ok()?,
            headers: headers(&mut exchange, "response_headers")?,
            body: Body::take("response", &mut exchange)?,
        };
        exchange.is_empty().then_some(read)
    }
}

/// Returns the names of the headers of a response that are recorded: the documented ones, and some others.
pub(super) fn response_headers(attempt: Option<Attempt>) -> Vec<&'static str> {
    let operation = attempt.map(|attempt| attempt.operation);
    let successes = operation.into_iter().flat_map(|operation| operation.responses);
    let errors = operation.into_iter().flat_map(|operation: &Operation| operation.errors.rows).copied();
    let documented = successes.chain(errors).flat_map(|row| row.headers).map(|header| header.name);
    let mut names: Vec<&str> = documented.chain(HEADERS).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the names of the headers of a request that the document describes.
///
/// A key of the client's differs from run to run.
fn request_headers(attempt: Option<Attempt>) -> Vec<&'static str> {
    let parameters = attempt.into_iter().flat_map(|attempt| attempt.operation.parameters);
    let headers = parameters.filter(|one| one.location == Location::Header).map(|one| one.name);
    headers.filter(|name| !idempotency::is_key(name)).collect()
}

fn line(outgoing: &Outgoing) -> String {
    let (method, url) = (outgoing.request.method(), outgoing.request.url());
    match url.query() {
        Some(query) => format!("{method} {}?{query}", url.path()),
        None => format!("{method} {}", url.path()),
    }
}

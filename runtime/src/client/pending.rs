//! The request of a call.
//!
//! The code does not depend on the operation's types, so it is compiled once.

use std::{fmt, sync::Mutex, time::Duration};

use http::{
    HeaderMap, Method, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderName, HeaderValue, USER_AGENT},
};
use reqwest::Url;

use super::credential::{Location, Sent};
use super::{
    Client, EncodeError, Error, ErrorKind, Limits, MissingCredential, Outcome, RetryPolicy,
    connection::Options, exchange::cause, idempotency, platform::lock, query, transport, url,
};
use crate::{
    codec::{Encode, check_finite},
    parameters::{EncodedRequest, encode_input},
    table::{Content, Operation},
    types::{ByteStream, NoError, Value},
    validation::{check_input, input_violations},
};

/// A call that is not sent yet.
///
/// Its input is already encoded. An error in the input is reported when the call is sent.
pub(super) struct Pending {
    pub client: Client,
    pub operation: &'static Operation,
    pub limits: Limits,
    pub retry: RetryPolicy,
    pub is_idempotent: bool,
    pub request: Result<EncodedRequest, ErrorKind<NoError>>,
    /// The HTTP method, if it differs from the operation's.
    pub method: Option<&'static str>,
    /// The values of the path parameters, if another call needs them.
    pub path_values: Vec<(&'static str, Value)>,
    /// The URL, if it does not follow from the operation and the parameters of the request.
    pub url: Option<Url>,
    pub headers: Vec<(String, String)>,
    pub origin: Origin,
    /// Whether the body of each success is streamed, even if the document does not declare it as a stream.
    pub is_download: bool,
}

/// The server that a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The client's own server.
    Own,
    /// Another server. It must not get the client's headers, nor a request that a hook has signed.
    #[cfg_attr(not(feature = "file-transfer"), allow(dead_code, reason = "only files come from there"))]
    Other,
}

impl Pending {
    pub(super) fn new(client: &Client, operation: &'static Operation, input: &dyn Encode) -> Box<Self> {
        let request = if client.options().preflight && !check_input(operation, input) {
            Err(ErrorKind::Invalid { violations: Box::new(input_violations(operation, input)) })
        } else {
            check_finite(input)
                .map_err(|number| ErrorKind::Encode(EncodeError::Number { path: number.into_path() }))
                .map(|()| encode_input(operation, input))
        };
        Box::new(Self::of(client, operation, request))
    }

    /// Returns another call with the time limits, the retries and the headers of this one.
    pub(super) fn another(&self, operation: &'static Operation, request: EncodedRequest) -> Box<Self> {
        Box::new(Self {
            limits: self.limits,
            retry: self.retry.clone(),
            headers: self.headers.clone(),
            ..Self::of(&self.client, operation, Ok(request))
        })
    }

    fn of(
        client: &Client,
        operation: &'static Operation,
        request: Result<EncodedRequest, ErrorKind<NoError>>,
    ) -> Self {
        let Options { limits, retry, .. } = client.options();
        Self {
            client: client.clone(),
            operation,
            limits: *limits,
            retry: retry.clone(),
            is_idempotent: false,
            request,
            method: None,
            path_values: Vec::new(),
            url: None,
            headers: Vec::new(),
            origin: Origin::Own,
            is_download: false,
        }
    }

    pub(super) fn header(&mut self, name: String, value: String) {
        self.headers.push((name, value));
    }

    /// Takes the error of the input. The call can't be sent afterwards.
    pub(super) fn take_error(&mut self) -> Error<NoError> {
        let Operation { method, path, .. } = *self.operation;
        let none = || ErrorKind::Encode(EncodeError::Target { method, path });
        let kind = std::mem::replace(&mut self.request, Err(none())).err().unwrap_or_else(none);
        self.failed(kind)
    }

    /// Returns the error of a call that can't be sent.
    pub(super) fn failed(&self, kind: impl Into<ErrorKind<NoError>>) -> Error<NoError> {
        Error::new(kind.into(), Some(self.operation), 0)
    }

    /// Shortens the deadline of the call to this duration, if it is longer.
    pub(super) fn end_within(&mut self, most: Duration) {
        self.limits.deadline = Some(self.limits.deadline.map_or(most, |own| own.min(most)));
    }

    /// Builds the request that every attempt sends, without the credentials.
    pub(super) fn prepare(mut self: Box<Self>) -> Result<Prepared, ErrorKind<NoError>> {
        let operation = self.operation;
        let mut headers = self.own_headers();
        let encoded = std::mem::replace(&mut self.request, Ok(EncodedRequest::default()))?;
        if let Some(name) = encoded.unwritable {
            return Err(ErrorKind::Encode(EncodeError::Value { name }));
        }
        let target =
            || ErrorKind::Encode(EncodeError::Target { method: operation.method, path: operation.path });
        let method = self.method.unwrap_or(operation.method);
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| target())?;
        let url = match self.url.take() {
            Some(url) => url,
            None => url::of_request(self.client.settings(), operation, &encoded)?.ok_or_else(target)?,
        };
        insert(&mut headers, ACCEPT.as_str(), &accepted(operation))?;
        for (name, value) in &encoded.headers {
            insert(&mut headers, name, value)?;
        }
        if let Some(cookie) = &encoded.cookie {
            insert(&mut headers, COOKIE.as_str(), cookie)?;
        }
        let body = match encoded.body {
            Some(body) => {
                insert(&mut headers, CONTENT_TYPE.as_str(), &body.content_type)?;
                Some(body.bytes)
            }
            None => None,
        };
        let mut overrides = HeaderMap::new();
        for (name, value) in &self.headers {
            insert(&mut overrides, name, value)?;
        }
        if let Some((name, key)) = idempotency::new_key(operation, [&headers, &overrides])
            && self.method.is_none()
        {
            insert(&mut headers, name, &key)?;
        }
        let has_key = [&headers, &overrides].iter().any(|headers| idempotency::is_in(headers));
        let is_repeatable = self.is_idempotent || method.is_idempotent() || has_key;
        let prepared = Prepared {
            is_sent_once: body.as_ref().is_some_and(|body| body.held().is_none()),
            call: self,
            is_repeatable,
            method,
            url,
            headers,
            overrides,
            body,
            sent: Mutex::default(),
        };
        let value = |name: &str| prepared.overrides.get(name).or_else(|| prepared.headers.get(name));
        require_credentials(&prepared.call.client, operation, value, prepared.url.query())?;
        Ok(prepared)
    }

    /// Returns the headers of the client that the server may get.
    fn own_headers(&self) -> HeaderMap {
        let headers = self.client.settings().headers.clone();
        match self.origin {
            Origin::Own => headers,
            Origin::Other => {
                headers.get(USER_AGENT).map(|agent| (USER_AGENT, agent.clone())).into_iter().collect()
            }
        }
    }

    /// Returns an error if the call lacks a credential, before its parameters are known.
    pub(super) fn check_credentials(&self) -> Result<(), ErrorKind<NoError>> {
        let mut headers = self.client.settings().headers.clone();
        for (name, value) in &self.headers {
            insert(&mut headers, name, value)?;
        }
        require_credentials(&self.client, self.operation, |name| headers.get(name), None)
    }
}

/// Returns an error if a credential is missing that neither the call's own values nor a hook can replace.
fn require_credentials<'h>(
    client: &Client,
    operation: &'static Operation,
    header: impl Fn(&str) -> Option<&'h HeaderValue>,
    query: Option<&str>,
) -> Result<(), ErrorKind<NoError>> {
    let options = client.options();
    let has = |location: &Location| match location {
        Location::Header { name, .. } => header(name).is_some(),
        Location::Query(name) => query.is_some_and(|query| query::value(query, name).is_some()),
        Location::Cookie(name) => {
            let cookies = header(COOKIE.as_str()).and_then(|cookies| cookies.to_str().ok());
            let mut names = cookies.into_iter().flat_map(|cookies| cookies.split(';'));
            names.any(|cookie| cookie.trim_start().split('=').next() == Some(*name))
        }
        Location::Nowhere => true,
    };
    let is_missing = options.require_credentials
        && !options.hooks.change_requests()
        && client.settings().credentials.lack(operation, has);
    if is_missing { Err(ErrorKind::MissingCredential(MissingCredential::new(operation))) } else { Ok(()) }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The input and header values may contain secrets.
        f.debug_struct("Call")
            .field("operation", &self.operation.id)
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("limits", &self.limits)
            .field("retry", &self.retry)
            .field("is_idempotent", &self.is_idempotent)
            .finish_non_exhaustive()
    }
}

/// A request that can be sent repeatedly, unless its body is a stream.
pub(super) struct Prepared {
    /// The call, without its request.
    pub call: Box<Pending>,
    /// Whether the request can be processed twice without harm.
    pub is_repeatable: bool,
    /// Whether the body is a stream, which can be sent only once.
    pub is_sent_once: bool,
    pub method: Method,
    /// The URL, without credentials.
    pub url: Url,
    headers: HeaderMap,
    /// The call's own headers, which have precedence over credentials as well.
    overrides: HeaderMap,
    body: Option<ByteStream>,
    /// The tokens of the last attempt that the call's own headers don't replace.
    sent: Mutex<Vec<Sent>>,
}

impl Prepared {
    /// Returns whether to repeat an attempt with a new token, because the server rejected its token.
    pub(super) fn can_renew(&self, outcome: &Outcome) -> bool {
        let is_rejected =
            outcome.as_ref().is_ok_and(|received| received.raw.status == StatusCode::UNAUTHORIZED);
        let sent = std::mem::take(&mut *lock(&self.sent));
        // Each rejected token is forgotten, even if the call itself can't be repeated.
        let renewed = sent.iter().filter(|it| is_rejected && it.tokens.reject(&it.secret)).count();
        renewed > 0 && !self.is_sent_once
    }

    /// Builds the request of one attempt, with fresh credentials.
    pub(super) async fn request(&self) -> Result<reqwest::Request, ErrorKind<NoError>> {
        let mut url = self.url.clone();
        let mut headers = self.headers.clone();
        let credentials = &self.call.client.settings().credentials;
        let mut sent = credentials.apply(self.call.operation, &mut headers, &mut url).await?;
        sent.retain(|it| !it.is_replaced(&self.overrides));
        *lock(&self.sent) = sent;
        for (name, value) in &self.overrides {
            headers.insert(name, value.clone());
        }
        let mut request = reqwest::Request::new(self.method.clone(), url);
        *request.headers_mut() = headers;
        if let Some(body) = &self.body {
            let body = transport::body(body).await.map_err(|error| cause(error, Duration::ZERO))?;
            *request.body_mut() = Some(body);
        }
        Ok(request)
    }
}

pub(super) fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), ErrorKind<NoError>> {
    match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
        (Ok(name), Ok(value)) => {
            headers.insert(name, value);
            Ok(())
        }
        _ => Err(ErrorKind::Encode(EncodeError::Header { name: name.to_owned() })),
    }
}

/// Returns the media types of all documented responses, successes first.
fn accepted(operation: &Operation) -> String {
    let errors = operation.errors.uses().filter_map(|(_, row)| operation.errors.rows.get(row).copied());
    let mut types: Vec<&str> = Vec::new();
    let contents = operation.responses.iter().chain(errors).flat_map(|response| response.contents);
    for media_type in contents.flat_map(Content::media_types) {
        if !types.contains(&media_type) {
            types.push(media_type);
        }
    }
    if types.is_empty() { "*/*".to_owned() } else { types.join(", ") }
}

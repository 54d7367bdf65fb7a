//! Requests that follow from the request of a call: the next page, the same call again.

use reqwest::Url;

use super::{Error, ErrorKind, PagingError, Pending, idempotency, probe, probe::Path, query, url};
use crate::{
    parameters::{EncodedBody, EncodedRequest, encode_content},
    table::{ContentFormat, Operation},
    types::{ByteStream, NoError, Value},
};

/// The difference between a request and the one that it follows from.
#[derive(Debug)]
pub(super) enum Change<'a> {
    /// Nothing: the same request again.
    Nothing,
    /// Another value of a parameter of the query.
    Query(&'static str, &'a str),
    /// Another value of a property of a JSON body.
    Body(Path, Value),
    /// Another URL, absolute or relative to that of the request.
    Url(&'a str),
}

impl Pending {
    /// Returns a call with the options of this one, whose request differs by `change`.
    ///
    /// An error in the input is moved to the returned call.
    pub(super) fn following(&mut self, change: Change<'_>) -> Result<Box<Self>, Error<NoError>> {
        let request = match &self.request {
            Ok(request) => copy(request),
            Err(_) => return Err(self.take_error()),
        };
        let mut next = self.another(self.operation, request);
        next.is_idempotent = self.is_idempotent;
        (next.method, next.url, next.origin) = (self.method, self.url.clone(), self.origin);
        // Another request is not a repetition of this one.
        if !matches!(change, Change::Nothing) {
            next.drop_key();
        }
        next.change(change).map_err(|kind| self.failed(kind))?;
        Ok(next)
    }

    /// Removes the key by which a server recognises a repeated request.
    pub(super) fn drop_key(&mut self) {
        let is_other = |name: &str| !idempotency::is_key(name);
        self.headers.retain(|(name, _)| is_other(name));
        if let Ok(request) = &mut self.request {
            request.headers.retain(|(name, _)| is_other(name));
        }
    }

    /// Returns the decoded value of a parameter of the query, if the request has it.
    pub(super) fn query_value(&self, name: &str) -> Option<String> {
        query::value(&self.request.as_ref().ok()?.query, name)
    }

    /// Returns the value of a property of the JSON body, if the request has it.
    pub(super) fn body_value(&self, path: &[&str]) -> Option<String> {
        let body = self.request.as_ref().ok()?.body.as_ref()?;
        probe::text(&body.bytes.held()?, path)
    }

    /// Returns the URL of the call's request, without credentials, if it is valid.
    pub(super) fn own_url(&self) -> Result<Option<Url>, ErrorKind<NoError>> {
        match (&self.url, &self.request) {
            (Some(url), _) => Ok(Some(url.clone())),
            (None, Ok(request)) => url::of_request(self.client.settings(), self.operation, request),
            (None, Err(_)) => Ok(None),
        }
    }

    /// Returns a URL that the response from `base` names, without the client's credentials.
    pub(super) fn named_url(&self, base: &Url, text: &str) -> Option<Url> {
        let mut url = base.join(text).ok()?;
        url.set_fragment(None);
        self.client.settings().credentials.remove_from(self.operation, &mut url);
        Some(url)
    }

    /// Returns a URL that the response from `base` names. It gets the credentials, so it must be on the origin of `own`.
    pub(super) fn own_named_url(&self, own: &Url, base: &Url, text: &str) -> Result<Url, Elsewhere> {
        let url = self.named_url(base, text).filter(|url| url.origin() == own.origin());
        url.ok_or_else(|| Elsewhere(without_query(text)))
    }

    fn change(&mut self, change: Change<'_>) -> Result<(), ErrorKind<NoError>> {
        let Ok(request) = &mut self.request else { return Ok(()) };
        match change {
            Change::Nothing => {}
            Change::Query(name, value) => request.query = query::with(&request.query, name, value),
            Change::Body(path, value) => {
                let error = || PagingError::Body { path: path.join(".") };
                if request.body.is_none() {
                    request.body = empty_body(self.operation);
                }
                let body = request.body.as_mut().ok_or_else(error)?;
                let bytes = body.bytes.held().unwrap_or_default();
                let mut json = serde_json::from_slice::<Value>(&bytes).map_err(|_| error())?;
                if !set(&mut json, path, value) {
                    return Err(error().into());
                }
                body.bytes = ByteStream::from(json.to_string());
            }
            Change::Url(text) => {
                let own = self.own_url()?.ok_or_else(|| Elsewhere(without_query(text)))?;
                self.url = Some(self.own_named_url(&own, &own, text)?);
                // A URL from a response is fetched, even if the first request has another method.
                self.method = Some("GET");
                if let Ok(request) = &mut self.request {
                    request.body = None;
                }
            }
        }
        Ok(())
    }
}

/// Returns a copy of a request. A body that is a stream moves to the copy.
fn copy(request: &EncodedRequest) -> EncodedRequest {
    EncodedRequest {
        path: request.path.clone(),
        query: request.query.clone(),
        headers: request.headers.clone(),
        cookie: request.cookie.clone(),
        unwritable: request.unwritable,
        body: request.body.as_ref().map(|body| EncodedBody {
            content: body.content,
            content_type: body.content_type.clone(),
            bytes: body.bytes.held().map_or_else(|| body.bytes.take(), ByteStream::from),
            unwritable: body.unwritable,
        }),
    }
}

/// A URL that is not on the origin of the request, without its query.
#[derive(Debug, Clone)]
pub(super) struct Elsewhere(String);

impl From<Elsewhere> for ErrorKind<NoError> {
    fn from(Elsewhere(url): Elsewhere) -> Self {
        Self::Elsewhere { url }
    }
}

/// Returns a text without the query of a URL, which may have secrets.
pub(super) fn without_query(text: &str) -> String {
    text.split_once('?').map_or_else(|| text.to_owned(), |(before, _)| format!("{before}?…"))
}

/// Returns the JSON body `null`, for a call whose optional body is absent.
fn empty_body(operation: &Operation) -> Option<EncodedBody> {
    let content =
        operation.body.as_ref()?.contents.iter().find(|content| content.format == ContentFormat::Json)?;
    Some(encode_content(content, &Value::Null))
}

/// Sets a property. Missing or null objects along the path are added.
///
/// Returns `false` if the path leads through another value.
fn set(json: &mut Value, path: &[&str], value: Value) -> bool {
    let Some((name, rest)) = path.split_first() else {
        *json = value;
        return true;
    };
    if json.is_null() {
        *json = Value::Object(Default::default());
    }
    match json {
        Value::Object(members) => set(members.entry(*name).or_insert(Value::Null), rest, value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_property_is_set_wherever_it_is() {
        let mut body = json!({"query": "a", "page": {"size": 2}, "cursor": null});
        assert!(set(&mut body, &["page", "after"], json!("x")));
        assert!(set(&mut body, &["cursor", "next"], json!(3)));
        assert!(!set(&mut body, &["query", "none"], json!(3)));
        assert_eq!(body, json!({"query": "a", "page": {"size": 2, "after": "x"}, "cursor": {"next": 3}}));
    }
}

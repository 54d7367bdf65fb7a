//! Requests that follow from the request of a call: the next page, the same call again.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;

use super::{
    error::{ErrorKind, PagingError},
    idempotency,
    pending::{Pending, url},
    probe::Path,
};
use crate::{
    parameters::{EncodedBody, EncodedRequest, encode_content},
    table::{ContentFormat, Operation},
    types::{ByteStream, NoError, Value},
};

/// The characters of a query's value that are escaped: all but the unreserved ones.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

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
    pub(super) fn following(&mut self, change: Change<'_>) -> Result<Box<Self>, ErrorKind<NoError>> {
        let request = match &self.request {
            Ok(request) => copy(request),
            Err(_) => return Err(self.take_error()),
        };
        let mut next = Box::new(Self {
            client: self.client.clone(),
            operation: self.operation,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry.clone(),
            is_idempotent: self.is_idempotent,
            request: Ok(request),
            url: self.url.clone(),
            headers: self.headers.clone(),
        });
        // Another request is not a repetition of this one.
        if !matches!(change, Change::Nothing) {
            next.drop_key();
        }
        next.change(change)?;
        Ok(next)
    }

    /// Removes the key by which a server recognises a repeated request.
    pub(super) fn drop_key(&mut self) {
        let is_other = |name: &str| !name.eq_ignore_ascii_case(idempotency::KEY);
        self.headers.retain(|(name, _)| is_other(name));
        if let Ok(request) = &mut self.request {
            request.headers.retain(|(name, _)| is_other(name));
        }
    }

    /// Returns the decoded value of a parameter of the query, if the request has it.
    pub(super) fn query_value(&self, name: &str) -> Option<String> {
        let query = &self.request.as_ref().ok()?.query;
        let (_, value) = query.split('&').find(|pair| is_of(pair, name))?.split_once('=')?;
        Some(decoded(value).into_owned())
    }

    /// Returns the value of a property of the JSON body, if the request has it.
    pub(super) fn body_value(&self, path: &[&str]) -> Option<String> {
        let body = self.request.as_ref().ok()?.body.as_ref()?;
        super::probe::text(&body.bytes.held()?, path)
    }

    /// Returns the decoded values of the parameters of the path, by name.
    ///
    /// It finds those that are alone in their segment, with fixed text before and after them.
    pub(super) fn path_values(&self) -> Vec<(&'static str, String)> {
        let Ok(request) = &self.request else { return Vec::new() };
        let segments = self.operation.path.split('/').zip(request.path.split('/'));
        let value = |(template, segment): (&'static str, &str)| {
            let (before, rest) = template.split_once('{')?;
            let (name, after) = rest.split_once('}')?;
            let value = segment.strip_prefix(before)?.strip_suffix(after)?;
            Some((name, decoded(value).into_owned()))
        };
        segments.filter_map(value).collect()
    }

    fn change(&mut self, change: Change<'_>) -> Result<(), ErrorKind<NoError>> {
        let Ok(request) = &mut self.request else { return Ok(()) };
        match change {
            Change::Nothing => {}
            Change::Query(name, value) => {
                let [name, value] = [name, value].map(|text| utf8_percent_encode(text, ESCAPED).to_string());
                let others = request.query.split('&').filter(|pair| !pair.is_empty() && !is_of(pair, &name));
                let pair = format!("{name}={value}");
                request.query = others.chain([pair.as_str()]).collect::<Vec<_>>().join("&");
            }
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
                let own = match &self.url {
                    Some(url) => Some(url.clone()),
                    None => url(self.client.settings(), self.operation, request)?,
                };
                let next = own.as_ref().and_then(|own| own.join(text).ok());
                let stays = |next: &Url| own.is_some_and(|own| own.origin() == next.origin());
                let next = next.filter(stays);
                let next = next.ok_or_else(|| PagingError::Origin { url: without_query(text) })?;
                request.body = None;
                self.url = Some(next);
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

/// Returns whether a pair of a query is that of the parameter with this name.
fn is_of(pair: &str, name: &str) -> bool {
    let (own, _) = pair.split_once('=').unwrap_or((pair, ""));
    decoded(own) == decoded(name)
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
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

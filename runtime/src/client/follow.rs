//! Requests that follow from the request of a call: the next page, the same call again.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;

use super::{
    error::{ErrorKind, PagingError},
    pending::{Pending, url},
    probe::Path,
};
use crate::{
    parameters::{EncodedBody, EncodedRequest},
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
        next.change(change)?;
        Ok(next)
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
                let Some(body) = &mut request.body else { return Ok(()) };
                let bytes = body.bytes.held().unwrap_or_default();
                let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) else { return Ok(()) };
                set(&mut json, path, value);
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
                let next = next.ok_or_else(|| PagingError::Origin { url: text.to_owned() })?;
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

/// Sets a property. Objects on the way that are missing are added.
fn set(json: &mut Value, path: &[&str], value: Value) {
    let Some((name, rest)) = path.split_first() else {
        *json = value;
        return;
    };
    if let Value::Object(members) = json {
        set(members.entry(*name).or_insert_with(|| Value::Object(Default::default())), rest, value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_property_is_set_wherever_it_is() {
        let mut body = json!({"query": "a", "page": {"size": 2}});
        set(&mut body, &["page", "after"], json!("x"));
        set(&mut body, &["cursor", "next"], json!(3));
        set(&mut body, &["query", "none"], json!(3));
        assert_eq!(body, json!({"query": "a", "page": {"size": 2, "after": "x"}, "cursor": {"next": 3}}));
    }
}

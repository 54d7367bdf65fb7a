//! Tests of refused requests: each gets its documented response.

mod bodies;
mod encoding;
mod garbage;
mod order;
mod routes;
mod several;

use super::wire::{KEY, KEY_HEADER, Reply, Server};

/// A request that is built by hand.
#[derive(Debug, Clone)]
pub struct Raw {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Raw {
    /// Creates a request without headers.
    pub fn new(method: &str, target: impl AsRef<[u8]>) -> Self {
        let head = [method.as_bytes(), b" ", target.as_ref(), b" HTTP/1.1"].concat();
        Self { head, body: Vec::new() }
    }

    pub fn get(target: impl AsRef<[u8]>) -> Self {
        Self::new("GET", target).key(KEY)
    }

    pub fn post(target: impl AsRef<[u8]>, body: impl Into<Vec<u8>>) -> Self {
        Self::new("POST", target).key(KEY).header("content-type", "application/json").body(body)
    }

    pub fn key(self, key: &str) -> Self {
        self.header(KEY_HEADER, key)
    }

    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.head.extend_from_slice(&[b"\r\n", name.as_bytes(), b": ", value.as_ref()].concat());
        self
    }

    /// Adds a body, with its length in the head.
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { body: body.clone(), ..self.header("content-length", body.len().to_string()) }
    }

    /// Adds a body in chunks, whose length is not known in advance.
    pub fn chunked(self, chunks: &[&[u8]]) -> Self {
        let mut request = self.header("transfer-encoding", "chunked");
        for chunk in chunks {
            request.body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            request.body.extend_from_slice(chunk);
            request.body.extend_from_slice(b"\r\n");
        }
        request.body.extend_from_slice(b"0\r\n\r\n");
        request
    }

    pub async fn send(&self, server: &Server) -> Reply {
        server.send_raw(&self.head, &self.body).await
    }
}

/// Asserts that a response contains a JSON message and nothing else.
pub fn assert_message(reply: &Reply, status: u16, message: &str) {
    let body = String::from_utf8_lossy(&reply.body);
    assert_eq!(reply.status, status, "{body}");
    assert_eq!(reply.header("content-type"), "application/json", "{body}");
    assert_eq!(reply.json(), serde_json::json!({ "message": message }));
}

/// Asserts that a response is a problem with these names and reasons.
///
/// Its message must be the first reason.
pub fn assert_problem(reply: &Reply, expected: &[(&str, &str)]) {
    let body = String::from_utf8_lossy(&reply.body);
    assert_eq!(reply.status, 400, "{body}");
    assert_eq!(reply.header("content-type"), "application/problem+json", "{body}");
    let found = reply.invalid_params();
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, reason)| (name.as_str(), reason.as_str())).collect();
    assert_eq!(found, expected);
    assert_eq!(reply.message(), expected[0].1);
    assert_eq!(reply.json().as_object().map(serde_json::Map::len), Some(2), "{body}");
}

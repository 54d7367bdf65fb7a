//! The load generator: a closed loop on persistent connections.
//!
//! It shares the processors with the server, so it does little: requests are prepared before, and it only
//! parses a response's status and length.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::rounds::Turn;

/// Connections to a server, in one thread, with the requests to send.
pub struct Load {
    runtime: Runtime,
    server: SocketAddr,
    connections: usize,
    requests: Vec<Vec<u8>>,
    /// The index of the next request.
    next: usize,
}

impl Load {
    /// Creates a load that sends these requests in order, repeatedly.
    pub fn new(server: SocketAddr, connections: usize, requests: Vec<Vec<u8>>) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { runtime, server, connections, requests, next: 0 }
    }

    /// Returns the response to the first request, with any status.
    pub fn first_response(&mut self) -> (u16, Vec<u8>) {
        let Self { runtime, server, requests, .. } = self;
        runtime.block_on(async {
            let mut connection = Connection::open(*server).await;
            let status = connection.exchange(&requests[0]).await;
            (status, connection.body().to_vec())
        })
    }

    /// Sends requests for this time, one at a time on each connection.
    ///
    /// It opens new connections before the time begins, because servers close connections that are idle
    /// during other turns.
    pub fn turn(&mut self, length: Duration) -> Turn {
        let Self { runtime, server, connections, requests, next } = self;
        let mut opened: Vec<_> = runtime
            .block_on(futures_util::future::join_all((0..*connections).map(|_| Connection::open(*server))));
        let begun = Instant::now();
        let next = std::cell::Cell::new(std::mem::take(next));
        let all: FuturesUnordered<_> = opened
            .iter_mut()
            .map(async |connection| {
                let mut latencies = Vec::new();
                while begun.elapsed() < length {
                    let request = &requests[next.replace(next.get().wrapping_add(1)) % requests.len()];
                    let sent = Instant::now();
                    let status = connection.exchange(request).await;
                    assert_eq!(status, 200, "{}", String::from_utf8_lossy(connection.body()));
                    latencies.push(sent.elapsed());
                }
                latencies
            })
            .collect();
        let latencies = runtime.block_on(all.concat());
        self.next = next.get();
        Turn { time: begun.elapsed(), latencies }
    }
}

/// A persistent connection.
pub struct Connection {
    stream: TcpStream,
    reply: Vec<u8>,
    /// The offset of the last response's body.
    body: usize,
}

impl Connection {
    pub async fn open(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).await.expect("it listens");
        stream.set_nodelay(true).expect("it is TCP");
        Self { stream, reply: Vec::with_capacity(1 << 16), body: 0 }
    }

    /// Sends a request, reads its response, and returns the status.
    pub async fn exchange(&mut self, request: &[u8]) -> u16 {
        self.reply.clear();
        self.stream.write_all(request).await.expect("it is open");
        let (status, end) = loop {
            assert!(self.stream.read_buf(&mut self.reply).await.expect("it responses") > 0, "it has gone");
            if let Some(head) = head(&self.reply) {
                self.body = head.length;
                break (head.status, head.length + head.content);
            }
        };
        while self.reply.len() < end {
            assert!(self.stream.read_buf(&mut self.reply).await.expect("it responses") > 0, "it has gone");
        }
        status
    }

    /// Returns the body of the last response.
    pub fn body(&self) -> &[u8] {
        &self.reply[self.body..]
    }
}

struct Head {
    status: u16,
    length: usize,
    content: usize,
}

/// Parses a response head, if complete.
///
/// Both servers use hyper: header names are lower case.
fn head(reply: &[u8]) -> Option<Head> {
    let length = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&reply[..length]).expect("a head is text");
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let content = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    Some(Head { status, length, content: content.expect("a length").parse().expect("a number") })
}

/// Returns a request with this key.
pub fn request(method: &str, path: &str, key: &str, body: Option<&str>) -> Vec<u8> {
    let body = body.map_or_else(String::new, |body| {
        format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    });
    let end = if body.is_empty() { "\r\n" } else { "" };
    format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-service-api-key: {key}\r\nuser-agent: bench/1\r\n\
         accept: */*\r\n{body}{end}"
    )
    .into_bytes()
}

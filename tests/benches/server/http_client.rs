//! A minimal HTTP client.
//!
//! It repeatedly sends the same bytes on every connection, and reads as many bytes as the first response had.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

/// Connections that are kept alive.
pub struct Client {
    runtime: Runtime,
    connections: Vec<TcpStream>,
    request: Vec<u8>,
    response: String,
}

impl Client {
    /// Connects and sends the request once on each connection.
    pub fn connect(server: SocketAddr, connections: usize, request: &[u8]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (connections, response) = runtime.block_on(async {
            let mut opened = Vec::new();
            let mut response = String::new();
            for _ in 0..connections {
                let mut connection = TcpStream::connect(server).await.expect("it listens");
                connection.set_nodelay(true).expect("it is TCP");
                response = first_response(&mut connection, request).await;
                opened.push(connection);
            }
            (opened, response)
        });
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        Self { runtime, connections, request: request.to_owned(), response }
    }

    /// Returns the status line and the body of the response.
    pub fn response(&self) -> (&str, &str) {
        let body = self.response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (self.response.lines().next().unwrap_or_default(), body)
    }

    /// Sends the request `times` times over all connections and returns the duration.
    pub fn send(&mut self, times: usize) -> Duration {
        let share = times.div_ceil(self.connections.len());
        let (request, length) = (&self.request, self.response.len());
        let connections = self.connections.iter_mut();
        let start = Instant::now();
        self.runtime.block_on(futures_util::future::join_all(connections.map(async |connection| {
            let mut response = vec![0; length];
            for _ in 0..share {
                connection.write_all(request).await.expect("it is open");
                connection.read_exact(&mut response).await.expect("it responds");
                assert!(response.starts_with(b"HTTP/1.1 200 "), "the response is a success");
            }
        })));
        // The requests are rounded up to equal shares, so scale the duration.
        start.elapsed().mul_f64(times as f64 / (share * self.connections.len()) as f64)
    }
}

/// Reads a response by its `content-length`.
async fn first_response(connection: &mut TcpStream, request: &[u8]) -> String {
    connection.write_all(request).await.expect("it is open");
    let mut response = Vec::new();
    loop {
        connection.read_buf(&mut response).await.expect("it responds");
        let text = String::from_utf8_lossy(&response);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Some(length) = head.lines().find_map(|line| line.strip_prefix("content-length: "))
            && body.len() == length.parse::<usize>().expect("a number")
        {
            return text.into_owned();
        }
    }
}

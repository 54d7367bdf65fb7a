//! A server with scripted responses, which records the requests.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The server's reaction to one request.
#[derive(Debug, Clone, Copy)]
pub enum Reply {
    /// Responds with this status, these header lines and this body.
    Response(u16, &'static [&'static str], &'static str),
    /// Sends this text repeatedly, until the client disconnects.
    Endless(&'static str),
    /// Sends this text, and closes the connection.
    Raw(&'static str),
    /// Responds with half of a body.
    CutOff,
    /// Reads the request and closes the connection.
    Close,
    /// Reads the request and sends nothing.
    Silence,
}

/// The server. It runs until the test's runtime ends.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server with these responses in order. The last one is repeated.
    pub async fn start(script: &'static [Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut script = script.iter().copied();
            let mut last = Reply::Close;
            while let Ok((stream, _)) = listener.accept().await {
                last = script.next().unwrap_or(last);
                tokio::spawn(serve(stream, last, Arc::clone(&seen)));
            }
        });
        Self { url, requests }
    }

    /// Returns the requests so far, with header names in lower case.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, seen: Arc<Mutex<Vec<String>>>) {
    let request = read_request(&mut stream).await;
    seen.lock().unwrap().push(request);
    let text = match reply {
        Reply::Response(status, headers, body) => {
            let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
            let length = body.len();
            format!(
                "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        }
        Reply::Raw(text) => text.to_owned(),
        Reply::CutOff => {
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"id\":"
                .to_owned()
        }
        Reply::Endless(text) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.unwrap();
            while stream.write_all(text.as_bytes()).await.is_ok() {}
            return;
        }
        Reply::Close => return,
        Reply::Silence => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            return;
        }
    };
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.ok();
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap() == 0 {
            return text;
        }
    }
}

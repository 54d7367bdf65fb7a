//! A proxy with one fault: each request fails the first time, and passes when it is repeated.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What happens to a request the first time.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The proxy responds with this text.
    Response(&'static str),
    /// The connection is closed before the server gets the request.
    LostRequest,
    /// The connection is closed after the server has processed the request.
    LostResponse,
    /// The body of the response ends in the middle.
    CutOff,
}

/// The response of a server that is busy.
pub const BUSY: Fault =
    Fault::Response("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");

/// A proxy on a port of this machine, until the runtime ends.
pub struct Proxy {
    /// Its URL: `http://127.0.0.1:…`.
    pub url: String,
    /// How many times each request was sent, by its line and its body.
    seen: Arc<Mutex<HashMap<String, usize>>>,
}

impl Proxy {
    /// Starts a proxy to the server at this URL.
    pub async fn start(server: &str, fault: Fault) -> Self {
        let server = server.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(HashMap::new()));
        let counts = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, server.clone(), fault, Arc::clone(&counts)));
            }
        });
        Self { url, seen }
    }

    /// Returns how many times a request whose line begins like this was sent.
    pub fn count(&self, line: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|(other, _)| other.starts_with(line)).map(|(_, count)| count).sum()
    }
}

/// Serves one request. An error is that of a client which has gone.
async fn forward(
    mut client: TcpStream,
    server: String,
    fault: Fault,
    seen: Arc<Mutex<HashMap<String, usize>>>,
) -> std::io::Result<()> {
    let request = request(&mut client).await?;
    let (line, rest) = request.split_once("\r\n").unwrap_or_default();
    let body = rest.split_once("\r\n\r\n").unwrap_or_default().1;
    let sent = format!("{line} {body}");
    let count = *seen.lock().unwrap().entry(sent).and_modify(|count| *count += 1).or_insert(1);
    let fault = (count == 1).then_some(fault);
    match fault {
        Some(Fault::Response(text)) => return client.write_all(text.as_bytes()).await,
        Some(Fault::LostRequest) => return Ok(()),
        _ => {}
    }
    let mut upstream = TcpStream::connect(server).await?;
    upstream.write_all(format!("{line}\r\nconnection: close\r\n{rest}").as_bytes()).await?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response).await?;
    let end = match fault {
        Some(Fault::LostResponse) => 0,
        Some(_) => {
            let body = response.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
            body.midpoint(response.len())
        }
        None => response.len(),
    };
    client.write_all(&response[..end]).await
}

/// Reads a request whose body is text of a known length.
async fn request(client: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Ok(text.into_owned());
            }
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}

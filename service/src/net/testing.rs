//! Test doubles for outgoing requests: a scripted resolver and a scripted server.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::dns::Resolver;
use super::guard::Policy;
use super::resolve::Guard;

/// Returns each name's scripted results in turn, and repeats the last one.
pub(crate) struct ScriptedResolver {
    answers: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
}

impl ScriptedResolver {
    pub(crate) fn new(answers: &[(&str, &[&[&str]])]) -> Self {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        let answers =
            answers.iter().map(|(name, turns)| ((*name).to_owned(), turns.iter().map(parse).collect()));
        Self { answers: Mutex::new(answers.collect()) }
    }
}

#[async_trait]
impl Resolver for ScriptedResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut answers = self.answers.lock().unwrap();
        let turns = answers.get_mut(name).ok_or_else(|| io::Error::other("no such name"))?;
        Ok(if turns.len() > 1 { turns.remove(0) } else { turns[0].clone() })
    }
}

/// Returns a guard that allows servers on this machine.
pub(crate) fn inner_guard(answers: &[(&str, &[&[&str]])]) -> Guard {
    let policy = Policy { allow_private_networks: true, ..Policy::default() };
    Guard::with_resolver(policy, Arc::new(ScriptedResolver::new(answers)))
}

/// A local server that counts connections and records requests.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// The reaction of a [`Server`] to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// Sends these bytes and closes.
    All(Vec<u8>),
    /// Sends these bytes, then nothing, and keeps the connection open.
    ThenHang(Vec<u8>),
    /// Sends these bytes, then zeros until the client stops reading.
    ThenZeros(Vec<u8>),
}

impl Reaction {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::All(text.into().into_bytes())
    }

    /// Sends a complete response.
    pub(crate) fn response(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::text(format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        ))
    }

    pub(crate) fn redirect(location: &str) -> Self {
        Self::response("302 Found", &format!("location: {location}\r\n"), "")
    }
}

impl Server {
    /// Starts a server that reacts to each request as `reaction` decides.
    pub(crate) async fn start(reaction: impl Fn(&str) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, requests) = (Arc::default(), Arc::default());
        let server = Self { address, connections: Arc::clone(&connections), requests: Arc::clone(&requests) };
        let reaction = Arc::new(reaction);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (reaction, requests) = (Arc::clone(&reaction), Arc::clone(&requests));
                tokio::spawn(async move {
                    let _ = converse(stream, &*reaction, &requests).await;
                });
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns a URL of this server under another name, which the resolver must know.
    pub(crate) fn url_as(&self, name: &str, path: &str) -> String {
        format!("http://{name}:{}{path}", self.address.port())
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Returns the requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn converse(
    mut stream: TcpStream,
    reaction: &(impl Fn(&str) -> Reaction + ?Sized),
    requests: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut request = Vec::new();
    while !is_whole(&request) {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let reaction = reaction(&request);
    requests.lock().unwrap().push(request);
    match reaction {
        Reaction::All(bytes) => stream.write_all(&bytes).await?,
        Reaction::ThenHang(bytes) => {
            stream.write_all(&bytes).await?;
            // Wait until the client gives up.
            while stream.read_buf(&mut Vec::new()).await? > 0 {}
        }
        Reaction::ThenZeros(bytes) => {
            stream.write_all(&bytes).await?;
            loop {
                stream.write_all(&[0; 16 * 1024]).await?;
            }
        }
    }
    stream.shutdown().await
}

/// Returns whether a request is complete: its head, and a body of the announced length.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    request.len() >= end + 4 + length
}

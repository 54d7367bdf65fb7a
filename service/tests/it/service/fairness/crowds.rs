//! Attacks by many connections and by receivers that hang.

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Mutex, mpsc};

use super::Stage;
use crate::service::outside::serve;
use crate::service::running::Running;
use crate::service::victim::create;

fn address(running: &Running) -> SocketAddr {
    running.url.trim_start_matches("http://").parse().unwrap()
}

/// Opens 600 connections of an address without a key, each with a request every now and then.
pub async fn idle_connections(stage: &Stage) {
    let to = address(&stage.running);
    join_all((0..600).map(|_| idle(to))).await;
}

/// Announces 32 large bodies of two keys each, and sends none.
pub async fn announced_bodies(stage: &Stage) {
    let (to, running) = (address(&stage.running), &stage.running);
    let keys = [running.key.clone(), running.new_key(&[])];
    join_all((0..64).map(|number| announce(to, &keys[number % 2]))).await;
    pending().await
}

/// Creates eight tasks that take long.
pub async fn long_voiceovers(stage: &Stage) {
    let body = json!({"text": "A lighthouse stands on the coast. ".repeat(290), "voice_id": "narrator"});
    let running = &stage.running;
    for _ in 0..8 {
        create(&stage.victim.client, &running.url, &running.key, "voiceover", &body).await;
    }
    pending().await
}

/// Creates 30 tasks with webhooks to the host of the other key's receiver, which hang.
pub async fn hanging_webhooks(stage: &Stage) {
    let (running, hook) = (&stage.running, stage.receiver.url("/hangs"));
    let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": hook});
    for _ in 0..30 {
        create(&stage.victim.client, &running.url, &running.key, "sound-effects", &body).await;
    }
    pending().await
}

/// Keeps a connection of another address open, and opens another one when it is closed.
async fn idle(to: SocketAddr) {
    loop {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        if let Ok(mut stream) = socket.connect(to).await {
            let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await;
            while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Announces a body of 8 MiB and sends nothing of it.
async fn announce(to: SocketAddr, key: &str) {
    let mut stream = TcpStream::connect(to).await.unwrap();
    let head = format!(
        "POST /v1/ai/image-expand/standard HTTP/1.1\r\nhost: a\r\nx-service-api-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: 8388608\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
}

/// A host that receives the webhooks of both keys.
pub struct Receiver {
    address: SocketAddr,
    came: Mutex<mpsc::UnboundedReceiver<()>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let (send, came) = mpsc::unbounded_channel();
        let hook = async move || {
            let _ = send.send(());
        };
        let app = axum::Router::new()
            .route("/hangs", axum::routing::post(pending::<()>))
            .route("/hook", axum::routing::post(hook));
        Self { address: serve(app).await, came: Mutex::new(came) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits for a webhook that does not hang.
    pub async fn wait_for_webhook(&self) {
        self.came.lock().await.recv().await;
    }
}

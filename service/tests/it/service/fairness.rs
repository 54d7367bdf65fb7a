//! What a well-behaved client sees while another one attacks: `cargo xtask bench fairness`.
//!
//! The client gets a task of its own, again and again, before and during each attack. None of its requests may
//! fail, and the 99th percentile during an attack may be at most [`MOST`] times that of the same run before it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::running::Running;
use super::victim::{MOST, Victim, create};

/// Rates that the client does not reach.
const SETTINGS: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// How long each percentile is measured.
const TIME: Duration = Duration::from_secs(8);

#[derive(Debug, Clone, Copy)]
enum Attack {
    /// An address without a key opens 600 connections, each with a request every now and then.
    Connections,
    /// Two keys announce 32 large bodies each, and send none.
    Bodies,
    /// A key has eight long voiceovers, and there is one thread.
    Work,
    /// A key's receiver hangs on 30 webhooks to the host of the other key's receiver.
    Webhooks,
}

impl Attack {
    fn name(self) -> &'static str {
        match self {
            Self::Connections => "H1: 600 idle connections of an address",
            Self::Bodies => "H2: 64 bodies of two keys that never arrive",
            Self::Work => "H4: eight long voiceovers, one thread",
            Self::Webhooks => "H5: 30 webhooks that hang",
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures times: `cargo xtask bench fairness`"]
async fn attacks_hurt_nobody_else() {
    println!(
        "{:<46} {:>10} {:>10} {:>10} {:>10} {:>6} {:>8}  the client's own",
        "get-task", "p50", "p99", "p50 then", "p99 then", "ratio", "failures"
    );
    let mut missed = Vec::new();
    for attack in [Attack::Connections, Attack::Bodies, Attack::Work, Attack::Webhooks] {
        let running = Running::start_with(SETTINGS, &["--threads", "1"], &[]);
        let victim = Victim::start(&running).await;
        // The first requests open connections and fill caches.
        victim.measure(for_(TIME / 8)).await;
        let calm = victim.measure(for_(TIME)).await;
        let receiver = Receiver::start().await;
        let mut attackers = JoinSet::new();
        begin(attack, &running, &victim.client, &receiver, &mut attackers).await;
        let (attacked, (own, is_quick)) =
            tokio::join!(victim.measure(for_(TIME)), has_its_own(&victim, &running, attack, receiver));
        drop(attackers);
        let ratio = attacked.percentile(0.99) / calm.percentile(0.99);
        println!(
            "{:<46} {:>7.2} ms {:>7.2} ms {:>7.2} ms {:>7.2} ms {ratio:>6.2} {:>8}  {own}",
            attack.name(),
            calm.percentile(0.5),
            calm.percentile(0.99),
            attacked.percentile(0.5),
            attacked.percentile(0.99),
            attacked.failures,
        );
        if attacked.failures > 0 || ratio > MOST || !is_quick {
            missed.push(attack);
        }
    }
    assert!(missed.is_empty(), "a target is missed: {missed:?}");
}

/// Returns whether this time, from now, is not over.
fn for_(time: Duration) -> impl Fn() -> bool {
    let begun = Instant::now();
    move || begun.elapsed() < time
}

/// Does what the attack is directed against; returns what happened, and whether it is good.
async fn has_its_own(
    victim: &Victim,
    running: &Running,
    attack: Attack,
    mut receiver: Receiver,
) -> (String, bool) {
    let begun = Instant::now();
    match attack {
        Attack::Connections => {
            let health = reqwest::get(format!("{}/healthz", running.url)).await;
            let is_alive = health.is_ok_and(|health| health.status() == 200);
            (format!("new connection: {}", if is_alive { "served" } else { "refused" }), is_alive)
        }
        Attack::Bodies => {
            let picture = format!("{}{}", "iVBORw0KGgo", "A".repeat(200_000));
            let request = victim.client.post(format!("{}/v1/ai/image-to-prompt", running.url));
            let request = request.header("x-service-api-key", &victim.key).json(&json!({"image": picture}));
            let status = request.send().await.map_or(0, |response| response.status().as_u16());
            // The picture is none, which is found after the body has been read.
            (format!("200 KB body: {status}"), matches!(status, 200 | 400))
        }
        Attack::Work => {
            victim.until(&["COMPLETED"], &victim.create(None).await).await;
            let took = begun.elapsed();
            (format!("short task: {:.2} s", took.as_secs_f64()), took < Duration::from_secs(2))
        }
        Attack::Webhooks => {
            victim.create(Some(receiver.url("/hook"))).await;
            let _ = tokio::time::timeout(Duration::from_secs(60), receiver.came.recv()).await;
            let took = begun.elapsed();
            (format!("webhook: {:.2} s", took.as_secs_f64()), took < Duration::from_secs(3))
        }
    }
}

/// Begins an attack, which lasts until the attackers are dropped.
async fn begin(
    attack: Attack,
    running: &Running,
    client: &Client,
    receiver: &Receiver,
    attackers: &mut JoinSet<()>,
) {
    let address: SocketAddr = running.url.trim_start_matches("http://").parse().unwrap();
    match attack {
        Attack::Connections => {
            for _ in 0..600 {
                attackers.spawn(idle(address));
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        Attack::Bodies => {
            for key in [&running.key, &running.new_key(&[])] {
                for _ in 0..32 {
                    attackers.spawn(announce(address, key.clone()));
                }
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        Attack::Work => {
            let text = "A lighthouse stands on the coast. ".repeat(290);
            for _ in 0..8 {
                let body = json!({"text": text, "voice_id": "narrator"});
                create(client, &running.url, &running.key, "voiceover", &body).await;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Attack::Webhooks => {
            let hook = receiver.url("/hangs");
            let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": hook});
            for _ in 0..30 {
                create(client, &running.url, &running.key, "sound-effects", &body).await;
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
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
async fn announce(to: SocketAddr, key: String) {
    let mut stream = TcpStream::connect(to).await.unwrap();
    let head = format!(
        "POST /v1/ai/image-expand/standard HTTP/1.1\r\nhost: a\r\nx-service-api-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: 8388608\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
}

/// A host that receives the webhooks of both keys.
struct Receiver {
    address: SocketAddr,
    came: mpsc::UnboundedReceiver<()>,
}

impl Receiver {
    async fn start() -> Self {
        let (send, came) = mpsc::unbounded_channel();
        let hook = async move || {
            let _ = send.send(());
        };
        let app = axum::Router::new()
            .route("/hangs", axum::routing::post(std::future::pending::<()>))
            .route("/hook", axum::routing::post(hook));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, app).into_future());
        Self { address, came }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

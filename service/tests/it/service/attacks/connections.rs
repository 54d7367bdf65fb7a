//! One address without a key holds all connections and keeps them busy.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::service::running::Running;

const CONNECTIONS: usize = 64;

const PING: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";

/// Opens a connection from this address of the loopback network.
async fn connect(running: &Running, from: [u8; 4]) -> TcpStream {
    let to: SocketAddr = running.url.trim_start_matches("http://").parse().unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    socket.connect(to).await.unwrap()
}

/// Sends `GET /healthz` and returns whether a response came.
async fn ping(stream: &mut TcpStream) -> bool {
    let mut answer = [0; 1024];
    stream.write_all(PING).await.is_ok() && stream.read(&mut answer).await.is_ok_and(|length| length > 0)
}

async fn attack(settings: &str, from: impl Fn(usize) -> [u8; 4]) {
    let settings = format!("{settings}[http]\nconnections = {CONNECTIONS}\n");
    let running = Running::start_with(&settings, &["--threads", "0"], &[]);
    let mut kept = connect(&running, [127, 0, 0, 1]).await;
    assert!(ping(&mut kept).await);
    let mut attackers = Vec::new();
    for number in 0..CONNECTIONS * 2 {
        let mut stream = connect(&running, from(number)).await;
        assert!(ping(&mut stream).await, "a further connection replaces an older one");
        attackers.push(stream);
    }
    assert!(ping(&mut kept).await, "the open connection of another address must stay open");
    let begun = Instant::now();
    let health = reqwest::get(format!("{}/healthz", running.url)).await.unwrap();
    assert_eq!(health.status(), 200);
    running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let metrics = running.metrics().await;
    assert!(metrics.contains("connections_closed_total{reason=\"full\"}"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_addresses_are_served() {
    attack("", |_| [127, 0, 0, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_a_trusted_proxy_stay_open() {
    attack("trusted-proxies = [\"127.0.0.1/32\"]\n", |_| [127, 0, 0, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_addresses_do_not_lock_out_either() {
    let running_from = |number: usize| [127, 0, 1, u8::try_from(number % 32).unwrap() + 1];
    attack("", running_from).await;
}

//! One address without a key holds all connections and keeps them busy; a proxy holds those of many clients.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::service::http_client;
use crate::service::running::Running;
use crate::service::waiting::TIMEOUT;

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
    let mut reply = [0; 1024];
    stream.write_all(PING).await.is_ok() && stream.read(&mut reply).await.is_ok_and(|length| length > 0)
}

fn start(settings: &str) -> Running {
    let settings = format!("{settings}[http]\nconnections = {CONNECTIONS}\n");
    Running::start_with(&settings, &["--threads", "0"], &[])
}

async fn attack(from: impl Fn(usize) -> [u8; 4]) {
    let running = start("");
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
    let health = http_client::get(format!("{}/healthz", running.url)).await.unwrap();
    assert_eq!(health.status(), 200);
    running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let metrics = running.metrics().await;
    assert!(metrics.contains("connections_closed_total{reason=\"full\"}"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_addresses_are_served() {
    attack(|_| [127, 0, 0, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_addresses_do_not_lock_out_either() {
    let running_from = |number: usize| [127, 0, 1, u8::try_from(number % 32).unwrap() + 1];
    attack(running_from).await;
}

/// More connections than any other address holds, and fewer than the process may have.
const OF_PROXY: usize = 48;

/// The address of the proxy.
const PROXY: [u8; 4] = [127, 0, 0, 1];

/// Opens idle connections of the proxy, then twice as many as there is room for of another address.
///
/// Returns how many of the proxy's are still open.
async fn idle_connections_of_the_proxy(running: &Running) -> usize {
    let mut proxy = Vec::new();
    for _ in 0..OF_PROXY {
        let mut stream = connect(running, PROXY).await;
        assert!(ping(&mut stream).await);
        proxy.push(stream);
    }
    let mut attackers = Vec::new();
    for _ in 0..CONNECTIONS * 2 {
        let mut stream = connect(running, [127, 0, 0, 2]).await;
        // A refused one is closed at once.
        let _ = ping(&mut stream).await;
        attackers.push(stream);
    }
    let mut open = 0;
    for stream in &mut proxy {
        open += usize::from(ping(stream).await);
    }
    open
}

/// Begins requests whose bodies never arrive, on a connection each of the proxy, for these clients.
async fn begin(running: &Running, clients: &[&str]) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for client in clients {
        let mut stream = connect(running, PROXY).await;
        let head = format!(
            "POST /v1/ai/sound-effects HTTP/1.1\r\nhost: a\r\nx-forwarded-for: {client}\r\nx-service-api-key: {}\r\n\
             content-type: application/json\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n",
            running.key
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut reply = [0; 12];
        stream.read_exact(&mut reply).await.unwrap();
        assert_eq!(&reply, b"HTTP/1.1 100");
        streams.push(stream);
    }
    streams
}

/// Returns how many of these connections the service has closed.
fn closed(streams: &[TcpStream]) -> usize {
    let is_closed = |stream: &&TcpStream| loop {
        match stream.try_read(&mut [0; 64]) {
            // The rest of `100 Continue`.
            Ok(length) if length > 0 => {}
            read => break !read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock),
        }
    };
    streams.iter().filter(is_closed).count()
}

/// A full process in which one client behind the proxy has all requests but one; a new connection comes.
///
/// Returns how many requests of that client and of the other were cut off.
async fn requests_through_the_proxy(running: &Running) -> [usize; 2] {
    const GREEDY: &str = "203.0.113.7";
    let other = begin(running, &["203.0.113.8"]).await;
    let greedy = begin(running, &[GREEDY; CONNECTIONS - 1]).await;
    let mut new = connect(running, [127, 0, 0, 3]).await;
    assert!(ping(&mut new).await, "an address with few connections must be served");
    let (begun, mut cut) = (Instant::now(), [0, 0]);
    while cut == [0, 0] && begun.elapsed() < TIMEOUT {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cut = [closed(&greedy), closed(&other)];
    }
    cut
}

/// Limits of a key that no test here reaches.
const UNLIMITED: &str = "[tiers.default]\nburst = 1000\nconcurrent-requests = 1000\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_a_trusted_proxy_count_for_its_clients() {
    let mut running = start(&format!("trusted-proxies = [\"127.0.0.1/32\"]\n{UNLIMITED}"));
    assert_eq!(requests_through_the_proxy(&running).await, [1, 0], "the client that holds most makes room");
    running.kill_and_restart(&["--threads", "0"]);
    assert_eq!(idle_connections_of_the_proxy(&running).await, OF_PROXY, "they count for no address");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_is_not_trusted_has_the_share_of_one_address() {
    let mut running = start(UNLIMITED);
    assert_eq!(
        requests_through_the_proxy(&running).await,
        [0, 1],
        "the oldest request of the address makes room"
    );
    running.kill_and_restart(&["--threads", "0"]);
    let open = idle_connections_of_the_proxy(&running).await;
    assert!(open <= CONNECTIONS / 2, "{open} of {CONNECTIONS} are more than its share");
}

//! The connection loop: limits the number of connections and closes idle ones.
//!
//! A client that holds many connections loses its own first, so it can't lock out the others. A connection with responses
//! that its client does not read is closed.

mod drain;
mod idle_timeout;
mod table;

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::Addresses;
use super::exchange::Exchange;
use super::sending::sending;
use crate::keys::limits::site;
use idle_timeout::IdleTimeout;
use table::Table;

pub(super) use table::Pending;

/// The limits of connections.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum number of open connections. Further ones replace idle ones.
    pub connections: usize,
    /// How long a connection may stay open without a request.
    ///
    /// Longer than common proxies keep idle connections.
    pub head: Duration,
    /// How long a connection may stay open without a byte in either direction.
    pub idle: Duration,
    /// How long a response may wait until the client takes a byte of it.
    pub stalled: Duration,
    /// How long requests in progress may take to finish on shutdown.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            head: Duration::from_secs(70),
            idle: Duration::from_secs(90),
            stalled: Duration::from_secs(30),
            grace: Duration::from_secs(10),
        }
    }
}

/// The maximum number of concurrent requests on one HTTP/2 connection.
const STREAMS: u32 = 100;

/// The maximum number of bytes of a head, and of the output that waits in hyper's buffer of an HTTP/1 connection.
const BUFFER: usize = 128 * 1024;

/// The number of unsent bytes of an HTTP/2 stream with which it takes no further piece of a body.
const STREAM_BUFFER: usize = 64 * 1024;

#[cfg(target_os = "linux")]
/// The number of unsent bytes in the system's buffer with which a connection takes no further ones.
///
/// The system's default of a few megabytes would let a slow client read for minutes without visible progress.
const NOT_SENT: u32 = 128 * 1024;

/// The pause after a failed `accept`, which mostly means too many open files.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves requests until `stop` resolves, then waits for those in progress.
///
/// `addresses` names the trusted proxies, whose connections count for the clients that they forward.
pub async fn serve<A, F>(
    listener: TcpListener,
    handler: A,
    addresses: Addresses,
    limits: Limits,
    stop: impl Future<Output = ()> + Send,
) where
    A: Fn(Exchange, Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let builder = builder();
    let table = Table::new(limits.connections);
    let under_way = GracefulShutdown::new();
    let mut stop = Box::pin(async {
        stop.await;
        drain::refuse_new(&listener, limits.grace).await;
    });
    loop {
        let (stream, peer) = tokio::select! {
            biased;
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let owner = (!addresses.is_proxy(peer.ip())).then(|| site(peer.ip()));
        let Some(entry) = table.enter(owner) else { continue };
        let stream = TokioIo::new(IdleTimeout::new(stream, limits.idle, entry.unread()));
        let (handler, addresses, requests) = (handler.clone(), addresses.clone(), entry.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let address = addresses.client(peer.ip(), request.headers());
            let (entry, handler) = (requests.clone(), handler.clone());
            let exchange = Exchange::new(entry.request(Some(site(address))), address);
            async move {
                entry.has_capacity().await;
                let response = handler(exchange.clone(), request).await;
                Ok::<_, Infallible>(sending(exchange, response))
            }
        });
        let connection = under_way.watch(builder.serve_connection(stream, service).into_owned());
        let (head, stalled) = (limits.head, limits.stalled);
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, error, "connection failed");
                    }
                }
                () = entry.evicted() => tracing::debug!(%peer, "closed a connection to make room"),
                reason = entry.close_reason(head, stalled) => {
                    tracing::debug!(%peer, reason, "closed a connection");
                    metrics::counter!("connections_closed_total", "reason" => reason).increment(1);
                }
            }
        });
    }
    // Refuse new connections while the open ones finish.
    drop(stop);
    drop(listener);
    drain::await_first_requests(&table, limits.grace).await;
    if timeout(limits.grace, under_way.shutdown()).await.is_err() {
        tracing::warn!("cut off requests that did not finish within the grace period");
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // The table closes connections without a request, of both versions.
    builder.http1().header_read_timeout(None).max_buf_size(BUFFER);
    let http2 = &mut builder.http2();
    http2.timer(TokioTimer::new()).max_concurrent_streams(STREAMS).max_send_buf_size(STREAM_BUFFER);
    builder
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Responses are small and written whole, so Nagle's algorithm would only delay them.
                let _ = stream.set_nodelay(true);
                #[cfg(target_os = "linux")]
                let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(NOT_SENT);
                return (stream, peer);
            }
            Err(error) => {
                tracing::warn!(%error, "can't accept a connection; retrying");
                sleep(PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::oneshot;

    use super::*;

    /// Starts a server that responds `hello` to each request; the sender stops it.
    async fn start(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stopper, stop) = oneshot::channel();
        let handler = async |_, _| "hello".into_response();
        let running = tokio::spawn(serve(listener, handler, Addresses::new(&[]), limits, async {
            let _ = stop.await;
        }));
        (address, stopper, running)
    }

    /// Sends the bytes and returns the server's output until it closes the connection.
    async fn send(address: SocketAddr, bytes: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut response = String::new();
        // A reset counts as closed.
        let _ = stream.read_to_string(&mut response).await;
        response
    }

    #[tokio::test]
    async fn a_connection_without_a_whole_head_is_closed() {
        let brief = Duration::from_millis(50);
        let (address, _stopper, _) = start(Limits { head: brief, idle: brief, ..Limits::default() }).await;
        for bytes in ["", "PRI * HTTP", "GET / HTTP/1.1\r\nhost: a"] {
            let response = send(address, bytes).await;
            assert!(!response.ends_with("hello"), "{bytes}: {response}");
        }
        // On a busy machine, a whole head may take longer.
        let (address, _stopper, _) = start(Limits { idle: brief, ..Limits::default() }).await;
        assert!(send(address, "GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.ends_with("hello"));
    }

    #[tokio::test]
    async fn an_idle_connection_is_closed_for_another() {
        let (address, _stopper, _) = start(Limits { connections: 1, ..Limits::default() }).await;
        let mut first = TcpStream::connect(address).await.unwrap();
        let second = send(address, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        assert!(timeout(Duration::from_secs(10), second).await.unwrap().ends_with("hello"));
        assert_eq!(first.read(&mut [0]).await.unwrap(), 0, "the first one must be closed");
    }

    #[tokio::test]
    async fn a_connection_without_requests_is_closed_despite_pings() {
        let limits = Limits { head: Duration::from_millis(50), ..Limits::default() };
        let (address, _stopper, _) = start(limits).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        // The preface of HTTP/2, empty settings, then a ping each few milliseconds.
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
        let pings = async {
            while stream.write_all(b"\0\0\x08\x06\0\0\0\0\0aaaaaaaa").await.is_ok() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(timeout(Duration::from_secs(10), pings).await.is_ok(), "the connection must be closed");
    }

    #[tokio::test]
    async fn an_incomplete_request_does_not_delay_the_shutdown() {
        let limits = Limits { grace: Duration::from_millis(50), ..Limits::default() };
        let (address, stopper, running) = start(limits).await;
        let mut half = TcpStream::connect(address).await.unwrap();
        half.write_all(b"GET / HTTP/1.1\r\nhost").await.unwrap();
        stopper.send(()).unwrap();
        running.await.unwrap();
        assert!(TcpStream::connect(address).await.is_err(), "the listener must be closed");
    }
}

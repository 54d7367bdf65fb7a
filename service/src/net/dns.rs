//! Resolves host names without blocking a thread.
//!
//! A name server that never responds costs a socket for a few seconds and delays no other lookup.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::{ResolverBuilder, TokioResolver};
use tokio::sync::Semaphore;

use crate::crash;

/// How long a name server may take to respond.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How many times a query is sent again after a failure.
const RETRIES: usize = 2;

/// The maximum number of lookups at the same time; each holds some sockets.
///
/// Further lookups wait, and that wait counts against their callers' deadlines.
const LOOKUPS: usize = 256;

/// Resolves host names to addresses.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// Returns all addresses of a name.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolves with the machine's name servers and hosts file.
///
/// It reads `/etc/resolv.conf` and `/etc/hosts` once, at startup.
pub struct SystemResolver {
    resolver: TokioResolver,
    lookups: Semaphore,
}

impl SystemResolver {
    /// Creates a resolver from the machine's configuration.
    ///
    /// # Errors
    /// The resolver can't be created.
    pub fn new() -> io::Result<Self> {
        if let Some(server) = crash::name_server() {
            return Self::asking(server);
        }
        Self::build(TokioResolver::builder_tokio().unwrap_or_else(|error| {
            // Other programs use the local name server too if none is configured.
            tracing::warn!(%error, "can't read the machine's name servers; using 127.0.0.1");
            let local = NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into());
            let config = ResolverConfig::from_parts(None, Vec::new(), vec![local]);
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        }))
    }

    /// Creates a resolver that asks this server only.
    fn asking(server: SocketAddr) -> io::Result<Self> {
        let mut connection = ConnectionConfig::udp();
        connection.port = server.port();
        let server = NameServerConfig::new(server.ip(), true, vec![connection]);
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        Self::build(TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()))
    }

    fn build(mut builder: ResolverBuilder<TokioRuntimeProvider>) -> io::Result<Self> {
        let options: &mut ResolverOpts = builder.options_mut();
        options.timeout = TIMEOUT;
        options.attempts = RETRIES;
        let resolver = builder.build().map_err(io::Error::other)?;
        Ok(Self { resolver, lookups: Semaphore::new(LOOKUPS) })
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let _turn = self.lookups.acquire().await.map_err(io::Error::other)?;
        let found = self.resolver.lookup_ip(name).await.map_err(io::Error::other)?;
        Ok(found.iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::UdpSocket;
    use tokio::sync::mpsc;

    use super::*;

    /// Starts a name server that responds to questions for `live.test` only.
    ///
    /// The channel receives each question.
    async fn name_server() -> (SocketAddr, mpsc::UnboundedReceiver<Vec<u8>>) {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let question = &buffer[..length];
                if let Some(answer) = answer(question) {
                    socket.send_to(&answer, from).await.unwrap();
                }
                let _ = sender.send(question.to_vec());
            }
        });
        (address, receiver)
    }

    /// Responds 192.0.2.1 to an IPv4 query for `live.test`, and nothing to other types.
    fn answer(question: &[u8]) -> Option<Vec<u8>> {
        const NAME: &[u8] = b"\x04live\x04test\0";
        let end = 12 + NAME.len() + 4;
        if question.get(12..12 + NAME.len())?.to_ascii_lowercase() != NAME {
            return None;
        }
        let is_v4 = question[end - 3] == 1;
        let mut answer = question[..2].to_vec();
        answer.extend([0x81, 0x80, 0, 1, 0, u8::from(is_v4), 0, 0, 0, 0]);
        answer.extend(&question[12..end]);
        if is_v4 {
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
        }
        Some(answer)
    }

    #[tokio::test]
    async fn localhost_resolves_to_loopback() {
        let addresses = SystemResolver::new().unwrap().resolve("localhost").await.unwrap();
        assert!(!addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback), "{addresses:?}");
    }

    #[tokio::test]
    async fn names_whose_servers_are_dead_hold_up_no_others() {
        let (server, mut receiver) = name_server().await;
        let resolver = Arc::new(SystemResolver::asking(server).unwrap());
        let mut dead = tokio::task::JoinSet::new();
        for number in 0..200 {
            let resolver = Arc::clone(&resolver);
            dead.spawn(async move { resolver.resolve(&format!("dead{number}.test.")).await });
        }
        for _ in 0..200 {
            receiver.recv().await.unwrap();
        }
        assert_eq!(resolver.resolve("live.test.").await.unwrap(), [IpAddr::from([192, 0, 2, 1])]);
        assert!(dead.join_next().await.unwrap().unwrap().is_err(), "lookups of dead names must end");
    }
}

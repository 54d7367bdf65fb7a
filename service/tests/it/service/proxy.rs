//! A proxy in front of PostgreSQL that stops forwarding without closing a connection.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// A proxy on a port of this machine, until the runtime ends.
pub struct Proxy {
    address: String,
    is_stopped: watch::Sender<bool>,
}

impl Proxy {
    /// Starts a proxy to the PostgreSQL server whose socket is in this folder.
    pub async fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (is_stopped, stopped) = watch::channel(false);
        let socket = folder.join(".s.PGSQL.5432");
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                tokio::spawn(forward(client, socket.clone(), stopped.clone()));
            }
        });
        Self { address, is_stopped }
    }

    /// Returns the URL of a database behind the proxy.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@{}/{database}", self.address)
    }

    /// Stops forwarding on all connections, and on those that follow.
    pub fn stop(&self) {
        self.is_stopped.send_replace(true);
    }

    /// Forwards on connections from now on; the earlier ones stay as they are.
    pub fn resume(&self) {
        self.is_stopped.send_replace(false);
    }
}

async fn forward(mut client: TcpStream, socket: PathBuf, mut stopped: watch::Receiver<bool>) {
    let is_stopped = *stopped.borrow();
    let mut server = UnixStream::connect(socket).await.unwrap();
    if !is_stopped {
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = stopped.wait_for(|stopped| *stopped) => {}
        }
    }
    // The server waits, and the client gets no response.
    while client.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
}

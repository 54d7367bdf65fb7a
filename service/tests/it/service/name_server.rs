//! A name server that knows one name, of an address that the service must not connect to.

use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;

/// A name of the inner network.
pub const INNER: &str = "inner.test";

/// A name that does not exist.
pub const GONE: &str = "gone.test";

/// A name server on a port of this machine, until the runtime ends.
pub struct NameServer {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl NameServer {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let names = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let (name, response) = reply(&buffer[..length]);
                names.lock().unwrap().push(name);
                socket.send_to(&response, from).await.unwrap();
            }
        });
        Self { address, asked }
    }

    /// Returns the environment of a service that asks this server only, and connects to public addresses only.
    pub fn environment(&self) -> [(&str, &str); 2] {
        [("ASSET_SERVICE_NAME_SERVER", &self.address), ("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")]
    }

    /// Returns how many times the service has asked for this name.
    pub fn asked(&self, name: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == name).count()
    }
}

/// Returns the name in a question, and the response.
fn reply(question: &[u8]) -> (String, Vec<u8>) {
    let mut labels = Vec::new();
    let mut end = 12;
    while question[end] > 0 {
        let next = end + 1 + usize::from(question[end]);
        labels.push(String::from_utf8_lossy(&question[end + 1..next]).to_ascii_lowercase());
        end = next;
    }
    let name = labels.join(".");
    let has_address = name == INNER && question[end + 2] == 1;
    // Response code 3: there is no such name.
    let code = if name == INNER { 0 } else { 3 };
    let mut response = question[..2].to_vec();
    response.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(has_address), 0, 0, 0, 0]);
    response.extend(&question[12..end + 5]);
    if has_address {
        response.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]);
    }
    (name, response)
}

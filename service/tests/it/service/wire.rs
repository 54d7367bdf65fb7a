//! Raw requests, byte by byte, that a regular client would not send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::running::Running;

/// The part of a body that is sent at once.
const PART: usize = 32 * 1024;

/// A connection to a service.
pub struct Wire(TcpStream);

impl Wire {
    /// Connects and sends this text.
    pub fn say(running: &Running, text: &str) -> Self {
        let stream = TcpStream::connect(running.url.trim_start_matches("http://")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut wire = Self(stream);
        // A full service may have closed the connection; then there is no response to read.
        let _ = wire.0.write_all(text.as_bytes());
        wire
    }

    /// Begins a request with this body length, and sends no body.
    pub fn post(running: &Running, path: &str, key: Option<&str>, length: usize) -> Self {
        let key = key.map(|key| format!("x-service-api-key: {key}\r\n")).unwrap_or_default();
        Self::say(
            running,
            &format!(
                "POST {path} HTTP/1.1\r\nhost: test\r\n{key}content-type: application/json\r\n\
                 content-length: {length}\r\nexpect: 100-continue\r\n\r\n"
            ),
        )
    }

    /// Fills the room for bodies that a key has in a service with `bodies-mib = 84`, until they are dropped.
    pub fn fill(running: &Running, key: &str) -> Vec<Self> {
        const LENGTH: usize = 14 * 1024 * 1024;
        let post = || Self::post(running, "/v1/ai/image-expand/standard", Some(key), LENGTH);
        let bodies = (0..3).map(|_| {
            let mut wire = post();
            assert_eq!(wire.head().0, 100);
            wire.0.write_all(&vec![b' '; LENGTH - 1]).unwrap();
            wire
        });
        let bodies: Vec<_> = bodies.collect();
        // The last bytes may still be on their way.
        let is_full = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            Self::post(running, "/v1/ai/sound-effects", Some(key), 1024 * 1024).head().0 == 503
        });
        assert!(is_full);
        bodies
    }

    /// Sends a body of this length bit by bit, until a response begins.
    pub fn send_until_response(&mut self, length: usize) {
        self.0.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        for _ in 0..length.div_ceil(PART) {
            if self.0.write_all(&[b' '; PART]).is_err() || self.0.peek(&mut [0]).is_ok() {
                break;
            }
        }
        self.0.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    }

    /// Reads the next response head; returns its status and its text in lower case.
    pub fn head(&mut self) -> (u16, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head)
    }
}

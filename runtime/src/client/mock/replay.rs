//! A transport that responds with recorded responses.

use std::{
    fmt, fs,
    io::{self, ErrorKind::InvalidData},
    path::Path,
    sync::{Arc, Mutex},
};

use super::{exchange::Exchange, reply::respond};
use crate::client::{Outgoing, Sending, Transport, TransportError, platform::lock};
use crate::types::Value;

/// A transport that responds as a [`Recorder`](super::Recorder) has recorded it.
///
/// Each exchange is used once: the first one with the same operation, method, path, query, body, and documented headers.
/// `REDACTED` in a recording stands for any text. A request without such an exchange fails with
/// [`ErrorKind::Refused`](crate::client::ErrorKind::Refused), which names the operation and what differs.
///
/// Use the base URL of the recording: its path is a part of the requests, and responses can have URLs of the server.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{Client, mock::Replay};
///
/// let replay = Replay::parse(
///     r#"[{"operation": "ping", "request": "GET /ping", "response": 204}]"#,
/// )?;
/// let client = Client::builder().base_url("https://example.com").transport(replay.clone()).build()?;
/// assert_eq!(replay.unused(), ["ping: GET /ping"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Replay(Arc<Inner>);

struct Inner {
    exchanges: Vec<Exchange>,
    /// Whether an exchange was used, by its index.
    used: Mutex<Vec<bool>>,
}

impl Replay {
    /// Reads the recordings of a file.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, or is not one of recordings.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let of_file = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        Self::parse(&fs::read_to_string(path).map_err(of_file)?).map_err(of_file)
    }

    /// Reads recordings.
    ///
    /// # Errors
    /// Returns an error if the text is not that of recordings.
    pub fn parse(text: &str) -> io::Result<Self> {
        let values: Vec<Value> =
            serde_json::from_str(text).map_err(|error| io::Error::new(InvalidData, error))?;
        let exchange = |(index, value): (usize, Value)| {
            let error = || io::Error::new(InvalidData, format!("/{index} is not a recorded exchange"));
            Exchange::from_value(value).ok_or_else(error)
        };
        let exchanges: Vec<Exchange> =
            values.into_iter().enumerate().map(exchange).collect::<Result<_, _>>()?;
        let used = Mutex::new(vec![false; exchanges.len()]);
        Ok(Self(Arc::new(Inner { exchanges, used })))
    }

    /// Returns the exchanges that no request has used yet: `getIcon: GET /v1/icons/7`.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let used = lock(&self.0.used);
        let unused = self.0.exchanges.iter().zip(used.iter()).filter(|(_, is_used)| !**is_used);
        unused.map(|(exchange, _)| format!("{}: {}", exchange.operation, exchange.request.line)).collect()
    }

    fn find(&self, outgoing: &Outgoing) -> Result<&Exchange, TransportError> {
        let mut used = lock(&self.0.used);
        let id = outgoing.operation_id();
        let (mut differences, mut count) = (Vec::new(), 0);
        for (exchange, is_used) in self.0.exchanges.iter().zip(used.iter_mut()) {
            if exchange.operation != id {
                continue;
            }
            count += 1;
            if *is_used {
                continue;
            }
            let Some(difference) = exchange.request.difference(outgoing) else {
                *is_used = true;
                return Ok(exchange);
            };
            differences.push(format!("{} differs in {difference}", exchange.request.line));
        }
        let (method, path) = (outgoing.request.method(), outgoing.request.url().path());
        let state = if differences.is_empty() {
            format!("all {count} exchanges of the operation are used")
        } else {
            differences.join("; ")
        };
        let text = format!("no recording is left for `{id}` ({method} {path}): {state}");
        Err(TransportError::Refused(text.into()))
    }
}

impl Transport for Replay {
    fn send(&self, outgoing: Outgoing) -> Sending<'_> {
        let response = self.find(&outgoing).and_then(|exchange| {
            let response = http::Response::builder().status(exchange.status);
            respond(response, &exchange.headers, exchange.body.bytes().into())
        });
        Box::pin(async { response })
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("unused", &self.unused().len()).finish_non_exhaustive()
    }
}

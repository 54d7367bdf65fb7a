//! A server on its own port, and requests to it.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use openapi_crates_runtime::{
    client::{
        http_builder,
        reqwest::{
            self, Method,
            header::{HeaderMap, HeaderName, HeaderValue},
        },
    },
    server::Service,
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{
    draft::Draft,
    service::{self, Examples},
};

/// The header of the API key.
pub const KEY_HEADER: &str = "x-service-api-key";
/// A valid key.
pub const KEY: &str = "a-good-key";
/// A key that is also valid for enterprise operations.
pub const ENTERPRISE_KEY: &str = "an-enterprise-key";

/// A server that runs until it is dropped.
pub struct Server {
    pub address: SocketAddr,
    pub examples: Arc<Examples>,
    http: reqwest::Client,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts the generated server with every operation implemented.
    pub async fn start() -> Self {
        let examples = Arc::new(Examples::default());
        let service = service::build(&examples);
        let router = Router::new().fallback_service(service.clone());
        let mut server = Self::of(router.layer(from_fn_with_state(service, name_operation))).await;
        server.examples = examples;
        server
    }

    /// Starts a server with another router.
    pub async fn of(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("the server runs") });
        let http = http_builder().build().expect("an HTTP client can be built");
        Self { address, examples: Arc::default(), http, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends a draft with a key that permits every operation.
    pub async fn send(&self, draft: &Draft) -> Reply {
        let method = Method::from_bytes(draft.operation.method.as_bytes()).expect("rows have good methods");
        let mut request = self
            .http
            .request(method, format!("{}{}", self.url(), draft.target()))
            .header(KEY_HEADER, ENTERPRISE_KEY);
        for (name, value) in draft.headers() {
            request = request.header(name, value);
        }
        if let Some(body) = &draft.body {
            request = request.header("content-type", "application/json").body(body.text());
        }
        let response = request.send().await.unwrap_or_else(|error| panic!("{draft:?}: {error:?}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("the response is complete").to_vec();
        Reply { status, headers, body }
    }

    /// Sends bytes unchanged and reads until the server closes the connection.
    pub async fn exchange(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.expect("the server listens");
        // A server that refuses a request may close before it has read everything.
        let _ = stream.write_all(request).await;
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response).await;
        response
    }

    /// Sends bytes and closes the sending side. Any response is ignored.
    pub async fn send_noise(&self, bytes: &[u8]) {
        let mut stream = TcpStream::connect(self.address).await.expect("the server listens");
        let _ = stream.write_all(bytes).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }

    /// Sends a request with a raw head and a body.
    ///
    /// `head` has its lines without the final empty one.
    pub async fn send_raw(&self, head: &[u8], body: &[u8]) -> Reply {
        let mut request = head.to_vec();
        request.extend_from_slice(b"\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        request.extend_from_slice(body);
        let response = self.exchange(&request).await;
        Reply::parse(&response).unwrap_or_else(|| {
            panic!(
                "request:\n{}\ninvalid response:\n{}",
                String::from_utf8_lossy(&request),
                String::from_utf8_lossy(&response)
            )
        })
    }
}

/// Names the operation of a request in a response header.
async fn name_operation(State(service): State<Service>, request: Request, next: Next) -> Response {
    let operation = service.operation(request.method(), request.uri().path());
    let mut response = next.run(request).await;
    if let Some(operation) = operation {
        response.headers_mut().insert("x-operation", HeaderValue::from_static(operation.id));
    }
    response
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    /// Parses a response. The server never sends chunked bodies.
    fn parse(response: &[u8]) -> Option<Self> {
        let end = response.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&response[..end]).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':')?;
            headers.append(HeaderName::from_bytes(name.as_bytes()).ok()?, value.trim().parse().ok()?);
        }
        Some(Self { status, headers, body: response[end + 4..].to_vec() })
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{} is no JSON: {error}", String::from_utf8_lossy(&self.body));
        })
    }

    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Names and reasons of `invalid_params`, in their order.
    pub fn invalid_params(&self) -> Vec<(String, String)> {
        let body = self.json();
        let items = body["invalid_params"].as_array().cloned().unwrap_or_default();
        let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
        items.iter().map(|item| (text(item, "name"), text(item, "reason"))).collect()
    }
}

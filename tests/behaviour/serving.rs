//! Servers for tests over HTTP.

use openapi_crates_runtime::server::Service;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Serves a service on a free port until the test ends. Returns its URL.
pub async fn start(service: Service) -> String {
    let (listener, url) = listen().await;
    let app = axum::Router::new().fallback_service(service);
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

/// Starts a server that sends these pieces of a response, each in its own packet.
///
/// It then keeps the connection open (`is_open`) or closes it.
pub async fn response(pieces: Vec<Vec<u8>>, is_open: bool) -> String {
    let (listener, url) = listen().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(write(stream, pieces.clone(), is_open));
        }
    });
    url
}

async fn write(mut stream: TcpStream, pieces: Vec<Vec<u8>>, is_open: bool) {
    let mut head = Vec::new();
    // The body of the request is ignored.
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        assert!(stream.read_buf(&mut head).await.is_ok_and(|read| read > 0), "there is no request");
    }
    stream.set_nodelay(true).expect("a socket has this option");
    for piece in pieces {
        stream.write_all(&piece).await.expect("the client listens");
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    if is_open {
        std::future::pending::<()>().await;
    }
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    (listener, format!("http://{address}"))
}

/// Sends a request with this body, and returns the whole response as text.
pub async fn post(url: &str, path: &str, content_type: &str, body: &str) -> String {
    let headers = format!("content-type: {content_type}\r\ncontent-length: {}\r\n", body.len());
    send(url, "POST", path, &headers, body).await
}

/// Sends a body in two pieces, the second one after the response to the first. Returns the whole response as text.
pub async fn post_pieces(url: &str, path: &str, content_type: &str, pieces: [&str; 2]) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let [first, second] = pieces;
    let length = first.len() + second.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n{first}"
    );
    stream.write_all(head.as_bytes()).await.expect("the server listens");
    let mut response = Vec::new();
    // The head and the first piece of the body are separate chunks.
    while !String::from_utf8_lossy(&response).contains("\r\n\r\n") {
        assert!(stream.read_buf(&mut response).await.is_ok_and(|read| read > 0), "there is no response");
    }
    stream.write_all(second.as_bytes()).await.expect("the server listens");
    // A response that is cut off ends with an error or without its last chunk.
    let _end = stream.read_to_end(&mut response).await;
    String::from_utf8_lossy(&response).into_owned()
}

/// Sends a request without a body, and returns the whole response as text. Each header ends with a line break.
pub async fn request(url: &str, method: &str, path: &str, headers: &str) -> String {
    send(url, method, path, headers, "").await
}

/// Sends a request, and returns the whole response as text. Each header ends with a line break.
pub async fn send(url: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n{body}");
    stream.write_all(head.as_bytes()).await.expect("the server listens");
    let mut response = Vec::new();
    // A response that is cut off ends with an error or without its last chunk.
    let _end = stream.read_to_end(&mut response).await;
    String::from_utf8_lossy(&response).into_owned()
}

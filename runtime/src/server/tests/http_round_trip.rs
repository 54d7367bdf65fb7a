//! The service with a real listener, mounted in an axum router.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// Sends a request as text and returns the whole response, including chunk sizes.
async fn exchange(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn mounted_as_the_fallback_of_a_router() {
    let router = axum::Router::new()
        .route("/healthz", axum::routing::get(|| async { "up" }))
        .fallback_service(service());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, router).await });

    let head = "host: x\r\nconnection: close\r\nx-api-key: good\r\n";
    let cases = [
        (format!("GET /healthz HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 200 OK", "up"),
        (
            format!("GET /v1/notes/a%20b HTTP/1.1\r\n{head}\r\n"),
            "HTTP/1.1 200 OK",
            "{\"text\":\"good a b getNote\"}",
        ),
        (format!("GET /v1/open HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 204 No Content", ""),
        (
            format!(
                "POST /v1/notes HTTP/1.1\r\n{head}content-type: application/json; charset=utf-8\r\n\
                 transfer-encoding: chunked\r\n\r\n5\r\n{{\"tex\r\n8\r\nt\":\"hi\"}}\r\n0\r\n\r\n"
            ),
            "HTTP/1.1 201 Created",
            "{\"text\":\"hi\"}",
        ),
        (
            // Rejected by its `Content-Length`: the client has not even sent the body.
            format!(
                "POST /v1/notes HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: 99\r\n\r\n"
            ),
            "HTTP/1.1 413 Payload Too Large",
            "}",
        ),
        (format!("GET /nowhere HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 404 Not Found", "}"),
        (format!("HEAD /v1/open HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 204 No Content", ""),
        (format!("HEAD /v1/notes/a HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 200 OK", ""),
        (format!("HEAD /v1/notes HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 405 Method Not Allowed", ""),
    ];
    for (request, status, end) in cases {
        let response = exchange(address, &request).await;
        assert!(response.starts_with(status), "{request}\n{response}");
        let (headers, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(body.ends_with(end), "{request}\n{response}");
        assert!(!headers.contains("chunked"), "{response}");
    }
    server.abort();
}

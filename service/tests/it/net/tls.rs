//! Downloads and deliveries over TLS, with the test's own certificate authority.
//!
//! The service trusts the machine's authorities, which an environment variable can name. A test can't change
//! its own environment, so this test runs itself again in a child process.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use asset_service::domain::{Event, EventState, WebhookSecret};
use asset_service::net::fetch::{FetchError, Fetcher, Limits};
use asset_service::net::guard::UrlRefused;
use asset_service::time::Clock;
use asset_service::webhooks::deliver::Sender;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The variable that gives the child process the port of the server.
const PORT: &str = "ASSET_SERVICE_TEST_TLS_PORT";

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_checked() {
    if let Ok(port) = std::env::var(PORT) {
        return believing_the_authority(&port).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    let (authority, config) = certificates();
    std::fs::write(&file, authority).unwrap();
    let port = serve(config).await;

    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "net::tls::certificates_are_checked", "--nocapture"]);
    again.env(PORT, port.to_string()).env("SSL_CERT_FILE", &file).env_remove("SSL_CERT_DIR");
    let output = tokio::task::spawn_blocking(move || again.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");

    // The same request must fail without that authority.
    let error = fetch(&format!("https://files.test:{port}/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable(_)), "{error:?}");
}

async fn believing_the_authority(port: &str) {
    for host in ["files.test", "FILES.test."] {
        assert_eq!(fetch(&format!("https://{host}:{port}/")).await.unwrap(), "a file", "{host}");
    }
    let other = fetch(&format!("https://other.test:{port}/")).await.unwrap_err();
    assert!(matches!(other, FetchError::Unreachable(_)), "the certificate is for another name: {other:?}");
    let down = fetch(&format!("https://files.test:{port}/down")).await.unwrap_err();
    assert!(
        matches!(down, FetchError::Url(UrlRefused::Scheme)),
        "a redirect from https to http must be refused: {down:?}"
    );

    let sender = Sender::new(super::guard(), Clock::System).unwrap();
    let event = Event {
        id: "msg_1".into(),
        task_id: uuid::Uuid::nil(),
        key_id: String::new(),
        url: format!("https://files.test:{port}/hook"),
        payload: "{}".into(),
        terminal: true,
        state: EventState::Pending,
        attempts: 0,
        due_at: 0,
        created_at: 0,
        trace: None,
    };
    let secrets = [WebhookSecret { bytes: vec![7; 32], created_at: 0, expires_at: None }];
    assert_eq!(sender.send(&event, &secrets).await.0.error, None);
}

async fn fetch(url: &str) -> Result<bytes::Bytes, FetchError> {
    let limits = Limits { bytes: 1000, deadline: Duration::from_secs(60) };
    Fetcher::new(super::guard()).unwrap().fetch(url, limits).await
}

/// Creates an authority, and a server with its certificate for `files.test`.
fn certificates() -> (String, ServerConfig) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["files.test".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    (authority.pem(), config.with_single_cert(vec![certificate.der().clone()], key).unwrap())
}

async fn serve(config: ServerConfig) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            // A client that rejects the certificate ends the handshake here.
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                let mut request = [0; 4096];
                let length = stream.read(&mut request).await.ok()?;
                let response = match request[..length].split(|byte| *byte == b' ').nth(1) {
                    Some(b"/") => "200 OK\r\ncontent-length: 6\r\n\r\na file".to_owned(),
                    Some(b"/down") => {
                        format!(
                            "302 Found\r\nlocation: http://files.test:{port}/\r\ncontent-length: 0\r\n\r\n"
                        )
                    }
                    _ => "204 No Content\r\n\r\n".to_owned(),
                };
                stream.write_all(format!("HTTP/1.1 {response}").as_bytes()).await.ok()?;
                stream.shutdown().await.ok()
            });
        }
    });
    port
}

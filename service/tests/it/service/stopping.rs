//! Shutdown returns tasks in progress to the queue without counting the attempt.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::image_change_camera::CameraChangeRequest;

use super::ports::free_address;
use super::running::Running;
use super::waiting::{ended, eventually};
use crate::service::http_client;

/// A server that sends nothing until the test releases it.
struct Silent {
    url: String,
    asked: Arc<AtomicBool>,
    speaks: Arc<AtomicBool>,
}

impl Silent {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/coffee.jpg", listener.local_addr().unwrap());
        let (asked, speaks) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (was_asked, may_speak) = (Arc::clone(&asked), Arc::clone(&speaks));
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                was_asked.store(true, Ordering::Relaxed);
                if may_speak.load(Ordering::Relaxed) {
                    reply(&mut connection);
                } else {
                    held.push(connection);
                }
            }
        });
        Self { url, asked, speaks }
    }
}

fn reply(connection: &mut TcpStream) {
    let picture = include_bytes!("../../../assets/demo/coffee.jpg");
    let _ = connection.read(&mut [0; 4096]);
    let _ = write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        picture.len()
    );
    let _ = connection.write_all(picture);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_in_progress_is_handed_back_and_loses_no_attempt() {
    let server = Silent::start();
    // A task that lost its only attempt would fail.
    let settings = "shutdown-seconds = 1\n[worker]\nmax-attempts = 1\n";
    let mut running = Running::start_with(settings, &[], &[("RUST_LOG", "info"), ("NO_COLOR", "1")]);
    let request = CameraChangeRequest::new(&server.url);
    let id = running.client().create_camera_change(request).await.unwrap().data.task_id;
    eventually("no download begins", async || server.asked.load(Ordering::Relaxed).then_some(())).await;
    // The download may take a minute, but the shutdown only a second.
    let stopped = std::time::Instant::now();
    assert!(running.terminate().success());
    assert!(stopped.elapsed() < Duration::from_secs(30), "{:?}", stopped.elapsed());
    let log = running.log();
    assert!(log.contains("handed_back=1"), "{log}");
    let phases =
        ["requests", "work", "upkeep", "store", "administration"].map(|name| format!("phase=\"{name}\""));
    let stopped: Vec<_> =
        phases.iter().map(|phase| log.find(phase).unwrap_or_else(|| panic!("{phase}: {log}"))).collect();
    assert!(stopped.is_sorted(), "{log}");
    assert!(!log.contains("gave up waiting"), "{log}");

    server.speaks.store(true, Ordering::Relaxed);
    running.kill_and_restart(&[]);
    let client = running.client();
    let task = ended(async || client.get_camera_change(id).await.unwrap().data).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_by_an_operator_ends_before_the_process() {
    let (server, admin) = (Silent::start(), free_address().to_string());
    let settings = format!(
        "[engines.m]\nkind = 'openai'\nbase-url = '{}'\n[families.improve-prompt]\nengine = 'm'\nmodel = 'm'\n",
        server.url.replace("/coffee.jpg", "/v1")
    );
    let mut running = Running::start_with(&settings, &["--threads", "0", "--admin-listen", &admin], &[]);
    let key = running.new_key(&["--role", "operator"]);
    let check = http_client::new().post(format!("http://{admin}/v1/engines/m/check"));
    let checking = tokio::spawn(check.header("x-service-api-key", key).send());
    eventually("no check begins", async || server.asked.load(Ordering::Relaxed).then_some(())).await;
    assert!(running.terminate().success());
    let log = String::from_utf8(running.command(&["audit", "--json"]).stdout).unwrap();
    let result = "\"result\":\"the service is stopping; repeat the request\"";
    assert!(log.lines().next().is_some_and(|entry| entry.contains(result)), "{log}");
    assert_eq!(checking.await.unwrap().unwrap().status(), 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hang_up_drains_as_a_termination_does() {
    for signal in ["HUP", "TERM"] {
        let environment = [("RUST_LOG", "info"), ("NO_COLOR", "1")];
        let mut running = Running::start_with("drain-seconds = 600\n", &["--threads", "0"], &environment);
        let get = async |path: &str| http_client::get(format!("{}{path}", running.url)).await.ok();
        let logged = async |text: &str| running.log().contains(text).then_some(());
        eventually("the log has no line", async || logged("listening address=127.0.0.1:").await).await;
        let before = get("/readyz").await.unwrap();
        assert!(before.status() == 200 && !before.headers().contains_key("connection"));
        running.signal(signal);
        let stopping = async || get("/readyz").await.filter(|response| response.status() == 503);
        let response = eventually("the service does not drain", stopping).await;
        // Proxies leave, but new connections are served.
        assert_eq!(response.headers()["connection"], "close");
        assert_eq!(get("/openapi.json").await.unwrap().status(), 200);
        let line = format!("stopping signal=\"SIG{signal}\"");
        eventually("the log has no line", async || logged(&line).await).await;
        // A second signal ends the wait.
        running.signal(signal);
        assert!(running.wait().success());
    }
}

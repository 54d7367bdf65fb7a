//! Commands whose stdout is closed, such as `tasks list | head -1`, must end quietly.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

use super::bare::Bare;
use super::ports::free_address;
use crate::service::http_client;

/// Runs a command whose stdout is a closed pipe.
fn unread(bare: &Bare, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    bare.binary(arguments).stdout(writer).output().unwrap()
}

#[test]
fn a_closed_stdout_is_not_a_failure() {
    let bare = Bare::new("");
    for arguments in [
        &["keys", "list"][..],
        &["tasks", "list"],
        &["webhooks", "deliveries"],
        &["--help"],
        &["serve", "--help"],
    ] {
        let ended = unread(&bare, arguments);
        let message = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && message.is_empty(), "{arguments:?}: {:?} {message}", ended.status);
    }
}

#[test]
fn an_unread_new_key_is_reported() {
    let bare = Bare::new("");
    let ended = unread(&bare, &["keys", "create", "--name", "unread"]);
    assert_eq!(ended.status.code(), Some(1));
    let listed = bare.command(&["keys", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout);
    let id =
        listed.lines().find(|line| line.contains("unread")).and_then(|line| line.split(' ').next()).unwrap();
    let message = String::from_utf8_lossy(&ended.stderr);
    assert!(message.contains(&format!("keys revoke {id}")), "{message}");
}

#[test]
fn refused_commands_fail_although_their_output_is_not_read() {
    let bare = Bare::new("");
    let refused = unread(&bare, &["keys", "revoke", "NOTTHERE"]);
    assert_eq!(refused.status.code(), Some(1));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command: Command = bare.binary(&["keys", "revoke", "NOTTHERE"]);
    let status = command.stdout(Stdio::null()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(1), "without a word, and without a panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_continues_when_its_output_is_not_read() {
    let bare = Bare::new("");
    let free = free_address().to_string();
    let pipe = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let mut command = bare.binary(&["serve", "--threads", "0", "--listen", &free]);
    let mut child = command.stdout(pipe()).stderr(pipe()).spawn().unwrap();
    let mut alive = false;
    for _ in 0..1000 {
        let reply = http_client::get(format!("http://{free}/healthz")).await;
        alive = reply.is_ok_and(|reply| reply.status() == 200);
        if alive || child.try_wait().unwrap().is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(child.try_wait().unwrap().is_none(), "the service runs, so that it is the one that responds");
    // Each request is logged, but the log is not read.
    let again = http_client::get(format!("http://{free}/healthz")).await;
    let _ = child.kill();
    child.wait().unwrap();
    assert!(alive && again.is_ok_and(|reply| reply.status() == 200));
}

/// The arguments of a service that only logs.
const QUIET: [&str; 5] = ["--listen", "127.0.0.1:0", "--threads", "0", "--log-json"];

/// Sends requests. Each gets a response and a line in the log.
async fn requests(url: &str, count: usize) {
    let client = http_client::builder().timeout(std::time::Duration::from_secs(20)).build().unwrap();
    for number in 0..count {
        let reply = client.get(format!("{url}/healthz")).send().await;
        assert!(reply.is_ok_and(|reply| reply.status() == 200), "request {number} of {url} has no response");
    }
}

/// Returns the number of dropped lines from `/metrics`.
async fn dropped(url: &str) -> u64 {
    let metrics = http_client::get(format!("{url}/metrics")).await.unwrap().text().await.unwrap();
    let count = metrics.lines().find_map(|line| line.strip_prefix("log_lines_dropped_total "));
    count.expect("the counter is there from the start").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_never_wait_for_a_log_that_is_not_read() {
    const REQUESTS: usize = 3000;
    let bare = Bare::new("");
    let (reader, writer) = std::io::pipe().unwrap();
    let service = bare.serve_into("info", &QUIET, writer.into());
    assert_eq!(dropped(&service.url()).await, 0);
    requests(&service.url(), REQUESTS).await;
    let counted = dropped(&service.url()).await;
    assert!(counted > 0, "the pipe takes all lines: nothing is tested");

    // Once stderr is read again, the log continues and reports the number of missing lines.
    let mut log = BufReader::new(reader).lines();
    let (mut responded, mut missing) = (0, None);
    while missing.is_none() {
        let line: serde_json::Value = serde_json::from_str(&log.next().unwrap().unwrap()).unwrap();
        responded += usize::from(line["fields"]["message"] == "responded");
        missing = line["fields"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("log lines were dropped"))
            .then(|| line["fields"]["lines"].as_u64().unwrap());
    }
    let missing = missing.unwrap();
    // The requests of `/metrics` are logged too.
    assert!(missing >= counted, "{missing} of {counted}");
    assert!((REQUESTS..REQUESTS + 10).contains(&(responded + missing as usize)), "{responded} and {missing}");
    requests(&service.url(), 1).await;
    assert!(log.next().unwrap().unwrap().contains("responded"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_stops_although_its_log_is_not_read() {
    let bare = Bare::new("");
    let (_reader, writer) = std::io::pipe().unwrap();
    let service = bare.serve_into("info", &QUIET, writer.into());
    requests(&service.url(), 1000).await;
    let asked = std::time::Instant::now();
    service.stop();
    assert!(asked.elapsed() < std::time::Duration::from_secs(20), "{:?}", asked.elapsed());
}

//! Commands whose reader has gone: `tasks list | head -1`. They come to a quiet end.

use std::process::{Command, Output, Stdio};

use super::bare::Bare;

/// What becomes of a command that speaks into a pipe that nobody reads.
fn unread(bare: &Bare, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    bare.binary(arguments).stdout(writer).output().unwrap()
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let bare = Bare::new("");
    for arguments in [
        &["keys", "list"][..],
        &["tasks", "list"],
        &["webhooks", "deliveries"],
        &["--help"],
        &["serve", "--help"],
    ] {
        let ended = unread(&bare, arguments);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && said.is_empty(), "{arguments:?}: {:?} {said}", ended.status);
    }
}

#[test]
fn a_key_that_nobody_has_read_is_told() {
    let bare = Bare::new("");
    let ended = unread(&bare, &["keys", "create", "--name", "unread"]);
    assert_eq!(ended.status.code(), Some(1));
    let listed = bare.command(&["keys", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout);
    let id =
        listed.lines().find(|line| line.contains("unread")).and_then(|line| line.split(' ').next()).unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains(&format!("keys revoke {id}")), "{said}");
}

#[test]
fn what_is_refused_is_refused_all_the_same() {
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
async fn a_service_goes_on_when_nobody_reads_what_it_says() {
    let bare = Bare::new("");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let pipe = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let mut command = bare.binary(&["serve", "--threads", "0", "--listen", &free]);
    let mut child = command.stdout(pipe()).stderr(pipe()).spawn().unwrap();
    let mut alive = false;
    for _ in 0..200 {
        let answer = reqwest::get(format!("http://{free}/healthz")).await;
        alive = answer.is_ok_and(|answer| answer.status() == 200);
        if alive || child.try_wait().unwrap().is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    // Each request is logged, to nobody.
    let again = reqwest::get(format!("http://{free}/healthz")).await;
    let _ = child.kill();
    child.wait().unwrap();
    assert!(alive && again.is_ok_and(|answer| answer.status() == 200));
}

//! Databases that can't be reached, sockets, and addresses that can't be listened on.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::bare::Bare;
use super::running::setting;
use crate::store::cluster::Cluster;

/// Runs a command on this database; returns whether it succeeded, and its output.
fn run(url: &str, command: &[&str]) -> (bool, String) {
    let done = Bare::new(&setting(url)).command(command);
    let text = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(text).unwrap())
}

/// Returns a port on which nothing listens.
fn closed() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_database_that_cannot_be_reached_is_named_at_once() {
    let port = closed();
    let refused = format!("127.0.0.1:{port} (user `me`, database `assets`): Connection refused");
    for (url, message) in [
        (format!("postgres://me:hush@127.0.0.1:{port}/assets"), refused.as_str()),
        ("postgres://me:hush@/assets?host=/nonexistent".to_owned(), "the socket /nonexistent/.s.PGSQL.5432"),
        ("postgres://me:hush@%2Fnonexistent:6543/assets".to_owned(), "the socket /nonexistent/.s.PGSQL.6543"),
        ("postgres://me:hush@/var/run/postgresql/assets".to_owned(), "?host=/var/run/postgresql"),
        ("postgres://me:hush@host:none/assets".to_owned(), "invalid port number"),
    ] {
        for command in [&["keys", "list"][..], &["migrate"]] {
            let begun = Instant::now();
            let (done, text) = run(&url, command);
            assert!(!done && text.contains(message) && !text.contains("hush"), "{url}: {text}");
            assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_reached_by_each_way_to_name_its_socket() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let (name, folder) = (url.rsplit_once('?').unwrap().0.rsplit_once('/').unwrap().1, cluster.folder());
    let folder = folder.to_str().unwrap();
    let encoded = folder.replace('/', "%2F");
    for url in [
        format!("postgres://postgres@{encoded}/{name}"),
        format!("postgres://postgres@/{name}?host={folder}"),
        format!("postgres://postgres:any@/{name}?host={encoded}"),
        format!("postgres:///{name}?host={folder}&user=postgres"),
        format!("postgresql://postgres@localhost:5432/{name}?host={folder}"),
    ] {
        let (done, text) = run(&url, &["keys", "list"]);
        assert!(done, "{url}: {text}");
    }
    let gone = format!("postgres://postgres@{encoded}/not_there");
    let (done, text) = run(&gone, &["keys", "list"]);
    assert!(!done && text.contains("database \"not_there\" does not exist; create it"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_waits_for_a_database_that_starts() {
    let Some(cluster) = Cluster::start() else { return };
    let url = cluster.database().await;
    cluster.halt();
    let bare = Bare::new(&setting(&url));
    std::thread::scope(|scope| {
        let starting = scope.spawn(|| bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]));
        let begun = Instant::now();
        let log = || std::fs::read_to_string(bare.data().parent().unwrap().join("log")).unwrap_or_default();
        while !log().contains("waiting up to 15 seconds for the database") {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(log().contains(".s.PGSQL.5432"), "{}", log());
        cluster.run();
        let started = starting.join().unwrap();
        assert!(started.first_line.starts_with("listening on "), "{}", log());
    });
}

#[test]
fn an_address_that_is_taken_is_named_with_its_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, message) in [
        (&["--listen", &taken][..], "another process uses it, so choose another address with `--listen`"),
        (&["--listen", "127.0.0.1:0", "--admin-listen", &taken], "with `--admin-listen`, or `admin-listen`"),
        (&["--listen", "8080"], "expected an IP address with a port"),
        (&["--listen", "192.0.2.1:8080"], "this machine has no such address"),
        (&["--listen", "127.0.0.1:9", "--admin-listen", "127.0.0.1:9"], "are both 127.0.0.1:9"),
    ] {
        let ended = Bare::new("").command(&[&["serve"], arguments].concat());
        let text = String::from_utf8(ended.stderr).unwrap();
        assert!(!ended.status.success() && text.contains(message), "{arguments:?}: {text}");
    }
}

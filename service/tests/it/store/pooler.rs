//! PgBouncer before the database: each of its modes.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use asset_service::store::postgres::Postgres;
use asset_service::store::{Error, SharedStore};

use super::cluster::Cluster;
use super::fixture::{NOW, claim, create, done, take, task};
use super::recovery::woken;

/// A pooler that ends with this.
struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the program; without it, the reason why the test is skipped is printed.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file());
    if found.is_none() {
        let message =
            b"SKIPPED: the test with PgBouncer, because pgbouncer is neither on PATH nor in /usr/sbin.\n";
        std::io::stderr().write_all(message).unwrap();
    }
    found
}

/// Starts the pooler on the socket folder of a cluster; returns the URL of a new database behind it.
async fn behind(cluster: &Cluster, program: PathBuf, mode: &str) -> (Pooler, String) {
    let direct = cluster.database().await;
    let (folder, name) =
        (cluster.folder().display(), direct.split('?').next().unwrap().rsplit('/').next().unwrap());
    let settings = format!(
        "[databases]\n* = host={folder} user=postgres\n[pgbouncer]\nlisten_port = 6432\nunix_socket_dir = {folder}\n\
         auth_type = any\npool_mode = {mode}\ndefault_pool_size = 60\nlogfile = {folder}/pgbouncer.log\n\
         ignore_startup_parameters = extra_float_digits, options\n"
    );
    let file = cluster.folder().join("pgbouncer.ini");
    std::fs::write(&file, settings).unwrap();
    let socket = cluster.folder().join(".s.PGSQL.6432");
    // Left by the pooler before.
    let _ = std::fs::remove_file(&socket);
    let mut command = cluster.command(program);
    let pooler =
        Pooler(command.arg("-q").arg(file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    for _ in 0..200 {
        if socket.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    (pooler, format!("postgres://postgres@/{name}?host={folder}&port=6432"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_works_if_it_keeps_sessions() {
    let Some((program, cluster)) = program().zip(Cluster::start()) else { return };
    cluster.connected().await;
    let (pooler, url) = behind(&cluster, program.clone(), "session").await;
    let store: SharedStore = Arc::new(Postgres::connect(&url).await.unwrap());
    let other: SharedStore = Arc::new(Postgres::connect(&url).await.unwrap());
    create(&store, task("A")).await;
    let claimed = take(&other, &claim("me", NOW, 1)).await;
    assert!(other.end_task(&claimed[0].lease, &done(NOW)).await.unwrap());
    woken(Arc::clone(&store), &other).await;
    store.close().await;
    other.close().await;
    drop(pooler);
    for mode in ["transaction", "statement"] {
        let (_pooler, url) = behind(&cluster, program.clone(), mode).await;
        let refused = Postgres::connect(&url).await.err().unwrap();
        match mode {
            "transaction" => assert!(matches!(refused, Error::SharedSessions), "{refused}"),
            _ => assert!(refused.to_string().contains("statement pooling mode"), "{refused}"),
        }
    }
}

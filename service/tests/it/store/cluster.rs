//! The tests' own PostgreSQL, in a temporary folder.
//!
//! It stops when the tests end, even if they are killed.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

/// Runs the server until the input ends, at the latest with the test process.
///
/// It then kills the server as a crash would, unless its data are persistent. It removes the folder unless the last
/// word on the input says that the folder is still needed.
const SUPERVISE: &str = r#""$@" >>log 2>&1 & server=$!
    needed=
    while read -r word; do needed=$word; done
    kill -$END $server; wait $server
    [ "$needed" ] || { cd / && rm -rf "$OLDPWD"; }"#;

/// A database cluster and its server.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    /// The folder of persistent data.
    ///
    /// `None`: the data are in `folder`, which is temporary.
    persistent: Option<PathBuf>,
    user: Option<(u32, u32)>,
    supervisor: Mutex<Option<Child>>,
}

impl Cluster {
    /// Returns the cluster that tests share; each test has its own database.
    ///
    /// `None` means that PostgreSQL is not installed, which is printed once. On CI that is an error.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Starts a separate cluster, which a test may restart.
    pub fn start() -> Option<Self> {
        Self::start_in(None)
    }

    /// Starts a standby of this cluster.
    #[allow(dead_code, reason = "the benchmark does not use it")]
    pub fn standby(&self) -> Self {
        let standby = Self::new(self.programs.clone(), None);
        let copied = standby
            .command(self.programs.join("pg_basebackup"))
            .args(["-U", "postgres", "-R", "-c", "fast", "-h"])
            .arg(&self.folder)
            .arg("-D")
            .arg(standby.data())
            .output()
            .expect("pg_basebackup");
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        standby.run();
        standby
    }

    /// Starts a cluster with durable data in this folder.
    #[allow(dead_code, reason = "only the benchmark uses it; the tests use the others")]
    pub fn persistent(data: &Path) -> Option<Self> {
        Self::start_in(Some(data.to_owned()))
    }

    fn start_in(persistent: Option<PathBuf>) -> Option<Self> {
        let Some(programs) = programs() else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "no initdb: CI must run the tests on PostgreSQL");
            let message = "SKIPPED: the tests on PostgreSQL, because initdb is neither on PATH nor in \
                        /usr/lib/postgresql/*/bin. Install PostgreSQL to run them.\n";
            // The test harness would capture the output of a macro.
            std::io::stderr().write_all(message.as_bytes()).expect("an error output");
            return None;
        };
        let cluster = Self::new(programs, persistent);
        if !cluster.data().join("PG_VERSION").exists() {
            let created = cluster
                .command(cluster.programs.join("initdb"))
                .arg("-D")
                .arg(cluster.data())
                .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
                .output()
                .expect("initdb");
            assert!(created.status.success(), "initdb: {}", String::from_utf8_lossy(&created.stderr));
        }
        cluster.run();
        Some(cluster)
    }

    /// Creates the folder of a cluster.
    fn new(programs: PathBuf, persistent: Option<PathBuf>) -> Self {
        let folder = tempfile::Builder::new().prefix("asset-service-").tempdir().expect("a folder").keep();
        let owner = folder.metadata().expect("a folder").uid();
        // PostgreSQL refuses to run as root.
        let user = (owner == 0).then(|| unprivileged().expect("a user `postgres` or `nobody`"));
        if let Some(data) = &persistent {
            std::fs::create_dir_all(data).expect("a folder for the data");
        }
        if let Some((uid, gid)) = user {
            for folder in persistent.iter().chain([&folder]) {
                chown(folder, Some(uid), Some(gid)).expect("a folder for PostgreSQL's user");
            }
        }
        Self { programs, folder, persistent, user, supervisor: Mutex::new(None) }
    }

    fn data(&self) -> PathBuf {
        self.persistent.clone().unwrap_or_else(|| self.folder.join("data"))
    }

    /// Kills the server as a crash would, and restarts it.
    pub fn restart(&self) {
        self.halt();
        self.run();
    }

    /// Kills the server as a crash would; its data remain.
    pub fn halt(&self) {
        let supervisor = self.supervisor.lock().expect("a lock").take();
        let mut supervisor = supervisor.expect("a server that runs");
        let mut input = supervisor.stdin.take().expect("its input");
        input.write_all(b"needed\n").expect("a word");
        drop(input);
        supervisor.wait().expect("an end");
    }

    /// Starts the server.
    pub fn run(&self) {
        // Data of tests need not survive a power cut.
        let fast: &[&str] =
            if self.persistent.is_some() { &[] } else { &["fsync=off", "full_page_writes=off"] };
        let settings = ["listen_addresses=", "max_connections=300"].iter().chain(fast);
        let socket = format!("unix_socket_directories={}", self.folder.display());
        let mut command = self.command("/bin/sh".into());
        command.arg("-c").args([SUPERVISE, "sh"]).arg(self.programs.join("postgres"));
        command.env("END", if self.persistent.is_some() { "INT" } else { "QUIT" });
        command.arg("-D").arg(self.data()).args(["-c", &socket]);
        command.args(settings.flat_map(|setting| ["-c", setting]));
        // A process group of its own: Ctrl-C is for the tests, and the supervisor notices their end.
        let supervisor = command.stdin(Stdio::piped()).process_group(0).spawn().expect("a server");
        *self.supervisor.lock().expect("a lock") = Some(supervisor);
    }

    /// Returns a command of the user who runs the server, in the folder of its socket.
    pub fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Returns the URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@localhost/{database}?host={}", self.folder.display())
    }

    /// Returns the folder of the server's socket.
    #[allow(dead_code, reason = "the benchmark does not use it")]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates a database and returns its URL.
    pub async fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut connection = self.connected().await;
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::query(create).execute(&mut connection).await.expect("a database");
        connection.close().await.expect("an end");
        self.url(&name)
    }

    /// Waits for the server and returns a connection.
    pub async fn connected(&self) -> PgConnection {
        let url = self.url("postgres");
        for _ in 0..600 {
            match PgConnection::connect(&url).await {
                Ok(connection) => return connection,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        panic!("the server did not start: {log}");
    }
}

/// Waits for the server's end, because another server may start on the same data.
impl Drop for Cluster {
    fn drop(&mut self) {
        let supervisor = self.supervisor.get_mut().ok().and_then(Option::take);
        if let Some(mut supervisor) = supervisor.filter(|_| self.persistent.is_some()) {
            drop(supervisor.stdin.take());
            let _ = supervisor.wait();
        }
    }
}

/// Returns the folder of `initdb` and `postgres`.
pub fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&path).collect();
    let mut versions: Vec<_> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path()).collect())
        .unwrap_or_default();
    versions.sort_by_key(|version: &PathBuf| {
        let number = version.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
        std::cmp::Reverse(number)
    });
    folders.extend(versions.iter().map(|version| version.join("bin")));
    // Resolve links, because PostgreSQL finds its other files next to its programs.
    let found = folders.iter().find_map(|folder| folder.join("initdb").canonicalize().ok())?;
    found.parent().map(Path::to_owned)
}

/// Returns a user that can run PostgreSQL if root runs the tests.
fn unprivileged() -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let find = |name| {
        let mut fields =
            users.lines().map(|line| line.split(':')).find(|fields| fields.clone().next() == Some(name))?;
        Some((fields.nth(2)?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}

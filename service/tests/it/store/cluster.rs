//! A PostgreSQL of the tests' own, in a temporary folder, stopped when the tests end, however they end.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

/// Runs the server until the input ends: with the test process at the latest, even if that is killed. It is killed as a
/// crash would, unless its data are kept, and the folder is removed, unless the last word was that it is still needed.
const SUPERVISE: &str = r#""$@" >>log 2>&1 & server=$!
    needed=
    while read -r word; do needed=$word; done
    kill -$END $server; wait $server
    [ "$needed" ] || { cd / && rm -rf "$OLDPWD"; }"#;

/// A database cluster and its server.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    /// Where the data are kept; in `folder`, which goes with the server, unless said.
    kept: Option<PathBuf>,
    user: Option<(u32, u32)>,
    supervisor: Mutex<Option<Child>>,
}

impl Cluster {
    /// The cluster that tests share, each with a database of its own. `None`: there is no PostgreSQL here, which is said
    /// once; but CI must have one.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// A cluster of its own, which can be restarted.
    pub fn start() -> Option<Self> {
        Self::start_in(None)
    }

    /// A cluster whose data are kept in this folder, as durable as PostgreSQL is by itself.
    #[allow(dead_code, reason = "the benchmark's; the others are the tests'")]
    pub fn kept(data: &Path) -> Option<Self> {
        Self::start_in(Some(data.to_owned()))
    }

    fn start_in(kept: Option<PathBuf>) -> Option<Self> {
        let Some(programs) = programs() else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "no initdb: CI must run the tests on PostgreSQL");
            let told = "SKIPPED: the tests on PostgreSQL, because initdb is neither on PATH nor in \
                        /usr/lib/postgresql/*/bin. Install PostgreSQL to run them.\n";
            // Not by a macro: the test harness would keep it to itself.
            std::io::stderr().write_all(told.as_bytes()).expect("an error output");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("asset-service-").tempdir().expect("a folder").keep();
        let owner = folder.metadata().expect("a folder").uid();
        // PostgreSQL does not run as root.
        let user = (owner == 0).then(|| unprivileged().expect("a user `postgres` or `nobody`"));
        if let Some(data) = &kept {
            std::fs::create_dir_all(data).expect("a folder for the data");
        }
        if let Some((uid, gid)) = user {
            for folder in kept.iter().chain([&folder]) {
                chown(folder, Some(uid), Some(gid)).expect("a folder for PostgreSQL's user");
            }
        }
        let cluster = Self { programs, folder, kept, user, supervisor: Mutex::new(None) };
        if !cluster.data().join("PG_VERSION").exists() {
            let made = cluster
                .command(cluster.programs.join("initdb"))
                .arg("-D")
                .arg(cluster.data())
                .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
                .output()
                .expect("initdb");
            assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        }
        cluster.run();
        Some(cluster)
    }

    fn data(&self) -> PathBuf {
        self.kept.clone().unwrap_or_else(|| self.folder.join("data"))
    }

    /// Kills the server as a crash would, and starts it again.
    pub fn restart(&self) {
        self.halt();
        self.run();
    }

    /// Kills the server as a crash would; its data stay.
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
        // What a test keeps need not outlast a power cut.
        let fast: &[&str] = if self.kept.is_some() { &[] } else { &["fsync=off", "full_page_writes=off"] };
        let settings = ["listen_addresses=", "max_connections=300"].iter().chain(fast);
        let socket = format!("unix_socket_directories={}", self.folder.display());
        let mut command = self.command("/bin/sh".into());
        command.arg("-c").args([SUPERVISE, "sh"]).arg(self.programs.join("postgres"));
        command.env("END", if self.kept.is_some() { "INT" } else { "QUIT" });
        command.arg("-D").arg(self.data()).args(["-c", &socket]);
        command.args(settings.flat_map(|setting| ["-c", setting]));
        // A group of its own: Ctrl-C is for the tests, whose end it sees.
        let supervisor = command.stdin(Stdio::piped()).process_group(0).spawn().expect("a server");
        *self.supervisor.lock().expect("a lock") = Some(supervisor);
    }

    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@localhost/{database}?host={}", self.folder.display())
    }

    /// A new database's URL.
    pub async fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut connection = self.connected().await;
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::query(create).execute(&mut connection).await.expect("a database");
        connection.close().await.expect("an end");
        self.url(&name)
    }

    /// A connection, when the server is there.
    pub async fn connected(&self) -> PgConnection {
        let url = self.url("postgres");
        for _ in 0..600 {
            match PgConnection::connect(&url).await {
                Ok(connection) => return connection,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        panic!("the server does not start: {log}");
    }
}

/// Waits for the server's end, where somebody may start it again on the same data.
impl Drop for Cluster {
    fn drop(&mut self) {
        let supervisor = self.supervisor.get_mut().ok().and_then(Option::take);
        if let Some(mut supervisor) = supervisor.filter(|_| self.kept.is_some()) {
            drop(supervisor.stdin.take());
            let _ = supervisor.wait();
        }
    }
}

/// Where `initdb` and `postgres` are.
fn programs() -> Option<PathBuf> {
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
    // Through links, because PostgreSQL looks for its other files beside its programs.
    let found = folders.iter().find_map(|folder| folder.join("initdb").canonicalize().ok())?;
    found.parent().map(Path::to_owned)
}

/// A user that may run PostgreSQL where root runs the tests.
fn unprivileged() -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let find = |name| {
        let mut fields =
            users.lines().map(|line| line.split(':')).find(|fields| fields.clone().next() == Some(name))?;
        Some((fields.nth(2)?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}

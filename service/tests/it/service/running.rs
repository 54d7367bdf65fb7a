//! A running service: the real binary with its own data folder.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock};

use asset_api_client::{Client, ClientBuilder, RetryPolicy};
use asset_service::settings::Settings;
use asset_service::store::{Schema, SharedStore};
use sqlx::Connection as _;
use tempfile::TempDir;
use uuid::Uuid;

use super::{http_client, metrics};
use crate::store::cluster::Cluster;

/// The database of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// SQLite in the data folder.
    Sqlite,
    /// A new database in the tests' own PostgreSQL.
    Postgres,
}

impl Database {
    /// Returns the settings line of the database; `None` without PostgreSQL.
    pub async fn setting(self) -> Option<String> {
        match self {
            Self::Sqlite => Some(String::new()),
            Self::Postgres => Some(setting(&Cluster::shared()?.database().await)),
        }
    }

    /// Starts a service on such a database with these settings and arguments; `None` without PostgreSQL.
    pub async fn start(self, settings: &str, arguments: &[&str]) -> Option<Running> {
        let settings = self.setting().await? + settings;
        Some(Running::start_with(&settings, arguments, &[]))
    }
}

/// Makes tests of these checks, one for each database.
macro_rules! on_both_databases {
    (on $database:ident in $module:ident: $($check:ident)+) => {
        mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $check() {
                super::$check($crate::service::running::Database::$database).await;
            })+
        }
    };
    ($($check:ident)+) => {
        on_both_databases! { on Sqlite in on_sqlite: $($check)+ }
        on_both_databases! { on Postgres in on_postgres: $($check)+ }
    };
}
pub(super) use on_both_databases;

/// The name of the log file in the data folder.
const LOG: &str = "log";

/// Returns the settings line of this database.
pub fn setting(database_url: &str) -> String {
    format!("database-url = \"{database_url}\"\n")
}

/// A service that is killed when this is dropped.
pub struct Running {
    child: Child,
    /// The base URL: `http://127.0.0.1:…`.
    pub url: String,
    /// An API key with all permissions.
    pub key: String,
    /// The secret that signs the key's webhooks.
    pub secret: String,
    data: Arc<TempDir>,
    /// The client of all requests. Creating one takes longer than a request.
    pub(super) http: LazyLock<reqwest::Client>,
}

impl Running {
    fn new((child, url): Started, (key, secret): (String, String), data: Arc<TempDir>) -> Self {
        let url = url.expect("a service that says where it listens");
        Self { child, url, key, secret, data, http: LazyLock::new(http) }
    }

    /// Starts `serve` with these arguments; private networks are allowed.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with("", arguments, &[])
    }

    /// Starts `serve` with these settings and environment variables too.
    pub fn start_with(settings: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        // Programs installed on the machine must not change a test.
        Self::start_here(&format!("local-programs = false\n{settings}"), arguments, environment)
    }

    /// Does the same with the programs that are installed on this machine.
    pub fn start_here(settings: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let log = log_in(data.path());
        Self::start_in(data, settings, arguments, environment, log)
    }

    /// Starts `serve` with JSON lines on stderr, which is a pipe.
    pub fn start_piped(settings: &str) -> (Self, PipeReader) {
        let (reader, writer) = std::io::pipe().unwrap();
        let arguments = ["--threads", "1", "--log-json"];
        let data = tempfile::tempdir().unwrap();
        let settings = format!("local-programs = false\n{settings}");
        (Self::start_in(data, &settings, &arguments, &[("RUST_LOG", "info")], writer.into()), reader)
    }

    fn start_in(
        data: TempDir,
        settings: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        log: Stdio,
    ) -> Self {
        // No load balancer watches it.
        let drain = if settings.contains("drain-seconds") { "" } else { "drain-seconds = 0\n" };
        let settings = format!("{drain}{settings}");
        std::fs::write(data.path().join("asset-service.toml"), settings).unwrap();
        let key = new_key(data.path(), &["--enterprise"]);
        let started = spawn_program(binary(), data.path(), arguments, environment, log);
        Self::new(started, key, Arc::new(data))
    }

    /// Starts `serve` with the programs of a folder in `PATH` before those of the machine, and these data files.
    pub fn start_among(programs: &Path, files: &[&str]) -> Self {
        let data = tempfile::tempdir().unwrap();
        for file in files {
            let path = data.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", programs.display());
        Self::start_prepared(data, &[("PATH", &path)])
    }

    /// Starts `serve` of another program with these settings.
    pub fn start_program(program: &Path, settings: &str) -> Self {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("asset-service.toml"), settings).unwrap();
        let created = run(&mut Command::new(program), data.path(), &["keys", "create", "--name", "test"]);
        let started = spawn_program(Command::new(program), data.path(), &[], &[], log_in(data.path()));
        Self::new(started, key_of(created), Arc::new(data))
    }

    /// Starts `serve` in a data folder that a test has prepared.
    pub fn start_prepared(data: TempDir, environment: &[(&str, &str)]) -> Self {
        let key = new_key(data.path(), &[]);
        Self::new(spawn(data.path(), &[], environment), key, Arc::new(data))
    }

    /// Starts another process on the same data.
    pub fn start_beside(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        self.beside(spawn(self.data.path(), arguments, environment))
    }

    /// Starts another process with the same key on the data in another folder.
    pub fn start_on(&self, data: &Path, environment: &[(&str, &str)]) -> Self {
        self.beside(spawn(data, &[], environment))
    }

    fn beside(&self, started: Started) -> Self {
        Self::new(started, (self.key.clone(), self.secret.clone()), Arc::clone(&self.data))
    }

    /// Runs a command of `asset-service` on the same data.
    pub fn command(&self, arguments: &[&str]) -> Output {
        command(self.data.path(), arguments)
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.data.path().join(LOG)).unwrap_or_default()
    }

    /// Returns the data folder.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// Returns the metrics, each of which must be documented.
    pub async fn metrics(&self) -> String {
        let text = http_client::get(format!("{}/metrics", self.url)).await.unwrap().text().await.unwrap();
        metrics::check(&text);
        text
    }

    /// Opens the store while the service runs.
    pub async fn store(&self) -> SharedStore {
        let settings = Settings::load(None, self.data()).unwrap();
        let url = settings.database_url.as_deref();
        asset_service::store::open(url, self.data(), Schema::Expect, settings.access()).await.unwrap()
    }

    /// Replaces the results of a task, given its URL, in the embedded database.
    pub async fn set_results(&self, task: &str, results: &str) {
        let id: Uuid = task.rsplit('/').next().unwrap().parse().unwrap();
        let file = format!("sqlite://{}", self.data().join("service.db").display());
        let mut database = sqlx::SqliteConnection::connect(&file).await.unwrap();
        let update = sqlx::query("UPDATE tasks SET results = ? WHERE id = ?");
        let updated =
            update.bind(results).bind(id.as_bytes().as_slice()).execute(&mut database).await.unwrap();
        assert_eq!(updated.rows_affected(), 1);
        database.close().await.unwrap();
    }

    /// Returns the public part of the key, its id.
    pub fn key_id(&self) -> &str {
        self.key.split('_').nth(1).unwrap()
    }

    /// Creates another key.
    pub fn new_key(&self, arguments: &[&str]) -> String {
        new_key(self.data.path(), arguments).0
    }

    /// Creates another key, and returns it with the secret of its webhooks.
    pub fn new_key_and_secret(&self) -> (String, String) {
        new_key(self.data.path(), &[])
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Kills the process, as a power cut would, and restarts it on the same data.
    pub fn kill_and_restart(&mut self, arguments: &[&str]) {
        assert!(self.kill_and_restart_with(arguments, &[]), "the service did not start");
    }

    /// Does the same with this environment.
    ///
    /// Returns `false` if the process died before it listened.
    pub fn kill_and_restart_with(&mut self, arguments: &[&str], environment: &[(&str, &str)]) -> bool {
        self.kill();
        let (child, url) = spawn(self.data.path(), arguments, environment);
        self.child = child;
        let listens = url.is_some();
        self.url = url.unwrap_or_default();
        listens
    }

    /// Sends SIGTERM, and waits until the process has ended.
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        self.signal("TERM");
        self.child.wait().unwrap()
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name]).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// Returns whether the process has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the files of an area of the file store: `inputs`, `results`.
    pub fn files(&self, area: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut paths = vec![self.data.path().join("files").join(area)];
        while let Some(path) = paths.pop() {
            // The service may remove a folder meanwhile.
            match std::fs::read_dir(&path) {
                Ok(entries) => paths.extend(entries.map(|entry| entry.unwrap().path())),
                Err(_) if path.is_file() => files.push(path),
                Err(_) => {}
            }
        }
        files
    }

    /// Returns a client with this service's key.
    pub fn client(&self) -> Client {
        self.client_of(&self.key)
    }

    /// Returns a client with another key.
    pub fn client_of(&self, key: &str) -> Client {
        self.client_builder(key).build().unwrap()
    }

    /// Returns a client that never retries.
    pub fn impatient_client(&self) -> Client {
        self.client_builder(&self.key).retry(RetryPolicy::never()).build().unwrap()
    }

    fn client_builder(&self, key: &str) -> ClientBuilder {
        Client::builder().base_url(&self.url).api_key(key).http(self.http.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

/// Returns the builder of a client of this service with this key.
pub fn client_of(url: &str, key: &str) -> ClientBuilder {
    Client::builder().base_url(url).api_key(key).http(http())
}

/// Returns a client for the client of a service, which follows redirects itself.
fn http() -> reqwest::Client {
    http_client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

/// A root certificate whose key was deleted.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/service/root.pem");

/// Returns a command of `asset-service` that reads one root certificate instead of the machine's.
pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asset-service"));
    command.env("SSL_CERT_FILE", ROOT).env_remove("SSL_CERT_DIR");
    command
}

/// Runs a command of `asset-service` on this data folder.
pub fn command(data: &Path, arguments: &[&str]) -> Output {
    run(&mut binary(), data, arguments)
}

fn run(program: &mut Command, data: &Path, arguments: &[&str]) -> Output {
    program.args(arguments).arg("--data-dir").arg(data).output().unwrap()
}

fn new_key(data: &Path, arguments: &[&str]) -> (String, String) {
    key_of(command(data, &[&["keys", "create", "--name", "test"], arguments].concat()))
}

/// Returns a new key and its webhook secret.
fn key_of(created: Output) -> (String, String) {
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let text = String::from_utf8(created.stdout).unwrap();
    let mut lines = text.lines();
    (lines.next().unwrap().to_owned(), lines.next().unwrap_or_default().to_owned())
}

/// A process and its URL, or `None` if it died before it listened.
type Started = (Child, Option<String>);

fn spawn(data: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Started {
    spawn_program(binary(), data, arguments, environment, log_in(data))
}

/// Opens the log file in a data folder.
fn log_in(data: &Path) -> Stdio {
    File::options().create(true).append(true).open(data.join(LOG)).unwrap().into()
}

fn spawn_program(
    mut program: Command,
    data: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    log: Stdio,
) -> Started {
    let mut child = program
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data)
        .args(arguments)
        .env("RUST_LOG", "warn")
        .env("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "true")
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    // Drain stdout, so that the process never blocks on a full pipe.
    std::thread::spawn(move || out.lines().for_each(drop));
    (child, address(&line))
}

/// Returns the URL in the line with which `serve` says where it listens, in text or in JSON.
pub fn address(line: &str) -> Option<String> {
    let (_, url) = line.split_once("listening on ")?;
    url.split(['"', '\n']).next().map(ToOwned::to_owned)
}

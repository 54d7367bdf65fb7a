//! The command line.

mod import;
mod keys;
pub mod out;
mod serve;
mod tasks;
mod webhooks;

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::Settings;
use crate::files::Files;
use crate::private;
use crate::store::{self, SharedStore};
use crate::time::Clock;

/// The Asset Catalogue and AI Task Service: one process, with an embedded database, and nothing to set up.
///
/// Settings are taken from arguments, then from the environment, then from a file (`asset-service.toml` in the data
/// folder, or `--config`). Try `asset-service serve --demo`.
#[derive(Debug, Parser)]
#[command(name = "asset-service", version, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: Command,
}

/// Where everything is kept.
#[derive(Debug, Args)]
pub struct Place {
    /// Folder of the embedded database, of files, and of the settings
    #[arg(
        long,
        global = true,
        env = "ASSET_SERVICE_DATA_DIR",
        default_value = "./data",
        value_name = "FOLDER"
    )]
    data_dir: PathBuf,
    /// PostgreSQL database instead of the embedded one: postgres://user:password@host/name
    #[arg(
        long,
        global = true,
        env = "ASSET_SERVICE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    database_url: Option<String>,
    /// File of settings [default: asset-service.toml in the data folder]
    #[arg(long, global = true, env = "ASSET_SERVICE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service
    Serve(Box<serve::Arguments>),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Keys(keys::Command),
    /// Fill the catalogue from files
    #[command(subcommand)]
    Import(import::Command),
    /// See tasks, and try failed ones again
    #[command(subcommand)]
    Tasks(tasks::Command),
    /// See what became of webhooks, send them again, rotate secrets
    #[command(subcommand)]
    Webhooks(webhooks::Command),
}

/// Why a command ended early: a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Settings.
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    /// Engines and models of the settings.
    #[error(transparent)]
    Registry(#[from] crate::tasks::registry::RegistryError),
    /// Workflow apps.
    #[error(transparent)]
    Apps(#[from] crate::apps::AppsError),
    /// The store.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// An import.
    #[error(transparent)]
    Import(#[from] crate::catalogue::import::ImportError),
    /// The file store.
    #[error(transparent)]
    Files(#[from] crate::files::FilesError),
    /// A database and files of others.
    #[error(transparent)]
    Stranger(#[from] store::Stranger),
    /// Something that is not there, or can't be done; told as it is.
    #[error("{0}")]
    Refused(String),
    /// Who read what the command says has gone.
    #[error("nobody reads what the command says")]
    Unread,
    /// The machine.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl CommandError {
    /// A failure of the machine at this.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        |source| Self::Io { what, source }
    }
}

/// Runs the command line of this process. Exit codes: 0 done, 1 refused, 2 wrong usage or a failure.
///
/// It stands here and not in the program, which would otherwise compile every future of the library once more.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            out::aside(format_args!("error: threads can't be started: {error}"));
            return ExitCode::from(2);
        }
    };
    let code = runtime.block_on(run(arguments));
    // An engine that is still at work was given up, and its task was given back.
    runtime.shutdown_background();
    code
}

async fn run(arguments: Arguments) -> ExitCode {
    let done = match arguments.command {
        Command::Serve(serve) => serve::run(&arguments.place, &serve).await,
        Command::Keys(command) => keys::run(&arguments.place, command).await,
        Command::Import(command) => import::run(&arguments.place, command).await,
        Command::Tasks(command) => tasks::run(&arguments.place, command).await,
        Command::Webhooks(command) => webhooks::run(&arguments.place, command).await,
    };
    match done {
        Ok(()) | Err(CommandError::Unread) => ExitCode::SUCCESS,
        Err(error) => {
            out::aside(format_args!("error: {error}"));
            ExitCode::from(if matches!(error, CommandError::Refused(_)) { 1 } else { 2 })
        }
    }
}

impl Place {
    fn settings(&self) -> Result<Settings, CommandError> {
        Ok(Settings::load(self.config.as_deref(), &self.data_dir)?)
    }

    fn database_url<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.database_url.as_deref().or(settings.database_url.as_deref())
    }

    async fn open(&self, settings: &Settings) -> Result<SharedStore, CommandError> {
        private::folder(&self.data_dir).map_err(CommandError::io(format!(
            "the data folder {} can't be made",
            self.data_dir.display()
        )))?;
        Ok(store::open(self.database_url(settings), &self.data_dir).await?)
    }

    /// Keeps a second service off an embedded database: SQLite has one writer, and a process that stands still in the
    /// middle of a write would hold up all others. Holds until it is dropped, or the process is gone.
    fn alone(&self, settings: &Settings) -> Result<Option<File>, CommandError> {
        if self.database_url(settings).is_some() {
            return Ok(None);
        }
        let path = self.data_dir.join("serve.lock");
        let what = || format!("{} can't be locked", path.display());
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(CommandError::io(what()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Err(CommandError::Refused(format!(
                "another `serve` runs on the data folder {}; several of them share a PostgreSQL database: see --database-url",
                self.data_dir.display()
            ))),
            Err(TryLockError::Error(source)) => Err(CommandError::Io { what: what(), source }),
        }
    }

    /// The files that the store's rows name.
    async fn files(&self, store: &SharedStore) -> Result<Files, CommandError> {
        let files = Files::local(&self.data_dir.join("files"))?;
        store::agree(&**store, &files).await?;
        Ok(files)
    }

    /// The store, for commands beside a service that may be running.
    async fn store(&self) -> Result<SharedStore, CommandError> {
        self.open(&self.settings()?).await
    }
}

/// A moment for people.
fn moment(at: crate::time::Millis) -> String {
    crate::tasks::view::timestamp(at).map(|at| at.to_string()).unwrap_or_default()
}

/// What time it is for commands.
fn now() -> crate::time::Millis {
    Clock::System.now()
}

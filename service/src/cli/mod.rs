//! The command line: arguments, subcommands and exit codes.

mod audit;
mod backup;
mod catalogue;
mod components;
mod engines;
mod error;
mod import;
mod keys;
mod migrate;
pub mod output;
mod queues;
mod serve;
mod settings;
mod shutdown;
mod tasks;
mod webhooks;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::admin::Admin;
use crate::backup::RESTORING;
use crate::config::{ConfigError, InvalidSetting};
use crate::engine::command;
use crate::files::{BUCKET, Files, bucket_url};
use crate::import::parse;
use crate::private;
use crate::settings::Settings;
use crate::store::{self, Schema, SharedStore};
use crate::time::Clock;

pub use error::CommandError;

/// Run the asset catalogue and its AI tasks: one process with an embedded database
///
/// The service reads each setting from the command line, then from the environment, then from the settings file
/// (asset-service.toml in the data folder, or the file that --config names).
#[derive(Debug, Parser)]
#[command(name = "asset-service", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    instance: Instance,
    /// Print JSON to stdout: a line for each row or result
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// The examples and exit codes in `--help`.
const EXAMPLES: &str = "\
Examples:
  asset-service serve --demo              start with a small catalogue and a key, and print calls that work
  asset-service keys create --name me     create a key for a service without --demo
  asset-service import icons package      import an unpacked npm package @iconify-json/<set>
  asset-service tasks list --status failed
  asset-service keys usage --days 7       show what each key has used, and what is left of its limits

Exit codes: 0 success; 1 the command was refused, or an import left files out or found none; 2 wrong usage or a failure.";

/// The options that locate an instance: its data folder, database and settings. All subcommands share them.
#[derive(Debug, Args)]
pub struct Instance {
    /// Keep the embedded database, the stored files and the settings file in this folder; created if missing
    #[arg(
        long,
        global = true,
        env = "ASSET_SERVICE_DATA_DIR",
        default_value = "./data",
        value_name = "FOLDER"
    )]
    data_dir: PathBuf,
    /// Use this PostgreSQL database instead of the embedded one: postgres://user:password@host/name, or
    /// postgres://user@/name?host=/var/run/postgresql for a socket
    #[arg(
        long,
        global = true,
        env = "ASSET_SERVICE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    database_url: Option<String>,
    /// Keep the stored files in this bucket instead of the data folder: s3://bucket/prefix or az://container/prefix; the
    /// environment has the credentials
    #[arg(long, global = true, env = "ASSET_SERVICE_FILES", value_name = "URL")]
    files: Option<String>,
    /// Read settings from this file [default: asset-service.toml in the data folder]
    #[arg(long, global = true, env = "ASSET_SERVICE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service until Ctrl-C or SIGTERM
    Serve(Box<serve::Arguments>),
    /// Migrate the schema of the database to this program's version, or all rows to another database
    ///
    /// Running processes of the previous release continue. `serve` migrates too, unless --no-migrate is given. All
    /// other commands refuse an older schema; an empty database gets its schema from any command.
    Migrate(migrate::Arguments),
    /// Copy the database, the files and the settings into a new folder, while the service runs
    ///
    /// PostgreSQL is copied by `pg_dump`, which must be on PATH. Stored files are linked instead of copied if the folder
    /// is on the same disk: copy the folder to another machine.
    ///
    /// Example: asset-service backup /var/backups/assets-2026-11-23
    Backup {
        /// Write the backup into this folder; it must be empty or missing
        folder: PathBuf,
    },
    /// Restore a backup into an empty database and a new data folder, or verify it
    ///
    /// The copy can't join its original: it has an id of its own, and its settings name its own database. It is quiesced:
    /// `serve` responds to reads, but accepts and runs no tasks and delivers no webhooks until `resume`. A settings file that
    /// already exists in the data folder is not changed. PostgreSQL is restored by `pg_restore`.
    ///
    /// Example: asset-service restore /var/backups/assets-2026-11-23 --data-dir ./restored
    Restore(backup::Restore),
    /// Let a restored copy accept and run tasks and deliver webhooks
    ///
    /// Use it only if the original no longer runs, or if the copy has other tasks and receivers. Otherwise both run the same
    /// tasks and deliver the same webhooks.
    ///
    /// Example: asset-service resume --cancel-tasks --drop-webhooks
    Resume(backup::Resume),
    /// Create, list, rotate and revoke keys, set their tier, and show what they use
    #[command(subcommand)]
    Keys(keys::Command),
    /// Import icons, pictures, music and sound effects into the catalogue
    #[command(subcommand)]
    Import(import::Command),
    /// List and remove records of the catalogue
    #[command(subcommand)]
    Catalogue(catalogue::Command),
    /// List, show, cancel and delete tasks, and retry failed ones
    #[command(subcommand)]
    Tasks(tasks::Command),
    /// List the waiting tasks of each family, and pause families
    #[command(subcommand)]
    Queues(queues::Command),
    /// List the engines of all operations, attach real models, and try the attached ones
    #[command(subcommand)]
    Engines(engines::Command),
    /// List webhook deliveries, replay events, and rotate signing secrets
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// Check the settings, and show them with their defaults
    #[command(subcommand)]
    Settings(settings::Command),
    /// Show how many tasks, events and bytes are stored
    Storage,
    /// List the changes that operators have made, newest first
    ///
    /// Lists changes made with the command line and with the administration API. The service keeps them for 400 days.
    ///
    /// Example: asset-service audit --limit 50
    Audit {
        /// List at most this many changes
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
}

/// Runs the command line of this process.
///
/// Exit codes: 0 success, 1 refused, 2 wrong usage or a failure. This function is not in the binary, because the
/// binary would then compile every future of the library again.
#[must_use]
pub fn main() -> ExitCode {
    let given = || std::env::args_os().skip(1);
    if let Some((code, why)) = command::hidden(given()) {
        why.into_iter().for_each(output::note);
        return code;
    }
    if given().next().is_some_and(|command| command == parse::PARSE) {
        return parse::run();
    }
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(format_args!("error: can't start threads: {error}"));
            return ExitCode::from(2);
        }
    };
    let code = runtime.block_on(run(arguments));
    // An engine that still runs has lost its lease: its task is back in the queue.
    runtime.shutdown_background();
    code
}

async fn run(arguments: Arguments) -> ExitCode {
    if arguments.json {
        output::as_json();
    }
    let done = match arguments.command {
        Command::Serve(serve) => serve::run(&arguments.instance, &serve).await,
        Command::Backup { folder } => backup::backup(&arguments.instance, &folder).await,
        Command::Restore(restore) => backup::restore(&arguments.instance, &restore).await,
        Command::Resume(resume) => backup::resume(&arguments.instance, &resume).await,
        Command::Migrate(migrate) => migrate::run(&arguments.instance, &migrate).await,
        Command::Keys(command) => keys::run(&arguments.instance, command).await,
        Command::Import(command) => import::run(&arguments.instance, command).await,
        Command::Catalogue(command) => catalogue::run(&arguments.instance, command).await,
        Command::Tasks(command) => tasks::run(&arguments.instance, command).await,
        Command::Engines(command) => engines::run(&arguments.instance, command).await,
        Command::Webhooks(command) => webhooks::run(&arguments.instance, command).await,
        Command::Queues(command) => queues::run(&arguments.instance, command).await,
        Command::Settings(command) => settings::run(&arguments.instance, command).await,
        Command::Storage => audit::storage(&arguments.instance).await,
        Command::Audit { limit } => audit::audit(&arguments.instance, limit).await,
    };
    match done.map_err(|error| arguments.instance.located(error)) {
        Ok(()) | Err(CommandError::Unread) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, CommandError::Logged { .. }) {
                output::last(format_args!("error: {error}"));
            }
            ExitCode::from(if error.is_refused() { 1 } else { 2 })
        }
    }
}

impl Instance {
    /// Adds the location in the settings file to an error of the engines' settings.
    fn located(&self, error: CommandError) -> CommandError {
        let CommandError::Setting(invalid) = error else { return error };
        let path = Settings::path(self.config.as_deref(), &self.data_dir);
        match std::fs::read_to_string(&path) {
            Ok(text) => ConfigError::invalid(&path, &text, &invalid.setting, &invalid).into(),
            Err(_) => CommandError::Setting(invalid),
        }
    }

    /// Loads the settings; fails if a restore into the data folder was interrupted.
    fn settings(&self) -> Result<Settings, CommandError> {
        refuse_interrupted_restore(&self.data_dir)?;
        Ok(Settings::load(self.config.as_deref(), &self.data_dir)?)
    }

    fn database_url<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.database_url.as_deref().or(settings.database_url.as_deref())
    }

    async fn open(&self, settings: &Settings, schema: Schema) -> Result<SharedStore, CommandError> {
        self.make_folder()?;
        Ok(store::open(self.database_url(settings), &self.data_dir, schema, settings.access()).await?)
    }

    fn make_folder(&self) -> Result<(), CommandError> {
        private::folder(&self.data_dir)
            .map_err(CommandError::io(format!("can't create the data folder {}", self.data_dir.display())))
    }

    /// Locks an embedded database, so that only one `serve`, `migrate` or `restore` uses it.
    ///
    /// SQLite has one writer: a process suspended during a write would block all others. The lock lasts until
    /// the returned file is dropped or the process ends. PostgreSQL needs no lock, so the result is `None`.
    fn lock_embedded(&self, settings: &Settings) -> Result<Option<File>, CommandError> {
        if self.database_url(settings).is_some() {
            return Ok(None);
        }
        self.make_folder()?;
        lock(&self.data_dir).map(Some)
    }

    /// Opens the file store and checks that it belongs to this database.
    async fn files(&self, store: &SharedStore) -> Result<Files, CommandError> {
        let files = self.open_files(&self.settings()?)?;
        store::agree(&**store, &files).await?;
        Ok(files)
    }

    /// Returns the URL of the bucket of the stored files, unless they are in the data folder.
    fn bucket<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.files.as_deref().or(settings.files.as_deref())
    }

    /// Opens the file store.
    fn open_files(&self, settings: &Settings) -> Result<Files, CommandError> {
        match self.bucket(settings) {
            None if settings.redirect_downloads => {
                Err(InvalidSetting::must_be("redirect-downloads", "false without a bucket in `files`").into())
            }
            None => Ok(Files::local(&self.data_dir.join("files"))?),
            // The embedded database does not record whose files it uses, so a second service could sweep files of the first.
            Some(_) if self.database_url(settings).is_none() => Err(CommandError::Refused(
                "`files` in a bucket needs PostgreSQL: set `database-url`, or remove `files`".to_owned(),
            )),
            Some(url) => self.open_bucket(url, settings.redirect_downloads),
        }
    }

    fn open_bucket(&self, url: &str, redirects: bool) -> Result<Files, CommandError> {
        let bucket = bucket_url(url).ok_or_else(|| InvalidSetting::must_be("files", BUCKET))?;
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Ok(Files::in_bucket(bucket, redirects, environment, &self.data_dir)?)
    }

    /// Opens the administration for a command; the service may be running.
    async fn admin(&self) -> Result<Admin, CommandError> {
        Ok(Admin::at_command_line(&self.store().await?))
    }

    /// Opens the store for a command; the service may be running.
    async fn store(&self) -> Result<SharedStore, CommandError> {
        self.open(&self.settings()?, Schema::Expect).await
    }
}

/// Fails if a restore into this data folder was interrupted.
fn refuse_interrupted_restore(data_dir: &Path) -> Result<(), CommandError> {
    if !data_dir.join(RESTORING).exists() {
        return Ok(());
    }
    Err(CommandError::Refused(format!(
        "a restore into {} was interrupted; remove the folder and its database, and restore again",
        data_dir.display()
    )))
}

/// Locks the embedded database of a data folder until the returned file is dropped.
fn lock(data_dir: &Path) -> Result<File, CommandError> {
    let path = data_dir.join("serve.lock");
    let what = || format!("can't lock {}", path.display());
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(CommandError::io(what()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CommandError::Refused(format!(
            "another process (`serve`, `migrate` or `restore`) already uses the data folder {}; wait for it or stop it, or \
             share a PostgreSQL database to run several processes (--database-url)",
            data_dir.display()
        ))),
        Err(TryLockError::Error(source)) => Err(CommandError::Io { what: what(), source }),
    }
}

/// Formats a time as human-readable text.
fn moment(at: crate::time::Millis) -> String {
    crate::time::timestamp(at).to_string()
}

fn now() -> crate::time::Millis {
    Clock::System.now()
}

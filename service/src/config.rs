//! Settings from the settings file.
//!
//! Each command-line argument overrides its environment variable, which overrides the file. Settings that are
//! absent everywhere have their defaults.

mod check;
mod locate;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;

use crate::engine::settings::{EngineSettings, FamilySettings};
use crate::store::STATEMENT;

pub use check::{InvalidSetting, base_url};
pub use locate::position;

/// The default name of the settings file, in the data folder.
pub const FILE: &str = "asset-service.toml";

/// The tier of keys that are created without a tier.
pub const DEFAULT_TIER: &str = "default";

/// The contents of a settings file.
///
/// All keys are optional; unknown keys are errors.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Address and port to listen on. Default: `127.0.0.1:8080`.
    pub listen: Option<SocketAddr>,
    /// Address and port for operators: health, readiness and metrics.
    ///
    /// Default: none; these routes are on the address `listen`.
    pub admin_listen: Option<SocketAddr>,
    /// Public URL of the service; result URLs start with it.
    ///
    /// Default: `http://<listen>`.
    pub base_url: Option<String>,
    /// PostgreSQL URL (`postgres://…`).
    ///
    /// Default: an embedded database in the data folder.
    pub database_url: Option<String>,
    /// Allows webhook and media URLs in private networks.
    ///
    /// Such URLs may use plain HTTP and any port. Default: `false`.
    pub allow_private_networks: Option<bool>,
    /// Private networks that webhook and media URLs may point to.
    pub allow_subnets: Vec<IpNet>,
    /// Seconds that a statement of the database may take. Default: 60.
    pub statement_seconds: Option<u64>,
    /// Whether `serve` migrates an older schema of the database; otherwise it refuses it. Default: `true`.
    pub migrate: Option<bool>,
    /// Seconds that requests, and then webhooks and engines, may take to finish on shutdown.
    ///
    /// Default: 10.
    pub shutdown_seconds: Option<u64>,
    /// Seconds between SIGTERM and the end of the listener, in which `/readyz` says that the service stops.
    ///
    /// Default: 5. Ctrl-C ends the listener at once.
    pub drain_seconds: Option<u64>,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether programs such as ffmpeg and Piper serve families wherever they are installed. Default: `true`.
    pub local_programs: Option<bool>,
    /// Whether the built-in engines serve the families without an attached engine. Default: `true`.
    pub built_in_engines: Option<bool>,
    /// How the built-in engines work.
    pub built_in: BuiltInSettings,
    /// Attached engines, by name.
    pub engines: BTreeMap<String, EngineSettings>,
    /// The engine of each API family, and how it serves the family.
    pub families: BTreeMap<String, FamilySettings>,
    /// The models of each API family. Default: `standard` only.
    pub models: BTreeMap<String, Vec<String>>,
    /// Seconds that an attempt may take, by API family. Default: 1800.
    pub deadlines: BTreeMap<String, u64>,
    /// Limits on the disk of the data folder.
    pub disk: Disk,
    /// Rate limits and quotas by tier.
    ///
    /// Keys have the tier `default` unless created otherwise.
    pub tiers: BTreeMap<String, Tier>,
    /// Limits on failed authentication.
    pub authentication: Authentication,
    /// Limits on connections and request bodies.
    pub http: Http,
    /// Concurrency, leases and retries of tasks.
    pub worker: WorkerSettings,
    /// Delivery of webhooks.
    pub webhooks: WebhookSettings,
    /// How long ended tasks and their files are kept.
    pub retention: Retention,
}

/// How the built-in engines work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BuiltInSettings {
    /// Whether pictures made from a prompt show it. Default: `true`.
    pub captions: bool,
}

impl Default for BuiltInSettings {
    fn default() -> Self {
        Self { captions: true }
    }
}

/// The rate limits and the quotas of a tier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Tier {
    /// The maximum number of requests in a burst. Default: 50.
    pub burst: u32,
    /// Requests per second that refill the burst. Default: 10.
    pub per_second: f64,
    /// The maximum number of requests in progress. Default: 64.
    pub concurrent_requests: u32,
    /// The maximum number of tasks per UTC day. Default: unlimited.
    pub daily_tasks: Option<u32>,
    /// The maximum number of tasks that wait or are in progress. Default: 1000.
    pub open_tasks: u32,
    /// The number of undelivered webhook events from which no task with a webhook is accepted. Default: 10000.
    pub webhook_events: u32,
    /// The number of hosts with undelivered webhook events from which no task with another host is accepted.
    ///
    /// Default: 200.
    pub webhook_hosts: u32,
    /// The maximum size of media in requests per UTC day, in MiB. Default: 4096.
    pub daily_upload_mib: u64,
    /// The maximum size of a task's results, in MiB. Default: 256.
    pub result_mib: u64,
    /// The size of the results of all tasks from which no task is accepted, in MiB. Default: 16384.
    pub stored_mib: u64,
}

impl Tier {
    /// Returns the maximum size of media in requests per UTC day, in bytes.
    #[must_use]
    pub fn daily_upload_bytes(&self) -> u64 {
        self.daily_upload_mib.saturating_mul(1024 * 1024)
    }

    /// Returns the maximum size of a task's results, in bytes.
    #[must_use]
    pub fn result_bytes(&self) -> u64 {
        self.result_mib.saturating_mul(1024 * 1024)
    }

    /// Returns the size of the results of all tasks from which no task is accepted, in bytes.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        self.stored_mib.saturating_mul(1024 * 1024)
    }
}

impl Default for Tier {
    fn default() -> Self {
        Self {
            burst: 50,
            per_second: 10.0,
            concurrent_requests: 64,
            daily_tasks: None,
            open_tasks: 1000,
            webhook_events: 10_000,
            webhook_hosts: 200,
            daily_upload_mib: 4096,
            result_mib: 256,
            stored_mib: 16 * 1024,
        }
    }
}

/// Limits on failed authentication.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Authentication {
    /// How often an address may send an invalid key.
    pub failures: Failures,
}

/// How often an address may fail to authenticate.
///
/// After that the address has to wait, even with a valid key.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Failures {
    /// The maximum number of failures in a burst. Default: 20.
    pub burst: u32,
    /// Failures per second that refill the burst. Default: 0.2.
    pub per_second: f64,
}

impl Default for Failures {
    fn default() -> Self {
        Self { burst: 20, per_second: 0.2 }
    }
}

/// Limits on connections and request bodies, over all callers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Http {
    /// The maximum number of open connections; further ones replace idle ones. Default: 512.
    pub connections: usize,
    /// The maximum size of all request bodies in progress, in MiB. Default: 512.
    pub bodies_mib: u64,
    /// Seconds from the last byte of a request until its response must begin. Default: 60.
    pub request_seconds: u64,
    /// Seconds that a response may wait until the client takes a byte of it. Default: 30.
    pub stalled_seconds: u64,
    /// How often an address may request routes that need no key.
    pub open: Open,
    /// Origins whose pages may call the API from a browser, such as `https://app.example.com`. Default: none.
    pub cors_origins: Vec<String>,
}

impl Default for Http {
    fn default() -> Self {
        let open = Open::default();
        let (request_seconds, stalled_seconds) = (60, 30);
        Self {
            connections: 512,
            bodies_mib: 512,
            request_seconds,
            stalled_seconds,
            open,
            cors_origins: Vec::new(),
        }
    }
}

/// Rate limit per address for routes without a key: files, pages, metrics.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Open {
    /// The maximum number of requests in a burst. Default: 500.
    pub burst: u32,
    /// Requests per second that refill the burst. Default: 100.
    pub per_second: f64,
    /// The maximum number of files that it may download at the same time. Default: 32.
    pub downloads: u32,
}

impl Default for Open {
    fn default() -> Self {
        Self { burst: 500, per_second: 100.0, downloads: 32 }
    }
}

/// Concurrency, leases and retries of tasks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WorkerSettings {
    /// The maximum number of engines that run at the same time.
    ///
    /// Default: the number of processors. With `0` this process runs no tasks.
    pub threads: Option<usize>,
    /// Seconds until a lease expires without a heartbeat. Default: 30.
    pub lease_seconds: Option<u64>,
    /// The maximum number of tasks in progress per API key. Default: 8.
    pub running_per_key: Option<u32>,
    /// The maximum number of attempts per task. Default: 3.
    pub max_attempts: Option<u32>,
    /// Seconds before the second attempt; each further delay doubles. Default: 10.
    pub backoff_seconds: Option<u64>,
    /// How often a failure of the service itself may return a task to the queue before it fails. Default: 20.
    pub max_outages: Option<u32>,
}

/// Limits on the disk of the data folder.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Disk {
    /// Free space in MiB under which no task is accepted. Default: 512.
    pub low_water_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_water_mib: 512 }
    }
}

/// Delivery of webhooks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WebhookSettings {
    /// Seconds that a receiver may take to respond, from 1 to 60. Default: 20.
    pub deadline_seconds: Option<u64>,
}

/// How long ended tasks and their files are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Retention {
    /// Days that ended tasks are kept. Default: 30.
    pub task_days: Option<u64>,
    /// Whether the sweep removes the result files of expired tasks.
    ///
    /// Default: `false`.
    pub remove_files: bool,
    /// Seconds between sweeps. Default: 3600.
    pub sweep_seconds: Option<u64>,
    /// Seconds until the sweep removes a file that belongs to nothing.
    ///
    /// Default: one day.
    ///
    /// It must be longer than any request takes from its files to its task: at least 600.
    pub orphan_seconds: Option<u64>,
}

/// Why settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("can't read the settings file {}: {source}", path.display())]
    Read {
        /// The settings file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not TOML, or a value has a wrong type, is out of range or malformed, or names what does not exist.
    #[error("{place}: {why}")]
    Invalid {
        /// The settings file, with the line and the column of the setting if the file has it.
        place: String,
        /// What is wrong. It never shows the value of a setting that may hold a key.
        why: String,
    },
}

impl ConfigError {
    /// Returns the error of a setting of a file with this text.
    #[must_use]
    pub fn invalid(path: &Path, text: &str, setting: &str, why: &impl ToString) -> Self {
        Self::at(path, position(text, setting), why)
    }

    /// Returns the error of a file with this text that can't be read as settings.
    fn unreadable(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map(|span| span.start);
        let place = start.and_then(|start| locate::line_and_column(text, start));
        match start.and_then(|start| locate::setting_at(text, start)) {
            Some(setting) => Self::at(path, place, &words::unreadable(&setting, error.message(), &[])),
            // A syntax error. TOML's own message would show the line, which may hold a key.
            None => Self::at(path, place, &error.message()),
        }
    }

    fn at(path: &Path, place: Option<(usize, usize)>, why: &impl ToString) -> Self {
        let place = match place {
            Some((line, column)) => format!("{}:{line}:{column}", path.display()),
            None => path.display().to_string(),
        };
        Self::Invalid { place, why: why.to_string() }
    }
}

impl Settings {
    /// Loads the given file, or [`FILE`] from the data folder if it exists.
    ///
    /// # Errors
    /// The file can't be read, or a setting is invalid.
    pub fn load(file: Option<&Path>, data_dir: &Path) -> Result<Self, ConfigError> {
        let path = Self::path(file, data_dir);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && file.is_none() => {
                return Ok(Self::default());
            }
            Err(source) => return Err(ConfigError::Read { path, source }),
        };
        let settings = Self::read(&path, &text)?;
        check::settings(&settings).map_err(|why| ConfigError::invalid(&path, &text, &why.setting, &why))?;
        Ok(settings)
    }

    /// Reads the text of a settings file.
    ///
    /// # Errors
    /// The text is not TOML, or has an unknown key or a value of a wrong type.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::unreadable(path, text, &error))
    }

    /// Returns the path of the settings file.
    #[must_use]
    pub fn path(file: Option<&Path>, data_dir: &Path) -> PathBuf {
        file.map_or_else(|| data_dir.join(FILE), Path::to_owned)
    }

    /// Returns the limits of a tier.
    ///
    /// A tier that the settings don't define (removed, or misspelt) has the limits of the tier `default`, so
    /// that it never grants more than that.
    #[must_use]
    pub fn tier(&self, name: &str) -> Tier {
        self.tiers.get(name).or_else(|| self.tiers.get(DEFAULT_TIER)).cloned().unwrap_or_default()
    }

    /// Returns how long a statement of the database may take.
    #[must_use]
    pub fn statement(&self) -> Duration {
        self.statement_seconds.map_or(STATEMENT, Duration::from_secs)
    }

    /// Returns whether a key may have this tier.
    #[must_use]
    pub fn has_tier(&self, name: &str) -> bool {
        name == DEFAULT_TIER || self.tiers.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_say_everything() -> Result<(), toml::de::Error> {
        let settings: Settings = toml::from_str(
            r#"
            listen = "0.0.0.0:80"
            base-url = "https://assets.example.com"
            allow-subnets = ["10.1.0.0/16"]
            [families.voiceover]
            engine = "none"
            [models]
            image-expand = ["standard", "wide"]
            [tiers.default]
            burst = 5
            [authentication.failures]
            burst = 7
            [worker]
            threads = 4
            backoff-seconds = 1
            [webhooks]
            deadline-seconds = 5
            [retention]
            task-days = 7
            "#,
        )?;
        assert_eq!(settings.tier("default"), Tier { burst: 5, ..Tier::default() });
        assert_eq!(
            settings.tier("unknown"),
            settings.tier("default"),
            "an unknown tier must not be unlimited"
        );
        assert_eq!(settings.authentication.failures, Failures { burst: 7, ..Failures::default() });
        assert_eq!(settings.worker.threads, Some(4));
        assert_eq!(settings.webhooks.deadline_seconds, Some(5));
        Ok(())
    }

    #[test]
    fn what_is_not_known_is_told() {
        let error = toml::from_str::<Settings>("lissten = '0.0.0.0:80'").err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("lissten")));
    }
}

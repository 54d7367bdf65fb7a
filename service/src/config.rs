//! Settings: by argument, by environment, by file, in that order; what none of them says is as [`Settings::default`] has it.

mod check;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use serde::Deserialize;

pub use check::{Senseless, base_url};

/// The file of settings, in the data folder, unless an argument names another one.
pub const FILE: &str = "asset-service.toml";

/// The tier of keys for which no other one is said.
pub const DEFAULT_TIER: &str = "default";

/// What a file of settings may say. Everything may be left out; a key that is not known is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Address and port to listen on.
    pub listen: Option<SocketAddr>,
    /// How clients reach the service, for URLs of results.
    pub base_url: Option<String>,
    /// `postgres://…`; without it, an embedded database in the data folder.
    pub database_url: Option<String>,
    /// Whether webhooks and media may be in private networks, by http and on any port.
    pub allow_private_networks: Option<bool>,
    /// Private networks that webhooks and media may be in.
    pub allow_subnets: Vec<IpNet>,
    /// How long requests, webhooks and engines have to come to an end when the process is told to stop; 10, unless said.
    pub shutdown_seconds: Option<u64>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Which engine serves a family: its name, or `none`.
    pub engines: BTreeMap<String, String>,
    /// Which models a family has; `standard` alone, unless said.
    pub models: BTreeMap<String, Vec<String>>,
    /// Limits, by tier; keys are of the tier `default`, unless said.
    pub tiers: BTreeMap<String, Tier>,
    /// How clients prove who they are.
    pub authentication: Authentication,
    /// What requests may take.
    pub http: Http,
    /// How tasks are worked on.
    pub worker: WorkerSettings,
    /// How webhooks are delivered.
    pub webhooks: WebhookSettings,
    /// What becomes of what is over.
    pub retention: Retention,
}

/// The limits of a tier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Tier {
    /// The most requests at once.
    pub burst: u32,
    /// How many requests a second it goes on with.
    pub per_second: f64,
    /// The most tasks a UTC day.
    pub daily_tasks: Option<u32>,
}

impl Default for Tier {
    fn default() -> Self {
        Self { burst: 50, per_second: 10.0, daily_tasks: None }
    }
}

/// How clients prove who they are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Authentication {
    /// How often an address may try keys that are not good.
    pub failures: Failures,
}

/// How often an address may fail before it has to wait, also with a good key.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Failures {
    /// The most failures at once.
    pub burst: u32,
    /// How many failures a second it goes on with.
    pub per_second: f64,
}

impl Default for Failures {
    fn default() -> Self {
        Self { burst: 20, per_second: 0.2 }
    }
}

/// What requests may take, over all callers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Http {
    /// The most connections at a time.
    pub connections: usize,
    /// The most MiB of bodies that are under way at a time.
    pub bodies_mib: u64,
    /// How often an address may ask for what needs no key.
    pub open: Open,
}

impl Default for Http {
    fn default() -> Self {
        Self { connections: 512, bodies_mib: 512, open: Open::default() }
    }
}

/// How often an address may ask for what needs no key: files, pages, measurements.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Open {
    /// The most requests at once.
    pub burst: u32,
    /// How many requests a second it goes on with.
    pub per_second: f64,
}

impl Default for Open {
    fn default() -> Self {
        Self { burst: 500, per_second: 100.0 }
    }
}

/// How tasks are worked on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WorkerSettings {
    /// The most engines at a time; the number of processors, unless said. `0`: this process works on no tasks.
    pub threads: Option<usize>,
    /// Seconds that a lease holds without a heartbeat; 30, unless said.
    pub lease_seconds: Option<u64>,
    /// The most tasks of one API key in progress; 8, unless said.
    pub running_per_key: Option<u32>,
    /// How often a task is tried; 3, unless said.
    pub max_attempts: Option<u32>,
    /// Seconds until a task is tried again; each further wait is twice as long; 10, unless said.
    pub backoff_seconds: Option<u64>,
}

/// How webhooks are delivered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WebhookSettings {
    /// Seconds that a receiver has to answer, from 1 to 60; 20, unless said.
    pub deadline_seconds: Option<u64>,
}

/// What becomes of what is over.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Retention {
    /// Days that ended tasks are kept; 30, unless said.
    pub task_days: Option<u64>,
    /// Whether the files of results go with their tasks.
    pub remove_files: bool,
    /// How often it is looked for what is over; 3600, unless said.
    pub sweep_seconds: Option<u64>,
    /// How old a file that belongs to nothing is before it goes; a day, unless said. Longer than a request or an attempt.
    pub orphan_seconds: Option<u64>,
}

/// Why settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("{}: can't be read: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what settings must be.
    #[error("{}: {source}", path.display())]
    Parse {
        /// Which file.
        path: PathBuf,
        /// Where, and what is wrong.
        source: Box<toml::de::Error>,
    },
    /// A setting makes no sense.
    #[error("{}: {source}", path.display())]
    Senseless {
        /// Which file.
        path: PathBuf,
        /// Which setting, and what it must be.
        source: Senseless,
    },
}

impl Settings {
    /// From this file, or from [`FILE`] of the data folder, if it is there.
    ///
    /// # Errors
    /// The file can't be read, or is not what settings must be.
    pub fn load(file: Option<&Path>, data_dir: &Path) -> Result<Self, ConfigError> {
        let path = file.map_or_else(|| data_dir.join(FILE), Path::to_owned);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && file.is_none() => {
                return Ok(Self::default());
            }
            Err(source) => return Err(ConfigError::Read { path, source }),
        };
        let settings: Self = match toml::from_str(&text) {
            Ok(settings) => settings,
            Err(source) => return Err(ConfigError::Parse { path, source: Box::new(source) }),
        };
        check::settings(&settings).map_err(|source| ConfigError::Senseless { path, source })?;
        Ok(settings)
    }

    /// The limits of this tier. One that the settings don't have, as it was taken out of them or is misspelt, is as the
    /// tier `default`: nobody gets more than others by that.
    #[must_use]
    pub fn tier(&self, name: &str) -> Tier {
        self.tiers.get(name).or_else(|| self.tiers.get(DEFAULT_TIER)).cloned().unwrap_or_default()
    }

    /// Whether keys may be of this tier.
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
            [engines]
            voiceover = "none"
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
        assert_eq!(settings.tier("unknown"), settings.tier("default"), "and not one without limits");
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

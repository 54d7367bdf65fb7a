//! The settings of the service, from the settings file.
//!
//! Each command-line argument overrides its environment variable, which overrides the file. Settings that are
//! absent everywhere have their defaults.

mod check;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::config::{self, ConfigError, FILE};
use crate::engine::settings::{self as engines, BuiltInSettings, EngineSettings, FamilySettings};
use crate::http::settings::{Authentication, Http};
use crate::keys::tier::Tiers;
use crate::store::Access;
use crate::tasks::settings::Disk;
use crate::tasks::{sweep, worker};
use crate::trace::settings::Traces;
use crate::webhooks::settings::WebhookSettings;

/// The contents of a settings file.
///
/// All keys are optional; unknown keys are errors.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Address and port to listen on. Default: `127.0.0.1:8080`.
    #[serde(deserialize_with = "config::address")]
    pub listen: Option<SocketAddr>,
    /// Address and port for operators: health, readiness, metrics and the administration API.
    ///
    /// Default: none; then there is no such API, and the other routes are on the address `listen`.
    #[serde(deserialize_with = "config::address")]
    pub admin_listen: Option<SocketAddr>,
    /// Names by which operators reach that address, besides IP addresses and `localhost`.
    pub admin_hosts: Vec<String>,
    /// Public URL of the service; result URLs start with it.
    ///
    /// Default: `http://<listen>`.
    pub base_url: Option<String>,
    /// PostgreSQL URL (`postgres://…`).
    ///
    /// Default: an embedded database in the data folder.
    pub database_url: Option<String>,
    /// Bucket of the stored files (`s3://bucket/prefix`, `az://container/prefix`); needs `database-url`.
    ///
    /// Default: the folder `files` in the data folder.
    pub files: Option<String>,
    /// Whether downloads are redirected to signed URLs of the bucket. Default: `false`.
    pub redirect_downloads: bool,
    /// Allows webhook and media URLs in private networks.
    ///
    /// Such URLs may use plain HTTP and any port. Default: `false`.
    pub allow_private_networks: Option<bool>,
    /// Private networks that webhook and media URLs may point to.
    pub allow_subnets: Vec<IpNet>,
    /// Seconds that a statement of the database may take. Default: 60.
    pub statement_seconds: Option<u64>,
    /// The maximum number of connections to PostgreSQL, without the one that listens. Default: 16.
    pub database_connections: Option<u32>,
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
    /// Whether this process serves the search for resources, for which it has the catalogue in memory. Default: `true`.
    pub catalogue: Option<bool>,
    /// Whether programs such as ffmpeg and Piper serve families wherever they are installed. Default: only in a sandbox.
    pub local_programs: Option<bool>,
    /// Whether the built-in engines serve the families without an attached engine. Default: `true`.
    pub built_in_engines: Option<bool>,
    /// How the built-in engines work.
    pub built_in: BuiltInSettings,
    /// Attached engines, by name.
    #[serde(skip_serializing)]
    pub engines: BTreeMap<String, EngineSettings>,
    /// The engine of each API family, and how it serves the family.
    #[serde(skip_serializing)]
    pub families: BTreeMap<String, FamilySettings>,
    /// The models of each API family. Default: `standard` only.
    pub models: BTreeMap<String, Vec<String>>,
    /// Seconds that an attempt may take, by API family: up to 30 days. Default: 1800.
    pub deadlines: BTreeMap<String, u64>,
    /// Limits on the disk of the data folder.
    pub disk: Disk,
    /// Rate limits and quotas by tier.
    ///
    /// Keys have the tier `default` unless created otherwise.
    pub tiers: Tiers,
    /// Limits on failed authentication.
    pub authentication: Authentication,
    /// Limits on connections and request bodies.
    pub http: Http,
    /// Concurrency, leases and retries of tasks.
    pub worker: worker::Settings,
    /// Delivery of webhooks.
    pub webhooks: WebhookSettings,
    /// How long ended tasks and their files are kept.
    pub retention: sweep::Settings,
    /// Where spans are sent.
    pub traces: Traces,
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
        Self::parse(&path, &text)
    }

    /// Reads the text of a settings file.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let settings: Self = config::parse(path, text)?;
        check::settings(&settings).map_err(|why| ConfigError::invalid(path, text, &why.setting, &why))?;
        Ok(settings)
    }

    /// Returns the path of the settings file.
    #[must_use]
    pub fn path(file: Option<&Path>, data_dir: &Path) -> PathBuf {
        file.map_or_else(|| data_dir.join(FILE), Path::to_owned)
    }

    /// Returns whether the process serves the search for resources.
    #[must_use]
    pub fn has_catalogue(&self) -> bool {
        self.catalogue.unwrap_or(true)
    }

    /// Returns how a process uses its database.
    #[must_use]
    pub fn access(&self) -> Access {
        let Access { statement, connections } = Access::DEFAULT;
        Access {
            statement: self.statement_seconds.map_or(statement, Duration::from_secs),
            connections: self.database_connections.unwrap_or(connections),
        }
    }

    /// Returns the settings of engines and families.
    #[must_use]
    pub fn engines(&self) -> engines::Settings {
        engines::Settings {
            local_programs: self.local_programs,
            built_in_engines: self.built_in_engines,
            built_in: self.built_in,
            engines: self.engines.clone(),
            families: self.families.clone(),
            models: self.models.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::settings::Failures;
    use crate::keys::tier::Tier;

    #[test]
    fn a_file_can_contain_every_setting() -> Result<(), toml::de::Error> {
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
        assert_eq!(settings.tiers.get("default"), Tier { burst: 5, ..Tier::default() });
        assert_eq!(
            settings.tiers.get("unknown"),
            settings.tiers.get("default"),
            "an unknown tier must not be unlimited"
        );
        assert_eq!(settings.authentication.failures, Failures { burst: 7, ..Failures::default() });
        assert_eq!(settings.worker.threads, 4);
        assert_eq!(settings.webhooks.deadline_seconds, Some(5));
        Ok(())
    }

    #[test]
    fn unknown_settings_are_reported() {
        let error = toml::from_str::<Settings>("lissten = '0.0.0.0:80'").err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("lissten")));
    }
}

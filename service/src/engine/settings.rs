//! The settings of engines and families, as the settings file holds them.
//!
//! Each kind of engine reads its own settings from [`EngineSettings::own`] and [`FamilySettings::mapping`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::call::OnUncertain;
use super::cost::Cost;
use super::family::Family;
use super::limits::{Limit, Rule};
use super::loras::Lora;
use super::notices::Notices;
use super::schema::{self, Create};
use crate::config::{InvalidSetting, words};
use crate::files::FileUrls;
use crate::net::fetch::Fetcher;

/// The settings of an attached engine: a table `[engines.<name>]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineSettings {
    /// The kind: `openai`, `http` or `command`.
    pub kind: String,
    /// The maximum number of requests of this process in progress. Default: 4.
    pub concurrency: Option<usize>,
    /// What follows if it is unknown whether the engine accepted a request.
    ///
    /// Default: `fail`; for the kind `command`, `retry`.
    pub on_uncertain: Option<OnUncertain>,
    /// The settings of this kind.
    #[serde(flatten)]
    pub own: Table,
}

/// The settings of a family: a table `[families.<name>]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct FamilySettings {
    /// The engine: the name of an attached one, of a built-in one, or `none`.
    pub engine: Option<String>,
    /// The fields of which a request has to have one, so that the attached engine serves it.
    ///
    /// Others go to the built-in engine. Default: the attached engine serves all requests.
    pub with: Vec<String>,
    /// What the model takes, by the fields of the request.
    pub limits: BTreeMap<String, Limit>,
    /// Limits that hold for some requests only.
    pub rules: Vec<Rule>,
    /// The price of the work.
    pub cost: Option<Cost>,
    /// The LoRAs of the model.
    pub loras: Vec<Lora>,
    /// The settings of the engine's kind for this family.
    #[serde(flatten)]
    pub mapping: Table,
}

impl FamilySettings {
    /// Returns a setting that only families with an attached engine have.
    pub(super) fn of_attached(&self) -> Option<&str> {
        let given = [
            ("limits", !self.limits.is_empty()),
            ("loras", !self.loras.is_empty()),
            ("cost", self.cost.is_some()),
            ("with", !self.with.is_empty()),
            ("rules", !self.rules.is_empty()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
        self.mapping.keys().map(String::as_str).chain(given).next()
    }

    /// Returns the name of the family, with the fields that a request has to have for the engine.
    #[must_use]
    pub fn shown(&self, name: &str) -> String {
        match self.with.as_slice() {
            [] => name.to_owned(),
            with => format!("{name} with {}", with.join(" or ")),
        }
    }
}

/// What engines need of the service.
#[derive(Clone)]
pub struct Environment {
    /// The data folder, for files that settings name.
    pub data_dir: PathBuf,
    /// Downloads what URLs of providers name, within the service's policy.
    pub fetcher: Fetcher,
    /// The service's own URLs.
    pub urls: FileUrls,
    /// The notifications of providers.
    pub notices: Notices,
}

impl Environment {
    /// Creates the environment of a service with this data folder and public URL.
    #[must_use]
    pub fn new(data_dir: &Path, fetcher: Fetcher, base_url: &str) -> Self {
        let urls = FileUrls::new(base_url);
        Self { data_dir: data_dir.to_owned(), fetcher, urls, notices: Notices::default() }
    }

    /// Returns an environment for tests, in which engines on this machine are allowed.
    #[cfg(test)]
    pub(crate) fn on_this_machine() -> Self {
        let fetcher = Fetcher::new(crate::net::testing::inner_guard(&[])).unwrap();
        Self::new(Path::new("."), fetcher, "http://127.0.0.1:8080")
    }

    /// Returns the absolute path of a file that the settings name from the data folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        let path = self.data_dir.join(name);
        std::path::absolute(&path).unwrap_or(path)
    }

    /// Returns the path of a program: a path from the data folder, or a name in `PATH`.
    ///
    /// # Errors
    /// Returns why there is no such program.
    pub fn program(&self, name: &str) -> Result<PathBuf, String> {
        if name.contains('/') {
            let path = self.path(name);
            let why = if path.is_file() { "is not executable" } else { "does not exist, or is no file" };
            return if is_program(&path) { Ok(path) } else { Err(format!("`{}` {why}", path.display())) };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
        places.find(|path| is_program(path)).ok_or_else(|| format!("`{name}` is not found in PATH"))
    }
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

/// An engine of the settings, and the family that it is attached to.
#[derive(Clone, Copy)]
pub struct Attachment<'a> {
    /// The engine's name.
    pub name: &'a str,
    /// Its settings.
    pub engine: &'a EngineSettings,
    /// The family.
    pub family: &'static Family,
    /// The settings of the family.
    pub settings: &'a FamilySettings,
    /// What the engine needs of the service.
    pub environment: &'a Environment,
}

/// The settings that engines of all kinds have.
const OF_ENGINES: &[&str] = &["kind", "concurrency", "on-uncertain"];

/// The settings that families have with engines of all kinds.
const OF_FAMILIES: &[&str] = &["engine", "with", "limits", "rules", "cost", "loras"];

impl Attachment<'_> {
    /// Reads the settings of the engine's kind.
    ///
    /// # Errors
    /// Returns the error with the place of the settings.
    pub fn engine<T: DeserializeOwned>(&self) -> Result<T, InvalidSetting> {
        self.engine_with(read)
    }

    /// Reads the settings of the engine's kind by a function that takes their place, and the settings of all kinds.
    ///
    /// # Errors
    /// Returns the error with the place of the settings.
    pub(super) fn engine_with<T>(
        &self,
        read: impl FnOnce(&str, &Table, &[&str]) -> Result<T, InvalidSetting>,
    ) -> Result<T, InvalidSetting> {
        read(&format!("engines.{}", self.name), &self.engine.own, OF_ENGINES)
    }

    /// Reads the settings of the engine's kind for the family.
    ///
    /// # Errors
    /// Returns the error with the place of the settings.
    pub fn mapping<T: DeserializeOwned>(&self) -> Result<T, InvalidSetting> {
        read(&format!("families.{}", self.family.name), &self.settings.mapping, OF_FAMILIES)
    }

    /// Returns the family's create operations with examples that the engine serves.
    pub(super) fn examples(&self) -> Vec<Create> {
        schema::examples_with(self.family, &self.settings.with)
    }

    /// Returns a time limit of the engine.
    ///
    /// # Errors
    /// It is 0.
    pub(super) fn timeout(&self, seconds: u64) -> Result<Duration, InvalidSetting> {
        self.positive("timeout-seconds", seconds).map(Duration::from_secs)
    }

    /// Returns a limit of the engine.
    ///
    /// # Errors
    /// It is 0.
    pub(super) fn positive(&self, setting: &str, limit: u64) -> Result<u64, InvalidSetting> {
        if limit == 0 {
            return Err(InvalidSetting::must_be(format!("engines.{}.{setting}", self.name), "at least 1"));
        }
        Ok(limit)
    }
}

/// Reads settings of a kind; unknown keys are errors.
///
/// `common` are the settings that the table has besides those of the kind.
///
/// # Errors
/// Returns the error with the place of the settings.
pub(super) fn read<T: DeserializeOwned>(
    place: &str,
    table: &Table,
    common: &[&str],
) -> Result<T, InvalidSetting> {
    table.clone().try_into().map_err(|error: toml::de::Error| {
        let below = place_of(&error);
        let is_of_table =
            words::unknown_field(error.message()).is_some_and(|name| below == format!(".{name}"));
        let common = if is_of_table { common } else { &[] };
        words::unreadable(&format!("{place}{below}"), error.message(), common)
    })
}

/// Returns the place of an error below the table that was read, as a path that begins with a dot.
fn place_of(error: &toml::de::Error) -> String {
    let shown = error.to_string();
    // The error shows the tables around a key, but has no method that returns them.
    let tables = shown.trim_end().rsplit_once("\nin `").and_then(|(_, tables)| tables.strip_suffix('`'));
    let unknown = words::unknown_field(error.message());
    tables.into_iter().chain(unknown).map(|part| format!(".{part}")).collect()
}

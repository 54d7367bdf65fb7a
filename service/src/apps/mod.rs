//! Workflow apps: sequences of engines with inputs filled in.
//!
//! An app is data. Some apps are built in. An operator adds others in `apps.json` of the data folder, for
//! everybody or for one API key. A run is a task with several steps.

mod check;
mod fill;
mod input;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asset_api_server::models::apps::AppInput;
use serde::Deserialize;
use serde_json::Value;

use crate::engine::registry::Registry;

pub(crate) use input::violations;

/// The name of the file with an operator's apps, in the data folder.
pub const FILE: &str = "apps.json";

/// A workflow app.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// The id.
    pub sqid: String,
    /// The name.
    pub name: String,
    /// The name of an icon.
    #[serde(default)]
    pub icon: String,
    /// The category.
    #[serde(default)]
    pub category: String,
    /// The cost of a run.
    #[serde(default)]
    pub total_cost: f64,
    /// The API key that owns it, as the 8 characters after `svc_`.
    ///
    /// Without an owner, every key may run it.
    #[serde(default)]
    pub owner: Option<String>,
    /// The inputs of a run.
    pub inputs: Vec<AppInput>,
    /// The steps of a run.
    pub steps: Vec<StepTemplate>,
}

/// A step, in which `"{in_1}"` stands for the input with this id.
///
/// It is described for an attached engine (`input`), for the built-in engine (`work` and `media`), or for both.
/// A medium is an input, or the number of an earlier step from 0, which stands for its first file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTemplate {
    /// The family whose engine runs the step.
    pub family: String,
    /// The operation whose body `input` is; by default the only one of the family.
    pub operation: Option<String>,
    /// The model; by default the first one of the family.
    pub model: Option<String>,
    /// The body of a request, with media.
    pub input: Option<Value>,
    /// The modality of the built-in engine and its parameters.
    pub work: Option<Value>,
    /// The media of the built-in engine.
    #[serde(default)]
    pub media: Vec<Value>,
}

/// All apps.
#[derive(Debug, Clone, Default)]
pub struct Apps(Vec<App>);

/// Why apps can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum AppsError {
    /// The file can't be read.
    #[error("can't read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is invalid.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The error with its line and column.
        source: serde_json::Error,
    },
    /// An app that can never run.
    #[error("app `{app}`: {why}")]
    App {
        /// The id of the app.
        app: String,
        /// The reason.
        why: String,
    },
}

impl Apps {
    /// Loads the built-in apps and the data folder's.
    ///
    /// An app of the data folder replaces a built-in app with the same id. A built-in app that can never run with
    /// these engines is left out.
    ///
    /// # Errors
    /// Fails if the file can't be read or parsed, or if an app in it can never run with these engines.
    pub fn load(data_dir: &Path, registry: &Registry) -> Result<Self, AppsError> {
        let parse = |path: &Path, text: &str| {
            serde_json::from_str::<Vec<App>>(text)
                .map_err(|source| AppsError::Parse { path: path.to_owned(), source })
        };
        let mut apps = BTreeMap::new();
        let built_in = parse(Path::new("the built-in apps"), include_str!("../../assets/apps.json"))?;
        for app in built_in {
            match app.check(registry) {
                Ok(()) => drop(apps.insert(app.sqid.clone(), app)),
                Err(why) => tracing::warn!(app = app.sqid, why, "a built-in workflow app is not offered"),
            }
        }
        let path = data_dir.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                for app in parse(&path, &text)? {
                    app.check(registry).map_err(|why| AppsError::App { app: app.sqid.clone(), why })?;
                    apps.insert(app.sqid.clone(), app);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(AppsError::Read { path, source }),
        }
        Ok(Self(apps.into_values().collect()))
    }

    /// Returns the apps that this key may run and whose name contains all words.
    ///
    /// They are sorted by name.
    #[must_use]
    pub fn search(&self, key_id: &str, words: &str) -> Vec<&App> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let named = |app: &&App| words.iter().all(|word| app.name.to_lowercase().contains(word.as_str()));
        let mut found: Vec<&App> = self.0.iter().filter(|app| app.is_for(key_id)).filter(named).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// Returns the apps that this key owns.
    #[must_use]
    pub fn owned_by(&self, key_id: &str) -> Vec<&App> {
        self.0.iter().filter(|app| app.owner.as_deref() == Some(key_id)).collect()
    }

    /// Returns the app with this id, if this key may run it.
    #[must_use]
    pub fn find(&self, key_id: &str, sqid: &str) -> Option<&App> {
        self.0.iter().find(|app| app.sqid == sqid && app.is_for(key_id))
    }
}

impl App {
    fn is_for(&self, key_id: &str) -> bool {
        self.owner.as_deref().is_none_or(|owner| owner == key_id)
    }
}

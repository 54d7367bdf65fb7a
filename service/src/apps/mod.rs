//! Workflow apps: several engines one after the other, with inputs filled in.
//!
//! An app is data: some are built in, and an operator adds others in `apps.json` of the data folder, for everybody or for
//! one API key. A run is a task with several steps.

mod check;
mod fill;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asset_api_server::models::apps::AppInput;
use serde::Deserialize;
use serde_json::Value;

use crate::tasks::registry::Registry;

pub use fill::{Filled, FilledMedia, FilledStep};

/// The file of an operator's apps, in the data folder.
pub const FILE: &str = "apps.json";

/// A workflow app.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Its id.
    pub sqid: String,
    /// What people call it.
    pub name: String,
    /// The name of an icon.
    #[serde(default)]
    pub icon: String,
    /// What kind of app it is.
    #[serde(default)]
    pub category: String,
    /// What a run costs.
    #[serde(default)]
    pub total_cost: f64,
    /// The API key that it belongs to: the 8 characters after `svc_`. Without one, it is everybody's.
    #[serde(default)]
    pub owner: Option<String>,
    /// What a run needs.
    pub inputs: Vec<AppInput>,
    /// What is done.
    pub steps: Vec<StepTemplate>,
}

/// A step, in which `"{in_1}"` stands for the input with this id.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTemplate {
    /// The family whose engine does it.
    pub family: String,
    /// The modality and its parameters.
    pub work: Value,
    /// The media: an input, or the number of a file that the steps before have made, from 0.
    #[serde(default)]
    pub media: Vec<Value>,
}

/// All apps.
#[derive(Debug, Clone, Default)]
pub struct Apps(Vec<App>);

/// Why apps can't be used.
#[derive(Debug, thiserror::Error)]
pub enum AppsError {
    /// The file can't be read.
    #[error("{}: can't be read: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what it must be.
    #[error("{}: {source}", path.display())]
    Parse {
        /// Which file.
        path: PathBuf,
        /// Where, and what is wrong.
        source: serde_json::Error,
    },
    /// An app can never run.
    #[error("app `{app}`: {why}")]
    App {
        /// Its id.
        app: String,
        /// What is wrong.
        why: String,
    },
}

impl Apps {
    /// Those that are built in, and those of the data folder. An app there stands for one that is built in with its id.
    ///
    /// # Errors
    /// The file can't be read, or an app in it can never run with these engines.
    pub fn load(data_dir: &Path, registry: &Registry) -> Result<Self, AppsError> {
        let parse = |path: &Path, text: &str| {
            serde_json::from_str::<Vec<App>>(text)
                .map_err(|source| AppsError::Parse { path: path.to_owned(), source })
        };
        let mut apps = BTreeMap::new();
        let built_in =
            parse(Path::new("the apps that are built in"), include_str!("../../assets/apps.json"))?;
        apps.extend(built_in.into_iter().map(|app| (app.sqid.clone(), app)));
        let path = data_dir.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => apps.extend(parse(&path, &text)?.into_iter().map(|app| (app.sqid.clone(), app))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(AppsError::Read { path, source }),
        }
        let apps = Self(apps.into_values().collect());
        for app in &apps.0 {
            app.check(registry).map_err(|why| AppsError::App { app: app.sqid.clone(), why })?;
        }
        Ok(apps)
    }

    /// Those that this key may run and whose name holds these words, in the order of their names.
    #[must_use]
    pub fn search(&self, key_id: &str, words: &str) -> Vec<&App> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let named = |app: &&App| words.iter().all(|word| app.name.to_lowercase().contains(word.as_str()));
        let mut found: Vec<&App> = self.0.iter().filter(|app| app.is_for(key_id)).filter(named).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// Those that belong to this key.
    #[must_use]
    pub fn owned_by(&self, key_id: &str) -> Vec<&App> {
        self.0.iter().filter(|app| app.owner.as_deref() == Some(key_id)).collect()
    }

    /// The app with this id, if this key may run it.
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

//! The settings of engines and families, as the settings file holds them.
//!
//! Each kind of engine reads its own settings from [`EngineSettings::own`] and [`FamilySettings::mapping`].

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml::Table;

use super::call::OnUncertain;
use super::environment::Environment;
use super::family::Family;
use super::limits::cost::Cost;
use super::limits::loras::Lora;
use super::limits::{Limit, Rule};
use super::schema::{self, Create, VOICE};
use super::{Refusal, Request};
use crate::config::{InvalidSetting, read};

/// The settings of an attached engine: a table `[engines.<name>]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineSettings {
    /// The kind: `openai`, `http` or `command`.
    pub kind: String,
    /// The maximum number of requests of this process in progress. Default: 4.
    pub concurrency: Option<usize>,
    /// The action if it is unknown whether the engine accepted a request.
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
    /// The fields that route a request to the attached engine.
    ///
    /// Others go to the built-in engine. Default: the attached engine serves all requests.
    pub with: Vec<String>,
    /// The limits of the model, by the fields of the request.
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

/// An engine's voices, keyed by the API's names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Voices(pub BTreeMap<String, String>);

impl Voices {
    /// Returns the API's names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the engine's voice for the one of the request.
    #[must_use]
    pub fn of(&self, request: Request<'_>) -> Option<&str> {
        self.0.get(request.text(VOICE)?).map(String::as_str)
    }

    /// Returns why the voice of the request can't be used, if there are voices.
    #[must_use]
    pub fn refuse(&self, request: Request<'_>) -> Option<Refusal> {
        let voice = request.text(VOICE).filter(|_| !self.0.is_empty())?;
        let names = || self.names().collect::<Vec<_>>().join(", ");
        (!self.0.contains_key(voice)).then(|| Refusal::new(VOICE, format!("must be one of {}", names())))
    }
}

/// Returns the variables that templates of all kinds have for a request.
pub(super) fn variables(request: Request<'_>, voices: &Voices, seed: u64) -> Map<String, Value> {
    let mut variables = Map::new();
    variables.insert("request".to_owned(), request.input.map(|input| input.body.clone()).unwrap_or_default());
    // Models and programs commonly take signed 32-bit seeds.
    variables.insert("seed".to_owned(), Value::from(seed & 0x7fff_ffff));
    let model = request.input.and_then(|input| input.model.as_deref());
    let others = [("voice", voices.of(request)), ("model", model)];
    variables
        .extend(others.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?)))));
    variables
}

/// How the built-in engines work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
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

/// The settings of the engines of all families.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Whether programs serve families wherever they are installed: see [`local`](super::registry::local).
    pub local_programs: Option<bool>,
    /// Whether the built-in engines serve the families without an attached engine. Default: `true`.
    pub built_in_engines: Option<bool>,
    /// How the built-in engines work.
    pub built_in: BuiltInSettings,
    /// Attached engines, by name.
    pub engines: BTreeMap<String, EngineSettings>,
    /// The engine of each family, and how it serves the family.
    pub families: BTreeMap<String, FamilySettings>,
    /// The models of each family.
    pub models: BTreeMap<String, Vec<String>>,
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
    /// The environment of the engine.
    pub environment: &'a Environment,
}

/// The settings that engines of all kinds have.
pub(super) const OF_ENGINES: &[&str] = &["kind", "concurrency", "on-uncertain"];

/// The settings that families have with engines of all kinds.
const OF_FAMILIES: &[&str] = &["engine", "with", "limits", "rules", "cost", "loras"];

impl Attachment<'_> {
    /// Reads the settings of the engine's kind.
    ///
    /// # Errors
    /// Returns the error with the key in the settings.
    pub fn engine<T: DeserializeOwned>(&self) -> Result<T, InvalidSetting> {
        read(&format!("engines.{}", self.name), &self.engine.own, OF_ENGINES)
    }

    /// Reads the settings of the engine's kind for the family.
    ///
    /// # Errors
    /// Returns the error with the key in the settings.
    pub fn mapping<T: DeserializeOwned>(&self) -> Result<T, InvalidSetting> {
        read(&format!("families.{}", self.family.name), &self.settings.mapping, OF_FAMILIES)
    }

    /// Returns the family's create operations with examples that the engine serves.
    pub(super) fn examples(&self) -> Vec<Create> {
        schema::examples_with(self.family, &self.settings.with)
    }
}

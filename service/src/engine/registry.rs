//! The engine and the models of each family: built-in defaults plus settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attached::Attached;
use super::breaker::Breaker;
use super::builtin::BuiltIn;
use super::call::OnUncertain;
use super::command;
use super::family::{self, Family, STANDARD};
use super::http;
use super::lane::{BUILT_IN_ENGINES, Lane};
use super::limits::{Limits, Rule};
use super::local::{EnginesAndFamilies, has_local_programs, with_local_programs};
use super::openai;
use super::settings::{Attachment, EngineSettings, Environment, FamilySettings};
use super::work::BUILT_IN;
use super::{Engine, Input, Request, loras};
use crate::config::{BuiltInSettings, InvalidSetting, Settings, words};

/// The engine name in the settings that turns a family off.
const NONE: &str = "none";

/// The requests of an attached engine in progress, by default.
const CONCURRENCY: usize = 4;

/// The engine and the models of each family.
#[derive(Clone, Default)]
pub struct Registry {
    /// Engines from the settings.
    ///
    /// Other families have their default, [`Family::engine`].
    families: BTreeMap<&'static str, Served>,
    /// Models from the settings. Other families with models have [`STANDARD`] only.
    models: BTreeMap<&'static str, Vec<String>>,
    lanes: Vec<Arc<Lane>>,
    built_in: BuiltInSettings,
    /// Whether families have no default engine.
    is_without_built_in: bool,
}

/// Who serves a family.
#[derive(Clone)]
enum Served {
    Nobody,
    BuiltIn(String),
    Attached(Arc<Attached>),
}

/// Why the engine and model settings are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The family is unknown.
    #[error("unknown family `{name}`; known families: {}", names())]
    UnknownFamily {
        /// The table of the settings.
        table: &'static str,
        /// The name in the settings.
        name: String,
    },
    /// The kind of an engine is unknown.
    #[error("unknown kind `{kind}` in `engines.{engine}`; known kinds: {}", KINDS.join(", "))]
    UnknownKind {
        /// The engine.
        engine: String,
        /// The kind in the settings.
        kind: String,
    },
    /// An attached engine has the name of a built-in one.
    #[error("`engines.{0}`: this is the name of a built-in engine or of none; choose another name")]
    EngineName(String),
    /// Settings of an engine's kind are invalid.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// The family has no models.
    #[error("family `{family}` has no models: its path {path} contains no {{model}}")]
    NoModels {
        /// The family.
        family: &'static str,
        /// The path of the family.
        path: &'static str,
    },
    /// The model's name can't be part of a path.
    #[error(
        "invalid model name `{model}` for family `{family}`: use ASCII letters, digits, `-`, `_` and `.`"
    )]
    ModelName {
        /// The family.
        family: &'static str,
        /// The model name in the settings.
        model: String,
    },
}

impl RegistryError {
    /// Returns the setting's key in the file: see [`InvalidSetting::setting`].
    #[must_use]
    pub fn setting(&self) -> String {
        match self {
            Self::UnknownFamily { table, name } => format!("{table}.{name}"),
            Self::UnknownKind { engine, .. } => format!("engines.{engine}.kind"),
            Self::EngineName(engine) => format!("engines.{engine}"),
            Self::Setting(invalid) => invalid.setting.clone(),
            Self::NoModels { family, .. } | Self::ModelName { family, .. } => format!("models.{family}"),
        }
    }
}

fn names() -> String {
    family::ALL.iter().map(|family| family.name).collect::<Vec<_>>().join(", ")
}

impl Registry {
    /// Creates the registry of these settings, with the programs that are installed on this machine.
    ///
    /// # Errors
    /// Returns the first invalid setting.
    pub fn of(settings: &Settings, environment: &Environment) -> Result<Self, RegistryError> {
        let given =
            EnginesAndFamilies { engines: settings.engines.clone(), families: settings.families.clone() };
        let all = if has_local_programs(settings, environment) {
            with_local_programs(given, environment)
        } else {
            given
        };
        let is_without_built_in = settings.built_in_engines == Some(false);
        let empty = Self { built_in: settings.built_in, is_without_built_in, ..Self::default() };
        empty.configured(&all.engines, &all.families, &settings.models, environment)
    }

    /// Creates a registry from the settings: engines by name, families and their models by family name.
    ///
    /// # Errors
    /// Returns the first invalid setting.
    pub fn new(
        engines: &BTreeMap<String, EngineSettings>,
        families: &BTreeMap<String, FamilySettings>,
        models: &BTreeMap<String, Vec<String>>,
        environment: &Environment,
    ) -> Result<Self, RegistryError> {
        Self::default().configured(engines, families, models, environment)
    }

    /// Adds the engines, families and models of the settings.
    fn configured(
        self,
        engines: &BTreeMap<String, EngineSettings>,
        families: &BTreeMap<String, FamilySettings>,
        models: &BTreeMap<String, Vec<String>>,
        environment: &Environment,
    ) -> Result<Self, RegistryError> {
        let mut registry = Self { lanes: lanes(engines, families)?, ..self };
        for (name, settings) in families {
            let family = known("families", name)?;
            if let Some(served) = registry.served(family, settings, engines, environment)? {
                registry.families.insert(family.name, served);
            }
        }
        for (name, models) in models {
            let family = known("models", name)?;
            if !family.has_models() {
                return Err(RegistryError::NoModels { family: family.name, path: family.path });
            }
            if let Some(model) = models.iter().find(|model| !is_model_name(model)) {
                return Err(RegistryError::ModelName { family: family.name, model: model.clone() });
            }
            registry.models.insert(family.name, models.clone());
        }
        Ok(registry)
    }

    /// Returns who serves a family; `None` if the settings name no engine.
    fn served(
        &self,
        family: &'static Family,
        settings: &FamilySettings,
        engines: &BTreeMap<String, EngineSettings>,
        environment: &Environment,
    ) -> Result<Option<Served>, RegistryError> {
        let place = format!("families.{}", family.name);
        let Some(name) = settings.engine.as_deref() else {
            let Some(stray) = settings.of_attached() else { return Ok(None) };
            let names = attachable(family, engines).collect::<Vec<_>>().join(", ");
            let known =
                if names.is_empty() { "none, add a table `[engines.<name>]`" } else { names.as_str() };
            let why = format!(
                "`engine` is missing: add it, because only an attached engine has `{stray}`; known: {known}"
            );
            return Err(InvalidSetting::because(place, why).into());
        };
        let lane = self.lanes.iter().find(|lane| lane.name == name);
        if let Some((lane, engine)) = lane.zip(engines.get(name)) {
            let attachment = Attachment { name, engine, family, settings, environment };
            let attached = Attached::new(Arc::clone(lane), attach(&attachment)?, &attachment)?;
            return Ok(Some(Served::Attached(Arc::new(attached))));
        }
        let served = match name {
            NONE => Served::Nobody,
            name if self.default_engine(family) == Some(name) => Served::BuiltIn(name.to_owned()),
            name => {
                let what = if BUILT_IN.contains(&name) { "engine of this family" } else { "engine" };
                let known: Vec<&str> =
                    attachable(family, engines).chain(self.default_engine(family)).chain([NONE]).collect();
                return Err(words::unknown(&format!("{place}.engine"), what, name, &known).into());
            }
        };
        match settings.of_attached() {
            None => Ok(Some(served)),
            Some(stray) => {
                let expected = "absent: only an attached engine has such settings";
                Err(InvalidSetting::must_be(format!("{place}.{stray}"), expected).into())
            }
        }
    }

    /// Returns the built-in engine that serves a family unless the settings name another.
    #[must_use]
    pub fn default_engine(&self, family: &Family) -> Option<&'static str> {
        family.engine.filter(|_| !self.is_without_built_in)
    }

    /// Returns the configured engine name of a family; `None` if the family is off.
    #[must_use]
    pub fn engine_name(&self, family: &'static Family) -> Option<&str> {
        match self.families.get(family.name) {
            Some(Served::Nobody) => None,
            Some(Served::BuiltIn(name)) => Some(name),
            Some(Served::Attached(attached)) => Some(&attached.lane.name),
            None => self.default_engine(family),
        }
    }

    /// Returns the name of the built-in engine of a family, if one serves any of its requests.
    #[must_use]
    pub fn built_in_name(&self, family: &'static Family) -> Option<&str> {
        match self.families.get(family.name) {
            Some(Served::Nobody) => None,
            Some(Served::BuiltIn(name)) => Some(name),
            Some(Served::Attached(attached)) => {
                self.default_engine(family).filter(|_| !attached.with.is_empty())
            }
            None => self.default_engine(family),
        }
    }

    /// Returns the engine that serves this request.
    ///
    /// A request without an input is a step of a workflow app that holds parameters of a built-in engine. So a
    /// built-in engine runs it.
    #[must_use]
    pub fn engine(&self, request: Request<'_>) -> Option<Arc<dyn Engine>> {
        let family = request.family;
        if let Some(attached) = self.attached_for(family.name, request.input) {
            return Some(Arc::clone(attached) as Arc<dyn Engine>);
        }
        let name = match self.families.get(family.name) {
            Some(Served::Attached(_)) | None => self.default_engine(family)?,
            Some(Served::BuiltIn(name)) => name,
            Some(Served::Nobody) => return None,
        };
        Some(Arc::new(BuiltIn::new(name, self.built_in, request.work?)?))
    }

    /// Returns the attached engine that serves requests of a family with this input.
    fn attached_for(&self, family: &str, input: Option<&Input>) -> Option<&Arc<Attached>> {
        match self.families.get(family) {
            Some(Served::Attached(attached)) => {
                Some(attached).filter(|_| input.is_some_and(|input| attached.takes(input)))
            }
            _ => None,
        }
    }

    /// Returns the lane of the attached engine that serves requests of a family with this input.
    #[must_use]
    pub fn lane_for(&self, family: &str, input: Option<&Input>) -> Option<&Arc<Lane>> {
        self.attached_for(family, input).map(|attached| &attached.lane)
    }

    /// Returns the demand of a step.
    ///
    /// Requests that only an engine with [`with`](FamilySettings::with) takes have one of their own, so that no
    /// process without such an engine claims them.
    #[must_use]
    pub fn needed<'f>(&self, family: &'f str, input: Option<&Input>) -> &'f str {
        match (self.families.get(family), input) {
            (Some(Served::Attached(_)), None) => BUILT_IN_ENGINES,
            (Some(Served::Attached(attached)), Some(input)) if attached.takes(input) => attached.demand,
            _ => family,
        }
    }

    /// Returns whether a lane, and no thread, claims tasks with this demand.
    #[must_use]
    pub fn is_of_lane(&self, demand: &str) -> bool {
        self.lanes.iter().any(|lane| lane.demands.contains(&demand))
    }

    /// Returns the lane of a family that an attached engine serves.
    #[must_use]
    pub fn lane(&self, family: &str) -> Option<&Arc<Lane>> {
        match self.families.get(family) {
            Some(Served::Attached(attached)) => Some(&attached.lane),
            _ => None,
        }
    }

    /// Returns the fields of which a request has to have one, so that the attached engine of a family serves it.
    ///
    /// Returns none if it serves all requests, or there is no attached engine.
    #[must_use]
    pub fn with(&self, family: &Family) -> &[String] {
        match self.families.get(family.name) {
            Some(Served::Attached(attached)) => &attached.with,
            _ => &[],
        }
    }

    /// Returns the attached engine that serves a family, and its lane.
    #[must_use]
    pub fn attached(&self, family: &Family) -> Option<(&Lane, &dyn Engine)> {
        match self.families.get(family.name) {
            Some(Served::Attached(attached)) => Some((&attached.lane, attached.as_ref())),
            _ => None,
        }
    }

    /// Returns the programs among the attached engines, each with its sandbox in words.
    #[must_use]
    pub fn sandboxes(&self) -> BTreeMap<&str, String> {
        let attached = family::ALL.iter().filter_map(|family| self.attached(family));
        attached.filter_map(|(lane, engine)| Some((lane.name.as_str(), engine.sandbox()?))).collect()
    }

    /// Returns what the settings declare that the attached engine of a family takes.
    #[must_use]
    pub fn limits(&self, family: &Family) -> (Limits, Vec<Rule>) {
        match self.families.get(family.name) {
            Some(Served::Attached(attached)) => (attached.limits.clone(), attached.rules.clone()),
            _ => Default::default(),
        }
    }

    /// Returns the models of a family; none if its path names no model.
    #[must_use]
    pub fn models(&self, family: &Family) -> Vec<&str> {
        match self.models.get(family.name) {
            Some(models) => models.iter().map(String::as_str).collect(),
            None if family.has_models() => vec![STANDARD],
            None => Vec::new(),
        }
    }

    /// Returns the LoRAs of a family. No built-in engine has any.
    #[must_use]
    pub fn loras(&self, family: &Family) -> &[loras::Lora] {
        match self.families.get(family.name) {
            Some(Served::Attached(attached)) => &attached.loras,
            _ => &[],
        }
    }

    /// Returns the lanes of all attached engines.
    #[must_use]
    pub fn lanes(&self) -> &[Arc<Lane>] {
        &self.lanes
    }

    /// Returns the families that a built-in engine serves here, so that the work needs a thread.
    #[must_use]
    pub fn on_threads(&self) -> Vec<&'static str> {
        let served = family::ALL.iter().filter(|family| self.built_in_name(family).is_some());
        served.map(|family| family.name).collect()
    }

    /// Returns whether the family has this model. Families without models take `None`.
    #[must_use]
    pub fn has_model(&self, family: &'static Family, model: Option<&str>) -> bool {
        match model {
            None => !family.has_models(),
            Some(model) => self.models(family).contains(&model),
        }
    }
}

/// Returns the lanes of the attached engines.
fn lanes(
    engines: &BTreeMap<String, EngineSettings>,
    families: &BTreeMap<String, FamilySettings>,
) -> Result<Vec<Arc<Lane>>, RegistryError> {
    let lane = |(name, settings): (&String, &EngineSettings)| {
        if name == NONE || BUILT_IN.contains(&name.as_str()) {
            return Err(RegistryError::EngineName(name.clone()));
        }
        if settings.concurrency == Some(0) {
            let setting = format!("engines.{name}.concurrency");
            return Err(InvalidSetting::must_be(setting, "at least 1".to_owned()).into());
        }
        let serves = |settings: &FamilySettings| settings.engine.as_ref() == Some(name);
        let served = families.iter().filter(|(_, settings)| serves(settings));
        Ok(Arc::new(Lane {
            name: name.clone(),
            kind: settings.kind.clone(),
            concurrency: settings.concurrency.unwrap_or(CONCURRENCY),
            on_uncertain: settings.on_uncertain.unwrap_or(match settings.kind.as_str() {
                // A program on this machine costs nothing.
                "command" => OnUncertain::Retry,
                _ => OnUncertain::Fail,
            }),
            demands: served
                .map(|(family, settings)| Ok(demands(known("families", family)?, settings)))
                .collect::<Result<Vec<_>, RegistryError>>()?
                .concat(),
            breaker: Breaker::default(),
        }))
    };
    engines.iter().map(lane).collect()
}

/// Returns the demands of the tasks of a family that its attached engine serves.
fn demands(family: &Family, settings: &FamilySettings) -> Vec<&'static str> {
    match settings.with.is_empty() {
        // Tasks may be left of an engine that only some requests had.
        true => vec![family.name, family.with],
        false => vec![family.with],
    }
}

/// Returns the attached engines that can serve a family.
fn attachable<'e>(
    family: &Family,
    engines: &'e BTreeMap<String, EngineSettings>,
) -> impl Iterator<Item = &'e str> {
    let can_serve = |settings: &EngineSettings| settings.kind != "openai" || openai::serves(family);
    engines.iter().filter(move |(_, settings)| can_serve(settings)).map(|(name, _)| name.as_str())
}

/// The kinds of attached engines.
const KINDS: &[&str] = &["command", "http", "openai"];

/// Creates the engine that serves a family.
fn attach(attachment: &Attachment<'_>) -> Result<Box<dyn Engine>, RegistryError> {
    Ok(match attachment.engine.kind.as_str() {
        "command" => Box::new(command::attach(attachment)?),
        "http" => Box::new(http::attach(attachment)?),
        "openai" => Box::new(openai::attach(attachment)?),
        kind => {
            let (engine, kind) = (attachment.name.to_owned(), kind.to_owned());
            return Err(RegistryError::UnknownKind { engine, kind });
        }
    })
}

/// Checks that all families that a table of the settings names exist.
///
/// # Errors
/// Returns the first name that no family has.
pub fn check_families<'n>(
    table: &'static str,
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), RegistryError> {
    names.into_iter().try_for_each(|name| known(table, name).map(drop))
}

fn known(table: &'static str, name: &str) -> Result<&'static Family, RegistryError> {
    Family::named(name).ok_or_else(|| RegistryError::UnknownFamily { table, name: name.to_owned() })
}

fn is_model_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map<V: Clone>(entries: &[(&str, V)]) -> BTreeMap<String, V> {
        entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn made(
        engines: &BTreeMap<String, EngineSettings>,
        families: &BTreeMap<String, FamilySettings>,
        models: &BTreeMap<String, Vec<String>>,
    ) -> Result<Registry, RegistryError> {
        Registry::new(engines, families, models, &Environment::on_this_machine())
    }

    fn by(family: &str, engine: &str) -> BTreeMap<String, FamilySettings> {
        let settings = FamilySettings { engine: Some(engine.to_owned()), ..FamilySettings::default() };
        BTreeMap::from([(family.to_owned(), settings)])
    }

    #[test]
    fn settings_stand_over_what_is_built_in() -> Result<(), RegistryError> {
        let registry = made(
            &BTreeMap::new(),
            &by("voiceover", NONE),
            &map(&[("image-expand", vec!["wide".to_owned()])]),
        )?;
        assert_eq!(registry.engine_name(&family::VOICEOVER), None);
        assert_eq!(registry.engine_name(&family::SOUND_EFFECTS), Some("procedural-sound"));
        assert!(registry.has_model(&family::IMAGE_EXPAND, Some("wide")));
        assert!(!registry.has_model(&family::IMAGE_EXPAND, Some("standard")));
        assert!(registry.has_model(&family::IMAGE_EDIT, Some("standard")));
        assert!(registry.has_model(&family::VOICEOVER, None));
        Ok(())
    }

    #[test]
    fn without_built_in_engines_only_attached_ones_serve() {
        let registry = |settings: &str| {
            let settings = toml::from_str(&format!("local-programs = false\n{settings}")).unwrap();
            Registry::of(&settings, &Environment::on_this_machine())
        };
        let off = registry("built-in-engines = false").unwrap();
        assert!(family::ALL.iter().all(|family| off.engine_name(family).is_none()));
        assert_eq!(off.on_threads(), [""; 0]);
        let on = registry("built-in-engines = true").unwrap();
        assert!(family::ALL.iter().all(|family| on.engine_name(family) == family.engine));
        let named = registry("built-in-engines = false\nfamilies.voiceover.engine = 'formant-speech'");
        let error = named.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`formant-speech`; known: none"), "{error}");
    }

    #[test]
    fn names_that_nothing_is_called_are_refused() {
        let (none, models) = (BTreeMap::new(), BTreeMap::new());
        let unknown = made(&none, &by("voice", NONE), &models).err();
        assert!(matches!(unknown, Some(RegistryError::UnknownFamily { .. })));
        let unknown = made(&none, &by("voiceover", "gpt"), &models).err();
        let unknown = unknown.map(|error| error.to_string()).unwrap_or_default();
        assert!(unknown.contains("unknown engine `gpt`"), "{unknown}");
        let stray = toml::from_str("[voiceover]\nvoices = { a = 'b' }").unwrap();
        let unknown = made(&none, &stray, &models).err();
        assert!(matches!(unknown, Some(RegistryError::Setting(_))), "{unknown:?}");
        let none_given = BTreeMap::new();
        let unknown = made(&none, &none_given, &map(&[("voiceover", vec!["x".to_owned()])])).err();
        assert!(matches!(unknown, Some(RegistryError::NoModels { .. })));
        let unknown = made(&none, &none_given, &map(&[("image-edit", vec!["a/b".to_owned()])])).err();
        assert!(matches!(unknown, Some(RegistryError::ModelName { .. })));
        let engines = toml::from_str("[local]\nkind = 'abacus'").unwrap();
        let unknown = made(&engines, &by("voiceover", "local"), &models).err();
        assert!(matches!(unknown, Some(RegistryError::UnknownKind { .. })));
        let engines = toml::from_str("[formant-speech]\nkind = 'http'").unwrap();
        let unknown = made(&engines, &none_given, &models).err();
        assert!(matches!(unknown, Some(RegistryError::EngineName(_))));
    }

    #[test]
    fn some_requests_of_a_family_have_an_engine_of_their_own() {
        let text = "
            [engines.p]
            kind = 'command'
            program = '/bin/true'
            on-uncertain = 'fail'
            [families.image-to-video]
            engine = 'p'
            with = ['video_url', 'audio_url']
            args = []
            output = 'a.mp4'";
        let settings: EnginesAndFamilies = toml::from_str(text).unwrap();
        let registry = made(&settings.engines, &settings.families, &BTreeMap::new()).unwrap();
        let family = &family::IMAGE_TO_VIDEO;
        let input = |body| Input { operation: "create_image_to_video".to_owned(), model: None, body };
        for (body, is_attached) in [
            (serde_json::json!({"video_url": ""}), true),
            (serde_json::json!({"start_image_url": "", "audio_url": ""}), true),
            (serde_json::json!({"start_image_url": "", "video_url": null}), false),
        ] {
            let input = input(body);
            let lane = registry.lane_for(family.name, Some(&input));
            assert_eq!(lane.map(|lane| lane.on_uncertain), is_attached.then_some(OnUncertain::Fail));
            let needed = if is_attached { family.with } else { family.name };
            assert_eq!(registry.needed(family.name, Some(&input)), needed);
            let engine = registry.engine(Request { family, input: Some(&input), work: None });
            assert_eq!(engine.map(|engine| engine.name().to_owned()), is_attached.then(|| "p".to_owned()));
        }
        assert_eq!(registry.needed(family.name, None), BUILT_IN_ENGINES);
        assert_eq!(registry.built_in_name(family), family.engine);
        assert_eq!(registry.needed("voiceover", None), "voiceover");
        assert!(registry.on_threads().contains(&family.name) && !registry.is_of_lane(family.name));
        assert!(registry.is_of_lane(family.with));
    }

    #[test]
    fn every_family_has_a_name_and_a_path_of_its_own() {
        for (index, family) in family::ALL.iter().enumerate() {
            for other in &family::ALL[index + 1..] {
                assert_ne!(family.name, other.name);
                assert_ne!(family.path, other.path);
            }
        }
    }
}

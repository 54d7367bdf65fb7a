//! The engine and the models of each family: built-in defaults plus settings.

mod attached;
pub mod breaker;
pub(crate) mod known;
pub mod lane;
pub mod local;
pub(crate) mod shipped;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::{InvalidSetting, unknown};
use crate::engine::builtin::BuiltIn;
use crate::engine::environment::Environment;
use crate::engine::family::{self, Family, STANDARD};
use crate::engine::limits::loras::Lora;
use crate::engine::limits::{Limits, Rule};
use crate::engine::settings::{Attachment, BuiltInSettings, EngineSettings, FamilySettings, Settings};
use crate::engine::work::{BUILT_IN, Instructions, Work};
use crate::engine::{Engine, Input, Request, command, http, openai};
use attached::Attached;
use lane::{Lane, lanes};
use local::{has_local_programs, with_local_programs};

/// The engine name in the settings that turns a family off.
const NONE: &str = "none";

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

/// The engine that serves a family.
#[derive(Clone)]
enum Served {
    Nobody,
    BuiltIn(String),
    Attached(Arc<Attached>),
}

impl Registry {
    /// Creates the registry of these settings, with the programs that are installed on this machine.
    ///
    /// # Errors
    /// Returns the first invalid setting.
    pub fn of(mut settings: Settings, environment: &Environment) -> Result<Self, InvalidSetting> {
        if has_local_programs(settings.local_programs, environment) {
            settings = with_local_programs(settings, environment);
        }
        let Settings { engines, families, models, built_in, built_in_engines, .. } = &settings;
        let mut registry = Self {
            lanes: lanes(engines, families)?,
            built_in: *built_in,
            is_without_built_in: *built_in_engines == Some(false),
            ..Self::default()
        };
        for (name, settings) in families {
            let family = known("families", name)?;
            if let Some(served) = registry.served(family, settings, engines, environment)? {
                registry.families.insert(family.name, served);
            }
        }
        for (name, models) in models {
            let family = known("models", name)?;
            let invalid = |why: String| Err(InvalidSetting::because(format!("models.{name}"), why));
            if !family.has_models() {
                let path = family.path;
                return invalid(format!("the family has no models: its path {path} contains no {{model}}"));
            }
            if let Some(model) = models.iter().find(|model| !is_model_name(model)) {
                let allowed = "use ASCII letters, digits, `-`, `_` and `.`";
                return invalid(format!("invalid model name `{model}`: {allowed}"));
            }
            registry.models.insert(family.name, models.clone());
        }
        Ok(registry)
    }

    /// Returns the engine that serves a family; `None` if the settings name no engine.
    fn served(
        &self,
        family: &'static Family,
        settings: &FamilySettings,
        engines: &BTreeMap<String, EngineSettings>,
        environment: &Environment,
    ) -> Result<Option<Served>, InvalidSetting> {
        let table = format!("families.{}", family.name);
        let Some(name) = settings.engine.as_deref() else {
            let Some(stray) = settings.of_attached() else { return Ok(None) };
            let names = attachable(family, engines).collect::<Vec<_>>().join(", ");
            let known =
                if names.is_empty() { "none, add a table `[engines.<name>]`" } else { names.as_str() };
            let why = format!(
                "`engine` is missing: add it, because only an attached engine has `{stray}`; known: {known}"
            );
            return Err(InvalidSetting::because(table, why));
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
                return Err(unknown(&format!("{table}.engine"), what, name, &known));
            }
        };
        match settings.of_attached() {
            None => Ok(Some(served)),
            Some(stray) => {
                let expected = "absent: only an attached engine has such settings";
                Err(InvalidSetting::must_be(format!("{table}.{stray}"), expected))
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
        let serves_all =
            self.attached_to(family.name).is_some_and(|attached| attached.settings.with.is_empty());
        self.built_in_beside(family).filter(|_| !serves_all)
    }

    /// Returns the engine that serves this request: the attached one if it takes the input, or else the built-in one.
    #[must_use]
    pub fn engine(&self, request: Request<'_>) -> Option<Arc<dyn Engine>> {
        match self.attached_for(request.family.name, request.input) {
            Some(attached) => Some(Arc::clone(attached) as Arc<dyn Engine>),
            None => self.built_in(request),
        }
    }

    /// Returns the engine that was accepted for a step, if this process has it.
    ///
    /// The attached engine serves the steps that were accepted for it, also after a change of [`with`](FamilySettings::with).
    #[must_use]
    pub fn engine_for(
        &self,
        family: &'static Family,
        instructions: &Instructions,
    ) -> Option<Arc<dyn Engine>> {
        match instructions {
            Instructions::Attached(_) => self.attached_to(family.name).map(|one| Arc::clone(one) as _),
            Instructions::BuiltIn(_) => self.built_in(instructions.request(family)),
        }
    }

    /// Returns the built-in engine of a family that does this work.
    fn built_in(&self, request: Request<'_>) -> Option<Arc<dyn Engine>> {
        let name = self.built_in_beside(request.family)?;
        Some(Arc::new(BuiltIn::new(name, self.built_in, request.work?)?))
    }

    /// Returns the built-in engine of a family, which may also have an attached one.
    fn built_in_beside(&self, family: &'static Family) -> Option<&str> {
        match self.families.get(family.name) {
            Some(Served::Attached(_)) | None => self.default_engine(family),
            Some(Served::BuiltIn(name)) => Some(name),
            Some(Served::Nobody) => None,
        }
    }

    /// Returns the instructions for the engine of a request: its input or its parameters; `None` without an engine.
    #[must_use]
    pub fn instructions(
        &self,
        family: &Family,
        input: Option<Input>,
        work: Option<Work>,
    ) -> Option<Instructions> {
        match input {
            Some(input) if self.lane_for(family.name, Some(&input)).is_some() => {
                Some(Instructions::Attached(input))
            }
            _ => work.map(Instructions::BuiltIn),
        }
    }

    /// Returns the attached engine that serves requests of a family with this input.
    fn attached_for(&self, family: &str, input: Option<&Input>) -> Option<&Arc<Attached>> {
        self.attached_to(family).filter(|attached| input.is_some_and(|input| attached.takes(input)))
    }

    fn attached_to(&self, family: &str) -> Option<&Arc<Attached>> {
        match self.families.get(family) {
            Some(Served::Attached(attached)) => Some(attached),
            _ => None,
        }
    }

    /// Returns the lane of the attached engine that serves requests of a family with this input.
    #[must_use]
    pub fn lane_for(&self, family: &str, input: Option<&Input>) -> Option<&Arc<Lane>> {
        self.attached_for(family, input).map(|attached| &attached.lane)
    }

    /// Returns the lane of a family that an attached engine serves.
    #[must_use]
    pub fn lane(&self, family: &str) -> Option<&Arc<Lane>> {
        self.attached_to(family).map(|attached| &attached.lane)
    }

    /// Returns the fields that route a request to the attached engine of a family.
    ///
    /// Returns none if it serves all requests, or there is no attached engine.
    #[must_use]
    pub fn with(&self, family: &Family) -> &[String] {
        self.attached_to(family.name).map_or(&[], |attached| &attached.settings.with)
    }

    /// Returns the attached engine that serves a family, and its lane.
    #[must_use]
    pub fn attached(&self, family: &Family) -> Option<(&Lane, &dyn Engine)> {
        self.attached_to(family.name).map(|attached| (&*attached.lane, &**attached as &dyn Engine))
    }

    /// Returns the programs among the attached engines, each with a description of its sandbox.
    #[must_use]
    pub fn sandboxes(&self) -> BTreeMap<&str, String> {
        let attached = family::ALL.iter().filter_map(|family| self.attached(family));
        attached.filter_map(|(lane, engine)| Some((lane.name.as_str(), engine.sandbox()?))).collect()
    }

    /// Returns the declared limits of a family's attached engine.
    #[must_use]
    pub fn limits(&self, family: &Family) -> (Limits, Vec<Rule>) {
        let settings = self.attached_to(family.name).map(|attached| &attached.settings);
        settings.map(|settings| (settings.limits.clone(), settings.rules.clone())).unwrap_or_default()
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
    pub fn loras(&self, family: &Family) -> &[Lora] {
        self.attached_to(family.name).map_or(&[], |attached| &attached.settings.loras)
    }

    /// Returns the lanes of all attached engines.
    #[must_use]
    pub fn lanes(&self) -> &[Arc<Lane>] {
        &self.lanes
    }

    /// Returns the families that have a built-in engine here, so that its work needs a thread.
    ///
    /// A family with an attached engine is among them: a workflow app may have a step for its built-in engine, and tasks may
    /// be left from before the engine was attached.
    #[must_use]
    pub fn on_threads(&self) -> Vec<&'static str> {
        let served = family::ALL.iter().filter(|family| self.built_in_beside(family).is_some());
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
fn attach(attachment: &Attachment<'_>) -> Result<Box<dyn Engine>, InvalidSetting> {
    Ok(match attachment.engine.kind.as_str() {
        "command" => Box::new(command::attach(attachment)?),
        "http" => Box::new(http::attach(attachment)?),
        "openai" => Box::new(openai::attach(attachment)?),
        kind => return Err(unknown(&format!("engines.{}.kind", attachment.name), "kind", kind, KINDS)),
    })
}

/// Checks that all families that a table of the settings names exist.
///
/// # Errors
/// Returns the first name that no family has.
pub fn check_families<'n>(
    table: &'static str,
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), InvalidSetting> {
    names.into_iter().try_for_each(|name| known(table, name).map(drop))
}

fn known(table: &'static str, name: &str) -> Result<&'static Family, InvalidSetting> {
    let names = || family::ALL.iter().map(|family| family.name).collect::<Vec<_>>();
    Family::named(name).ok_or_else(|| unknown(&format!("{table}.{name}"), "family", name, &names()))
}

fn is_model_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

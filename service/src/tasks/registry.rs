//! The engine and the models of each family: built-in defaults plus settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::family::{self, Family};
use super::work::{AnyEngine, BUILT_IN, Work, built_in};

/// The default model of every family with models.
const STANDARD: &str = "standard";

/// The engine name in the settings that turns a family off.
const NONE: &str = "none";

/// The engine and the models of each family.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// Engines from the settings.
    ///
    /// Other families have their default, [`Family::engine`].
    engines: BTreeMap<&'static str, Option<String>>,
    /// Models from the settings. Other families with models have [`STANDARD`] only.
    models: BTreeMap<&'static str, Vec<String>>,
}

/// Why the engine and model settings are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The family is unknown.
    #[error("unknown family `{name}`; known families: {}", names())]
    UnknownFamily {
        /// The name in the settings.
        name: String,
    },
    /// The engine is unknown.
    #[error("unknown engine `{engine}` for family `{family}`; built-in engines: {}; `none` turns the family off", BUILT_IN.join(", "))]
    UnknownEngine {
        /// The family.
        family: &'static str,
        /// The engine name in the settings.
        engine: String,
    },
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

fn names() -> String {
    family::ALL.iter().map(|family| family.name).collect::<Vec<_>>().join(", ")
}

impl Registry {
    /// Creates a registry from the settings: engines and models by family name.
    ///
    /// # Errors
    /// Returns the first invalid setting.
    pub fn new(
        engines: &BTreeMap<String, String>,
        models: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, RegistryError> {
        let mut registry = Self::default();
        for (name, engine) in engines {
            let family = known(name)?;
            if engine != NONE && !BUILT_IN.contains(&engine.as_str()) {
                return Err(RegistryError::UnknownEngine { family: family.name, engine: engine.clone() });
            }
            registry.engines.insert(family.name, (engine != NONE).then(|| engine.clone()));
        }
        for (name, models) in models {
            let family = known(name)?;
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

    /// Returns the configured engine name of a family; `None` if the family is off.
    #[must_use]
    pub fn engine_name(&self, family: &'static Family) -> Option<&str> {
        match self.engines.get(family.name) {
            Some(engine) => engine.as_deref(),
            None => family.engine,
        }
    }

    /// Returns the engine that does this work for this family.
    #[must_use]
    pub fn engine(&self, family: &'static Family, work: &Work) -> Option<Arc<dyn AnyEngine>> {
        built_in(work, self.engine_name(family)?)
    }

    /// Returns the families that no engine serves.
    #[must_use]
    pub fn unserved(&self) -> Vec<&'static str> {
        family::ALL
            .iter()
            .filter(|family| self.engine_name(family).is_none())
            .map(|family| family.name)
            .collect()
    }

    /// Returns whether the family has this model. Families without models take `None`.
    #[must_use]
    pub fn has_model(&self, family: &'static Family, model: Option<&str>) -> bool {
        match (model, self.models.get(family.name)) {
            (None, _) => !family.has_models(),
            (Some(model), Some(models)) => models.iter().any(|known| known == model),
            (Some(model), None) => model == STANDARD,
        }
    }
}

fn known(name: &str) -> Result<&'static Family, RegistryError> {
    Family::named(name).ok_or_else(|| RegistryError::UnknownFamily { name: name.to_owned() })
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

    #[test]
    fn settings_stand_over_what_is_built_in() -> Result<(), RegistryError> {
        let registry = Registry::new(
            &map(&[("voiceover", NONE.to_owned())]),
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
    fn names_that_nothing_is_called_are_refused() {
        let none = BTreeMap::new();
        let models = BTreeMap::new();
        let unknown = Registry::new(&map(&[("voice", NONE.to_owned())]), &models);
        assert!(matches!(unknown, Err(RegistryError::UnknownFamily { .. })));
        let unknown = Registry::new(&map(&[("voiceover", "gpt".to_owned())]), &models);
        assert!(matches!(unknown, Err(RegistryError::UnknownEngine { .. })));
        let unknown = Registry::new(&none, &map(&[("voiceover", vec!["x".to_owned()])]));
        assert!(matches!(unknown, Err(RegistryError::NoModels { .. })));
        let unknown = Registry::new(&none, &map(&[("image-edit", vec!["a/b".to_owned()])]));
        assert!(matches!(unknown, Err(RegistryError::ModelName { .. })));
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

//! Programs that serve families without any settings, where they are installed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Deserialize;

use super::settings::{EngineSettings, Environment, FamilySettings};

/// The settings of programs that serve families wherever they are in `PATH`.
const PROGRAMS: &[(&str, &str)] = &[("ffmpeg", include_str!("../../assets/engines/ffmpeg.toml"))];

/// The settings of engines and families.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnginesAndFamilies {
    /// Attached engines, by name.
    #[serde(default)]
    pub engines: BTreeMap<String, EngineSettings>,
    /// The families, by name.
    #[serde(default)]
    pub families: BTreeMap<String, FamilySettings>,
}

/// Adds the programs that are installed, for families without settings.
///
/// The settings come first: a family that they name keeps its engine, and a name of an engine that they use
/// keeps its meaning.
#[must_use]
pub fn with_local_programs(
    mut settings: EnginesAndFamilies,
    environment: &Environment,
) -> EnginesAndFamilies {
    for (program, text) in PROGRAMS {
        if settings.engines.contains_key(*program) || environment.program(program).is_none() {
            continue;
        }
        // A test reads all of them.
        let Ok(local) = toml::from_str::<EnginesAndFamilies>(text) else { continue };
        let mut serves = Vec::new();
        for (name, family) in local.families {
            if let Entry::Vacant(vacant) = settings.families.entry(name) {
                serves.push(vacant.key().clone());
                vacant.insert(family);
            }
        }
        if !serves.is_empty() {
            tracing::info!(program, serves = serves.join(", "), "found a program that serves families");
            settings.engines.extend(local.engines);
        }
    }
    settings
}

/// Returns the programs that are missing, each with the families that it would serve.
#[must_use]
pub fn missing(environment: &Environment) -> Vec<(&'static str, Vec<String>)> {
    let missing = PROGRAMS.iter().filter(|(program, _)| environment.program(program).is_none());
    let told = missing.filter_map(|(program, text)| {
        let local = toml::from_str::<EnginesAndFamilies>(text).ok()?;
        Some((*program, local.families.into_keys().collect()))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::family::Family;
    use crate::engine::registry::Registry;

    #[test]
    fn the_settings_of_all_programs_are_valid() {
        let environment = Environment::on_this_machine();
        for (program, text) in PROGRAMS {
            let mut local: EnginesAndFamilies = toml::from_str(text).unwrap();
            // The program need not be installed here.
            for engine in local.engines.values_mut() {
                assert_eq!(engine.own["program"].as_str(), Some(*program));
                engine.own.insert("program".to_owned(), "/bin/true".into());
            }
            let registry =
                Registry::new(&local.engines, &local.families, &BTreeMap::new(), &environment).unwrap();
            for name in local.families.keys() {
                assert!(registry.attached(Family::named(name).unwrap()).is_some(), "{program} {name}");
            }
        }
    }
}

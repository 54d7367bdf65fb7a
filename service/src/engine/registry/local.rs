//! Programs that serve families without any settings, where they are installed.

use std::collections::btree_map::Entry;

use super::shipped::{PROGRAMS, Shipped};
use crate::engine::command::{self, sandbox::Sandbox};
use crate::engine::environment::Environment;
use crate::engine::family::Family;
use crate::engine::settings::{Attachment, Settings};

/// Returns the settings that attach a program on this machine.
///
/// Returns `None` if it is not installed, or if a requirement is missing, which it logs.
fn settings_of(program: &Shipped, environment: &Environment) -> Option<Settings> {
    environment.program(program.name).ok()?;
    // A test reads all of them.
    let local: Settings = toml::from_str(program.text).ok()?;
    let engine = local.engines.get(program.name)?;
    for (name, settings) in &local.families {
        let family = Family::named(name)?;
        let attachment = Attachment { name: program.name, engine, family, settings, environment };
        if let Err(why) = command::attach(&attachment) {
            tracing::info!(program = program.name, %why, "found a program that can't serve its families");
            return None;
        }
    }
    Some(local)
}

/// Returns whether installed programs serve families without settings.
///
/// Without the setting, they do only in a sandbox, because they read media that the service has not decoded.
#[must_use]
pub fn has_local_programs(given: Option<bool>, environment: &Environment) -> bool {
    given.unwrap_or_else(|| {
        let sandbox = Sandbox::here(&environment.data_dir);
        if !sandbox.protects() {
            tracing::warn!(
                %sandbox,
                "programs that are installed serve no families, because their sandbox is incomplete; set `local-programs` \
                 to choose"
            );
        }
        sandbox.protects()
    })
}

/// Adds the programs that are installed, for families without settings.
///
/// The settings come first: a family that they name keeps its engine, and a name of an engine that they use
/// keeps its meaning.
#[must_use]
pub fn with_local_programs(mut settings: Settings, environment: &Environment) -> Settings {
    for program in PROGRAMS {
        if settings.engines.contains_key(program.name) {
            continue;
        }
        let Some(local) = settings_of(program, environment) else { continue };
        let mut serves = Vec::new();
        for (name, family) in local.families {
            if let Entry::Vacant(vacant) = settings.families.entry(name) {
                serves.push(family.shown(vacant.key()));
                vacant.insert(family);
            }
        }
        if !serves.is_empty() {
            tracing::info!(
                program = program.name,
                serves = serves.join(", "),
                "found a program that serves families"
            );
            settings.engines.extend(local.engines);
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::engine::registry::Registry;

    #[test]
    fn the_settings_of_all_programs_are_valid() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("voices")).unwrap();
        std::fs::write(folder.path().join("voices/joe.onnx"), "").unwrap();
        let environment =
            Environment { data_dir: folder.path().to_owned(), ..Environment::on_this_machine() };
        for Shipped { name, text, .. } in PROGRAMS {
            let mut local: Settings = toml::from_str(text).unwrap();
            // The program need not be installed here.
            for engine in local.engines.values_mut() {
                assert_eq!(engine.own["program"].as_str(), Some(*name));
                engine.own.insert("program".to_owned(), "/bin/true".into());
            }
            let registry =
                Registry::new(&local.engines, &local.families, &BTreeMap::new(), &environment).unwrap();
            for family in local.families.keys() {
                assert!(registry.attached(Family::named(family).unwrap()).is_some(), "{name} {family}");
            }
        }
    }
}

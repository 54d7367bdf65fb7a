//! Keys of the section `[package]` of the crates' manifests, to publish the crates.

use serde::Deserialize;
use toml::{Table, Value};

use super::check_keys;

/// The keys that the settings can have. Name and description differ from crate to crate.
const KEYS: &[&str] = &[
    "authors",
    "categories",
    "documentation",
    "edition",
    "exclude",
    "homepage",
    "include",
    "keywords",
    "license",
    "license-file",
    "publish",
    "readme",
    "repository",
    "rust-version",
    "version",
];

/// The keys with their values, as in a Cargo manifest. Paths are relative to the folder of each crate.
#[derive(Debug, Default)]
pub struct Package(Table);

impl<'de> Deserialize<'de> for Package {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Table::deserialize(deserializer)?;
        check_keys::<D::Error>(&table, "package", KEYS)?;
        if table.get("version").is_some_and(|version| !version.is_str()) {
            return Err(serde::de::Error::custom(
                "the version of the crates must be a text, because they name it",
            ));
        }
        Ok(Self(table))
    }
}

impl Package {
    /// Returns the version of the crates, if it is set.
    pub fn version(&self) -> Option<&str> {
        self.0.get("version").and_then(Value::as_str)
    }

    /// Returns the other keys, each with its value as TOML.
    pub fn others(&self) -> impl Iterator<Item = (&str, String)> {
        let others = self.0.iter().filter(|(key, _)| *key != "version");
        others.map(|(key, value)| (key.as_str(), value.to_string()))
    }
}

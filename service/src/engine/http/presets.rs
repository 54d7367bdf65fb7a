//! Presets: the protocols of known providers, as defaults of the engine's settings.

use serde::de::DeserializeOwned;
use toml::{Table, Value as Toml};

use crate::config::{InvalidSetting, read, unknown};
use crate::engine::settings::{Attachment, OF_ENGINES};

/// The protocols of providers, as settings that an engine's own ones override.
const PRESETS: &[(&str, &str)] = &[
    ("comfyui", include_str!("../../../assets/engines/presets/comfyui.toml")),
    ("fal", include_str!("../../../assets/engines/presets/fal.toml")),
    ("piper", include_str!("../../../assets/engines/presets/piper.toml")),
    ("replicate", include_str!("../../../assets/engines/presets/replicate.toml")),
];

/// Reads the settings of an engine, which override its preset.
pub(super) fn with_preset<T: DeserializeOwned>(attachment: &Attachment<'_>) -> Result<T, InvalidSetting> {
    let engine = &format!("engines.{}", attachment.name);
    let common = [OF_ENGINES, &["preset"]].concat();
    let mut own = attachment.engine.own.clone();
    let Some(preset) = own.remove("preset") else { return read(engine, &own, &common) };
    let setting = format!("{engine}.preset");
    let known: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    let name = preset
        .as_str()
        .ok_or_else(|| InvalidSetting::must_be(&setting, format_args!("one of {}", known.join(", "))))?;
    let preset = PRESETS.iter().find(|(known, _)| *known == name);
    let (_, text) = preset.ok_or_else(|| unknown(&setting, "preset", name, &known))?;
    let mut merged: Table =
        toml::from_str(text).map_err(|error| InvalidSetting::because(&setting, error.message()))?;
    merge(&mut merged, own);
    read(engine, &merged, &common)
}

/// Overrides settings with others. Tables are merged, except the body of requests.
fn merge(under: &mut Table, over: Table) {
    for (name, value) in over {
        match (under.get_mut(&name), value) {
            (Some(Toml::Table(under)), Toml::Table(over)) if name != "body" => merge(under, over),
            (_, value) => drop(under.insert(name, value)),
        }
    }
}

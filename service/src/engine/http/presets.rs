//! Presets: the protocols of known providers, as settings under those of the engine.

use serde::de::DeserializeOwned;
use toml::{Table, Value as Toml};

use crate::config::InvalidSetting;
use crate::engine::settings::read;

/// The protocols of providers, as settings that an engine's own ones override.
const PRESETS: &[(&str, &str)] = &[
    ("comfyui", include_str!("../../../assets/engines/presets/comfyui.toml")),
    ("fal", include_str!("../../../assets/engines/presets/fal.toml")),
    ("piper", include_str!("../../../assets/engines/presets/piper.toml")),
    ("replicate", include_str!("../../../assets/engines/presets/replicate.toml")),
];

/// Reads the settings of an engine, over those of its preset.
pub(super) fn with_preset<T: DeserializeOwned>(engine: &str, own: &Table) -> Result<T, InvalidSetting> {
    let mut own = own.clone();
    let Some(preset) = own.remove("preset") else { return read(engine, &own) };
    let text = preset.as_str().and_then(|name| PRESETS.iter().find(|(known, _)| *known == name));
    let known = || PRESETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let (_, text) = text.ok_or_else(|| InvalidSetting {
        setting: format!("{engine}.preset"),
        expected: format!("one of {}", known()),
    })?;
    let mut merged: Table = toml::from_str(text).map_err(|error| InvalidSetting {
        setting: format!("{engine}.preset"),
        expected: format!("valid: {}", error.message()),
    })?;
    merge(&mut merged, own);
    read(engine, &merged)
}

/// Puts settings over others; tables are merged, except the body of requests.
fn merge(under: &mut Table, over: Table) {
    for (name, value) in over {
        match (under.get_mut(&name), value) {
            (Some(Toml::Table(under)), Toml::Table(over)) if name != "body" => merge(under, over),
            (_, value) => drop(under.insert(name, value)),
        }
    }
}

//! Settings that come with the service: of programs, and of models of providers.

use serde::Serialize;

/// Settings of an engine and its families.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Shipped {
    /// The name by which a command prints them.
    pub name: &'static str,
    /// The name of the engine in them.
    pub engine: &'static str,
    /// The settings that they attach.
    pub is: &'static str,
    /// A file of settings.
    #[serde(skip)]
    pub text: &'static str,
    /// Whether the engine is a program on this machine.
    pub is_program: bool,
}

impl Shipped {
    const fn program(name: &'static str, text: &'static str) -> Self {
        let is = "a program that needs no settings where it is in PATH: copy them to change them";
        Self { name, engine: name, is, text, is_program: true }
    }
}

/// Programs that serve families wherever they are in `PATH`, under their names; the first that can serve a family does.
pub(super) const PROGRAMS: &[Shipped] = &[
    Shipped::program("ffmpeg", include_str!("../../../assets/engines/ffmpeg.toml")),
    Shipped::program("piper", include_str!("../../../assets/engines/piper.toml")),
    Shipped::program("espeak-ng", include_str!("../../../assets/engines/espeak-ng.toml")),
];

/// Models of providers.
pub const MODELS: &[Shipped] = &[
    Shipped {
        name: "fal",
        engine: "fal",
        is: "models of fal: copy the tables that you need",
        text: include_str!("../../../assets/engines/models/fal.toml"),
        is_program: false,
    },
    Shipped {
        name: "replicate",
        engine: "replicate",
        is: "models of Replicate: copy the tables that you need",
        text: include_str!("../../../assets/engines/models/replicate.toml"),
        is_program: false,
    },
    Shipped {
        name: "piper-server",
        engine: "piper",
        is: "Piper's own server: copy the tables",
        text: include_str!("../../../assets/engines/models/piper.toml"),
        is_program: false,
    },
];

/// Settings that only [`known`](super::known) engines have.
const OF_KNOWN: &[Shipped] = &[
    Shipped {
        name: "openai",
        engine: "openai",
        is: "models of OpenAI: copy the tables that you need",
        text: include_str!("../../../assets/engines/models/openai.toml"),
        is_program: false,
    },
    Shipped {
        name: "comfyui",
        engine: "comfyui",
        is: "graphs of ComfyUI: copy the tables, and write the name of your checkpoint in place of MODEL",
        text: include_str!("../../../assets/engines/models/comfyui.toml"),
        is_program: false,
    },
    Shipped {
        name: "llama",
        engine: "llama",
        is: "llama.cpp, as `engines add` installs it",
        text: include_str!("../../../assets/engines/add/llama.toml"),
        is_program: true,
    },
    Shipped {
        name: "real-esrgan",
        engine: "real-esrgan",
        is: "Real-ESRGAN, as `engines add` installs it",
        text: include_str!("../../../assets/engines/add/real-esrgan.toml"),
        is_program: true,
    },
];

/// Returns all of them.
pub fn all() -> impl Iterator<Item = Shipped> {
    [PROGRAMS, MODELS, OF_KNOWN].into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::settings::Settings;

    #[test]
    fn each_has_a_name_of_its_own_and_settings_of_its_engine() {
        let names: BTreeSet<&str> = all().map(|one| one.name).collect();
        assert_eq!(names.len(), all().count());
        for Shipped { name, engine, text, .. } in all() {
            let settings: Settings = toml::from_str(text).unwrap();
            assert_eq!(settings.engines.keys().collect::<Vec<_>>(), [engine], "{name}");
            assert!(!settings.families.is_empty(), "{name}");
        }
    }
}

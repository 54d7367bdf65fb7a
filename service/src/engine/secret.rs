//! Secrets of engines: read from a file or the environment, never shown.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::environment::Environment;
use crate::config::InvalidSetting;

/// A secret, such as a provider's API key. Its debug text does not show it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret for tests.
    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the secret, for the request that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in the text of a server, because some servers quote it.
    #[must_use]
    pub fn removed_from(&self, text: &str) -> String {
        text.replace(&self.0, "(key)")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// The source of a secret in the settings: `{ env = "NAME" }` or `{ file = "path" }`.
///
/// The settings file itself never holds one, because it is copied, checked in and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// A file, relative to the data folder.
    File(String),
    /// An environment variable.
    Env(String),
}

impl<'de> Deserialize<'de> for SecretSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SourceVisitor)
    }
}

/// Reads a source. The value may be the key itself, which no error may show.
struct SourceVisitor;

impl<'de> Visitor<'de> for SourceVisitor {
    type Value = SecretSource;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`{ env = \"NAME\" }` or `{ file = \"path\" }`")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<SecretSource, E> {
        let why = "the settings can't contain a key: write `{ env = \"NAME\" }` or `{ file = \"path\" }`";
        Err(E::custom(why))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SecretSource, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            file: Option<String>,
            env: Option<String>,
        }

        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        match (table.file, table.env) {
            (Some(file), None) => Ok(SecretSource::File(file)),
            (None, Some(env)) => Ok(SecretSource::Env(env)),
            _ => Err(A::Error::custom("set either `file` or `env`")),
        }
    }
}

impl SecretSource {
    /// Reads the secret of this setting, without white space at its ends.
    ///
    /// # Errors
    /// Fails if the source can't be read, is empty, or contains other characters than visible ASCII ones.
    pub fn read(&self, setting: &str, environment: &Environment) -> Result<Secret, InvalidSetting> {
        let invalid = |why: String| InvalidSetting::because(setting, why);
        let (source, text) = match self {
            Self::File(file) => {
                let path = environment.path(file);
                let source = format!("the key file `{}`", path.display());
                let text = std::fs::read_to_string(&path).map_err(|error| {
                    // A text without these characters may be the key itself.
                    let source = match file.contains(['/', '.', '\\']) {
                        true => source.as_str(),
                        false => "the key file that `file` names (its path, not the key)",
                    };
                    invalid(format!("{source} can't be read: {error}"))
                })?;
                (source, text)
            }
            Self::Env(name) => {
                let source = of_variable(name);
                let text = std::env::var_os(name).ok_or_else(|| invalid(format!("{source} is not set")))?;
                // Bytes that are not UTF-8 become a character that no key has.
                (source, text.to_string_lossy().into_owned())
            }
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(invalid(format!("{source} is empty")));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid(format!("{source} holds no key: a key has visible ASCII characters only")));
        }
        Ok(Secret(text.to_owned()))
    }
}

/// Names an environment variable. A name of another form is not shown, because it may be the key itself.
fn of_variable(name: &str) -> String {
    let is_usual =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    match is_usual {
        true => format!("the environment variable `{name}`"),
        false => "the environment variable that `env` names (its name, not the key)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the key of a source, in a data folder with a file `key` that has this text.
    fn read(source: &str, text: &str) -> Result<Secret, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key"), text).unwrap();
        let environment =
            Environment { data_dir: folder.path().to_owned(), ..Environment::on_this_machine() };
        let source = toml::from_str::<toml::Value>(source).unwrap();
        let source: SecretSource = source.try_into().map_err(|error: toml::de::Error| error.to_string())?;
        let read = source.read("engines.a.key", &environment);
        read.map_err(|error| error.to_string().replace(&folder.path().display().to_string(), "/data"))
    }

    #[test]
    fn a_secret_is_read_and_never_shown() {
        let secret = read("file = 'key'", "sk-1234\n").unwrap();
        assert_eq!(secret.reveal(), "sk-1234");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn a_source_without_a_key_is_reported() {
        for (source, text, expected) in [
            ("file = 'key'", " \n", "`engines.a.key`: the key file `/data/key` is empty"),
            ("file = 'key'", "sk two", "`engines.a.key`: the key file `/data/key` holds no key: "),
            ("file = 'key'", "sk-\u{e9}", "`engines.a.key`: the key file `/data/key` holds no key: "),
            (
                "file = 'no/ky'",
                "sk",
                "`engines.a.key`: the key file `/data/no/ky` can't be read: No such file",
            ),
            (
                "file = 'sk-abc'",
                "sk",
                "`engines.a.key`: the key file that `file` names (its path, not the key) can't be read",
            ),
            ("", "sk", "set either `file` or `env`"),
            ("file = 'key'\nenv = 'SK'", "sk", "set either `file` or `env`"),
            ("env = 'NO_SUCH'", "sk", "`engines.a.key`: the environment variable `NO_SUCH` is not set"),
            (
                "env = 'sk-1234'",
                "sk",
                "`engines.a.key`: the environment variable that `env` names (its name, not the key)",
            ),
        ] {
            let message = read(source, text).unwrap_err();
            assert!(message.starts_with(expected) && !message.contains("sk"), "{source}: {message}");
        }
    }
}

//! Secrets of engines: read from a file or the environment, never shown.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

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

    /// Removes the secret from what a server says: some quote it.
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

/// Where the settings say that a secret is.
///
/// The settings file itself never holds one, because it is copied, checked in and shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SecretSource {
    /// A file, relative to the data folder.
    pub file: Option<String>,
    /// An environment variable.
    pub env: Option<String>,
}

impl SecretSource {
    /// Reads the secret of this setting, without white space at its ends.
    ///
    /// # Errors
    /// The source is not one of the two, or there is no text that fits into a header.
    pub fn read(&self, setting: &str, data_dir: &Path) -> Result<Secret, InvalidSetting> {
        let invalid = |expected: String| InvalidSetting { setting: setting.to_owned(), expected };
        let text = match (&self.file, &self.env) {
            (Some(file), None) => std::fs::read_to_string(data_dir.join(file))
                .map_err(|error| invalid(format!("a file that can be read (`{file}`: {error})")))?,
            (None, Some(name)) => std::env::var(name)
                .map_err(|_| invalid(format!("an environment variable that is set (`{name}` is not)")))?,
            _ => return Err(invalid("either `{ file = \"…\" }` or `{ env = \"…\" }`".to_owned())),
        };
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid("the source of a key of visible ASCII characters".to_owned()));
        }
        Ok(Secret(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_file(text: &str) -> Result<Secret, InvalidSetting> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key"), text).unwrap();
        let source = SecretSource { file: Some("key".to_owned()), env: None };
        source.read("engines.a.key", folder.path())
    }

    #[test]
    fn a_secret_is_read_and_never_shown() {
        let secret = from_file("sk-1234\n").unwrap();
        assert_eq!(secret.reveal(), "sk-1234");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn a_source_without_a_key_is_reported() {
        for text in ["", " \n", "two words", "sk-\u{e9}"] {
            let told = from_file(text).unwrap_err().to_string();
            assert!(told.contains("`engines.a.key` must be") && !told.contains("sk-"), "{told}");
        }
        let neither = SecretSource::default().read("engines.a.key", Path::new("/")).unwrap_err();
        assert!(neither.expected.contains("either"));
        let missing = SecretSource { env: Some("NO_SUCH_VARIABLE_HERE".to_owned()), file: None };
        assert!(missing.read("engines.a.key", Path::new("/")).is_err());
    }
}

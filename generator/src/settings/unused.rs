//! Settings that have no effect, because nothing uses them.

use super::{Config, ConfigDiagnostic, SettingsFile};
use crate::options::{Setting, UnusedSetting};

impl Config {
    /// Returns the settings without effect as (errors, warnings), in file order.
    pub fn without_effect(
        &self,
        file: &SettingsFile,
        unused: &[UnusedSetting],
    ) -> (Vec<ConfigDiagnostic>, Vec<ConfigDiagnostic>) {
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        for UnusedSetting { setting, message, near, .. } in unused {
            let index = match setting {
                Setting::Only(index) => self.only.get(*index).map(toml::Spanned::span),
                Setting::Omit(index) => self.omit.get(*index).map(toml::Spanned::span),
                Setting::Derive(index) => self.derives.get(*index).map(toml::Spanned::span),
                Setting::Rename(key) => {
                    self.rename.keys().find(|own| own.get_ref() == key).map(toml::Spanned::span)
                }
                Setting::Type(format) => {
                    self.types.keys().find(|key| key.get_ref() == format).map(toml::Spanned::span)
                }
            };
            let help = near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let diagnostic = ConfigDiagnostic::new(
                &file.path,
                &file.text,
                index.unwrap_or_default().start,
                format!("{message}{help}"),
            );
            if setting.is_vital() { errors.push(diagnostic) } else { warnings.push(diagnostic) }
        }
        warnings.extend(self.idle_dependencies(file));
        errors.sort_by_key(ConfigDiagnostic::position);
        warnings.sort_by_key(ConfigDiagnostic::position);
        (errors, warnings)
    }

    /// Returns the dependencies that no path in `types` uses.
    ///
    /// If there are `derives`, it returns none: a derive macro may need crates other than its own.
    fn idle_dependencies<'f>(
        &'f self,
        file: &'f SettingsFile,
    ) -> impl Iterator<Item = ConfigDiagnostic> + 'f {
        let is_idle = |name: &str| {
            let root = format!("{}::", name.replace('-', "_"));
            self.derives.is_empty() && !self.types.values().any(|path| path.0.as_str().contains(&root))
        };
        self.dependencies.keys().filter(move |name| is_idle(name.get_ref())).map(|name| {
            let message = format!(
                "unused dependency `{}`: nothing in `types` or `derives` refers to it",
                name.get_ref()
            );
            ConfigDiagnostic::new(&file.path, &file.text, name.span().start, message)
        })
    }
}

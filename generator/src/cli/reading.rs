//! Arguments and settings that decide how a document is read. `generate` and `outline` have the same.

use std::path::PathBuf;

use openapi_crates::{Formats, Options, Setting, Strictness, Untyped, UnusedSetting};

use super::{
    Failure,
    config::{Config, ConfigError, SettingsFile},
    named, print_stderr,
};

#[derive(Debug, clap::Args)]
pub struct Reading {
    /// Read only this operation, given as operationId, `GET /pets`, tag or path, and what it needs; repeat it for
    /// more [default: `only` in openapi-crates.toml, else all]
    #[arg(long, value_name = "OPERATION")]
    pub only: Vec<String>,
    /// Check no formats of strings, the common ones, or all of JSON Schema [default: common]
    #[arg(long, value_name = "WHICH", value_parser = named(Formats::ALL.iter().copied(), Formats::name))]
    formats: Option<Formats>,
    /// Read a schema without `type` as the type that its keywords imply, or as any value [default: implied]
    #[arg(long, value_name = "HOW", value_parser = named(Untyped::ALL.iter().copied(), Untyped::name))]
    untyped: Option<Untyped>,
    /// Apply this OpenAPI overlay (1.0 or 1.1) to the document first; repeat it for more, in order [default:
    /// `overlays` in openapi-crates.toml]
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// Read settings from this file, which arguments override [default: openapi-crates.toml next to SPEC]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Treat every warning as an error, and write nothing if there is one
    #[arg(long)]
    pub strict: bool,
    /// Show every error and warning, not only the first few of each code
    #[arg(long)]
    pub all_warnings: bool,
}

impl Reading {
    /// Sets the options of the settings, and those of the arguments, which come first.
    pub fn apply(&self, config: &Config, options: Options) -> Options {
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Lenient };
        // The output must not depend on the path of the document.
        let mut options = config.apply(options).without_source().strictness(strictness);
        if !self.only.is_empty() {
            options = options.only(&self.only);
        }
        if let Some(formats) = self.formats {
            options = options.formats(formats);
        }
        if let Some(untyped) = self.untyped {
            options = options.untyped(untyped);
        }
        options
    }

    /// Prints warnings about arguments and settings without effect, and returns their number.
    ///
    /// Fails if any of them is an error: an operation that the document does not have.
    pub fn print_unused(
        &self,
        config: &Config,
        file: Option<&SettingsFile>,
        unused: &[UnusedSetting],
    ) -> Result<usize, Failure> {
        self.check_only(unused)?;
        let Some(file) = file else { return Ok(0) };
        let (mut errors, mut warnings) = config.without_effect(file, unused);
        if self.strict {
            errors.append(&mut warnings);
        }
        if !errors.is_empty() {
            return Err(ConfigError::from(errors).into());
        }
        for warning in &warnings {
            print_stderr(format_args!("warning: {warning}"));
        }
        Ok(warnings.len())
    }

    /// Fails if an argument `--only` matches no operation.
    fn check_only(&self, unused: &[UnusedSetting]) -> Result<(), Failure> {
        let of_arguments =
            |unused: &&UnusedSetting| matches!(unused.setting, Setting::Only(_)) && !self.only.is_empty();
        let Some(unused) = unused.iter().find(of_arguments) else { return Ok(()) };
        let help = unused.near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(Failure::Usage(format!("{}{help}", unused.message.replace("`only`", "`--only`"))))
    }
}

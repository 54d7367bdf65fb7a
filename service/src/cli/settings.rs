//! `settings`: checks the settings, and shows them.

use clap::Subcommand;
use toml::{Table, Value};
use url::Url;

use super::serve::{Arguments, DRAIN, GRACE};
use super::{CommandError, Instance, engines, output};
use crate::apps::Apps;
use crate::engine::command::sandbox::Sandbox;
use crate::engine::registry::check_families;
use crate::settings::Settings;
use crate::webhooks::deliver::DEADLINE;

/// The replacement of a text that may be a secret.
const HIDDEN: &str = "(hidden)";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check the settings, the engines and the workflow apps, as `serve` does at its start
    ///
    /// The exit code is 1 if `serve` would refuse them. The database is not opened, and no engine is tried: see `engines check`.
    Check,
    /// Show all settings that `serve` would have with the same options, with their defaults and without secrets
    ///
    /// Example: asset-service settings show --threads 4
    Show(Box<Arguments>),
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    match command {
        Command::Check => {
            check(instance).map_err(|error| CommandError::Refused(instance.located(error).to_string()))?;
            output::line("the settings are valid")
        }
        Command::Show(arguments) => {
            let settings = effective(instance, &arguments)?;
            let text = toml::to_string(&settings).map_err(std::io::Error::other);
            output::result(text.map_err(CommandError::io("can't write the settings"))?.trim_end(), &settings)
        }
    }
}

fn check(instance: &Instance) -> Result<(), CommandError> {
    let settings = instance.settings()?;
    let registry = engines::registry(instance, &settings)?;
    check_families("deadlines", settings.deadlines.keys())?;
    Apps::load(&instance.data_dir, &registry)?;
    if instance.bucket(&settings).is_some() || settings.redirect_downloads {
        instance.open_files(&settings)?;
    }
    Ok(())
}

/// Returns the settings with these arguments over them and all defaults.
fn effective(instance: &Instance, arguments: &Arguments) -> Result<Table, CommandError> {
    let mut settings = arguments.over(instance.settings()?)?;
    settings.database_url = instance.database_url(&settings).map(str::to_owned);
    settings.files = instance.bucket(&settings).map(str::to_owned);
    let access = settings.access();
    settings.statement_seconds = Some(access.statement.as_secs());
    settings.database_connections = Some(access.connections);
    settings.shutdown_seconds.get_or_insert(GRACE.as_secs());
    settings.drain_seconds.get_or_insert(DRAIN.as_secs());
    settings.webhooks.deadline_seconds.get_or_insert(DEADLINE.as_secs());
    for (setting, default) in [
        (&mut settings.migrate, true),
        (&mut settings.local_programs, Sandbox::here(&instance.data_dir).protects()),
        (&mut settings.built_in_engines, true),
        (&mut settings.allow_private_networks, false),
        (&mut settings.catalogue, true),
    ] {
        setting.get_or_insert(default);
    }
    let shown = Table::try_from(&settings).map_err(std::io::Error::other);
    let mut shown = shown.map_err(CommandError::io("can't show the settings"))?;
    // Their defaults depend on the kind of the engine, so they are shown as the file has them.
    let path = Settings::path(instance.config.as_deref(), &instance.data_dir);
    let written: Table = match std::fs::read_to_string(&path) {
        Ok(text) => text.parse().unwrap_or_default(),
        Err(_) => Table::new(),
    };
    shown.extend(written.into_iter().filter(|(name, _)| matches!(name.as_str(), "engines" | "families")));
    shown.iter_mut().for_each(|(name, value)| hide(value, !matches!(name.as_str(), "engines" | "families")));
    Ok(shown)
}

/// The settings of engines that are not secrets. All other texts can be: keys, headers, variables, arguments, request parts.
const HARMLESS: &[&str] = &["base-url", "engine", "env", "kind", "model", "path", "program"];

/// Replaces texts that may be secrets: passwords in URLs, and texts of engines.
fn hide(value: &mut Value, is_harmless: bool) {
    match value {
        Value::Table(table) => {
            table.iter_mut().for_each(|(name, value)| {
                hide(value, is_harmless || (value.is_str() && HARMLESS.contains(&name.as_str())));
            });
        }
        Value::Array(values) => values.iter_mut().for_each(|value| hide(value, is_harmless)),
        Value::String(text) if !is_harmless => *text = HIDDEN.to_owned(),
        Value::String(text) => {
            if let Some(shown) = without_password(text) {
                *text = shown;
            }
        }
        _ => {}
    }
}

/// Returns a URL without its password and the values of its query; `None` if it has neither.
///
/// A text that contains a URL and is not one itself is hidden as a whole, such as that of a database with several servers.
fn without_password(text: &str) -> Option<String> {
    let Ok(mut url) = Url::parse(text) else { return text.contains("://").then(|| HIDDEN.to_owned()) };
    if !url.has_authority() {
        return None;
    }
    if url.username().is_empty() && url.query().is_none() && url.fragment().is_none() {
        return None;
    }
    url.set_fragment(None);
    if url.password().is_some() {
        url.set_password(Some("hidden")).ok()?;
    } else if !url.username().is_empty() {
        // A token can stand alone.
        url.set_username("hidden").ok()?;
    }
    let names: Vec<String> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
    if !names.is_empty() {
        url.query_pairs_mut().clear().extend_pairs(names.iter().map(|name| (name, "hidden")));
    }
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn local_programs_serve_by_default_only_in_a_sandbox() {
        // Programs may read this folder, so the sandbox does not protect data in it.
        let given = ["asset-service", "--data-dir", "/usr", "settings", "show"];
        let given = crate::cli::Arguments::try_parse_from(given).unwrap();
        let crate::cli::Command::Settings(Command::Show(arguments)) = given.command else { panic!() };
        let shown = effective(&given.instance, &arguments).unwrap();
        assert_eq!(shown["local-programs"].as_bool(), Some(false));
    }

    #[test]
    fn secrets_are_hidden() {
        let mut table: Table = r#"
            database-url = "postgres://user:swordfish@host/name?sslpassword=swordfish"
            base-url = "https://example.com/"
            standbys = "postgres://user:swordfish@one:5432,two:5432/name"
            [engines.a]
            key = { env = "KEY" }
            base-url = "https://user:swordfish@example.com"
            [engines.a.create.headers]
            Authorization = "Bearer swordfish"
            [engines.b]
            key = "swordfish"
            args = ["-H", "Authorization: Bearer swordfish"]
            kind = "command"
            [engines.b.create.body]
            token = "swordfish"
            [engines.b.env]
            TOKEN = "swordfish"
        "#
        .parse()
        .unwrap();
        table.iter_mut().for_each(|(name, value)| hide(value, name != "engines"));
        let text = toml::to_string(&table).unwrap();
        assert!(!text.contains("swordfish"), "{text}");
        for shown in [
            "postgres://user:hidden@host/name",
            "https://example.com/",
            "env = \"KEY\"",
            "Authorization",
            "TOKEN",
        ] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
    }
}

//! `engines`: shows which engine serves each operation, tries the attached engines, attaches known ones, and prints their settings.

mod add;
mod block;
mod check;
mod install;

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::components::guard_and_fetcher;
use super::output::{self, Align, Column};
use super::{CommandError, Instance};
use crate::admin::engines::families;
use crate::engine::command::sandbox::Sandbox;
use crate::engine::environment::Environment;
use crate::engine::registry::Registry;
use crate::engine::registry::shipped::{self, Shipped};
use crate::engine::schema;
use crate::net::guard::Policy;
use crate::settings::Settings;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the operations that create tasks, and the engine that serves each
    ///
    /// Example: asset-service engines list
    List,
    /// Try each attached engine, and print what works and how long it took
    ///
    /// Engines that cost nothing run the document's example of each operation, without what their settings exclude. Of
    /// others, only what is free is tried, such as the list of models: --paid runs the examples too. The exit code is 1 if
    /// an engine does not work, or if nothing of an engine could be tried for one of its families. Other warnings
    /// do not change it.
    ///
    /// Example: asset-service engines check --paid
    Check {
        /// Run the examples on engines that may cost money too
        #[arg(long)]
        paid: bool,
        /// Try only the engines with these names
        names: Vec<String>,
    },
    /// Print settings that come with the service, to copy into asset-service.toml; without a name, list them
    ///
    /// Example: asset-service engines show piper
    Show {
        /// Print the settings with this name
        name: Option<String>,
    },
    /// Attach known engines: write their settings, try them, and print the operations that they serve
    ///
    /// Engines of providers read a key from the environment. Programs and models are installed into the folder `engines` of
    /// the data folder, by `uv` or by Python's venv and pip: the command shows packages, licences and sizes, and asks
    /// first. The settings are added at the end of asset-service.toml, and only if the engine works. A family
    /// that the settings name already keeps its engine.
    ///
    /// Example: asset-service engines add piper llama real-esrgan ffmpeg
    Add(add::Arguments),
    /// Remove engines that `engines add` has attached, with what it has installed for them
    ///
    /// Example: asset-service engines remove piper
    Remove {
        /// Remove the engines with these names
        #[arg(required = true)]
        names: Vec<String>,
    },
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let registry = || registry(instance, &instance.settings()?);
    match command {
        Command::List => list(&registry()?),
        Command::Check { paid, names } => check::check(&registry()?, paid, &names).await,
        Command::Show { name } => show(instance, name.as_deref()),
        Command::Add(arguments) => add::add(instance, &arguments).await,
        Command::Remove { names } => add::remove(instance, &names),
    }
}

/// Reads the settings of the engines, as `serve` does.
pub(super) fn registry(instance: &Instance, settings: &Settings) -> Result<Registry, CommandError> {
    let (_, fetcher) = guard_and_fetcher(Policy {
        allow_private_networks: settings.allow_private_networks.unwrap_or_default(),
        allow_subnets: settings.allow_subnets.clone(),
        ..Policy::default()
    })?;
    let base_url = settings.base_url.as_deref().unwrap_or("http://127.0.0.1:8080");
    let environment = Environment::new(&instance.data_dir, fetcher, base_url);
    Ok(Registry::of(settings.engines(), &environment)?)
}

/// An operation with its engine.
#[derive(Serialize)]
struct Row {
    family: &'static str,
    engine: String,
    kind: String,
    operation: String,
}

fn list(registry: &Registry) -> Result<(), CommandError> {
    let mut rows = Vec::new();
    for family in families() {
        let with = registry.with(family);
        let attached = registry.lane(family.name).map(|lane| (lane.name.as_str(), lane.kind.as_str()));
        let built_in = registry.built_in_name(family).map(|name| (name, "built-in"));
        let others = if with.is_empty() { built_in.or(attached) } else { built_in }.unwrap_or(("none", "-"));
        for create in schema::creates(family) {
            let row = |(engine, kind): (&str, &str), when: &str| {
                let operation = format!("POST {}{when}", create.path);
                let (family, engine, kind) = (family.name, engine.to_owned(), kind.to_owned());
                Row { family, engine, kind, operation }
            };
            rows.push(row(others, ""));
            let has = |field: &&String| schema::has_field(create.post, field);
            let fields: Vec<&str> = with.iter().filter(has).map(String::as_str).collect();
            if let Some(attached) = attached.filter(|_| !fields.is_empty()) {
                rows.push(row(attached, &format!(" with {}", fields.join(" or "))));
            }
        }
    }
    let columns: &[Column<Row>] = &[
        ("family", Align::Left, |row| row.family.to_owned()),
        ("engine", Align::Left, |row| row.engine.clone()),
        ("kind", Align::Left, |row| row.kind.clone()),
        ("operation", Align::Left, |row| row.operation.clone()),
    ];
    output::table(columns, &rows)?;
    let mut sandboxes = registry.sandboxes().into_iter();
    sandboxes.try_for_each(|(engine, sandbox)| {
        let value = json!({"engine": engine, "sandbox": sandbox});
        output::result(format_args!("sandbox of {engine}: {sandbox}"), &value)
    })
}

fn show(instance: &Instance, name: Option<&str>) -> Result<(), CommandError> {
    let Some(name) = name else {
        let columns: &[Column<Shipped>] = &[
            ("name", Align::Left, |one| one.name.to_owned()),
            ("engine", Align::Left, |one| one.engine.to_owned()),
            ("settings of", Align::Left, |one| one.is.to_owned()),
        ];
        return output::table(columns, &shipped::all().collect::<Vec<_>>());
    };
    match shipped::all().find(|one| one.name == name) {
        Some(one) => {
            if one.is_program {
                let sandbox = Sandbox::here(&instance.data_dir);
                output::line(format_args!("# Sandbox of programs on this machine: {sandbox}"))?;
            }
            output::result(one.text.trim_end(), &json!({"name": one.name, "settings": one.text}))
        }
        None => {
            let names: Vec<&str> = shipped::all().map(|one| one.name).collect();
            Err(CommandError::Refused(format!(
                "no settings are called `{name}`; names: {}",
                names.join(", ")
            )))
        }
    }
}

//! `engines add` and `engines remove`: attach known engines in the settings file, with what they need on this machine.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::block;
use super::check;
use super::install::Installation;
use super::{families, output};
use crate::cli::components::guard_and_fetcher;
use crate::cli::{CommandError, Instance};
use crate::config::{self, ConfigError};
use crate::engine::environment::Environment;
use crate::engine::registry::known::{self, Known};
use crate::engine::registry::shipped::Shipped;
use crate::engine::{family::Family, schema};
use crate::net::fetch::{Fetcher, Limits};
use crate::net::guard::Policy;
use crate::settings::Settings;

/// The limits on a server's list of models.
const LIST: Limits = Limits { bytes: 4 * 1024 * 1024, deadline: std::time::Duration::from_secs(10) };

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Attach the engines with these names; without one, list them
    names: Vec<String>,
    /// Call the server at this URL instead of its usual one: a proxy, or a ComfyUI on another machine
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Use this one of the models that the server lists [default: the first]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Install without asking
    #[arg(long)]
    yes: bool,
}

pub(super) async fn add(instance: &Instance, arguments: &Arguments) -> Result<(), CommandError> {
    if arguments.names.is_empty() {
        return known::offers(|_| false).into_iter().try_for_each(output::line);
    }
    let is_of_one = arguments.base_url.is_some() || arguments.model.is_some();
    if is_of_one && arguments.names.len() > 1 {
        let why = "--base-url and --model belong to one engine; add the engines one by one";
        return Err(CommandError::Refused(why.to_owned()));
    }
    instance.make_folder()?;
    for name in &arguments.names {
        let (known, shipped) = named(name)?;
        Addition { instance, arguments, name, known, shipped }.run().await?;
    }
    Ok(())
}

/// Undoes what [`add`] has done.
pub(super) fn remove(instance: &Instance, names: &[String]) -> Result<(), CommandError> {
    for name in names.iter().map(String::as_str) {
        let (known, _) = named(name)?;
        let file = File::read(instance)?;
        let block = file.block(name)?;
        if let Some(block) = &block {
            let text = block::removed(&file.text, block);
            let settings = Settings::parse(&file.path, &text)?;
            let user = settings.families.iter().find(|(_, family)| family.engine.as_deref() == Some(name));
            if let Some((family, _)) = user.filter(|_| !settings.engines.contains_key(name)) {
                let why = format!(
                    "`families.{family}.engine` names `{name}`: change it first; nothing was removed"
                );
                let setting = format!("families.{family}.engine");
                return Err(ConfigError::invalid(&file.path, &text, &setting, &why).into());
            }
            file.replace(&text)?;
        }
        let installation = known.install.as_ref().map(|install| Installation {
            name,
            install,
            data_dir: &instance.data_dir,
        });
        let was_installed = installation.map(|it| it.remove()).transpose()?.unwrap_or_default();
        if block.is_none() && !was_installed {
            return Err(CommandError::Refused(format!(
                "`engines add` has not added `{name}`: {} has no lines of it; tables that a person wrote stay",
                file.path.display()
            )));
        }
        output::line(format_args!("removed {name}; restart `serve` if it runs"))?;
    }
    Ok(())
}

fn named(name: &str) -> Result<(&'static Known, Shipped), CommandError> {
    known::named(name).ok_or_else(|| {
        let names: Vec<&str> = known::all().keys().map(String::as_str).collect();
        CommandError::Refused(config::no_such("engine", name, &names))
    })
}

/// The settings file, as it was read.
struct File {
    path: PathBuf,
    /// Its text; `None` if there is no file.
    read: Option<String>,
    text: String,
}

impl File {
    fn read(instance: &Instance) -> Result<Self, CommandError> {
        // Refuses a file that can't be read, and an invalid one.
        instance.settings()?;
        let path = Settings::path(instance.config.as_deref(), &instance.data_dir);
        let read = std::fs::read_to_string(&path).ok();
        Ok(Self { path, text: read.clone().unwrap_or_default(), read })
    }

    fn block(&self, name: &str) -> Result<Option<std::ops::Range<usize>>, CommandError> {
        block::find(&self.text, name).map_err(|line| {
            let (path, end) = (self.path.display(), format!("# <<< engines add {name}"));
            CommandError::Refused(format!(
                "{path}:{line}: the lines of `{name}` have no end; add the line `{end}` after them, or remove them"
            ))
        })
    }

    /// Writes a new text. A file without one is removed.
    fn replace(&self, text: &str) -> Result<(), CommandError> {
        let what = || format!("can't write the settings file {}", self.path.display());
        if std::fs::read_to_string(&self.path).ok() != self.read {
            let why = format!("{} was changed meanwhile; repeat the command", self.path.display());
            return Err(CommandError::Refused(why));
        }
        let written =
            if text.is_empty() { std::fs::remove_file(&self.path) } else { block::write(&self.path, text) };
        written.map_err(CommandError::io(what()))
    }
}

/// An engine to attach.
struct Addition<'a> {
    instance: &'a Instance,
    arguments: &'a Arguments,
    name: &'a str,
    known: &'static Known,
    shipped: Shipped,
}

impl Addition<'_> {
    async fn run(&self) -> Result<(), CommandError> {
        let file = File::read(self.instance)?;
        let block = file.block(self.name)?;
        let before = Settings::parse(&file.path, &file.text)?;
        self.options_have_effect(block.is_some())?;
        if block.is_none() && before.engines.contains_key(self.name) {
            let why = format!(
                "`engines.{0}` is in the settings already: `engines check {0}` tries it; remove its tables to add those that \
                 come with the service",
                self.name
            );
            return Err(ConfigError::invalid(
                &file.path,
                &file.text,
                &format!("engines.{}", self.name),
                &why,
            )
            .into());
        }
        let text = match block {
            Some(_) => {
                self.installed().await?;
                file.text.clone()
            }
            None => block::added(&file.text, self.name, &self.settings(&before).await?),
        };
        let after = Settings::parse(&file.path, &text)?;
        self.check(&after, &file).await?;
        if block.is_none() {
            file.replace(&text)?;
        }
        self.report(&after, &file)
    }

    /// Refuses options that the engine does not have.
    fn options_have_effect(&self, is_added: bool) -> Result<(), CommandError> {
        let Arguments { base_url, model, .. } = self.arguments;
        let why = if is_added && (base_url.is_some() || model.is_some()) {
            format!("it was added before; `engines remove {}` first, or edit its settings", self.name)
        } else if base_url.is_some() && self.known.install.is_some() {
            "`--base-url` is for servers, and this is a program".to_owned()
        } else if model.is_some() && self.known.models.is_none() {
            "`--model` is for a server that lists its models".to_owned()
        } else {
            return Ok(());
        };
        Err(self.refused(&why))
    }

    /// Returns the settings of the engine, without families that have an engine already.
    async fn settings(&self, before: &Settings) -> Result<String, CommandError> {
        let table = format!("engines.{}", self.name);
        let shipped: Settings =
            toml::from_str(self.shipped.text).map_err(|error| self.refused(&error.to_string()))?;
        let taken = |family: &&String| before.families.contains_key(*family);
        let taken: BTreeSet<&str> = shipped.families.keys().filter(taken).map(String::as_str).collect();
        for family in &taken {
            let engine = before.families.get(*family).and_then(|family| family.engine.as_deref());
            output::line(format_args!("{family} stays with `{}`", engine.unwrap_or("its built-in engine")))?;
        }
        if taken.len() == shipped.families.len() {
            return Err(self.refused(
                "the settings name an engine for each of its families; remove one of these tables first",
            ));
        }
        let mut text = block::without(self.shipped.text, &taken);
        if let Some(url) = &self.arguments.base_url {
            config::base_url(url)
                .map_err(|expected| self.refused(&format!("--base-url must be {expected}")))?;
            text = block::with(&text, &table, "base-url", &url.trim_end_matches('/').into());
        }
        if let Some(path) = &self.known.models {
            text = text.replace("\"MODEL\"", &toml::Value::from(self.model(&text, path).await?).to_string());
        }
        if let Some(installation) = self.installed().await? {
            text = block::with(&text, &table, "read", &installation.read().await.into());
            text = block::with(&text, &table, "program", &installation.program().into());
        }
        Ok(text)
    }

    /// Installs the program of the engine unless it is installed. Returns where it is; `None` if `PATH` has it.
    async fn installed(&self) -> Result<Option<Installation<'_>>, CommandError> {
        let Some(install) = &self.known.install else { return Ok(None) };
        let environment = Environment::new(&self.instance.data_dir, self.fetcher()?, "http://127.0.0.1");
        if install.unless.as_ref().is_some_and(|program| environment.program(program).is_ok()) {
            return Ok(None);
        }
        let installation = Installation { name: self.name, install, data_dir: &self.instance.data_dir };
        if !installation.is_installed() {
            installation.install(&environment, self.arguments.yes).await?;
        }
        Ok(Some(installation))
    }

    /// Returns the model of the server that takes the place of MODEL.
    async fn model(&self, text: &str, path: &str) -> Result<String, CommandError> {
        let table: toml::Table = text.parse().unwrap_or_default();
        let base = table.get("engines").and_then(|engines| engines.get(self.name)?.get("base-url")?.as_str());
        let base = base.unwrap_or_default();
        let advice = "start it, or name its address with `--base-url`";
        let no_server = |why: String| {
            self.refused(&format!("no server lists its models at {base}{path} ({why}); {advice}"))
        };
        let fetched = self.fetcher()?.fetch(&format!("{base}{path}"), LIST).await;
        let fetched = fetched.map_err(|error| no_server(error.for_operator()))?;
        let models: Vec<String> =
            serde_json::from_slice(&fetched).map_err(|error| no_server(error.to_string()))?;
        // An expression would be evaluated.
        let models: Vec<String> = models.into_iter().filter(|model| !model.contains("{{")).collect();
        let list = models.join(", ");
        let model = match &self.arguments.model {
            Some(wanted) => models.iter().find(|model| *model == wanted).ok_or_else(|| {
                self.refused(&format!("the server has no model `{wanted}`; it has: {list}"))
            })?,
            None => models.first().ok_or_else(|| {
                self.refused(&format!(
                    "the server lists no model at {base}{path}; put one into its folder of models"
                ))
            })?,
        };
        output::line(format_args!("model: {model}, of {list}"))?;
        Ok(model.clone())
    }

    /// Returns a client that may reach servers on this machine and in its network.
    fn fetcher(&self) -> Result<Fetcher, CommandError> {
        Ok(guard_and_fetcher(Policy { allow_private_networks: true, ..Policy::default() })?.1)
    }

    /// Tries the engine, as `engines check` does. Others of the settings may have keys that this shell does not have.
    async fn check(&self, settings: &Settings, file: &File) -> Result<(), CommandError> {
        let mut settings = settings.clone();
        settings.local_programs = Some(false);
        settings.engines.retain(|name, _| name == self.name);
        settings.families.retain(|_, family| family.engine.as_deref() == Some(self.name));
        let registry = super::registry(self.instance, &settings).map_err(|error| {
            let key = self.known.key.as_ref();
            let key = key
                .map(|source| format!("; get a key in {source}, and set the variable"))
                .unwrap_or_default();
            self.refused(&format!("{error}{key}"))
        })?;
        let checked = check::check(&registry, false, &[self.name.to_owned()]).await;
        checked.map_err(|error| match error {
            CommandError::Refused(why) => {
                let stays = self.known.install.as_ref().map(|_| {
                    format!(
                        "; what was installed stays for another try, and `engines remove {}` removes it",
                        self.name
                    )
                });
                self.refused(&format!(
                    "{why}; {} is as it was{}",
                    file.path.display(),
                    stays.unwrap_or_default()
                ))
            }
            error => error,
        })
    }

    /// Prints the operations that the engine serves.
    fn report(&self, settings: &Settings, file: &File) -> Result<(), CommandError> {
        output::line(format_args!("{} serves, by {}:", self.name, file.path.display()))?;
        let served = |family: &&'static Family| {
            let engine = settings.families.get(family.name).and_then(|family| family.engine.as_deref());
            engine == Some(self.name)
        };
        for family in families().filter(served) {
            let with = settings.families.get(family.name).map_or(&[][..], |family| family.with.as_slice());
            for create in schema::examples_with(family, with) {
                output::line(format_args!("  POST {}", create.path))?;
            }
        }
        let key = self.known.key.as_ref().map(|_| " with the key in its environment").unwrap_or_default();
        output::line(format_args!("Restart `serve`{key}. `engines remove {}` undoes this.", self.name))
    }

    fn refused(&self, why: &str) -> CommandError {
        CommandError::Refused(format!("can't add `{}`: {why}", self.name))
    }
}

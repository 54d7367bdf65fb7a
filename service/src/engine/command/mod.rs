//! The kind `command`: an engine that is a program on this machine, such as ffmpeg or piper.
//!
//! The program runs without a shell and without the service's environment, in a private folder and a [`sandbox`], with
//! limits on time, memory, processes and bytes. A [`supervisor`] ends all its processes. Texts of clients reach it by a
//! file or the standard input only, because an argument that begins with `-` is an option. Success is exit code 0 and an
//! output that is complete.

mod access;
mod folder;
mod limits;
mod output;
mod plan;
mod process;
pub(crate) mod runs;
pub(crate) mod sandbox;
mod settings;
mod supervisor;
mod tree;
mod voices;
mod watch;

use std::path::Path;

use asset_engines::picture::Info;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::context::Context;
use super::media_fields;
use super::result::on_blocking_thread;
use super::schema::Create;
use super::settings::{Attachment, variables};
use super::template::{Template, Unrendered};
use super::{Engine, Failure, Medium, Output, Probe, Refusal, Request};
use crate::config::InvalidSetting;
use folder::Folder;
use settings::Command;

use process::Work;
use sandbox::Sandbox;
pub(crate) use supervisor::hidden;

/// Attaches a program to a family.
///
/// # Errors
/// A setting is invalid.
pub(super) fn attach(attachment: &Attachment<'_>) -> Result<Program, InvalidSetting> {
    let program = Program { command: Command::read(attachment)? };
    for create in attachment.examples() {
        program.try_example(attachment, &create)?;
    }
    Ok(program)
}

/// A program that serves a family.
pub(super) struct Program {
    command: Command,
}

impl Program {
    /// Renders all templates with an example, so that errors of expressions show at start.
    fn try_example(&self, attachment: &Attachment<'_>, create: &Create) -> Result<(), InvalidSetting> {
        let medium = json!({"path": "medium-0.png", "format": "png", "kind": "image", "seconds": 1.0});
        let media = media_fields::placeholders(attachment.family, &create.example, &medium);
        let input = create.input(attachment.family, self.command.family.voices.names().next());
        let request = Request { family: attachment.family, input: Some(&input), work: None };
        let variables = self.variables(request, Value::Object(media), 1, Path::new("/"));
        let of_family = |setting: &str| format!("families.{}.{setting}", attachment.family.name);
        for (index, template) in self.command.family.args.iter().enumerate() {
            let arguments = arguments(std::slice::from_ref(template), &variables);
            arguments.map_err(|error| create.unfit(of_family(&format!("args[{index}]")), &error))?;
        }
        let files = self.command.family.files.iter().map(|(name, file)| (format!("files.{name}"), file));
        let stdin = self.command.family.stdin.iter().map(|stdin| ("stdin".to_owned(), stdin));
        let seconds = self.command.family.seconds.iter().map(|seconds| ("seconds".to_owned(), seconds));
        for (setting, template) in files.chain(stdin).chain(seconds) {
            template.render(&variables).map_err(|error| create.unfit(of_family(&setting), &error))?;
        }
        Ok(())
    }

    /// Returns the variables of the templates for a run in this folder.
    fn variables(&self, request: Request<'_>, media: Value, seed: u64, folder: &Path) -> Value {
        let mut variables = variables(request, &self.command.family.voices, seed);
        variables.insert("media".to_owned(), media);
        let files = self.command.family.files.keys().map(|name| (name.clone(), json!(folder.join(name))));
        variables.insert("files".to_owned(), Value::Object(files.collect()));
        variables.insert("output".to_owned(), json!(folder.join(self.command.output.name())));
        Value::Object(variables)
    }
}

#[async_trait]
impl Engine for Program {
    fn name(&self) -> &str {
        &self.command.name
    }

    fn refuse(&self, request: Request<'_>, _pictures: &[Option<Info>]) -> Vec<Refusal> {
        self.command.family.voices.refuse(request).into_iter().collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        request.unread(&self.command.reads)
    }

    fn voices(&self) -> Vec<&str> {
        self.command.family.voices.names().collect()
    }

    fn sandbox(&self) -> Option<String> {
        Some(match &self.command.access {
            None => "off: the settings say `sandbox = false`".to_owned(),
            Some(access) if access.network => {
                let beside = Sandbox { sockets: true, ..self.command.sandbox };
                format!("{beside}, with sockets: the settings say `network = true`")
            }
            Some(_) => self.command.sandbox.to_string(),
        })
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Free)
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let bytes = media.iter().map(|medium| medium.bytes.len() as u64).sum();
        let _held = context.account.as_ref().map(|account| account.hold(bytes));
        let runs = self.command.runs.clone();
        // It reads the lengths of media.
        let folder = on_blocking_thread(move || Folder::new(&runs, &media)).await?;
        let variables = self.variables(request, folder.media(), context.seed, folder.path());
        let files = self.command.family.files.iter();
        let files = files.map(|(name, content)| Ok((name.clone(), text(content, &variables)?)));
        folder.write(files.collect::<Result<_, Failure>>()?).await?;
        let stdin = match &self.command.family.stdin {
            Some(content) => Some(text(content, &variables)?),
            None => None,
        };
        let arguments = arguments(&self.command.family.args, &variables)
            .map_err(|error| Failure::Internal(format!("an argument of the command: {error}")))?;
        // Without a length, the progress has no percentage.
        let seconds =
            self.command.family.seconds.as_ref().and_then(|length| length.render(&variables).ok()??.as_f64());
        let work = Work { arguments, stdin, seconds };
        process::run(&self.command, &folder, &work, context).await?;
        output::read(&self.command, &folder, request.family, context).await.map(|output| vec![output])
    }
}

/// Returns the text that a template gives.
fn text(template: &Template, variables: &Value) -> Result<String, Failure> {
    let invalid = |error| Failure::Invalid(format!("The request can't be passed to this engine: {error}"));
    template.text(variables).map(Option::unwrap_or_default).map_err(invalid)
}

/// Returns the arguments: texts and numbers; an array gives several, and what is undefined gives none.
fn arguments(templates: &[Template], variables: &Value) -> Result<Vec<String>, Unrendered> {
    let mut arguments = Vec::with_capacity(templates.len());
    for template in templates {
        match template.render(variables)? {
            None | Some(Value::Null) => {}
            Some(Value::Array(values)) => {
                for value in values {
                    arguments.push(argument(value)?);
                }
            }
            Some(value) => arguments.push(argument(value)?),
        }
    }
    Ok(arguments)
}

fn argument(value: Value) -> Result<String, Unrendered> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(Unrendered("an argument is neither a text nor a number".to_owned())),
    }
}

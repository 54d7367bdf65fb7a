//! The settings of the kind `command`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::runs::RUNS;
use super::sandbox::{Access, Sandbox};
use super::voices;
use crate::config::{Checked, InvalidSetting};
use crate::engine::environment::Environment;
use crate::engine::schema::{self, VOICE};
use crate::engine::settings::{Attachment, Voices};
use crate::engine::template::{Template, Variables};

/// The settings of the engine: `[engines.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct EngineTable {
    /// The program: a path, or a name that is looked up in `PATH`.
    program: String,
    /// Seconds that a run may take. Default: the deadline of the family.
    pub(super) timeout_seconds: Option<u64>,
    /// Environment variables. The program does not inherit the service's own, except `PATH`.
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    /// The memory of all processes, and the address space of each, in MiB.
    ///
    /// Default: half of the memory that the service may use, and any address space.
    pub(super) memory_mib: Option<u64>,
    /// The processes and threads. Default: 64 for each processor, but at least 256.
    pub(super) processes: Option<u64>,
    /// The processor time of all processes. Default: four processors, or half of them, for the time of the run.
    pub(super) processor_seconds: Option<u64>,
    /// The MiB that all processes may write. Default: 4096, or four times `result-mib` if that is more.
    pub(super) written_mib: Option<u64>,
    /// Whether the program runs in the sandbox. Default: as far as the kernel has one.
    #[serde(default = "yes")]
    pub(super) sandbox: bool,
    /// Files and folders that the program may read and run, from the data folder.
    #[serde(default)]
    pub(super) read: Vec<String>,
    /// Files and folders that it may write, too.
    #[serde(default)]
    pub(super) write: Vec<String>,
    /// Whether it may open sockets.
    #[serde(default)]
    pub(super) network: bool,
    /// Whether it may use GPUs.
    #[serde(default)]
    pub(super) gpu: bool,
}

fn yes() -> bool {
    true
}

/// The settings of a family: `[families.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FamilyTable {
    /// The arguments. Fields of the request that hold free text can't be among them.
    pub(super) args: Vec<Template>,
    /// Files that are written before the run, with their content.
    #[serde(default)]
    pub(super) files: BTreeMap<String, Template>,
    /// The standard input.
    pub(super) stdin: Option<Template>,
    /// The file that the program writes, or `stdout`.
    output: String,
    /// How the program reports its progress.
    pub(super) progress: Option<ProgressFormat>,
    /// The length of the output in seconds, for percentages of `progress = "ffmpeg"`.
    pub(super) seconds: Option<Template>,
    /// The program's voices by their names in the API; [`Command::read`] adds voices that are files.
    #[serde(default)]
    pub(super) voices: Voices,
    /// Voices that are files: `voices/*.onnx`, from the data folder. Their names are the API's.
    voice_files: Option<String>,
}

/// How a program reports its progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProgressFormat {
    /// Lines on the standard output as from `ffmpeg -progress pipe:1`.
    Ffmpeg,
    /// Numbers before a percent sign on the standard error.
    Percent,
}

/// Where a program writes its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The standard output.
    Stdout,
    /// A file of this name in the private folder.
    File(String),
}

impl Target {
    /// Returns the name of the output in the private folder.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Stdout => ".stdout",
            Self::File(name) => name,
        }
    }
}

/// The settings of a program for one family.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) engine: EngineTable,
    pub(super) family: FamilyTable,
    /// The program's access; `None` runs it without a sandbox.
    pub(super) access: Option<Access>,
    /// The active restrictions of the sandbox.
    pub(super) sandbox: Sandbox,
    /// The folder of the private folders.
    pub(super) runs: PathBuf,
    pub(super) output: Target,
    /// The fields of the request that have an effect.
    pub(super) reads: BTreeSet<String>,
}

/// The variables of arguments, files and the standard input.
const NAMES: &[&str] = &["request", "media", "files", "output", "seed", "voice", "model", "range"];

impl Command {
    pub(super) fn read(attachment: &Attachment<'_>) -> Result<Self, InvalidSetting> {
        let engine: EngineTable = attachment.engine()?;
        let mut family: FamilyTable = attachment.mapping()?;
        let table = format!("families.{}", attachment.family.name);
        family.add_voice_files(&table, attachment.environment)?;
        family.check(&table, attachment)?;
        let output = match family.output.as_str() {
            "stdout" => Target::Stdout,
            name if is_file_name(name) && !family.files.contains_key(name) => Target::File(name.to_owned()),
            _ => return Err(no_file_name(format!("{table}.output"))),
        };
        if output == Target::Stdout && family.progress == Some(ProgressFormat::Ffmpeg) {
            let expected = "a file: `progress = \"ffmpeg\"` needs the standard output";
            return Err(InvalidSetting::must_be(format!("{table}.output"), expected));
        }
        let templates = family.args.iter().chain(family.files.values()).chain(&family.stdin);
        let mut reads: BTreeSet<String> = templates.flat_map(Template::fields).collect();
        if !family.voices.0.is_empty() {
            reads.insert(VOICE.to_owned());
        }
        let program = attachment
            .environment
            .program(&engine.program)
            .map_err(|why| InvalidSetting::because(format!("engines.{}.program", attachment.name), why))?;
        engine.check_limits(attachment.name)?;
        let literal = family.args.iter().filter_map(Template::as_literal);
        let (access, sandbox) = engine.access(attachment, &program, literal, family.voices.0.values())?;
        let (name, runs) = (attachment.name.to_owned(), attachment.environment.path(RUNS));
        Ok(Self { name, program, engine, family, access, sandbox, runs, output, reads })
    }
}

impl FamilyTable {
    /// Checks the templates and the names of files.
    fn check(&self, table: &str, attachment: &Attachment<'_>) -> Checked {
        let fields = schema::fields(attachment.family);
        let all = Variables {
            files: self.files.keys().cloned().collect(),
            has_voices: !self.voices.0.is_empty(),
            ..Variables::of(attachment.family, NAMES, fields.keys().cloned().collect())
        };
        let texts = fields.into_iter().filter(|(_, is_closed)| !is_closed).map(|(name, _)| name);
        let in_arguments = Variables { texts: texts.collect(), ..all.clone() };
        for (index, argument) in self.args.iter().enumerate() {
            argument.check(&format!("{table}.args[{index}]"), &in_arguments)?;
        }
        for (name, content) in &self.files {
            let setting = format!("{table}.files.{name}");
            if !is_file_name(name) {
                return Err(no_file_name(setting));
            }
            content.check(&setting, &all)?;
        }
        for (name, template) in [("stdin", &self.stdin), ("seconds", &self.seconds)] {
            template.iter().try_for_each(|template| template.check(&format!("{table}.{name}"), &all))?;
        }
        if self.seconds.is_some() && self.progress != Some(ProgressFormat::Ffmpeg) {
            let expected = "absent: only `progress = \"ffmpeg\"` reads it";
            return Err(InvalidSetting::must_be(format!("{table}.seconds"), expected));
        }
        Ok(())
    }

    /// Adds the voices that are files. A voice of the settings replaces a file's voice of the same name.
    fn add_voice_files(&mut self, table: &str, environment: &Environment) -> Checked {
        // Other voices than absolute paths are the program's own names.
        let is_lost = |voice: &str| voice.starts_with('/') && !Path::new(voice).exists();
        if let Some((name, voice)) = self.voices.0.iter().find(|(_, voice)| is_lost(voice)) {
            let why = format!("the file `{voice}` does not exist");
            return Err(InvalidSetting::because(format!("{table}.voices.{name}"), why));
        }
        if let Some(pattern) = &self.voice_files {
            let found = voices::find(&format!("{table}.voice-files"), pattern, &environment.data_dir)?;
            let own = std::mem::replace(&mut self.voices.0, found);
            self.voices.0.extend(own);
        }
        Ok(())
    }
}

fn no_file_name(setting: String) -> InvalidSetting {
    let expected = "a file name of letters, digits, `.`, `-` and `_` that nothing else has";
    InvalidSetting::must_be(setting, expected)
}

/// Returns whether this is a name of a file in a folder, and not an option.
fn is_file_name(name: &str) -> bool {
    !name.starts_with(['.', '-'])
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

//! `cargo xtask bench generate`: measures generating and compiling crates.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use openapi_crates::internals::Document;
use serde_json::Value;

use super::{
    check::{self, Checked},
    cut,
    programs::Program,
    spent::Spent,
    table,
};
use crate::{
    Outcome,
    corpus::{self, Ended, Limits},
    files, project,
};

pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench generate
      measure this project's own spec

  cargo xtask bench generate api.github.com.json --rivals
      compare a document with openapi-to-rust, oas3-gen and cargo-progenitor, as far as they are installed

  cargo xtask bench generate --dir documents --runs 9 --rivals --check
      measure all documents of a folder, nine runs each, and run `cargo check` on the generated code

Each run is a separate process, measured from start to end; the table shows the median run. `memory` is the peak
resident memory. `cpu` is the processor time, which is more reliable on a busy machine. A document with more than 300
operations is also measured cut down to fewer, to show the cost per operation. The values of other generators are also
given as multiples of ours. `--check` runs `cargo check` on all generated packages, with their dependencies already
built; its memory is the sum over all compiler processes.";

#[derive(clap::Args)]
pub struct Arguments {
    /// Measure these documents; default, without --dir: this project's own spec
    documents: Vec<PathBuf>,
    /// Measure all documents of this folder too
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Skip documents of --dir that are smaller than this
    #[arg(long, value_name = "KILOBYTES", default_value_t = 0)]
    larger: u64,
    /// Generate each document this many times, and report the median run
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Run `cargo check` on the generated code too
    #[arg(long)]
    check: bool,
    /// Measure other generators too, found in this folder or on the PATH
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    rivals: Option<Option<PathBuf>>,
}

/// The numbers of operations that a large document is cut down to.
const CUTS: [usize; 4] = [100, 300, 600, 1200];

/// The limits of a generator.
const LIMITS: Limits = Limits { time: Duration::from_secs(300), memory: 8 << 20 };

/// The folder for documents and output, relative to the project's root.
const FOLDER: &str = "target/bench-generate";

/// A document to measure.
struct Subject {
    name: String,
    path: PathBuf,
    operations: usize,
}

/// The measurements of a program on a document.
struct Measured {
    spent: Spent,
    lines: usize,
    /// The result of the check, if it was requested.
    checked: Option<Result<Checked>>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = project::root()?.join(FOLDER);
    let ours = Program::ours()?;
    let rivals = match &arguments.rivals {
        Some(given) => Program::rivals(given.as_deref()),
        None => Vec::new(),
    };
    table::head();
    for path in documents(arguments)? {
        let value = read(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let subject = Subject::new(name, path, &value);
        let own = measure(&ours, &subject, arguments, arguments.check, &folder)?;
        row(&subject, &subject.name, &own, None);
        for rival in &rivals {
            let name = format!("{}, {}", subject.name, rival.name);
            match measure(rival, &subject, arguments, arguments.check, &folder) {
                Ok(measured) => row(&subject, &name, &measured, Some(&own)),
                Err(error) => table::words(&name, &format!("{error:#}")),
            }
        }
        for count in CUTS.into_iter().filter(|count| subject.operations > 300 && *count <= subject.operations)
        {
            let (path, cut) = (folder.join("cut.json"), cut::cut(&value, count));
            files::write(&path, cut.to_string())?;
            let subject = Subject::new(format!("{}, {count} of its operations", subject.name), path, &cut);
            row(&subject, &subject.name, &measure(&ours, &subject, arguments, false, &folder)?, None);
        }
    }
    Ok(Outcome::Done)
}

fn documents(arguments: &Arguments) -> Result<Vec<PathBuf>> {
    let mut documents = arguments.documents.clone();
    let is_large =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.len() >= arguments.larger * 1024);
    if let Some(folder) = &arguments.dir {
        let all = corpus::documents(folder)?.into_iter().map(|source| source.path);
        documents.extend(all.filter(is_large));
    } else if documents.is_empty() {
        documents.push(project::root()?.join(asset_api_spec::SPEC));
    }
    documents
        .into_iter()
        .map(|path| fs::canonicalize(&path).with_context(|| format!("cannot read {}", path.display())))
        .collect()
}

/// Reads a document.
pub fn read(path: &Path) -> Result<Value> {
    let document = Document::parse(&path.to_string_lossy(), &files::read(path)?).document;
    let document = document.with_context(|| format!("{} is not valid JSON or YAML", path.display()))?;
    Ok(document.root().to_json())
}

impl Subject {
    fn new(name: String, path: PathBuf, value: &Value) -> Self {
        Self { name, path, operations: cut::operations(value) }
    }
}

/// Runs a program several times, each time into an empty folder.
///
/// Returns the median, and the check of the last output.
fn measure(
    program: &Program,
    subject: &Subject,
    arguments: &Arguments,
    is_checked: bool,
    folder: &Path,
) -> Result<Measured> {
    let (output, log) = (folder.join("output").join(program.name), folder.join("log"));
    let mut runs = Vec::new();
    for _ in 0..arguments.runs {
        files::recreate(&output)?;
        let (spent, ended) = Spent::on(&mut program.generate(&subject.path, &output), &log, LIMITS)?;
        if lines_below(&output)? == 0 {
            bail!("nothing was generated: {}", reason(&ended));
        }
        runs.push(spent);
    }
    let lines = lines_below(&output)?;
    runs.sort_unstable_by_key(|spent| spent.time);
    let spent = runs.get(runs.len() / 2).copied().unwrap_or_default();
    let checked = is_checked.then(|| {
        (program.finish)(&output)?;
        check::check(&output, &folder.join("target"), &log)
    });
    Ok(Measured { spent, lines, checked })
}

/// Returns the first two lines of a program's error output.
///
/// Two, because a panic starts with its location.
fn reason(ended: &Ended) -> String {
    let is_message = |line: &&str| !line.is_empty() && !line.starts_with("stack backtrace");
    let message_lines = ended.errors.lines().skip_while(|line| line.is_empty()).take_while(is_message);
    let words: Vec<&str> = message_lines.take(2).collect();
    if words.is_empty() { "no error message".to_owned() } else { words.join(" ") }
}

/// Prints the measurements, also as multiples of `other` if given.
#[expect(clippy::cast_precision_loss, reason = "the numbers are only shown")]
fn row(subject: &Subject, name: &str, measured: &Measured, other: Option<&Measured>) {
    let Measured { spent, lines, checked } = measured;
    let seconds = spent.time.as_secs_f64();
    let mut cells = spent.cells(other.map(|other| &other.spent)).to_vec();
    cells.push(lines.to_string());
    cells.push(format!("{:.0}", *lines as f64 / seconds));
    cells.push(subject.operations.to_string());
    cells.push(format!("{:.0} µs", seconds * 1e6 / subject.operations.max(1) as f64));
    match checked {
        Some(Ok(checked)) => {
            let other = other.and_then(|other| other.checked.as_ref()?.as_ref().ok());
            cells.extend(checked.spent.cells(other.map(|other| &other.spent)));
            cells.push(checked.errors.to_string());
            cells.push(checked.warnings.to_string());
        }
        Some(Err(error)) => cells.push(format!("{error:#}")),
        None => {}
    }
    table::row(name, &cells);
}

/// Returns the number of lines of Rust in a folder.
fn lines_below(folder: &Path) -> Result<usize> {
    let mut sources = files::below(folder)?;
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let lines = |path: &PathBuf| Ok(files::read_lossy(path)?.lines().count());
    sources.iter().map(lines).sum()
}

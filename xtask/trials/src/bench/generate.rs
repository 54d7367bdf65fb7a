//! `cargo xtask bench generate`: what it takes to generate documents, and to compile what comes of them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use openapi_crates::document::Document;
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
    project,
};

pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench generate
      this project's own spec

  cargo xtask bench generate api.github.com.json --rivals
      a document of one's own, beside openapi-to-rust, oas3-gen and cargo-progenitor, as far as they are installed

  cargo xtask bench generate --dir documents --runs 9 --rivals --check
      all documents of a folder, the median of nine runs each, and `cargo check` of what was generated

Each run is a process of its own, from the document to the last file written; the memory is its peak, and `cpu` is what it
had of the processors, which tells more where other work is done. A document of more than 300 operations is also cut
down to fewer, to show what an operation costs as their number grows. What others take is also given as a multiple of
ours. `--check` checks all packages that a program wrote, with what they depend on built before; the memory is that of
all compilers at a time.";

#[derive(clap::Args)]
pub struct Arguments {
    /// Documents; this project's own spec if there is neither any nor a folder
    documents: Vec<PathBuf>,
    /// All documents of this folder as well
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Of these, only those of so many kilobytes and more
    #[arg(long, value_name = "KILOBYTES", default_value_t = 0)]
    larger: u64,
    /// How often each is generated; the median counts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Check what was generated with cargo, too
    #[arg(long)]
    check: bool,
    /// Measure other generators, too: those in this folder, or else on the PATH
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    rivals: Option<Option<PathBuf>>,
}

/// To how many operations a large document is cut down.
const CUTS: [usize; 4] = [100, 300, 600, 1200];

/// What a generator may take.
const LIMITS: Limits = Limits { time: Duration::from_secs(300), memory: 8 << 20 };

/// Where documents and output go, below the project's root.
const FOLDER: &str = "target/bench-generate";

/// What is measured of one document.
struct Subject {
    name: String,
    path: PathBuf,
    operations: usize,
}

/// What was measured of a program and a document.
struct Measured {
    spent: Spent,
    lines: usize,
    /// How the check went; nothing if it was not asked for.
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
            fs::write(&path, cut.to_string())
                .with_context(|| format!("{} can't be written", path.display()))?;
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
        .map(|path| fs::canonicalize(&path).with_context(|| format!("{} can't be read", path.display())))
        .collect()
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    match Document::parse(&path.to_string_lossy(), &text).document {
        Some(document) => Ok(document.root().to_json()),
        None => bail!("{} is no document", path.display()),
    }
}

impl Subject {
    fn new(name: String, path: PathBuf, value: &Value) -> Self {
        Self { name, path, operations: cut::operations(value) }
    }
}

/// The median of several runs, each into an empty folder, and a check of what the last of them wrote.
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
        if output.exists() {
            fs::remove_dir_all(&output).with_context(|| format!("{} can't be removed", output.display()))?;
        }
        fs::create_dir_all(&output).with_context(|| format!("{} can't be made", output.display()))?;
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
        program.finish(&output)?;
        check::check(&output, &folder.join("target"), &log)
    });
    Ok(Measured { spent, lines, checked })
}

/// Why a program wrote nothing, as its complaint begins: two lines, as a panic names its place first.
fn reason(ended: &Ended) -> String {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("stack backtrace");
    let complaint = ended.errors.lines().skip_while(|line| line.is_empty()).take_while(is_said);
    let words: Vec<&str> = complaint.take(2).collect();
    if words.is_empty() { "it said nothing".to_owned() } else { words.join(" ") }
}

/// What was measured, as multiples of another's where there is one.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
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

/// How many lines of Rust are in a folder.
fn lines_below(folder: &Path) -> Result<usize> {
    let mut lines = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("{} can't be listed", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("{} can't be listed", folder.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
                lines += text.iter().filter(|byte| **byte == b'\n').count();
            }
        }
    }
    Ok(lines)
}

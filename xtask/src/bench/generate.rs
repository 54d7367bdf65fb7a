//! `cargo xtask bench generate`: what it takes to generate documents.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use openapi_crates::document::Document;
use serde_json::Value;

use super::cut;
use crate::{
    Outcome,
    corpus::{self, Limits},
    project,
};

pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench generate
      this project's own spec

  cargo xtask bench generate api.github.com.json
      a document of one's own

  cargo xtask bench generate --dir documents --runs 9
      all documents of a folder, the median of nine runs each

Each run is a process of its own, from the document to the last file written; the memory is its peak. A document of more
than 300 operations is also cut down to fewer, to show what an operation costs as their number grows.";

#[derive(clap::Args)]
pub struct Arguments {
    /// Documents; this project's own spec if there is neither any nor a folder
    documents: Vec<PathBuf>,
    /// All documents of this folder as well
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// How often each is generated; the median counts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// To how many operations a large document is cut down.
const CUTS: [usize; 4] = [100, 300, 600, 1200];

/// What the generator may take.
const LIMITS: Limits = Limits { time: Duration::from_secs(300), memory: 8 << 20 };

/// Where documents and output go, below the project's root.
const FOLDER: &str = "target/bench-generate";

/// What is measured of one document.
struct Subject {
    name: String,
    path: PathBuf,
    size: u64,
    operations: usize,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let root = project::root()?;
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("{} can't be made", folder.display()))?;
    let program = build(&root)?;
    let ours = |document: &Path, output: &Path| {
        let mut command = Command::new(&program);
        command.arg("generate").arg(document).arg("--out").arg(output.join("out")).args(["--name", "bench"]);
        // A copy of the runtime, which has nothing to do with the document, would count as lines.
        command.arg("--runtime-path").arg(root.join("runtime"));
        Ok(command)
    };

    println!(
        "{:<44} {:>8} {:>9} {:>8} {:>9} {:>9} {:>7} {:>6}",
        "", "time", "memory", "MB", "lines", "klines/s", "ops", "µs/op"
    );
    for path in documents(arguments, &root)? {
        let value = read(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let subject = Subject::new(name.clone(), path.clone(), &value)?;
        let own = measure(arguments.runs, &subject, &folder, &ours)?;
        own.print(&subject, &subject.name);
        for count in CUTS.into_iter().filter(|count| subject.operations > 300 && *count <= subject.operations)
        {
            let path = folder.join("cut.json");
            let text = cut::cut(&value, count).to_string();
            fs::write(&path, text).with_context(|| format!("{} can't be written", path.display()))?;
            let subject =
                Subject::new(format!("  {count} of its operations"), path, &cut::cut(&value, count))?;
            measure(arguments.runs, &subject, &folder, &ours)?.print(&subject, &subject.name);
        }
    }
    fs::remove_dir_all(&folder).with_context(|| format!("{} can't be removed", folder.display()))?;
    Ok(Outcome::Done)
}

/// The release build of the command line.
fn build(root: &Path) -> Result<PathBuf> {
    let mut command =
        project::cargo(&["build", "--release", "--package", "openapi-crates", "--bin", "openapi-crates"])?;
    command.env("CARGO_TARGET_DIR", root.join("target"));
    project::succeed(&mut command)?;
    Ok(root.join("target/release/openapi-crates"))
}

fn documents(arguments: &Arguments, root: &Path) -> Result<Vec<PathBuf>> {
    let mut documents = arguments.documents.clone();
    if let Some(folder) = &arguments.dir {
        documents.extend(corpus::documents(folder)?.into_iter().map(|source| source.path));
    } else if documents.is_empty() {
        documents.push(root.join(project::SPEC));
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
    fn new(name: String, path: PathBuf, value: &Value) -> Result<Self> {
        let size = fs::metadata(&path).with_context(|| format!("{} can't be read", path.display()))?.len();
        Ok(Self { name, path, size, operations: cut::operations(value) })
    }
}

/// What one document took.
struct Measured {
    time: Duration,
    /// The peak, in kilobytes.
    memory: u64,
    lines: usize,
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    fn memory_in_megabytes(&self) -> f64 {
        self.memory as f64 / 1024.0
    }

    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    fn print(&self, subject: &Subject, name: &str) {
        let (seconds, operations) = (self.time.as_secs_f64(), subject.operations.max(1));
        println!(
            "{name:<44} {:>6.0} ms {:>6.0} MB {:>8.2} {:>9} {:>9.0} {:>7} {:>6.0}",
            seconds * 1e3,
            self.memory_in_megabytes(),
            subject.size as f64 / 1e6,
            self.lines,
            self.lines as f64 / seconds / 1e3,
            subject.operations,
            seconds * 1e6 / operations as f64,
        );
    }
}

/// The median of several runs, each into an empty folder.
fn measure(
    runs: u32,
    subject: &Subject,
    folder: &Path,
    command: &dyn Fn(&Path, &Path) -> Result<Command>,
) -> Result<Measured> {
    let output = folder.join("output");
    let (mut times, mut memory, mut lines) = (Vec::new(), 0, 0);
    for _ in 0..runs {
        if output.exists() {
            fs::remove_dir_all(&output).with_context(|| format!("{} can't be removed", output.display()))?;
        }
        fs::create_dir_all(&output).with_context(|| format!("{} can't be made", output.display()))?;
        let ended = corpus::run_child(&mut command(&subject.path, &output)?, &folder.join("log"), LIMITS)?;
        times.push(ended.time);
        memory = memory.max(ended.memory);
        lines = lines_below(&output)?;
        if lines == 0 {
            let reason = ended.errors.lines().last().unwrap_or("it wrote nothing").to_owned();
            bail!("nothing was generated: {reason}");
        }
    }
    times.sort_unstable();
    let time = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok(Measured { time, memory, lines })
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

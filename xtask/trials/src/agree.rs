//! `cargo xtask agree`: compares verdicts on samples of documents.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Result, anyhow, ensure};
use openapi_crates_suite::{Settings, Source, run as compare};

use crate::{Outcome, corpus, files, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask agree                                  compare the verdicts on samples of the fixtures
  cargo xtask agree ~/documents --count 50           with 50 samples of each kind for each schema
  cargo xtask agree pets.yaml --seed 7 --keep        of one document, and keep its crates in target/agree";

/// The folder of the crates, relative to the project's root.
const FOLDER: &str = "target/agree";

/// The documents that are compared by default, relative to the project's root.
const FIXTURES: &str = "tests/fixtures/valid";

#[derive(clap::Args)]
pub struct Arguments {
    /// Use these documents, or those in these folders; default: tests/fixtures/valid
    documents: Vec<PathBuf>,
    /// Draw this many samples of each kind for each schema
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    count: usize,
    /// Draw the samples with this seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Compile at most this many kilobytes of documents into one program
    #[arg(long, value_name = "KILOBYTES", default_value_t = 400)]
    batch: usize,
    /// Keep the crates and their build output
    #[arg(long)]
    keep: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let root = project::root()?;
    let sources = sources(arguments, &root)?;
    let settings = Settings {
        seed: arguments.seed,
        count: arguments.count,
        mark: "agree-",
        folder: root.join(FOLDER),
        target: env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from),
        batch: arguments.batch * 1024,
        keep: arguments.keep,
    };
    let progress = &mut |names: &[&str]| eprintln!("comparing {}", names.join(", "));
    let report = compare(&sources, &settings, progress).map_err(|error| anyhow!(error))?;
    print!("{report}");
    let is_good = report.failures.is_empty() && report.disagreements() == 0;
    Ok(if is_good { Outcome::Done } else { Outcome::Failed })
}

/// Reads the documents that the arguments name.
fn sources(arguments: &Arguments, root: &Path) -> Result<Vec<Source>> {
    let default = vec![root.join(FIXTURES)];
    let named = if arguments.documents.is_empty() { &default } else { &arguments.documents };
    let mut documents = Vec::new();
    for path in named {
        if path.is_dir() {
            documents.extend(corpus::documents(path)?.into_iter().map(|found| (found.name, found.path)));
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            documents.push((name, path.clone()));
        }
    }
    ensure!(!documents.is_empty(), "no documents");
    let source = |(name, path): (String, PathBuf)| Ok(Source { name, text: files::read_lossy(&path)? });
    documents.into_iter().map(source).collect()
}

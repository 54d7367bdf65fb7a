//! Builds and runs the programs for the round trip of examples.

use std::{collections::BTreeMap, path::Path, process::Command, time::Duration};

use anyhow::{Context, Result};

use super::{
    child::{self, Exit, Limits},
    compile,
    examples::{self, Example},
    table::RoundTrip,
};
use crate::{files, project};

/// The limits of a program.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), memory: 4 * 1024 * 1024 };

/// Builds and runs the programs of some documents.
pub fn run(crates: &Path, target: &Path, prefixes: &[&str]) -> Result<BTreeMap<String, RoundTrip>> {
    let mut all = BTreeMap::new();
    if prefixes.is_empty() {
        return Ok(all);
    }
    compile::write_workspace(crates, prefixes)?;
    let mut command = project::cargo(&["build", "--package"])?;
    command.arg(format!("*-{}", examples::FOLDER));
    let built = compile::run(command, crates, target)?;
    for prefix in prefixes {
        let folder = crates.join(prefix).join(examples::FOLDER);
        let file = folder.join(examples::FILE);
        let shown: Vec<Example> =
            serde_json::from_str(&files::read(&file)?).context("cannot parse the examples")?;
        let manifest = folder.join("Cargo.toml").display().to_string();
        let wrong = match &built {
            Err(message) => vec![message.clone()],
            Ok(seen) if seen.built.get(*prefix).is_some_and(|built| built.contains(&manifest)) => {
                let program = target.join("debug").join(format!("{prefix}-{}", examples::FOLDER));
                try_all(&program, &file, &shown)?
            }
            Ok(seen) => match seen.documents.get(*prefix) {
                Some(result) => result.errors.clone(),
                None => vec!["the program was not built".to_owned()],
            },
        };
        all.insert((*prefix).to_owned(), RoundTrip { count: shown.len(), wrong });
    }
    Ok(all)
}

fn try_all(program: &Path, file: &Path, shown: &[Example]) -> Result<Vec<String>> {
    let ended = child::run(Command::new(program).arg(file), file, LIMITS)?;
    let mut wrong = examples::compare(shown, &ended.output);
    match ended.exit {
        Exit::Exited(status) if status.success() => {}
        Exit::Exited(status) => wrong.insert(0, format!("{status}: {}", ended.errors.trim())),
        Exit::TimedOut => wrong.insert(0, "the program exceeded its time limit".to_owned()),
        Exit::OutOfMemory => wrong.insert(0, "the program exceeded its memory limit".to_owned()),
    }
    Ok(wrong)
}

//! `cargo xtask outlines`: compares the snapshots with the accepted ones, and accepts them.

use std::{
    io::{self, IsTerminal},
    time::Instant,
};

use anyhow::Result;
use openapi_crates_outlines::{
    ACCEPTED, CURRENT,
    documents::text_files,
    snapshots::{Change, FOLDER, Kind},
};

use crate::{Outcome, regen};

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare only the outlines of this API, and not the snapshots of the fixtures
    #[arg(long)]
    api: bool,
    /// Write the snapshots that differ and remove obsolete ones
    #[arg(long)]
    accept: bool,
}

/// Examples, shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask regen && cargo xtask outlines    show what an edit of the spec changes
  cargo xtask outlines --accept                accept it; review the snapshots with git diff, then commit them";

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let started = Instant::now();
    let Some(api) = regen::generated_files()? else {
        return Ok(Outcome::Failed);
    };
    let api = text_files(&api);
    let kinds = if arguments.api { &[Kind::Api][..] } else { &Kind::ALL };
    let (mut compared, mut differing) = (0, 0);
    for kind in kinds {
        let texts = kind.texts(&api)?;
        let changes = kind.compare(&texts)?;
        compared += texts.len();
        differing += changes.len();
        for change in &changes {
            show(*kind, change);
            if arguments.accept {
                change.accept()?;
            }
        }
        if arguments.accept && !changes.is_empty() {
            // The texts in the target folder are now the accepted ones.
            kind.compare(&texts)?;
        }
    }
    let took = started.elapsed();
    if differing == 0 {
        println!("{compared} snapshots are as accepted, in {took:.1?}");
        return Ok(Outcome::Done);
    }
    if arguments.accept {
        println!(
            "{differing} of {compared} snapshots accepted, in {took:.1?}; to review them: git diff {FOLDER}"
        );
        return Ok(Outcome::Done);
    }
    eprintln!(
        "{differing} of {compared} snapshots differ, in {took:.1?}; to accept them: cargo xtask outlines --accept"
    );
    Ok(Outcome::Failed)
}

/// Prints a unified diff. For digests, prints where the full texts are.
fn show(kind: Kind, change: &Change) {
    if kind == Kind::Digests {
        println!("{}: generated code of fixtures differs; to see it:", change.name);
        println!("  git diff --no-index {ACCEPTED} {CURRENT}");
        return;
    }
    let is_colored = io::stdout().is_terminal();
    for line in change.diff().lines() {
        let color = match line.chars().next() {
            Some('+') => "\x1b[32m",
            Some('-') => "\x1b[31m",
            Some('@') => "\x1b[36m",
            _ => "",
        };
        if is_colored && !color.is_empty() {
            println!("{color}{line}\x1b[0m");
        } else {
            println!("{line}");
        }
    }
    println!();
}

//! `cargo xtask outline`: prints the outline of the spec, or of another version of it.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::Result;
use asset_api_spec::{SPEC, options};
use openapi_crates::{Input, Outlined, outline};

use crate::{Outcome, files, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Read this file, or this file of a git revision: `main:spec/openapi.yaml` [default: spec/openapi.yaml]
    document: Option<String>,
}

pub fn run(Arguments { document }: &Arguments) -> Result<Outcome> {
    let text = match document {
        None => project::spec_text()?,
        Some(name) if name.contains(':') && !Path::new(name).exists() => {
            project::output("git", &["show", name])?
        }
        Some(path) => files::read(Path::new(path))?,
    };
    let Some(outline) = of(document.as_deref().unwrap_or(SPEC), &text) else { return Ok(Outcome::Failed) };
    // The reader may have closed the pipe.
    let _ = io::stdout().write_all(outline.as_bytes());
    Ok(Outcome::Done)
}

/// Returns the outline of a version of the spec. Prints the errors if it has some.
pub fn of(name: &str, text: &str) -> Option<String> {
    let Outlined { outline, report, .. } = outline(&Input::new(name, text), &options());
    if outline.is_none() {
        eprint!("{report}");
        eprintln!("{name}: {}; there is no outline", report.summary());
    }
    outline.map(|outline| outline.to_string())
}

//! `openapi-crates lint`: reports the errors and warnings of a document.

use std::path::PathBuf;

use openapi_crates::{OperationNames, Strictness, lint_from};

use super::{
    Failure, Outcome,
    config::{self, FILE},
    input::Document,
    say, tell,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Errors violate the OpenAPI specification. Warnings point out doubtful parts, and features that generated code can't
express. `generate` continues after both with a fallback, unless the document can't be read at all.

Examples:
  openapi-crates lint petstore.yaml --strict
  openapi-crates lint petstore.yaml --overlay fix.overlay.yaml
      check the document as the overlay changes it; a diagnostic about a value from the overlay shows both files

Exits with 1 if there is an error; with --strict, also if there is a warning.")]
pub struct Arguments {
    /// Read this OpenAPI document, JSON or YAML [default: `-`, standard input]
    spec: Option<PathBuf>,
    /// Apply this OpenAPI overlay (1.0 or 1.1) to the document first; repeat it for more, in order [default:
    /// `overlays` in openapi-crates.toml]
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
    /// Read `overlays` from this settings file [default: openapi-crates.toml next to SPEC]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Treat every warning as an error
    #[arg(long)]
    strict: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let (config, _) = config::find(arguments.config.as_deref(), arguments.spec.as_deref())?;
    let document = Document::read(arguments.spec.as_deref())?;
    let document = document.with_overlays(config::overlays(&config, &arguments.overlay))?;
    let strictness = if arguments.strict { Strictness::Strict } else { Strictness::Standard };
    let report = lint_from(&document.input()).with_strictness(strictness);
    for diagnostic in &report.diagnostics {
        tell(diagnostic);
    }
    if report.is_fastapi && config.names == OperationNames::Document {
        tell(format_args!(
            "note: most operation ids have FastAPI's form of function, path and method; `names = \"fastapi\"` in {FILE} \
             shortens them to the function"
        ));
    }
    say(format_args!("{}: {}", document.title(), report.summary()));
    Ok(if report.has_errors() { Outcome::Failed } else { Outcome::Done })
}

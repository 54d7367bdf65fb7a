//! `openapi-crates lint`: reports the errors and warnings of a document.

use openapi_crates::{Strictness, lint_from};

use super::{Failure, Outcome, input::Document, say, tell};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Errors violate the OpenAPI specification. Warnings point out doubtful parts, and features that generated code can't
express. `generate` continues after both with a fallback, unless the document can't be read at all.

Exits with 1 if there is an error; with --strict, also if there is a warning.")]
pub struct Arguments {
    /// Read this OpenAPI document, JSON or YAML [default: `-`, standard input]
    spec: Option<std::path::PathBuf>,
    /// Treat every warning as an error
    #[arg(long)]
    strict: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let document = Document::read(arguments.spec.as_deref())?;
    let strictness = if arguments.strict { Strictness::Strict } else { Strictness::Standard };
    let report = lint_from(&document.input()).with_strictness(strictness);
    for diagnostic in &report.diagnostics {
        tell(diagnostic);
    }
    say(format_args!("{}: {}", document.name, report.summary()));
    Ok(if report.has_errors() { Outcome::Findings } else { Outcome::Done })
}

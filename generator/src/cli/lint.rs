//! `openapi-crates lint`: what is wrong or doubtful in a document.

use openapi_crates::{Strictness, lint_from};

use super::{Failure, Outcome, input::Document, say, tell};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Errors break the rules of OpenAPI; warnings are doubtful, or beyond what generated code can express. `generate` goes on after
both, unless there is nothing to go on with. Exits with 1 if there is an error, with --strict if there is any finding.")]
pub struct Arguments {
    /// The document, JSON or YAML; `-` or nothing is standard input
    spec: Option<std::path::PathBuf>,
    /// Warnings are errors as well
    #[arg(long)]
    strict: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let document = Document::read(arguments.spec.as_deref())?;
    let strictness = if arguments.strict { Strictness::Strict } else { Strictness::Standard };
    let report = lint_from(&document.input()).judged(strictness);
    for finding in &report.findings {
        tell(finding);
    }
    say(format_args!("{}: {}", document.name, report.summary()));
    Ok(if report.has_errors() { Outcome::Findings } else { Outcome::Done })
}

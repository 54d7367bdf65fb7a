//! `openapi-crates lint`: reports the errors and warnings of a document.

use std::path::PathBuf;

use openapi_crates::{Code, LintGroup, Lints, Strictness, lint_with};

use super::{
    Failure, Outcome,
    against::Against,
    config::{self, Config, FILE},
    input::Document,
    named, print_stdout,
    revision::Files,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Errors violate the OpenAPI specification. Warnings point out doubtful parts, and features that generated code can't
express. `generate` continues after both with a fallback, unless the document can't be read at all.

Examples:
  openapi-crates lint petstore.yaml --strict
  openapi-crates lint petstore.yaml --overlay fix.overlay.yaml
      check the document as the overlay changes it; a diagnostic about a value from the overlay shows both files
  openapi-crates lint petstore.yaml --lints portable --allow portable-deep-object
      also warn of parts that other tools refuse or misread, but not of nested values in queries
  openapi-crates lint petstore.yaml --lints quality
      also warn of parts that make the API harder to use: missing examples and bounds, inconsistent names and pages, …
  openapi-crates lint petstore.yaml --against pets.json more.json --operation listPets --write-overlay fix.yaml
      compare what a service has sent with the document, and write an overlay that repairs the document
  openapi-crates explain unknown-ref
      explain a code; the code of a problem is in brackets

To see what an edit breaks, use `openapi-crates diff --against main petstore.yaml`.

Exit codes: 0 no error and no difference, and with --strict no warning; 1 there is one; 2 wrong usage, or a file that can't be
read.")]
pub struct Arguments {
    /// Read this OpenAPI document, JSON or YAML [default: `-`, standard input]
    spec: Option<PathBuf>,
    /// Apply this OpenAPI overlay (1.0 or 1.1) to the document first; repeat it for more, in order [default:
    /// `overlays` in openapi-crates.toml]
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
    /// Turn on this group of lints, whose codes begin with its name; `openapi-crates explain` lists them [default:
    /// `lints` in openapi-crates.toml, else none]
    #[arg(long, value_name = "GROUP", value_delimiter = ',',
          value_parser = named(LintGroup::ALL.iter().copied(), LintGroup::name))]
    lints: Vec<LintGroup>,
    /// Turn off this lint of a group that is on; `x-lint-allow` in the document turns it off for a part [default: `allow`
    /// in openapi-crates.toml, else none]
    #[arg(long, value_name = "CODE", value_delimiter = ',', hide_possible_values = true,
          value_parser = named(LintGroup::ALL.iter().flat_map(|group| group.codes()), Code::name))]
    allow: Vec<Code>,
    /// Read `overlays`, `lints` and `allow` from this settings file [default: openapi-crates.toml next to SPEC]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Treat every warning as an error
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    against: Against,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let Arguments { spec, overlay, config, .. } = arguments;
    let (document, config, _) =
        Document::with_settings(&Files::Disk, spec.as_deref(), config.as_deref(), overlay)?;
    if let Some(outcome) = arguments.against.run(&document)? {
        return Ok(outcome);
    }
    let lints = lints(arguments, &config)?;
    let strictness = if arguments.strict { Strictness::Strict } else { Strictness::Standard };
    let report = lint_with(&document.input(), &lints).with_strictness(strictness);
    report.diagnostics.iter().for_each(print_stdout);
    if let Some(note) = config::fastapi_note(&report, &config) {
        print_stdout(note);
    }
    print_stdout(format_args!("{}: {}", document.title(), report.summary()));
    Ok(if report.has_errors() { Outcome::Failed } else { Outcome::Done })
}

/// Returns the lints that the arguments turn on, or else the settings.
///
/// Fails if a lint is turned off that is not on. The arguments can turn on other groups than the settings, whose `allow` then
/// has no effect.
fn lints(arguments: &Arguments, config: &Config) -> Result<Lints, Failure> {
    let groups = if arguments.lints.is_empty() { &config.lints } else { &arguments.lints };
    let allowed = if arguments.allow.is_empty() { &config.allow } else { &arguments.allow };
    let lints = Lints::default().groups(groups.iter().copied());
    let is_for_others = arguments.allow.is_empty() && !arguments.lints.is_empty();
    match allowed.iter().find(|code| !lints.has(**code)) {
        Some(code) if !is_for_others => {
            let group = code.group().map_or("", LintGroup::name);
            Err(Failure::Usage(format!(
                "`allow` contains `{code}`, whose group is off; add `--lints {group}`, or `lints = [\"{group}\"]` in {FILE}"
            )))
        }
        _ => Ok(lints.allow(allowed.iter().copied())),
    }
}

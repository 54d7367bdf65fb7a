//! `openapi-crates diff`: compares two versions of a document.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use openapi_crates::{Audience, Compared, Diff, Options, Strictness, Verdict, diff, internals::Accepted};

use super::{
    Failure, Outcome, config, count, diagnostics, input::Document, named, output::write_file, print_stderr,
    revision::Files,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each change has a verdict for four audiences:
  clients        clients in use that call a server of the new document
  servers        servers in use that are called by clients of the new document
  client-users   Rust programs that use the generated client: do they compile, and do they do the same
  implementors   Rust programs that implement the generated server traits

BREAKS: what has worked no longer does. REVIEW: it depends on the program. OK: nothing breaks.

Examples:
  openapi-crates diff old.yaml new.yaml
  openapi-crates diff --against main spec/api.yaml
      compare the file with that of the branch `main`, each with the openapi-crates.toml next to it
  openapi-crates diff v1.2.0:spec/api.yaml v1.3.0:spec/api.yaml --format markdown
      compare two tags, and write a comment for a pull request
  openapi-crates diff --against main spec/api.yaml --accept 'agreed with the mobile team' --until 2027-06-30
      write the changes that fail to openapi-accepted.toml, so that they no longer fail
  openapi-crates explain parameter-became-required

Exits with 1 if a change that is not accepted has the verdict of --fail-on, or worse.")]
pub struct Arguments {
    /// The old document: a file, or a file of a git revision as `main:spec/api.yaml`
    #[arg(value_name = "OLD", required_unless_present = "against")]
    old: Option<PathBuf>,
    /// The new document
    #[arg(value_name = "NEW", required_unless_present = "against")]
    new: Option<PathBuf>,
    /// Compare the one document that is given with that of this git revision
    #[arg(long, value_name = "REVISION")]
    against: Option<String>,
    /// Apply this OpenAPI overlay to the old document; repeat it for more [default: `overlays` in its openapi-crates.toml]
    #[arg(long, value_name = "FILE")]
    old_overlay: Vec<PathBuf>,
    /// Apply this OpenAPI overlay to the new document; repeat it for more [default: `overlays` in its openapi-crates.toml]
    #[arg(long, value_name = "FILE")]
    new_overlay: Vec<PathBuf>,
    /// Read the settings of both documents from this file [default: openapi-crates.toml next to each]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the report in this form
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 if a change has this verdict, or a worse one
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Judge changes for these audiences only, for example `clients,client-users` [default: all]
    #[arg(long, value_name = "AUDIENCES", value_delimiter = ',',
          value_parser = named(Audience::ALL, Audience::name))]
    audience: Vec<Audience>,
    /// Read accepted changes from this file [default: openapi-accepted.toml next to the new document, if it exists]
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Add the changes that fail to the file of accepted changes, with this reason
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,
    /// Let the changes that `--accept` adds fail again after this day: 2027-06-30
    #[arg(long, value_name = "DATE", requires = "accept")]
    until: Option<jiff::civil::Date>,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// For a terminal
    #[default]
    Text,
    /// For a comment in a pull request
    Markdown,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// The verdict that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum FailOn {
    #[default]
    Breaking,
    Risky,
    Never,
}

/// The name of the file of accepted changes.
const ACCEPTED: &str = "openapi-accepted.toml";

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let (old, new) = sides(arguments)?;
    let config = arguments.config.as_deref();
    let (old_document, old_options) = read(&old, config, &arguments.old_overlay)?;
    let (new_document, new_options) = read(&new, config, &arguments.new_overlay)?;
    let compared = diff((&old_document.input(), &old_options), (&new_document.input(), &new_options));
    let Compared { diff, old: old_report, new: new_report, .. } = compared;
    let Some(mut diff) = diff else {
        for (report, (files, path)) in [(&old_report, &old), (&new_report, &new)] {
            if report.has_errors() {
                diagnostics::print_some(report, false);
                print_stderr(format_args!(
                    "{}: {}; nothing was compared",
                    files.shown(path),
                    report.summary()
                ));
            }
        }
        return Ok(Outcome::Failed);
    };
    if !arguments.audience.is_empty() {
        diff = diff.for_audiences(&arguments.audience);
    }
    let path = arguments.accepted.clone().unwrap_or_else(|| {
        let folder = if new.0 == Files::Disk { new.1.parent() } else { None };
        folder.unwrap_or(Path::new("")).join(ACCEPTED)
    });
    let mut accepted = accepted(arguments, &path)?;
    let today = jiff::Zoned::now().date();
    for warning in accepted.apply(&mut diff, today) {
        print_stderr(format_args!("warning: {}: {warning}", path.display()));
    }
    if let Some(reason) = &arguments.accept {
        let added = accepted.add(&mut diff, fails_on(arguments), reason, arguments.until);
        write_file(&path, &accepted.to_string())?;
        print_stderr(format_args!("{}: {} added", path.display(), count(added, "accepted change")));
    }
    // The reader may have closed the pipe.
    let _ = io::stdout().write_all(printed(&diff, arguments.format).as_bytes());
    let fails = fails_on(arguments).is_some_and(|verdict| diff.fails(verdict));
    Ok(if fails { Outcome::Failed } else { Outcome::Done })
}

/// Where a document is.
type Side = (Files, PathBuf);

/// Returns where both documents are.
fn sides(arguments: &Arguments) -> Result<(Side, Side), Failure> {
    let Arguments { old, new, against, .. } = arguments;
    match (old, new, against) {
        (Some(old), Some(new), None) => Ok((Files::named(old), Files::named(new))),
        (Some(path), None, Some(revision)) => {
            // git takes a path that begins with a dot as relative to the current folder.
            let relative = if path.is_absolute() { path.clone() } else { Path::new(".").join(path) };
            Ok(((Files::Revision(revision.clone()), relative), Files::named(path)))
        }
        (None, _, Some(revision)) => {
            let message =
                format!("missing document: `openapi-crates diff --against {revision} spec/api.yaml`");
            Err(Failure::Usage(message))
        }
        _ => Err(Failure::Usage(
            "`--against` compares one document with itself, so pass one document".to_owned(),
        )),
    }
}

/// Reads a document with the settings from which its crates are generated.
fn read(
    (files, path): &Side,
    config: Option<&Path>,
    overlays: &[PathBuf],
) -> Result<(Document, Options), Failure> {
    // The document first: if the revision does not exist, the message names what the user asked for.
    let document = Document::read_from(files, path)?;
    let (config, _) = config::find_in(files, config, Some(path))?;
    let document = match overlays {
        [] => document.with_overlays_from(files, &config.overlays)?,
        overlays => document.with_overlays(overlays)?,
    };
    let name = config.name.clone().unwrap_or_default();
    let mut options = config.apply(Options::new(&name, &document.source)).strictness(Strictness::Lenient);
    if !config.crates.is_empty() {
        options = options.crates(config.crates.iter().copied());
    }
    Ok((document, options))
}

/// Reads the file of accepted changes. A file that is named must exist, unless `--accept` writes it.
fn accepted(arguments: &Arguments, path: &Path) -> Result<Accepted, Failure> {
    let text = match (&arguments.accepted, &arguments.accept) {
        (Some(_), None) => Some(Files::Disk.read(path)?),
        _ => Files::Disk.read_optional(path)?,
    };
    Ok(match text {
        Some(text) => Accepted::parse(path, &text)?,
        None => Accepted::default(),
    })
}

fn fails_on(arguments: &Arguments) -> Option<Verdict> {
    match arguments.fail_on {
        FailOn::Breaking => Some(Verdict::Breaking),
        FailOn::Risky => Some(Verdict::Risky),
        FailOn::Never => None,
    }
}

/// Returns the report in a form.
fn printed(diff: &Diff, format: Format) -> String {
    match format {
        Format::Text => diff.to_string(),
        Format::Markdown => diff.to_markdown(),
        Format::Json => format!("{:#}\n", diff.to_json()),
        Format::Sarif => format!("{:#}\n", diff.to_sarif()),
        Format::Github => diff.to_github(),
    }
}

//! `openapi-crates diff`: compares two versions of a document.

use std::path::{Path, PathBuf};

use openapi_crates::{Options, Strictness, diff, internals::Reporting};

use super::{
    Failure, Outcome,
    config::{Config, SettingsFile},
    diagnostics,
    input::Document,
    print_stderr,
    revision::Files,
};

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
openapi-crates diff [OPTIONS] --against <REVISION> <DOCUMENT>
       openapi-crates diff [OPTIONS] <OLD> <NEW>",
    after_help = "\
Each change has a verdict for four audiences:
  clients        clients in use that call a server of the new document
  servers        servers in use that are called by clients of the new document
  client-users   Rust programs that use the generated client: do they compile, and do they do the same
  implementors   Rust programs that implement the generated server traits

  breaking       programs that worked fail
  risky          some programs fail, or behave in another way
  fine           nothing breaks

Examples:
  openapi-crates diff --against main spec/api.yaml
      compare the file with that of the branch `main`, or of another git revision: v1.2.0, HEAD~1, origin/main
  openapi-crates diff old.yaml new.yaml
      compare two files
  openapi-crates diff v1.2.0:spec/api.yaml v1.3.0:spec/api.yaml --format markdown
      compare two tags, and write a comment for a pull request
  openapi-crates diff --against main spec/api.yaml --accept 'agreed with the mobile team' --until 2027-06-30
      write the changes that fail to openapi-accepted.toml, so that they no longer fail
  openapi-crates explain parameter-became-required
      explain a rule; the rules of a change are in brackets

Settings and overlays of a document are those of the openapi-crates.toml next to it, in the working tree or in its revision.

Exit codes: 0 no change fails; 1 a change fails, or a document has errors that prevent a comparison; 2 wrong usage, or a file
or revision that can't be read."
)]
pub struct Arguments {
    /// The old document: a file, or a file of a git revision as `main:spec/api.yaml`. With --against, the document
    old: Option<PathBuf>,
    /// The new document, likewise
    new: Option<PathBuf>,
    /// Compare the document with that of this git revision: a branch, a tag or a commit
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
    #[command(flatten)]
    reporting: Reporting,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let (old, new) = sides(arguments)?;
    let named = arguments.config.as_deref();
    let (old_document, old_options, ..) = read(&old, named, &arguments.old_overlay)?;
    let (new_document, new_options, config, file) = read(&new, named, &arguments.new_overlay)?;
    let compared = diff((&old_document.input(), &old_options), (&new_document.input(), &new_options));
    if let Some(file) = &file {
        // An operation that only the old document has is not a mistake here.
        let (errors, _) = config.without_effect(file, &compared.unused);
        errors.iter().for_each(|error| print_stderr(format_args!("warning: {error}")));
    }
    for (report, (files, path)) in [(&compared.old, &old), (&compared.new, &new)] {
        let effect = match &compared.diff {
            None if report.has_errors() => "; nothing was compared",
            Some(_) if !report.diagnostics.is_empty() => {
                ", which can hide changes; `openapi-crates lint` shows them"
            }
            _ => continue,
        };
        if compared.diff.is_none() {
            diagnostics::print_some(report, false);
        }
        print_stderr(format_args!("{}: {}{effect}", files.shown(path), report.summary()));
    }
    let Some(mut diff) = compared.diff else { return Ok(Outcome::Failed) };
    if arguments.reporting.is_for_people() {
        // Both sides can be one file, at different revisions.
        for change in &mut diff.changes {
            for (location, (files, _)) in [(&mut change.old, &old), (&mut change.new, &new)] {
                if let Some(location) = location {
                    location.file = files.shown(Path::new(&location.file));
                }
            }
        }
    }
    let (files, path) = &new;
    let folder = path.parent().filter(|_| *files == Files::Disk).unwrap_or(Path::new(""));
    let fails = arguments.reporting.run(diff, folder)?;
    Ok(if fails { Outcome::Failed } else { Outcome::Done })
}

/// Where a document is.
type Side = (Files, PathBuf);

/// Returns where both documents are.
fn sides(arguments: &Arguments) -> Result<(Side, Side), Failure> {
    let Arguments { old, new, against, .. } = arguments;
    match (old, new, against) {
        (Some(old), Some(new), None) => Ok((Files::named(old)?, Files::named(new)?)),
        (Some(path), None, Some(revision)) => Ok((Files::against(revision, path)?, Files::named(path)?)),
        (Some(_), Some(_), Some(_)) => Err(Failure::Usage(
            "`--against` compares one document with itself, so pass one document".to_owned(),
        )),
        (old, ..) => {
            let document = old.as_deref().unwrap_or(Path::new("spec/api.yaml")).display();
            let revision = against.as_deref().unwrap_or("main");
            Err(Failure::Usage(format!(
                "missing document; compare two files, or one with its version in git: \
                 `openapi-crates diff --against {revision} {document}`"
            )))
        }
    }
}

/// Reads a document with the settings from which its crates are generated.
fn read(
    (files, path): &Side,
    config: Option<&Path>,
    overlays: &[PathBuf],
) -> Result<(Document, Options, Config, Option<SettingsFile>), Failure> {
    let (document, config, file) = Document::with_settings(files, Some(path), config, overlays)?;
    let name = config.name.clone().unwrap_or_default();
    let options = config.apply(Options::new(&name, &document.source)).strictness(Strictness::Lenient);
    Ok((document, options, config, file))
}

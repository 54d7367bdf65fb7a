//! `openapi-crates outline`: prints what the generated crates of a document have.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use openapi_crates::{Options, Outlined, outline};

use super::{
    Failure, Outcome, diagnostics, input::Document, print_stderr, reading::Reading, revision::Files,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
An outline has a line for each operation, parameter, response, type, field and rule of the generated crates, without
documentation. Commit it next to the document: its diff in a pull request shows what an edit changes for users. A line of a
field has its Rust type, then what the type does not say, in the words of JSON Schema:

  struct NewPet closed
      name: String required maxLength 80
      age: Option<i64> minimum 0 default 1

Examples:
  openapi-crates outline petstore.yaml > petstore.outline
      keep an outline; print it again after an edit, and compare both with diff

  openapi-crates outline petstore.yaml --only listPets
      show one operation with the types that it needs

  openapi-crates outline main:petstore.yaml
      show the outline of the document on the branch `main`

  openapi-crates outline petstore.yaml --overlay fix.overlay.yaml
      show the document as the overlay changes it

Settings and overlays are those of the openapi-crates.toml next to the document, in the working tree or in its revision. To see
what an edit breaks, use `openapi-crates diff`.

Exit codes: 0 success; 1 errors without a fallback, so there is no outline; 2 wrong usage, or a file or revision that can't be
read.")]
pub struct Arguments {
    /// Read this OpenAPI document, JSON or YAML: a file, or a file of a git revision as `main:spec/api.yaml` [default:
    /// `-`, standard input]
    spec: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let Arguments { spec, reading } = arguments;
    let named = spec.as_deref().map(Files::named).transpose()?;
    let (files, path) =
        named.as_ref().map_or((&Files::Disk, None), |(files, path)| (files, Some(path.as_path())));
    let (document, config, file) =
        Document::with_settings(files, path, reading.config.as_deref(), &reading.overlay)?;
    let options = reading.apply(&config, Options::new("", &document.source));
    let Outlined { outline, report, unused, .. } = outline(&document.input(), &options);
    reading.print_unused(&config, file.as_ref(), &unused)?;
    diagnostics::print_some(&report, reading.all_warnings);
    let Some(outline) = outline else {
        print_stderr(format_args!("{}: {}; there is no outline", document.name, report.summary()));
        return Ok(Outcome::Failed);
    };
    // The reader may have closed the pipe.
    let _ = io::stdout().write_all(outline.to_string().as_bytes());
    Ok(Outcome::Done)
}

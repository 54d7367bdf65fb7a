//! `openapi-crates upgrade`: writes a Swagger 2.0 document as OpenAPI 3.1.

use std::{
    ffi::OsStr,
    io::{self, Write},
    path::{Path, PathBuf},
};

use openapi_crates::{DocumentFormat, Upgraded, upgrade};

use super::{Failure, Outcome, input::Document, output::write_file, print_stderr, revision::Files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The new document describes the same API: `generate` makes the same crates from both. Use it to leave Swagger 2.0, or to see
how the generator reads a document. The command reports the errors and warnings of the original, with its lines. Comments are lost,
and what other files contain is written into the one document.

Examples:
  openapi-crates upgrade swagger.yaml
      print the document as OpenAPI 3.1

  openapi-crates upgrade swagger.json --output openapi.yaml
      write a file; its extension decides between JSON and YAML

  openapi-crates upgrade swagger.yaml --overlay fix.overlay.yaml --output openapi.yaml
      change the document by an OpenAPI overlay first; the paths of the overlay are those of Swagger 2.0

  curl -s https://api.example.com/swagger.json | openapi-crates upgrade - | openapi-crates lint -
      check the result

Exits with 1 if the document can't be read, or is no Swagger 2.0.")]
pub struct Arguments {
    /// Read this Swagger 2.0 document, JSON or YAML [default: `-`, standard input]
    spec: Option<PathBuf>,
    /// Write the new document to this file, as JSON or YAML by its extension [default: standard output, in the format
    /// of the input]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Apply this OpenAPI overlay (1.0 or 1.1) to the document first; repeat it for more, in order
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let document = Document::read(&Files::Disk, arguments.spec.as_deref())?;
    let document = document.with_overlays(&Files::Disk, &arguments.overlay)?;
    let format = arguments.output.as_deref().and_then(format_of);
    let Upgraded { text, report, .. } = upgrade(&document.input(), format);
    report.diagnostics.iter().for_each(print_stderr);
    let Some(text) = text else {
        print_stderr(format_args!("{}: {}; nothing was written", document.name, report.summary()));
        return Ok(Outcome::Failed);
    };
    match &arguments.output {
        Some(path) => {
            write_file(path, &text)?;
            print_stderr(format_args!(
                "{}: written as OpenAPI 3.1 to {}; {}",
                document.name,
                path.display(),
                report.summary()
            ));
        }
        // The reader may have closed the pipe.
        None => _ = io::stdout().write_all(text.as_bytes()),
    }
    Ok(Outcome::Done)
}

fn format_of(path: &Path) -> Option<DocumentFormat> {
    match path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
        "json" => Some(DocumentFormat::Json),
        "yaml" | "yml" => Some(DocumentFormat::Yaml),
        _ => None,
    }
}

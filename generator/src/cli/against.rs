//! `openapi-crates lint --against`: compares recorded bodies with an operation.

use std::path::{Path, PathBuf};

use openapi_crates::internals::{Recording, Side, compare, repair};

use super::{
    Failure, Outcome, count,
    input::{Document, portable},
    output::write_file,
    print_stdout,
    revision::Files,
};

/// What `lint` compares with the document.
#[derive(Debug, clap::Args)]
pub struct Against {
    /// Compare the bodies in these JSON files with an operation, instead of looking for mistakes in the document
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "operation")]
    against: Vec<PathBuf>,
    /// The operation whose bodies were recorded: its id, or its method and path as in `GET /pets`
    #[arg(long, value_name = "OPERATION", requires = "against")]
    operation: Option<String>,
    /// The bodies are those of responses with this status [default: the first success with a body in JSON]
    #[arg(long, value_name = "STATUS", requires = "against", conflicts_with = "request",
          value_parser = clap::value_parser!(u16).range(100..600))]
    status: Option<u16>,
    /// The bodies are those of requests
    #[arg(long, requires = "against")]
    request: bool,
    /// Write an overlay to this file, with which the document describes the bodies
    #[arg(long, value_name = "FILE", requires = "against")]
    write_overlay: Option<PathBuf>,
}

impl Against {
    /// Compares the files with an operation. Returns `None` if there are none.
    pub fn run(&self, document: &Document) -> Result<Option<Outcome>, Failure> {
        let Some(operation) = &self.operation else { return Ok(None) };
        let side = if self.request { Side::Request } else { Side::Response(self.status) };
        let recordings =
            self.against.iter().map(|path| recording(path)).collect::<Result<Vec<_>, Failure>>()?;
        let compared = compare(&document.input(), operation, side, &recordings)?;
        compared.report.diagnostics.iter().for_each(print_stdout);
        if let Some(path) = &self.write_overlay {
            let repaired = repair(&document.input(), operation, side, &recordings)?;
            let remain = match repaired.remaining {
                0 => String::new(),
                _ => format!("; it can't repair {}", count(repaired.remaining, "difference")),
            };
            match repaired.overlay {
                Some(overlay) => {
                    write_file(path, &overlay)?;
                    print_stdout(format_args!(
                        "note: {} repairs the document{remain}; read it before you use it",
                        path.display()
                    ));
                }
                None => print_stdout(format_args!(
                    "note: an overlay can repair nothing, so {} was not written",
                    path.display()
                )),
            }
        } else if compared.differences > 0 {
            print_stdout("note: --write-overlay FILE writes an overlay that repairs the document");
        }
        print_stdout(format_args!(
            "{}, `{operation}`: {} in {} of {} recorded bodies",
            document.title(),
            count(compared.differences, "difference"),
            compared.differing,
            recordings.len(),
        ));
        Ok(Some(if compared.differences == 0 && !compared.report.has_errors() {
            Outcome::Done
        } else {
            Outcome::Failed
        }))
    }
}

fn recording(path: &Path) -> Result<Recording, Failure> {
    let name = portable(path);
    let body = serde_json::from_str(&Files::Disk.read(path)?)
        .map_err(|error| Failure::Usage(format!("`{name}` is not valid JSON: {error}")))?;
    Ok(Recording { name, body })
}

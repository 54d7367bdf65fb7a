//! Generates the types of the petstore's document, for `src/lib.rs` to include.

use std::{env, error::Error, fs, path::Path, process::ExitCode};

use openapi_crates::{CrateKind, Generated, Options, generate};

const DOCUMENT: &str = "../petstore/openapi.yaml";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    match write_types() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}"); // Cargo shows stderr if the build script fails
            ExitCode::FAILURE
        }
    }
}

fn write_types() -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(DOCUMENT).map_err(|error| format!("can't read `{DOCUMENT}`: {error}"))?;
    let module = types(DOCUMENT, &text)?;
    let folder = env::var_os("OUT_DIR").ok_or("Cargo did not set OUT_DIR")?;
    fs::write(Path::new(&folder).join("petstore.rs"), module)?;
    Ok(())
}

/// Returns the types of a document as the text of a module.
///
/// # Errors
/// Returns the errors of the document, each with its line and column. Warnings go to Cargo, which shows them.
pub fn types(name: &str, text: &str) -> Result<String, Box<dyn Error>> {
    let options = Options::new("petstore", name).crates([CrateKind::Models]);
    let Generated { files, report, .. } = generate(name, text, &options)?;
    let files = files.ok_or_else(|| report.to_string())?;
    for line in report.to_string().lines() {
        println!("cargo::warning={line}");
    }
    Ok(files.types_module()?)
}

//! Sends the JSON Schema test suite to generated servers, and compares their verdicts with the suite's.
//!
//! Each group of tests is a schema and some instances. The schema becomes the body of an operation in an OpenAPI
//! document, and each instance becomes a request. `cargo xtask suite` downloads the suite and runs this.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

mod agreement;
mod crates;
mod document;
mod files;
mod keywords;
mod modes;
mod oracle;
mod program;
mod report;
mod rival;
mod verdicts;
mod wire;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use modes::{MODES, Mode};
use report::{HEAD, Report};

/// The variable with the folder of the suite. It is the one that contains `tests/draft2020-12`.
const SUITE: &str = "JSON_SCHEMA_SUITE";

/// The variable that makes the current result the accepted one.
const ACCEPT: &str = "JSON_SCHEMA_SUITE_ACCEPT";

/// The variable with the path of openapi-to-rust, whose servers get the same instances.
const RIVAL: &str = "JSON_SCHEMA_SUITE_RIVAL";

/// The accepted result, relative to this package.
const ACCEPTED: &str = "wrong.txt";

#[test]
fn verdicts_are_the_accepted_ones() {
    // The suite is not part of this repository.
    let Some(suite) = env::var_os(SUITE) else {
        eprintln!("SKIPPED: {SUITE} is not set; `cargo xtask suite` downloads the suite and runs this test");
        return;
    };
    let draft = Path::new(&suite).join("tests/draft2020-12");
    let suites: Vec<(&Mode, Vec<files::Group>)> =
        MODES.iter().map(|mode| (mode, files::groups(&draft.join(mode.folder), mode.files))).collect();
    let generated: Vec<crates::Generated<'_>> =
        suites.iter().map(|(mode, groups)| crates::generate(mode, groups)).collect();
    program::build(&generated);
    let reports = generated
        .iter()
        .map(|generated| verdicts::report(generated, |lines| program::run(generated.mode.name, lines)));
    let report = Report(reports.collect());
    println!("\n{}", report.table());
    if let Some(generator) = env::var_os(RIVAL) {
        println!("{}", rival::report(Path::new(&generator), &generated, &report));
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(ACCEPTED);
    let current = format!("{HEAD}\n{report}");
    if env::var_os(ACCEPT).is_some() {
        fs::write(&path, current).expect("the accepted result can be written");
        return;
    }
    let accepted = fs::read_to_string(&path).unwrap_or_default();
    let changes = report::changes(&accepted, &current);
    assert!(
        changes.is_empty(),
        "the result differs from tests/suite/{ACCEPTED} (`-`: accepted, `+`: now); \
         to accept it: cargo xtask suite --accept\n\n{}\n",
        changes.join("\n")
    );
}

/// Returns the target folder, which has the dependencies that the project's own build has compiled.
fn target() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    folder.expect("the folder for temporary files is in the target folder").to_owned()
}

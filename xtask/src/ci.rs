//! `cargo xtask ci`: everything that CI runs.

use std::{process::Command, time::Instant};

use anyhow::Result;

use crate::{Outcome, conformance, features, lint, project, regen};

#[derive(clap::Args)]
pub struct Arguments {
    /// Skip the check of each cargo feature alone, the longest step for what it finds
    #[arg(long)]
    fast: bool,
}

/// A step: what it is, the cargo command, and what to type when it fails.
struct Step {
    name: &'static str,
    command: &'static [&'static str],
    /// Environment for the command.
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
        command: &["fmt", "--all", "--manifest-path", XTASK, "--check"],
        environment: &[],
        help: "cargo fmt --all --manifest-path xtask/Cargo.toml",
    },
    Step {
        name: "clippy",
        command: &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        environment: &[],
        help: "cargo clippy --workspace --all-targets --all-features -- -D warnings",
    },
    Step {
        name: "clippy of xtask",
        command: &[
            "clippy",
            "--workspace",
            "--manifest-path",
            XTASK,
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
        help: "cargo clippy --workspace --manifest-path xtask/Cargo.toml --all-targets -- -D warnings",
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
    command: &["test", "--workspace", "--manifest-path", XTASK],
    environment: &[],
    help: "cargo test --workspace --manifest-path xtask/Cargo.toml",
};

// What the tests need is what schemathesis needs: the service's program, with their features.
const BUILD: Step = Step {
    name: "build of the tests",
    command: &["test", "--workspace", "--all-features", "--no-run"],
    environment: &[],
    help: "cargo test --workspace --all-features --no-run",
};

// The tests come last, so that the output ends with their result.
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
        announce("each feature alone");
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
    announce(&format!("all but the tests took {:.0?}", started.elapsed()));
    run_step(&TESTS)
}

fn run_step(step: &Step) -> Result<Outcome> {
    let mut command: Command = project::cargo(step.command)?;
    command.envs(step.environment.iter().copied());
    announce(&format!("{}: {}", step.name, project::shown(&command)));
    match project::succeed(&mut command) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) => {
            eprintln!("{}: {error}; to see or mend it: {}", step.name, step.help);
            Ok(Outcome::Findings)
        }
    }
}

fn announce(text: &str) {
    eprintln!("\n== {text}");
}

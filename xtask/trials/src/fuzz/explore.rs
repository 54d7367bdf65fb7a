//! `cargo xtask fuzz patterns` and others: random tests with more cases and other seeds than in CI.

use anyhow::Result;

use crate::{Outcome, project};

/// The subject to explore, instead of mutants of documents.
#[derive(clap::Subcommand)]
pub enum Subject {
    /// Compare translated patterns with an engine for ECMA-262, on random texts
    Patterns(Budget),
    /// Compare the readers of numbers: JSON text, parameters and untyped values
    Numbers(Budget),
    /// Run the random tests of all packages
    All(Budget),
}

#[derive(clap::Args)]
pub struct Budget {
    /// Try this many random cases in each test
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    cases: u32,
    /// Begin with this seed; CI has 1
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    seed: u64,
}

/// The arguments of `cargo test` that select a package with its random tests.
const PATTERNS: &[&str] =
    &["--package", "openapi-crates", "--lib", "--", "patterns::tests::random::translations"];
const NUMBERS: &[&str] = &[
    "--package",
    "openapi-crates-runtime",
    "--lib",
    "--",
    "reader::tests::a_number_is_the_same",
    "reader::tests::agrees_with_the_reader_of_values",
    "reader::tests::integers_agree",
    "reader::tests::numbers_are",
    "reader::tests::floats_round_trip",
];
const ALL: &[&str] = &["--workspace"];

/// Runs the random tests of a subject. Proptest prints the smallest case that fails.
pub fn run(subject: &Subject) -> Result<Outcome> {
    let (tests, Budget { cases, seed }) = match subject {
        Subject::Patterns(budget) => (PATTERNS, budget),
        Subject::Numbers(budget) => (NUMBERS, budget),
        Subject::All(budget) => (ALL, budget),
    };
    let mut command = project::cargo(&[&["test", "--release", "--all-features"], tests].concat())?;
    command.env("PROPTEST_CASES", cases.to_string()).env("PROPTEST_RNG_SEED", seed.to_string());
    // Strategies that filter may reject a share of any number of cases.
    command.env("PROPTEST_MAX_LOCAL_REJECTS", u32::MAX.to_string());
    command.env("PROPTEST_MAX_GLOBAL_REJECTS", u32::MAX.to_string());
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

//! `cargo xtask outlines`: compares the snapshots with the accepted ones, and accepts them.

use anyhow::Result;

use crate::{
    Outcome,
    project::{cargo, succeeds},
};

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare only the outlines of this API, and not the snapshots of the fixtures
    #[arg(long)]
    api: bool,
    /// Write the snapshots that differ and remove obsolete ones
    #[arg(long)]
    accept: bool,
}

impl Arguments {
    /// `--api --accept`.
    pub const ACCEPT_API: Self = Self { api: true, accept: true };
}

/// Examples, shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask regen && cargo xtask outlines    show what an edit of the spec changes
  cargo xtask outlines --accept                accept it; review the snapshots with git diff, then commit them";

/// Runs the tests that compare snapshots. insta prints a diff of each snapshot that differs.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let tests =
        if arguments.api { &["accepted::outlines_of_the_api"][..] } else { &["accepted::", "facade::"] };
    let mut command =
        cargo(&["test", "--quiet", "--package", "openapi-crates-outlines", "--test", "it", "--"])?;
    command.args(tests);
    command.env("RUST_BACKTRACE", "0");
    command.env("INSTA_UPDATE", if arguments.accept { "always" } else { "no" });
    if !succeeds(&mut command)? {
        eprintln!("snapshots differ, see the diffs above; to accept them: cargo xtask outlines --accept");
        return Ok(Outcome::Failed);
    }
    if arguments.accept {
        println!("every snapshot is accepted; to review them: git diff tests/snapshots");
    } else {
        println!("every snapshot is as accepted");
    }
    Ok(Outcome::Done)
}

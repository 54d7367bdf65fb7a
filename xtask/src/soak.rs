//! `cargo xtask soak`: the service under mixed load for a given time, outside CI.

use anyhow::{Result, ensure};

use crate::{Outcome, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask soak --minutes 60
      half an hour on SQLite, half an hour on PostgreSQL

  cargo xtask soak --copy --minutes 20
      a restored copy while its original runs, ten minutes on each database";

#[derive(clap::Args)]
pub struct Arguments {
    /// Run the load for this number of minutes, half of them on each database
    #[arg(long, value_name = "MINUTES", default_value_t = 60.0)]
    minutes: f64,
    /// Instead, run a restored copy while its original runs
    #[arg(long)]
    copy: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    ensure!(arguments.minutes > 0.0, "`--minutes` must be above 0");
    let tests = if arguments.copy { "service::copies" } else { "service::soak" };
    let mut command = ignored(tests, &[])?;
    command.env("ASSET_SERVICE_SOAK_MINUTES", (arguments.minutes / 2.0).to_string());
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

/// Returns a command that runs tests which CI ignores, one after another.
pub fn ignored(tests: &str, options: &[&str]) -> Result<std::process::Command> {
    let mut command = project::cargo(&["test", "--package", "asset-service", "--test", "it"])?;
    command.args(options).args(["--", "--ignored", "--nocapture", "--test-threads=1", tests]);
    Ok(command)
}

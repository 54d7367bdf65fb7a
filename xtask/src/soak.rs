//! `cargo xtask soak`: the service under mixed load for a given time, outside CI.

use anyhow::{Result, ensure};

use crate::{Outcome, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask soak --minutes 60
      half an hour on SQLite, half an hour on PostgreSQL

  cargo xtask soak --copy --minutes 20
      a restored copy while its original runs, ten minutes on each database

  AWS_ENDPOINT_URL=http://localhost:8014 AWS_ALLOW_HTTP=true AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b \\
  cargo xtask soak --bucket s3://soak --server 's3s-fs --access-key a --secret-key b /tmp/s3' --minutes 30
      three processes whose files are in a bucket; /tmp/s3 has an empty folder `soak`";

#[derive(clap::Args)]
pub struct Arguments {
    /// Run the load for this number of minutes; without `--bucket`, half of them on each database
    #[arg(long, value_name = "MINUTES", default_value_t = 60.0)]
    minutes: f64,
    /// Instead, run a restored copy while its original runs
    #[arg(long)]
    copy: bool,
    /// Instead, run three processes on PostgreSQL with separate folders and their files in this empty bucket; the
    /// environment has the credentials
    #[arg(long, value_name = "URL", requires = "server", conflicts_with = "copy")]
    bucket: Option<String>,
    /// The command that runs the bucket's server, which is killed, suspended and slowed down during the run
    #[arg(long, value_name = "COMMAND", requires = "bucket")]
    server: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    ensure!(arguments.minutes > 0.0, "`--minutes` must be above 0");
    let (tests, minutes) = match (&arguments.bucket, arguments.copy) {
        (Some(_), _) => ("service::soak::on_a_bucket", arguments.minutes),
        (None, true) => ("service::copies", arguments.minutes / 2.0),
        (None, false) => ("service::soak", arguments.minutes / 2.0),
    };
    let mut command = ignored(tests, &[])?;
    command.env("ASSET_SERVICE_SOAK_MINUTES", minutes.to_string());
    for (name, value) in [("BUCKET", &arguments.bucket), ("SERVER", &arguments.server)] {
        command.envs(value.iter().map(|value| (format!("ASSET_SERVICE_SOAK_{name}"), value)));
    }
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

/// Returns a command that runs tests which CI ignores, one after another.
pub fn ignored(tests: &str, options: &[&str]) -> Result<std::process::Command> {
    let mut command = project::cargo(&["test", "--package", "asset-service", "--test", "it"])?;
    command.args(options).args(["--", "--ignored", "--nocapture", "--test-threads=1", tests]);
    Ok(command)
}

//! `cargo xtask fuzz-media`: mutated media through every entrance of the service, outside CI.

use anyhow::{Result, ensure};

use crate::{Outcome, project, soak};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask fuzz-media --minutes 20
      as many rounds as twenty minutes allow

  cargo xtask fuzz-media --minutes 0.1 --seed 1234
      round 1234 again, and perhaps a few more";

#[derive(clap::Args)]
pub struct Arguments {
    /// Start rounds for this number of minutes
    #[arg(long, value_name = "MINUTES", default_value_t = 20.0)]
    minutes: f64,
    /// Begin with this round; its number is the seed of its mutants
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    seed: u32,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    ensure!(arguments.minutes > 0.0, "`--minutes` must be above 0");
    let mut command = soak::ignored("service::mutated", &[])?;
    command.env("ASSET_SERVICE_FUZZ_MINUTES", arguments.minutes.to_string());
    command.env("ASSET_SERVICE_FUZZ_SEED", arguments.seed.to_string());
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

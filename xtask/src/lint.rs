//! `cargo xtask lint`: reports the errors and warnings of the spec.

use anyhow::{Result, bail};
use asset_api_spec::{SPEC, lints};
use openapi_crates::{Code, Input, lint_with};

use crate::{Outcome, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Explain this diagnostic code and check nothing, for example `--explain unknown-ref`
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// Exit with 1 also if there is a warning, as CI does
    #[arg(long)]
    strict: bool,
}

impl Arguments {
    /// `--strict`.
    pub const STRICT: Self = Self { explain: None, strict: true };
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(name) = &arguments.explain {
        let Some(code) = Code::from_name(name) else {
            let known = Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
            bail!("unknown code `{name}`; known codes: {known}");
        };
        println!("{code}: {}", code.explanation());
        return Ok(Outcome::Done);
    }
    let text = project::spec_text()?;
    let report = lint_with(&Input::new(SPEC, &text), &lints());
    print!("{report}");
    println!("{SPEC}: {}", report.summary());
    let refused = report.has_errors() || arguments.strict && !report.diagnostics.is_empty();
    Ok(if refused { Outcome::Failed } else { Outcome::Done })
}

//! `openapi-crates explain`: explains diagnostic codes.

use openapi_crates::{Code, LintGroup, internals::did_you_mean};

use super::{Failure, Outcome, say};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Explain this code, shown in brackets in a diagnostic: `unknown-format` in `warning[unknown-format]: …`
    code: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let Some(name) = &arguments.code else {
        for code in Code::ALL {
            // The list shows the first sentence of each explanation.
            let gist = code.explanation().split_inclusive(". ").next().unwrap_or_default().trim_end();
            say(format_args!("{:24}{gist}", code.name()));
        }
        return Ok(Outcome::Done);
    };
    let Some(code) = Code::from_name(name) else {
        let near = did_you_mean(name, Code::ALL.iter().map(|code| code.name()));
        let help = "help: `openapi-crates explain` lists all codes";
        return Err(Failure::Usage(format!("unknown code `{name}`{near}\n{help}")));
    };
    say(format_args!("{code}: {}", code.explanation()));
    if let Some(group) = code.group().map(LintGroup::name) {
        say(format_args!(
            "The lint is in the group `{group}`, which is off by default: `openapi-crates lint --lints {group}`."
        ));
    }
    Ok(Outcome::Done)
}

//! `openapi-crates explain`: explains diagnostic codes.

use openapi_crates::{Audience, Code, LintGroup, Rule, internals::did_you_mean};

use super::{Failure, Outcome, print_stdout};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  openapi-crates explain unknown-ref
      explain a code of `lint` and `generate`: what it means, and what to do
  openapi-crates explain parameter-became-required
      explain a rule of `diff`, with its verdict for each audience
  openapi-crates explain | grep portable-
      list the codes of a group of lints
  openapi-crates explain --rules | grep parameter-
      list the rules of `diff` about parameters

Exit codes: 0 success; 2 an unknown code.")]
pub struct Arguments {
    /// Explain this code, shown in brackets: `unknown-format` in `warning[unknown-format]: …`, or the rule of a change
    code: Option<String>,
    /// List the rules of `openapi-crates diff`, instead of the codes of diagnostics
    #[arg(long)]
    rules: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    if arguments.rules {
        for rule in Rule::all() {
            print_stdout(format_args!("{:44}{}", rule.name(), first_sentence(&rule.explanation())));
        }
        return Ok(Outcome::Done);
    }
    let Some(name) = &arguments.code else {
        for code in Code::ALL {
            print_stdout(format_args!("{:24}{}", code.name(), first_sentence(code.explanation())));
        }
        return Ok(Outcome::Done);
    };
    if let Some(rule) = Rule::from_name(name) {
        print_stdout(format_args!("{name}: {}", rule.explanation()));
        for audience in Audience::ALL {
            print_stdout(format_args!("{}: {}", audience.name(), rule.verdicts().of(audience).name()));
        }
        return Ok(Outcome::Done);
    }
    let Some(code) = Code::from_name(name) else {
        let rules: Vec<String> = Rule::all().map(Rule::name).collect();
        let known = Code::ALL.iter().map(|code| code.name()).chain(rules.iter().map(String::as_str));
        let near = did_you_mean(name, known);
        let help = "help: `openapi-crates explain` lists all codes, and `openapi-crates explain --rules` all rules of `diff`";
        return Err(Failure::Usage(format!("unknown code `{name}`{near}\n{help}")));
    };
    print_stdout(format_args!("{code}: {}", code.explanation()));
    if let Some(group) = code.group().map(LintGroup::name) {
        print_stdout(format_args!(
            "The lint is in the group `{group}`, which is off by default: `openapi-crates lint --lints {group}`."
        ));
    }
    Ok(Outcome::Done)
}

fn first_sentence(explanation: &str) -> &str {
    explanation.split_inclusive(". ").next().unwrap_or_default().trim_end()
}

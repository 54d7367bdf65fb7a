//! `cargo xtask diff`: compares the spec with that of a git revision.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};
use asset_api_spec::{SPEC, options};
use openapi_crates::{Compared, Input, diff, internals::Reporting};

use crate::{Outcome, files, outline, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare with the spec of this git revision [default: where this branch left `main`, or else HEAD]
    #[arg(long, value_name = "REVISION")]
    against: Option<String>,
    #[command(flatten)]
    reporting: Reporting,
}

/// Examples, shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask diff                      what this branch changes, and whom it breaks
  cargo xtask diff --against v1.0.0     what has changed since a release
  cargo xtask diff --accept 'no client uses it'
                                        write the changes that fail to spec/openapi-accepted.toml
  cargo xtask diff --format markdown    a comment for a pull request

`openapi-crates diff --help` describes the audiences and the verdicts.";

/// The folder of both outlines, relative to the project's root.
const OUTLINES: &str = "target/diff";

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let revision = arguments.against.clone().map_or_else(base_revision, Ok)?;
    let old = project::output("git", &["show", &format!("{revision}:{SPEC}")])?;
    let new = project::spec_text()?;
    let options = options();
    let old_name = format!("{}:{SPEC}", short(&revision));
    let Compared { diff, old: old_report, new: new_report, .. } =
        diff((&Input::new(&old_name, &old), &options), (&Input::new(SPEC, &new), &options));
    let Some(diff) = diff else {
        eprint!("{old_report}{new_report}");
        eprintln!("nothing was compared");
        return Ok(Outcome::Failed);
    };
    let root = project::root()?;
    let spec = root.join(SPEC);
    let fails = arguments.reporting.run(diff, spec.parent().unwrap_or(&root))?;
    if arguments.reporting.is_for_terminals() {
        print_outlines(&root, (&old_name, &old), &new)?;
    }
    Ok(if fails { Outcome::Failed } else { Outcome::Done })
}

/// Returns the revision where this branch left `main`, or HEAD.
fn base_revision() -> Result<String> {
    let base = project::output("git", &["merge-base", "main", "HEAD"]);
    base.map(|base| base.trim().to_owned()).or_else(|_| Ok("HEAD".to_owned()))
}

/// Returns the first digits of a commit, or the whole name of a branch or tag.
fn short(revision: &str) -> &str {
    let is_commit = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    revision.get(..9).filter(|_| is_commit).unwrap_or(revision)
}

/// Writes both outlines, and prints how many of their lines differ.
fn print_outlines(root: &Path, (old_name, old): (&str, &str), new: &str) -> Result<()> {
    let (Some(old), Some(new)) = (outline::of(old_name, old), outline::of(SPEC, new)) else { return Ok(()) };
    if old == new {
        eprintln!("outlines: no line changes");
        return Ok(());
    }
    let names = ["old", "new"].map(|name| format!("{OUTLINES}/{name}.outline"));
    for (name, text) in names.iter().zip([old, new]) {
        files::write(&root.join(name), text)?;
    }
    let [old, new] = names;
    // It exits with 1, because the files differ.
    let counts = Command::new("git")
        .current_dir(root)
        .args(["diff", "--no-index", "--numstat", &old, &new])
        .output()
        .context("git can't be run")?;
    let counts = String::from_utf8_lossy(&counts.stdout).into_owned();
    let mut counts = counts.split_whitespace();
    let (added, removed) = (counts.next().unwrap_or("?"), counts.next().unwrap_or("?"));
    eprintln!(
        "outlines: {added} lines added, {removed} removed; to see them: git diff --no-index {old} {new}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::Task;

    #[test]
    fn commits_are_short() {
        assert_eq!(short("0123456789abcdef0123456789abcdef01234567"), "012345678");
        assert_eq!(short("a-branch"), "a-branch");
    }

    #[test]
    fn the_spec_is_compared_with_a_revision() {
        let parse = |arguments: &[&str]| match crate::Arguments::try_parse_from(arguments.iter().copied())
            .unwrap()
            .task
        {
            Task::Diff(arguments) => arguments,
            _ => panic!("another task"),
        };
        let head = parse(&["xtask", "diff", "--against", "HEAD", "--fail-on", "never", "--format", "json"]);
        assert_eq!(run(&head).unwrap(), Outcome::Done);
        let unknown = run(&parse(&["xtask", "diff", "--against", "no-such-revision"])).unwrap_err();
        assert!(unknown.to_string().contains("no-such-revision"), "{unknown}");
    }
}

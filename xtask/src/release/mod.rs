//! `cargo xtask release --dry-run`: whether the version of the manifests can be released. Publishes nothing.

mod checks;
mod registry;
#[cfg(test)]
mod tests;

use std::iter;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    Outcome, book, files,
    package::{self, PUBLISHED, cargo_for_packages, items, text},
    project,
};

/// The package whose program is released with that of the generator. It is not published.
const SERVICE: &str = "asset-service";

/// The section of the changelog, as the text of the release. Relative to the project's root.
const NOTES: &str = "target/release-notes.md";

#[derive(clap::Args)]
pub struct Arguments {
    /// Check what would be released. There is no other mode: people publish
    #[arg(long, required = true)]
    dry_run: bool,
}

/// The result of a check that ran to its end.
#[derive(Debug, PartialEq, Eq)]
enum State {
    Passed(String),
    /// The version can't be released.
    Failed(String),
    /// A person has to do or decide something.
    Open(String),
}

impl State {
    /// Returns the state for a commit: nothing is open at a tag.
    fn at(self, candidate: &Candidate) -> Self {
        match self {
            Self::Open(detail) if !candidate.tags.is_empty() => Self::Failed(detail),
            state => state,
        }
    }
}

/// A name, and a function that checks what would be released.
type Check = (&'static str, fn(&Candidate) -> Result<State>);

/// All checks, those that need no compiler first.
const CHECKS: &[Check] = &[
    ("versions", checks::versions),
    ("order", checks::order),
    ("manifests", checks::manifests),
    ("changelog", checks::changelog),
    ("tag", checks::tag),
    ("names", registry::names),
    ("package", |_| {
        state_of(package::run(&package::Arguments::IN_CI)?, "packed, and their versions fit together")
    }),
    ("docs.rs", docs_rs),
    ("semver", registry::semver),
    ("book", |_| state_of(book::run()?, "its links have targets")),
];

/// The packages and facts of a release.
struct Candidate {
    /// The packages of the workspace, as `cargo metadata` describes them.
    packages: Vec<Value>,
    changelog: String,
    /// The tags of the commit.
    tags: Vec<String>,
    /// All tags of releases, the newest first.
    releases: Vec<String>,
    /// The number of files that are not committed.
    uncommitted: usize,
}

impl Candidate {
    fn read() -> Result<Self> {
        let metadata =
            project::output("cargo", &["metadata", "--no-deps", "--format-version", "1", "--offline"])?;
        let metadata: Value = serde_json::from_str(&metadata).context("cargo wrote no JSON")?;
        let lines = |arguments: &[&str]| -> Result<Vec<String>> {
            Ok(project::output("git", arguments)?.lines().map(str::to_owned).collect())
        };
        Ok(Self {
            packages: items(metadata.get("packages")).cloned().collect(),
            changelog: files::read(&project::root()?.join("CHANGELOG.md"))?,
            tags: lines(&["tag", "--points-at", "HEAD", "--list", "v*"])?,
            releases: lines(&["tag", "--list", "v*", "--sort=-version:refname"])?,
            uncommitted: lines(&["status", "--porcelain"])?.len(),
        })
    }

    fn package(&self, name: &str) -> Result<&Value> {
        let mut packages = self.packages.iter();
        packages
            .find(|package| text(package, "name") == name)
            .with_context(|| format!("the workspace has no package {name}"))
    }

    /// Returns the published packages in the order of their publication.
    fn published(&self) -> Result<Vec<&Value>> {
        PUBLISHED.iter().map(|name| self.package(name)).collect()
    }

    /// Returns the version of the generator, which all released packages have.
    fn version(&self) -> Result<&str> {
        Ok(text(self.package("openapi-crates")?, "version"))
    }

    fn tag(&self) -> Result<String> {
        Ok(format!("v{}", self.version()?))
    }

    /// Returns the tag of the release before this one.
    fn last_release(&self) -> Result<Option<&str>> {
        let tag = self.tag()?;
        Ok(self.releases.iter().map(String::as_str).find(|release| *release != tag))
    }
}

/// Runs all checks, and prints their table and the remaining manual steps.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let Arguments { dry_run: _ } = arguments;
    let candidate = Candidate::read()?;
    let tag = candidate.tag()?;
    let mut states = Vec::new();
    for (name, check) in CHECKS {
        project::progress(name);
        let state = check(&candidate).unwrap_or_else(|error| State::Failed(format!("{error:#}")));
        states.push((*name, state.at(&candidate)));
    }
    project::progress("");
    if let Some(notes) = checks::notes(&candidate.changelog, candidate.version()?) {
        files::write(&project::root()?.join(NOTES), notes)?;
    }
    println!("\n{tag}: {}", PUBLISHED.join(", "));
    for (name, state) in &states {
        let (mark, detail) = match state {
            State::Passed(detail) => ("ok", detail),
            State::Failed(detail) => ("FAILED", detail),
            State::Open(detail) => ("open", detail),
        };
        println!("{name:<10} {mark:<7} {detail}");
    }
    if states.iter().any(|(_, state)| matches!(state, State::Failed(_))) {
        println!("\n{tag} can't be released. Nothing was published.");
        return Ok(Outcome::Failed);
    }
    println!("\nNothing was published. What remains for a person (docs/release.md):");
    let open = states.iter().filter_map(|(name, state)| match state {
        State::Open(detail) => Some(format!("{name}: {detail}")),
        State::Passed(_) | State::Failed(_) => None,
    });
    for (number, step) in iter::zip(1.., open.chain(buttons(&candidate)?)) {
        println!("{number}. {step}");
    }
    Ok(Outcome::Done)
}

/// Returns the manual steps after the checks.
fn buttons(candidate: &Candidate) -> Result<Vec<String>> {
    let tag = candidate.tag()?;
    let mut steps =
        vec![format!("git tag {tag} && git push origin {tag}: the workflow Release builds a draft")];
    if candidate.last_release()?.is_none() {
        steps.push(format!(
            "first release only: cargo publish --locked {}",
            PUBLISHED.iter().flat_map(|name| ["--package", name]).collect::<Vec<_>>().join(" ")
        ));
        steps.push("first release only: name the workflow as trusted publisher of each package".to_owned());
    }
    steps.push(
        "approve the environment `release` of the workflow: it publishes what is not published".to_owned(),
    );
    steps.push("publish the draft".to_owned());
    Ok(steps)
}

fn state_of(outcome: Outcome, passed: &str) -> Result<State> {
    Ok(match outcome {
        Outcome::Done => State::Passed(passed.to_owned()),
        Outcome::Failed | Outcome::Skipped => State::Failed("see the output above".to_owned()),
    })
}

/// Documents the packed packages as docs.rs does, without warnings.
fn docs_rs(candidate: &Candidate) -> Result<State> {
    for package in candidate.published()? {
        let name = text(package, "name");
        let mut command = cargo_for_packages(&["doc", "--no-deps", "--package", name])?;
        command.args(checks::docs_rs_flags(package)?).env("RUSTDOCFLAGS", "--cfg docsrs -D warnings");
        if !project::succeeds(&mut command)? {
            return Ok(State::Failed(format!("`{}` fails", project::shown(&command))));
        }
    }
    Ok(State::Passed(
        "cargo doc has no warnings in the packages, with the flags of their metadata".to_owned(),
    ))
}

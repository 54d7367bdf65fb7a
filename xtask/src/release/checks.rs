//! Checks that read manifests, the changelog and tags.

use anyhow::{Result, bail};
use serde_json::Value;

use super::{Candidate, PUBLISHED, SERVICE, State, items, text};

/// Fails if released packages have different versions or Rust versions, or need another version of each other.
pub fn versions(candidate: &Candidate) -> Result<State> {
    let version = candidate.version()?;
    let mut wrong = Vec::new();
    let lowest_rust = text(candidate.package("openapi-crates")?, "rust_version");
    for package in candidate.published()? {
        let [name, rust] = ["name", "rust_version"].map(|field| text(package, field));
        if rust != lowest_rust {
            wrong.push(format!("{name} needs Rust {rust}, not {lowest_rust}"));
        }
        for dependency in published_dependencies(package) {
            let [on, needed] = ["name", "req"].map(|field| text(dependency, field));
            if needed.trim_start_matches(['^', '=']) != version {
                wrong.push(format!("{name} needs {on} {needed}"));
            }
        }
    }
    for package in candidate.published()?.into_iter().chain([candidate.package(SERVICE)?]) {
        let [name, found] = ["name", "version"].map(|field| text(package, field));
        if found != version {
            wrong.push(format!("{name} has {found}"));
        }
    }
    Ok(if wrong.is_empty() {
        State::Passed(format!("{version}, Rust {lowest_rust} or newer"))
    } else {
        State::Failed(format!("not all have {version}: {}", wrong.join(", ")))
    })
}

/// Fails if a package would be published before one that it depends on.
pub fn order(candidate: &Candidate) -> Result<State> {
    let is_published = |package: &&Value| package.get("publish").is_none_or(Value::is_null);
    let mut publishable: Vec<&str> =
        candidate.packages.iter().filter(is_published).map(|package| text(package, "name")).collect();
    publishable.retain(|name| !PUBLISHED.contains(name));
    if !publishable.is_empty() {
        return Ok(State::Failed(format!("`publish = false` is missing: {}", publishable.join(", "))));
    }
    let mut before: Vec<&str> = Vec::new();
    for package in candidate.published()? {
        let name = text(package, "name");
        if !is_published(&package) {
            return Ok(State::Failed(format!("{name} has `publish = false`")));
        }
        // Cargo removes dependencies of tests that have no version.
        let local = items(package.get("dependencies")).filter(|dependency| {
            dependency.get("path").is_some_and(Value::is_string)
                && !(text(dependency, "kind") == "dev" && text(dependency, "req") == "*")
        });
        for dependency in local.map(|dependency| text(dependency, "name")) {
            if !before.contains(&dependency) {
                return Ok(State::Failed(format!(
                    "{name} depends on {dependency}, which is not published before"
                )));
            }
        }
        before.push(name);
    }
    Ok(State::Passed(before.join(", ")))
}

/// Fails if a manifest lacks a key that registries show.
pub fn manifests(candidate: &Candidate) -> Result<State> {
    for package in candidate.published()? {
        let name = text(package, "name");
        let is_missing = |field: &&&str| text(package, field).is_empty();
        if let Some(field) = ["description", "license", "readme"].iter().find(is_missing) {
            return Ok(State::Failed(format!("{name} has no `{field}`")));
        }
        docs_rs_flags(package)?;
    }
    let lacks_repository = |package: &&&Value| text(package, "repository").is_empty();
    Ok(match candidate.published()?.iter().filter(lacks_repository).count() {
        0 => State::Passed("each has a description, a licence, a README and a repository".to_owned()),
        _ => State::Open(
            "set `repository` in generator/Cargo.toml, runtime/Cargo.toml and spec/lib.rs: `cargo binstall` needs it"
                .to_owned(),
        ),
    })
}

/// Fails if the changelog does not begin with a section for the version.
pub fn changelog(candidate: &Candidate) -> Result<State> {
    let version = candidate.version()?;
    let heading = candidate.changelog.lines().find(|line| line.starts_with("## ")).unwrap_or_default();
    let Some(date) = heading.strip_prefix(&format!("## [{version}] - ")) else {
        return Ok(State::Failed(format!(
            "CHANGELOG.md begins with `{heading}`, not with `## [{version}] - …`"
        )));
    };
    if notes(&candidate.changelog, version).is_none_or(|notes| notes.trim().is_empty()) {
        return Ok(State::Failed(format!("the section {version} of CHANGELOG.md is empty")));
    }
    Ok(if is_date(date) {
        State::Passed(heading.to_owned())
    } else if date == "unreleased" {
        State::Open(format!("write the day of the release into the heading `{heading}` of CHANGELOG.md"))
    } else {
        State::Failed(format!("`{date}` in CHANGELOG.md is neither a date (2030-12-31) nor `unreleased`"))
    })
}

/// Returns the body of the changelog's section for a version.
pub fn notes<'c>(changelog: &'c str, version: &str) -> Option<&'c str> {
    let (_, from) = changelog.split_once(&format!("\n## [{version}]"))?;
    let (_, body) = from.split_once('\n')?;
    Some(body.split_once("\n## ").map_or(body, |(body, _)| body))
}

fn is_date(text: &str) -> bool {
    let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
    text.bytes().map(shape).eq(*b"0000-00-00")
}

/// Fails if the version was released, or if the commit has the tag of another version.
pub fn tag(candidate: &Candidate) -> Result<State> {
    let tag = candidate.tag()?;
    if let Some(other) = candidate.tags.iter().find(|found| **found != tag) {
        return Ok(State::Failed(format!("the commit has the tag {other}, the manifests say {tag}")));
    }
    if candidate.tags.is_empty() && candidate.releases.contains(&tag) {
        return Ok(State::Failed(format!("{tag} is the tag of another commit: raise the version")));
    }
    Ok(match candidate.uncommitted {
        0 => State::Passed(format!("{tag}, one for all packages")),
        number => State::Open(format!("commit or remove {number} changed files before the tag {tag}")),
    })
}

/// Returns the flags of `cargo doc` that docs.rs takes from a package's metadata.
///
/// # Errors
/// Returns an error on a key that this function does not know.
pub fn docs_rs_flags(package: &Value) -> Result<Vec<&'static str>> {
    let settings = package.pointer("/metadata/docs/rs").and_then(Value::as_object);
    let mut flags = Vec::new();
    for (key, value) in settings.into_iter().flatten() {
        match (key.as_str(), value) {
            ("all-features", Value::Bool(true)) => flags.push("--all-features"),
            _ => bail!("{}: the setting `{key}` of docs.rs is not checked", text(package, "name")),
        }
    }
    Ok(flags)
}

/// Returns the dependencies on published packages, also those of tests.
fn published_dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    items(package.get("dependencies"))
        .filter(|dependency| PUBLISHED.contains(&text(dependency, "name")) && text(dependency, "req") != "*")
}

//! `cargo xtask package`: the packages of the crates that are published.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fmt::Write,
    fs,
    path::Path,
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{Outcome, files, project};

/// The packages that are published, each after those that it depends on.
pub const PUBLISHED: &[&str] = &[
    "openapi-crates-runtime",
    "openapi-crates",
    "asset-api-models",
    "asset-api-validation",
    "asset-api-server",
    "asset-api-client",
];

/// Examples that use the published packages, and files outside their own package that they read.
const USERS: &[(&str, &[&str])] =
    &[("build-script-example", &["examples/petstore/openapi.yaml"]), ("downstream-example", &[])];

/// The files that each published package has.
const FILES: &[&str] = &["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

/// The folder of the packages, relative to the project's root.
const FOLDER: &str = "target/packages";

/// The workspace of the unpacked packages, in that folder.
const WORKSPACE: &str = "workspace";

#[derive(clap::Args)]
pub struct Arguments {
    /// Also check the packaged files with all features, and test the examples that use them
    #[arg(long)]
    build: bool,
}

impl Arguments {
    /// Without `--build`.
    pub const IN_CI: Self = Self { build: false };
}

/// Packs the published packages, unpacks them into a workspace with their users, and resolves or builds that workspace.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = project::root()?.join(FOLDER);
    // `cargo package --offline` needs the dependencies of the lock file.
    project::succeed(&mut project::cargo(&["fetch", "--locked"])?)?;
    let packed = folder.join("package");
    files::remove(&packed)?;
    let mut command = project::cargo(&["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"])?;
    command.arg("--target-dir").arg(&folder);
    let users = USERS.iter().map(|(name, _)| *name);
    command.args(PUBLISHED.iter().copied().chain(users).flat_map(|name| ["--package", name]));
    project::succeed(&mut command)?;
    let workspace = folder.join(WORKSPACE);
    let names = unpack(&packed, &workspace)?;
    for package in PUBLISHED {
        check(&workspace.join(find(&names, package)?))?;
    }
    write_workspace(&workspace, &names)?;
    let metadata =
        cargo_for_packages(&["metadata", "--format-version", "1"])?.output().context("cannot run cargo")?;
    if !metadata.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&metadata.stderr));
        eprintln!("the packages in {} don't fit together", workspace.display());
        return Ok(Outcome::Failed);
    }
    check_rust_versions(&serde_json::from_slice(&metadata.stdout).context("cargo wrote no JSON")?)?;
    let tasks: &[&[&str]] =
        if arguments.build { &[&["check", "--workspace", "--all-features"], &["test"]] } else { &[] };
    for task in tasks {
        if !project::succeeds(&mut cargo_for_packages(task)?)? {
            eprintln!("`cargo {}` fails in {}", task.join(" "), workspace.display());
            return Ok(Outcome::Failed);
        }
    }
    println!("{} packages in {}", PUBLISHED.len(), packed.display());
    Ok(Outcome::Done)
}

/// Returns a cargo command that runs in the workspace of the unpacked packages, without network.
pub fn cargo_for_packages(arguments: &[&str]) -> Result<Command> {
    let mut command = project::cargo(arguments)?;
    let folder = project::root()?.join(FOLDER);
    command.args(["--offline", "--quiet"]).current_dir(folder.join(WORKSPACE));
    command.env("CARGO_TARGET_DIR", folder.join("target"));
    Ok(command)
}

/// Unpacks all packages, and returns the names of their folders: `openapi-crates-0.1.0`.
fn unpack(packed: &Path, workspace: &Path) -> Result<BTreeSet<String>> {
    files::recreate(workspace)?;
    let mut names = BTreeSet::new();
    for path in files::list(packed)? {
        if path.extension().is_some_and(|extension| extension == "crate") {
            let mut tar = project::program("tar")?;
            project::succeed(tar.arg("-xzf").arg(&path).arg("-C").arg(workspace))?;
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    Ok(names)
}

/// Returns the folder of a package: its name and version.
fn find<'n>(names: &'n BTreeSet<String>, package: &str) -> Result<&'n str> {
    let is_version = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let mut names = names.iter().map(String::as_str);
    let found = names.find(|name| {
        name.strip_prefix(package).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_version)
    });
    found.with_context(|| format!("there is no package of {package}"))
}

/// Fails if a published package lacks a file that users expect, or has tests.
fn check(folder: &Path) -> Result<()> {
    for file in FILES {
        let path = folder.join(file);
        // A link to a file outside the package would be a link here too.
        if !fs::symlink_metadata(&path).is_ok_and(|file| file.is_file()) {
            bail!("{} is missing", path.display());
        }
    }
    let is_of_tests = |name: &OsStr| {
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        stem == "tests" || stem.ends_with("_tests")
    };
    let sources = files::below(&folder.join("src"))?;
    let test =
        sources.iter().find(|path| path.strip_prefix(folder).is_ok_and(|path| path.iter().any(is_of_tests)));
    match test {
        Some(test) => bail!("{} is for tests only; see `include` in the manifest", test.display()),
        None => Ok(()),
    }
}

/// Fails if a published package, or a dependency, needs a newer Rust version than the package states.
fn check_rust_versions(metadata: &Value) -> Result<()> {
    let packages = by_id(metadata.get("packages"));
    let nodes = by_id(metadata.pointer("/resolve/nodes"));
    for (root, package) in packages.iter().filter(|(_, package)| PUBLISHED.contains(&text(package, "name"))) {
        let stated = rust_version(package).context("a published package states no `rust-version`")?;
        let (mut open, mut seen) = (vec![*root], BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let package = packages.get(id).context("cargo lists every package")?;
            if rust_version(package).is_some_and(|needed| needed > stated) {
                let [name, version, needed] =
                    ["name", "version", "rust_version"].map(|field| text(package, field));
                bail!("{name} {version} needs Rust {needed}, which is newer than 1.{}", stated.1);
            }
            let is_used = |of: &&Value| items(of.get("dep_kinds")).any(|kind| text(kind, "kind") != "dev");
            let dependencies = items(nodes.get(id).and_then(|node| node.get("deps"))).filter(is_used);
            open.extend(dependencies.map(|of| text(of, "pkg")));
        }
    }
    Ok(())
}

fn by_id(list: Option<&Value>) -> BTreeMap<&str, &Value> {
    items(list).map(|item| (text(item, "id"), item)).collect()
}

pub fn items(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

/// Returns a field that is a string; the kind of a normal dependency is null.
pub fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the lowest Rust version of a package: `(1, 89)` for `1.89.0`.
fn rust_version(package: &Value) -> Option<(u32, u32)> {
    let mut numbers = text(package, "rust_version").split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Writes a workspace of the unpacked packages. Its default members are the users.
fn write_workspace(workspace: &Path, names: &BTreeSet<String>) -> Result<()> {
    let root = project::root()?;
    let mut users = Vec::new();
    for (user, files) in USERS {
        users.push(find(names, user)?);
        for file in *files {
            // Members read their files from the same relative path as in `examples/`.
            let copy = workspace.join(file.trim_start_matches("examples/"));
            files::copy(&root.join(file), &copy)?;
        }
    }
    // The published packages have no tests, so only the users are tested.
    let all: Vec<&String> = names.iter().collect();
    let mut manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {all:?}\ndefault-members = {users:?}\n\n[patch.crates-io]\n"
    );
    for package in PUBLISHED {
        writeln!(manifest, "{package} = {{ path = {:?} }}", find(names, package)?)?;
    }
    files::write(&workspace.join("Cargo.toml"), manifest)?;
    // The same versions as in the project, which are downloaded.
    files::copy(&root.join("Cargo.lock"), &workspace.join("Cargo.lock"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the metadata of a published package with a dependency of this kind that needs this Rust version.
    fn metadata(kind: &Value, needed: &str) -> Value {
        let package =
            |id: &str, rust: &str| json!({"id": id, "name": id, "version": "1.0.0", "rust_version": rust});
        json!({
            "packages": [package("openapi-crates", "1.89"), package("other", needed)],
            "resolve": {"nodes": [
                {"id": "openapi-crates", "deps": [{"pkg": "other", "dep_kinds": [{"kind": kind}]}]},
                {"id": "other", "deps": []},
            ]},
        })
    }

    #[test]
    fn no_dependency_needs_a_newer_rust() {
        let error = |kind: Value, needed: &str| {
            check_rust_versions(&metadata(&kind, needed)).err().map(|error| error.to_string())
        };
        assert_eq!(error(Value::Null, "1.89.0"), None);
        assert_eq!(error(json!("dev"), "1.95"), None);
        let expected = "other 1.0.0 needs Rust 1.90, which is newer than 1.89";
        assert_eq!(error(Value::Null, "1.90"), Some(expected.to_owned()));
    }
}

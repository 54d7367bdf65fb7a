//! `cargo xtask package`: the packages of the crates that are published.

use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::{Outcome, project};

/// The packages that are published.
const PUBLISHED: &[&str] = &[
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

#[derive(clap::Args)]
pub struct Arguments {
    /// Also build the examples that use the packages, against the packaged files alone
    #[arg(long)]
    build: bool,
}

impl Arguments {
    /// Without `--build`.
    pub const IN_CI: Self = Self { build: false };
}

/// Packs the published packages and a workspace of their users, and resolves or builds that workspace.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = project::root()?.join(FOLDER);
    // `cargo package --offline` needs the dependencies of the lock file.
    project::succeed(&mut project::cargo(&["fetch", "--locked"])?)?;
    let packed = folder.join("package");
    if packed.exists() {
        fs::remove_dir_all(&packed).with_context(|| format!("cannot remove {}", packed.display()))?;
    }
    let mut command = project::cargo(&["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"])?;
    command.arg("--target-dir").arg(&folder);
    let users = USERS.iter().map(|(name, _)| *name);
    command.args(PUBLISHED.iter().copied().chain(users).flat_map(|name| ["--package", name]));
    project::succeed(&mut command)?;
    let workspace = folder.join("workspace");
    let names = unpack(&packed, &workspace)?;
    for package in PUBLISHED {
        check(&workspace.join(find(&names, package)?))?;
    }
    write_workspace(&workspace, &names)?;
    let task: &[&str] = if arguments.build { &["test"] } else { &["metadata", "--format-version", "1"] };
    let mut command = project::cargo(task)?;
    command
        .args(["--offline", "--quiet"])
        .current_dir(&workspace)
        .env("CARGO_TARGET_DIR", folder.join("target"));
    if !arguments.build {
        command.stdout(std::process::Stdio::null());
    }
    if !project::succeeds(&mut command)? {
        eprintln!("the packages in {} don't fit together", workspace.display());
        return Ok(Outcome::Failed);
    }
    println!("{} packages in {}", PUBLISHED.len(), packed.display());
    Ok(Outcome::Done)
}

/// Unpacks all packages, and returns the names of their folders: `openapi-crates-0.1.0`.
fn unpack(packed: &Path, workspace: &Path) -> Result<BTreeSet<String>> {
    if workspace.exists() {
        fs::remove_dir_all(workspace).with_context(|| format!("cannot remove {}", workspace.display()))?;
    }
    fs::create_dir_all(workspace).with_context(|| format!("cannot create {}", workspace.display()))?;
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(packed).with_context(|| format!("cannot list {}", packed.display()))? {
        let path = entry?.path();
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
    match test_in(&folder.join("src"))? {
        Some(test) => bail!("{} is for tests only; see `include` in the manifest", test.display()),
        None => Ok(()),
    }
}

/// Returns a file or folder with the name of tests.
fn test_in(folder: &Path) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") {
            return Ok(Some(path));
        }
        if path.is_dir()
            && let Some(test) = test_in(&path)?
        {
            return Ok(Some(test));
        }
    }
    Ok(None)
}

/// Writes a workspace of the users, in which the published packages are those that were unpacked.
fn write_workspace(workspace: &Path, names: &BTreeSet<String>) -> Result<()> {
    let root = project::root()?;
    let mut members = Vec::new();
    for (user, files) in USERS {
        members.push(find(names, user)?);
        for file in *files {
            // Members read their files from the same relative path as in `examples/`.
            let copy = workspace.join(file.trim_start_matches("examples/"));
            let folder = copy.parent().context("the file is in a folder")?;
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            fs::copy(root.join(file), &copy).with_context(|| format!("cannot write {}", copy.display()))?;
        }
    }
    let mut manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n");
    for package in PUBLISHED {
        writeln!(manifest, "{package} = {{ path = {:?} }}", find(names, package)?)?;
    }
    let path = workspace.join("Cargo.toml");
    fs::write(&path, manifest).with_context(|| format!("cannot write {}", path.display()))?;
    // The same versions as in the project, which are downloaded.
    fs::copy(root.join("Cargo.lock"), workspace.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    Ok(())
}

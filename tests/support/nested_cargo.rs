//! Starts cargo from a program that cargo runs, in a workspace that shares the compiled dependencies of the project.

use std::{
    collections::BTreeSet,
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The variable that names a program to run instead of rustc, for the packages of a workspace.
pub const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// The package that [`write_dependencies`] writes.
pub const DEPENDENCIES: &str = "dependencies";

/// Generated crates, whose dependencies are those of all generated crates.
const GENERATED: [&str; 2] = ["asset-api-client", "asset-api-server"];

/// The project's manifest.
const MANIFEST: &str = include_str!("../../Cargo.toml");

/// Returns a cargo command without the variables that cargo sets for the running package, and without a wrapper of rustc.
///
/// Some build scripts, such as that of `ring`, read these variables. They would run again after each change between this
/// command and a cargo command from a terminal, and cargo would recompile all packages that depend on them.
///
/// Dependencies have the project's profile, so that those in its target folder are used. The packages of the workspace
/// have no debug info.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        if is_of_a_package(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command.args(["--config", "profile.dev.debug=false"]);
    for setting in profile_of_dependencies() {
        command.args(["--config", &format!("profile.dev.package.'*'.{setting}")]);
    }
    command
}

/// Returns the settings of the development profile for all dependencies.
fn profile_of_dependencies() -> impl Iterator<Item = &'static str> {
    let sections = MANIFEST.split_once("[profile.dev.package.\"*\"]\n").map_or("", |(_, rest)| rest);
    sections.lines().take_while(|line| !line.is_empty())
}

/// Writes the package [`DEPENDENCIES`] into a folder. It depends on all that generated crates need, with the features that
/// the project's own build selects.
///
/// Cargo selects features for all packages that it compiles together. A generated crate alone would need the same
/// dependencies with fewer features, so they would be compiled again.
///
/// # Errors
/// Cargo can't list the dependencies, or a file can't be written.
pub fn write_dependencies(folder: &Path) -> io::Result<()> {
    let [linked, of_host] = dependencies()?.map(|found| lines(&found));
    let package = format!("[package]\nname = \"{DEPENDENCIES}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
    let manifest = format!("{package}\n[dependencies]\n{linked}\n[build-dependencies]\n{of_host}");
    fs::create_dir_all(folder.join("src"))?;
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", "//! Selects features.\n"),
        ("build.rs", "fn main() {}\n"),
    ];
    files.into_iter().try_for_each(|(file, text)| write_if_new(&folder.join(file), text))
}

/// Writes a file, unless it has this text.
///
/// Files that don't change keep their modification time, so that cargo compiles only what changed.
///
/// # Errors
/// The file can't be written.
pub fn write_if_new(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).ok().as_deref() == Some(text) { Ok(()) } else { fs::write(path, text) }
}

/// Packages, such as `serde v1.0.0`, and their features, such as `derive,std`.
type Packages = BTreeSet<(String, String)>;

/// Returns the lines of a manifest that name these packages.
fn lines(packages: &Packages) -> String {
    let line = |(package, features): &(String, String)| {
        let (name, version) = package.split_once(" v").unwrap_or((package, "*"));
        // Without ` (proc-macro)` and the metadata of `1.0.0+metadata`.
        let version = version.split([' ', '+']).next().unwrap_or_default();
        let features: Vec<&str> = features.split(',').filter(|feature| !feature.is_empty()).collect();
        // Two versions of a package need two names.
        let key = format!("{name}-{}", version.replace('.', "-"));
        format!(
            "{key} = {{ package = {name:?}, version = \"={version}\", default-features = false, features = {features:?} }}\n"
        )
    };
    packages.iter().map(line).collect()
}

/// Returns the packages that generated crates link, and those of the host: procedural macros, and what build scripts
/// depend on. Cargo selects the features of both separately.
fn dependencies() -> io::Result<[Packages; 2]> {
    let is_generated = |root: &str| GENERATED.iter().any(|name| root.starts_with(name));
    let needed = packages(&["normal,no-proc-macro", "--no-dedupe"], is_generated)?;
    let needed: BTreeSet<String> = needed.into_iter().map(|(package, _)| package).collect();
    let linked = packages(&["normal,dev,no-proc-macro"], |_| true)?;
    let of_host = packages(&["normal,dev,build"], |_| true)?.difference(&linked).cloned().collect();
    let is_needed = |(package, _): &(String, String)| needed.contains(package);
    Ok([linked.into_iter().filter(is_needed).collect(), of_host])
}

/// Returns the packages that packages of the project depend on, by edges of these kinds.
fn packages(edges: &[&str], is_wanted: impl Fn(&str) -> bool) -> io::Result<Packages> {
    let mut command = cargo();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(PathBuf::from);
    command.current_dir(project.unwrap_or_default());
    command.args(["tree", "--offline", "--workspace", "--all-features", "--prefix", "depth"]);
    command.args(["--format", " {p}|{f}|", "--edges"]).args(edges);
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let mut is_within = false;
    let mut found = Packages::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (depth, rest) = line.split_once(' ').unwrap_or_default();
        let mut parts = rest.split('|');
        let (Some(package), Some(features)) = (parts.next(), parts.next()) else { continue };
        if depth == "0" {
            is_within = is_wanted(package);
        }
        // Packages of the project are shown with their folder.
        if is_within && !package.contains(['/', '\\']) {
            found.insert((package.to_owned(), features.to_owned()));
        }
    }
    Ok(found)
}

/// Makes clippy the compiler of the workspace's packages, and refuses warnings.
///
/// A separate `cargo clippy` would check again what the command compiles.
pub fn compile_with_clippy(command: &mut Command) {
    // As `cargo clippy` does it. A script as the wrapper would lose variables whose names have hyphens, such as
    // `CARGO_BIN_EXE_asset-service`: shells drop them.
    command.env(WRAPPER, "clippy-driver");
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

fn is_of_a_package(name: &str) -> bool {
    name.starts_with("CARGO_MANIFEST_")
        || name.starts_with("CARGO_PKG_")
        || name == "OUT_DIR"
        || name == WRAPPER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_have_the_profile_of_the_project() {
        let settings = ["debug-assertions = false", "codegen-units = 1"];
        assert_eq!(Vec::from_iter(profile_of_dependencies()), settings);
    }

    #[test]
    fn dependencies_have_their_versions_and_features() {
        let [linked, of_host] = dependencies().unwrap();
        let has = |found: &Packages, name: &str| found.iter().any(|(package, _)| package.starts_with(name));
        let tokio = linked.iter().find(|(package, _)| package.starts_with("tokio v1.")).unwrap();
        assert!(tokio.1.split(',').any(|feature| feature == "rt"), "{tokio:?}");
        assert!(
            ["asset-api", "clap v", "serde_derive v"].iter().all(|name| !has(&linked, name)),
            "{linked:?}"
        );
        assert!(has(&of_host, "serde_derive v") && !has(&of_host, "tokio v"), "{of_host:?}");
    }
}

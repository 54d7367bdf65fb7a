//! The measured programs: our generator, and other Rust generators that are installed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::project;

/// A generator.
pub struct Program {
    /// The name of the executable.
    pub name: &'static str,
    /// The path of the executable.
    path: PathBuf,
    kind: &'static Kind,
}

/// How to run a generator.
struct Kind {
    /// The name of the executable.
    name: &'static str,
    /// Builds the command that generates a document into an empty folder.
    generate: fn(Command, &Path, &Path) -> Command,
    /// Completes the output to a package or workspace.
    finish: fn(&Path) -> Result<()>,
}

const OURS: Kind = Kind { name: "openapi-crates", generate: ours, finish: with_lock_file };

/// The other generators.
///
/// Each generates types and a client, as in the first steps of its own guide.
const RIVALS: [Kind; 3] = [
    Kind { name: "openapi-to-rust", generate: openapi_to_rust, finish: with_manifest },
    Kind { name: "oas3-gen", generate: oas3_gen, finish: alone },
    Kind { name: "cargo-progenitor", generate: progenitor, finish: alone },
];

impl Program {
    /// Builds our command line in release mode.
    pub fn ours() -> Result<Self> {
        let root = project::root()?;
        let arguments = ["build", "--release", "--package", "openapi-crates", "--bin", OURS.name];
        let mut command = project::cargo(&arguments)?;
        command.env("CARGO_TARGET_DIR", root.join("target"));
        project::succeed(&mut command)?;
        Ok(Self { name: OURS.name, path: root.join("target/release").join(OURS.name), kind: &OURS })
    }

    /// Finds the other generators in this folder or on the PATH.
    ///
    /// Prints which ones are missing.
    pub fn rivals(folder: Option<&Path>) -> Vec<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            folder.map(Path::to_owned).into_iter().chain(env::split_paths(&path)).collect();
        let find = |kind: &'static Kind| {
            let found = folders.iter().map(|folder| folder.join(kind.name)).find(|path| path.is_file());
            if found.is_none() {
                println!("skipped {0}: not installed; to install it, run `cargo install {0}`", kind.name);
            }
            Some(Self { name: kind.name, path: found?, kind })
        };
        RIVALS.iter().filter_map(find).collect()
    }

    /// Returns the command that generates `document` into the empty `folder`.
    pub fn generate(&self, document: &Path, folder: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(folder);
        (self.kind.generate)(command, document, folder)
    }

    /// Completes the output to a package or workspace, if necessary.
    pub fn finish(&self, folder: &Path) -> Result<()> {
        (self.kind.finish)(folder)
    }
}

fn ours(mut command: Command, document: &Path, folder: &Path) -> Command {
    command.arg("generate").arg(document).arg("--out").arg(folder).args(["--name", "bench"]);
    if let Ok(root) = project::root() {
        // A copy of the runtime would add lines that don't depend on the document.
        command.arg("--runtime-path").arg(root.join("runtime"));
    }
    command
}

fn openapi_to_rust(mut command: Command, document: &Path, folder: &Path) -> Command {
    command.arg("generate").arg(document).arg("--output-dir").arg(folder.join("src/api"));
    command.args(["--module-name", "api"]);
    command
}

fn oas3_gen(mut command: Command, document: &Path, folder: &Path) -> Command {
    command.args(["generate", "client-mod", "--workspace", "-i"]).arg(document).arg("-o").arg(folder);
    command
}

fn progenitor(mut command: Command, document: &Path, folder: &Path) -> Command {
    command.arg("progenitor").arg("-i").arg(document).arg("-o").arg(folder);
    command.args(["-n", "bench", "-v", "0.1.0"]);
    command
}

/// Makes the output a separate workspace, as it is inside this project's one.
fn alone(folder: &Path) -> Result<()> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if text.lines().any(|line| line.trim() == "[workspace]") {
        return Ok(());
    }
    fs::write(&path, format!("{text}\n[workspace]\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Copies the project's lock file, whose versions are already downloaded.
fn with_lock_file(folder: &Path) -> Result<()> {
    let lock = project::root()?.join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock")).with_context(|| format!("cannot copy {}", lock.display()))?;
    Ok(())
}

/// Adds a manifest: openapi-to-rust writes a module and a list of its dependencies.
fn with_manifest(folder: &Path) -> Result<()> {
    let needed = folder.join("src/api/REQUIRED_DEPS.toml");
    let needed = fs::read_to_string(&needed).with_context(|| format!("cannot read {}", needed.display()))?;
    let manifest =
        format!("[package]\nname = \"bench\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{needed}");
    for (path, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", "pub mod api;\n")] {
        let path = folder.join(path);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    alone(folder)
}

//! The measured programs: our generator, and other Rust generators that are installed.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{files, project};

/// A generator.
pub struct Program {
    /// The name of the executable.
    pub name: &'static str,
    /// The path of the executable; empty until it is known.
    path: PathBuf,
    /// Completes the command that generates a document into an empty folder.
    generate: fn(Command, &Path, &Path) -> Command,
    /// Completes the output to a package or workspace, if necessary.
    pub finish: fn(&Path) -> Result<()>,
}

impl Program {
    const fn new(
        name: &'static str,
        generate: fn(Command, &Path, &Path) -> Command,
        finish: fn(&Path) -> Result<()>,
    ) -> Self {
        Self { name, path: PathBuf::new(), generate, finish }
    }

    /// Builds our command line in release mode.
    pub fn ours() -> Result<Self> {
        let ours = Self::new("openapi-crates", ours, with_lock_file);
        let target = project::root()?.join("target");
        let arguments = ["build", "--release", "--package", "openapi-crates", "--bin", ours.name];
        project::succeed(project::cargo(&arguments)?.env("CARGO_TARGET_DIR", &target))?;
        Ok(Self { path: target.join("release").join(ours.name), ..ours })
    }

    /// Finds the other generators in this folder or on the PATH.
    ///
    /// Each generates types and a client, as in the first steps of its own guide. Prints which ones are missing.
    pub fn rivals(folder: Option<&Path>) -> Vec<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            folder.map(Path::to_owned).into_iter().chain(env::split_paths(&path)).collect();
        let rivals = [
            Self::new("openapi-to-rust", openapi_to_rust, with_manifest),
            Self::new("oas3-gen", oas3_gen, alone),
            Self::new("cargo-progenitor", progenitor, alone),
        ];
        let find = |rival: Self| {
            let found = folders.iter().map(|folder| folder.join(rival.name)).find(|path| path.is_file());
            if found.is_none() {
                println!("skipped {0}: not installed; to install it, run `cargo install {0}`", rival.name);
            }
            Some(Self { path: found?, ..rival })
        };
        rivals.into_iter().filter_map(find).collect()
    }

    /// Returns the command that generates `document` into the empty `folder`.
    pub fn generate(&self, document: &Path, folder: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(folder);
        (self.generate)(command, document, folder)
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
    let text = files::read(&path)?;
    if text.lines().any(|line| line.trim() == "[workspace]") {
        return Ok(());
    }
    files::write(&path, text + "\n[workspace]\n")
}

/// Copies the project's lock file, whose versions are already downloaded.
fn with_lock_file(folder: &Path) -> Result<()> {
    files::copy(&project::root()?.join("Cargo.lock"), &folder.join("Cargo.lock"))
}

/// Adds a manifest: openapi-to-rust writes a module and a list of its dependencies.
fn with_manifest(folder: &Path) -> Result<()> {
    let needed = files::read(&folder.join("src/api/REQUIRED_DEPS.toml"))?;
    let manifest =
        format!("[package]\nname = \"bench\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{needed}");
    files::write(&folder.join("Cargo.toml"), manifest)?;
    files::write(&folder.join("src/lib.rs"), "pub mod api;\n")?;
    alone(folder)
}

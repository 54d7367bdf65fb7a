//! The programs that are measured: ours, and other generators of Rust where they are installed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::project;

/// A generator.
pub struct Program {
    /// What its executable is called.
    pub name: &'static str,
    /// Where that is.
    path: PathBuf,
    kind: &'static Kind,
}

/// How a generator is used.
struct Kind {
    /// What its executable is called.
    name: &'static str,
    /// The command that generates all it can of a document into a folder, which is empty.
    generate: fn(Command, &Path, &Path) -> Command,
    /// What is left to be done by hand before the folder is a package or a workspace.
    finish: fn(&Path) -> Result<()>,
}

const OURS: Kind = Kind { name: "openapi-crates", generate: ours, finish: with_lock_file };

/// Those that ours is compared with. Each makes types and a client, which is what their own guides begin with.
const RIVALS: [Kind; 3] = [
    Kind { name: "openapi-to-rust", generate: openapi_to_rust, finish: with_manifest },
    Kind { name: "oas3-gen", generate: oas3_gen, finish: alone },
    Kind { name: "cargo-progenitor", generate: progenitor, finish: alone },
];

impl Program {
    /// The release build of our command line.
    pub fn ours() -> Result<Self> {
        let root = project::root()?;
        let arguments = ["build", "--release", "--package", "openapi-crates", "--bin", OURS.name];
        let mut command = project::cargo(&arguments)?;
        command.env("CARGO_TARGET_DIR", root.join("target"));
        project::succeed(&mut command)?;
        Ok(Self { name: OURS.name, path: root.join("target/release").join(OURS.name), kind: &OURS })
    }

    /// The others, from this folder or else from where the shell would find them; those that are missing are told.
    pub fn rivals(folder: Option<&Path>) -> Vec<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            folder.map(Path::to_owned).into_iter().chain(env::split_paths(&path)).collect();
        let find = |kind: &'static Kind| {
            let found = folders.iter().map(|folder| folder.join(kind.name)).find(|path| path.is_file());
            if found.is_none() {
                println!("{0} is not installed, and left out: `cargo install {0}`", kind.name);
            }
            Some(Self { name: kind.name, path: found?, kind })
        };
        RIVALS.iter().filter_map(find).collect()
    }

    /// The command that generates `document` into `folder`, which is empty.
    pub fn generate(&self, document: &Path, folder: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(folder);
        (self.kind.generate)(command, document, folder)
    }

    /// Makes what was generated a package or a workspace, if it isn't yet.
    pub fn finish(&self, folder: &Path) -> Result<()> {
        (self.kind.finish)(folder)
    }
}

fn ours(mut command: Command, document: &Path, folder: &Path) -> Command {
    command.arg("generate").arg(document).arg("--out").arg(folder).args(["--name", "bench"]);
    if let Ok(root) = project::root() {
        // A copy of the runtime, which has nothing to do with the document, would count as lines.
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

/// A workspace of its own, as it stands within another.
fn alone(folder: &Path) -> Result<()> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
    if text.lines().any(|line| line.trim() == "[workspace]") {
        return Ok(());
    }
    fs::write(&path, format!("{text}\n[workspace]\n"))
        .with_context(|| format!("{} can't be written", path.display()))
}

/// The same versions as the project's, which are on this machine already.
fn with_lock_file(folder: &Path) -> Result<()> {
    let lock = project::root()?.join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock"))
        .with_context(|| format!("{} can't be copied", lock.display()))?;
    Ok(())
}

/// It writes a module, and which dependencies that needs.
fn with_manifest(folder: &Path) -> Result<()> {
    let needed = folder.join("src/api/REQUIRED_DEPS.toml");
    let needed =
        fs::read_to_string(&needed).with_context(|| format!("{} can't be read", needed.display()))?;
    let manifest =
        format!("[package]\nname = \"bench\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{needed}");
    for (path, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", "pub mod api;\n")] {
        let path = folder.join(path);
        fs::write(&path, text).with_context(|| format!("{} can't be written", path.display()))?;
    }
    alone(folder)
}

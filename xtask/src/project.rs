//! Where things are, and how other programs are run.

use std::{
    env, fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use asset_api_spec::SPEC;

/// The project's root.
pub fn root() -> Result<PathBuf> {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = here.ancestors().find(|folder| folder.join("xtask").is_dir());
    root.map(Path::to_path_buf).context("xtask has no parent folder")
}

/// The spec's text.
pub fn spec_text() -> Result<String> {
    let path = root()?.join(SPEC);
    fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))
}

/// A cargo command in the project's root.
pub fn cargo(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()?).args(arguments);
    Ok(command)
}

/// Runs a command; its output goes where ours goes.
///
/// Errors if it can't be run or fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{:?} can't be run", command.get_program()))?;
    if !status.success() {
        bail!("`{}` failed with {status}", shown(command));
    }
    Ok(())
}

/// A command as a person would type it.
pub fn shown(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Shows what is being done, on one line, if anyone is watching.
pub fn progress(text: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // A line that can't be shown is no reason to stop.
        let _ = write!(stderr, "\r\x1b[2K{text}").and_then(|()| stderr.flush());
    }
}

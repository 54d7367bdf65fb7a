//! The paths of the project, and helpers to run other programs.

use std::{
    env,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result, bail, ensure};
use asset_api_spec::SPEC;

use crate::{Outcome, files};

/// Returns the project's root folder.
pub fn root() -> Result<PathBuf> {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = here.ancestors().find(|folder| folder.join("xtask").is_dir());
    root.map(Path::to_path_buf).context("xtask has no parent folder")
}

/// Reads the text of the spec.
pub fn spec_text() -> Result<String> {
    files::read(&root()?.join(SPEC))
}

/// Returns a cargo command that runs in the project's root.
pub fn cargo(arguments: &[&str]) -> Result<Command> {
    let mut command = support::nested_cargo::cargo();
    command.current_dir(root()?).args(arguments);
    Ok(command)
}

/// Returns a cargo command for xtask itself.
pub fn cargo_of_xtask(arguments: &[&str]) -> Result<Command> {
    let (subcommand, rest) = arguments.split_first().context("a cargo command has a subcommand")?;
    let mut command = cargo(&[subcommand, "--manifest-path", "xtask/Cargo.toml"])?;
    command.args(rest);
    Ok(command)
}

/// Returns a command that runs a program in the project's root.
pub fn program(name: &str) -> Result<Command> {
    let mut command = Command::new(name);
    command.current_dir(root()?);
    Ok(command)
}

/// Runs a command with inherited output and returns whether it succeeded.
///
/// # Errors
/// The command can't be run.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(status(command)?.success())
}

/// Runs a command with inherited output.
///
/// Returns an error if it can't be run or fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    ensure!(status.success(), "`{}` failed with {status}", shown(command));
    Ok(())
}

/// Runs a check with inherited output. Its exit code is 0 for success and 1 for a failed check.
pub fn check(command: &mut Command) -> Result<Outcome> {
    let status = status(command)?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Failed),
        _ => bail!("`{}` failed with {status}", shown(command)),
    }
}

fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot run {}", command.get_program().display()))
}

/// Runs a program in the project's root and returns what it prints.
pub fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let mut command = self::program(program)?;
    let output = command.args(arguments).output().with_context(|| format!("{program} can't be run"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed: {}", shown(&command), error.trim());
    String::from_utf8(output.stdout).with_context(|| format!("{program} prints no UTF-8"))
}

/// Formats a command as it would be typed.
pub fn shown(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Shows a progress line, if standard error is a terminal.
pub fn progress(text: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // Progress is not worth an error.
        let _ = write!(stderr, "\r\x1b[2K{text}").and_then(|()| stderr.flush());
    }
}

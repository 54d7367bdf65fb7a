//! xtask as the compiler of the project's packages: clippy compiles, then rustdoc reads each library.
//!
//! `cargo clippy` and `cargo doc` would check again what the tests compile, `cargo doc` with all dependencies.

use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

/// Makes xtask the compiler of the project's packages in a cargo command. Warnings are errors.
pub fn compile_with_xtask(command: &mut Command) -> Result<()> {
    nested_cargo::compile_with_clippy(command);
    let program = env::current_exe().context("the path of xtask is unknown")?;
    command.env(nested_cargo::WRAPPER, program);
    Ok(())
}

/// Compiles as cargo asks for it, if cargo has started this process as a compiler.
pub fn run() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let rustc = arguments.next().filter(|program| is_named(program, "rustc"))?;
    let arguments: Vec<OsString> = arguments.collect();
    let mut commands = vec![Command::new("clippy-driver")];
    commands.iter_mut().for_each(|command| _ = command.arg(&rustc).args(&arguments));
    commands.extend(documenting(&rustc, &arguments));
    for mut command in commands {
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Some(exit_code(status.code())),
            Err(error) => {
                eprintln!("error: cannot run {}: {error}", command.get_program().display());
                return Some(ExitCode::from(2));
            }
        }
    }
    Some(ExitCode::SUCCESS)
}

fn is_named(program: &OsString, name: &str) -> bool {
    Path::new(program).file_stem().is_some_and(|stem| stem == name)
}

fn exit_code(code: Option<i32>) -> ExitCode {
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Returns the command of rustdoc that corresponds to a command of rustc, if that compiles a library.
fn documenting(rustc: &OsString, arguments: &[OsString]) -> Option<Command> {
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let is_library = arguments.windows(2).any(|pair| pair == ["--crate-type", "lib"]);
    if !is_library || has("--test") {
        return None;
    }
    let mut command = Command::new(Path::new(rustc).with_file_name("rustdoc"));
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if text == "--out-dir" {
            let folder = Path::new(arguments.next()?).join("../../doc");
            command.arg("--out-dir").arg(folder);
        } else if text.contains("clippy::") {
            // rustdoc does not know clippy's lints.
        } else if !text.starts_with("--emit") {
            command.arg(argument);
        }
    }
    command.args(["-D", "warnings"]);
    Some(command)
}

//! xtask as the compiler of the project's packages: clippy compiles, then rustdoc reads each library.
//!
//! `cargo clippy` and `cargo doc` would check again what the tests compile, `cargo doc` with all dependencies. A library
//! that no test and no other package links is not compiled, and so not read by rustdoc.

use std::{
    env,
    ffi::OsString,
    iter,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

/// Makes xtask the compiler of the project's packages in a cargo command. Warnings are errors.
pub fn compile_with_xtask(command: &mut Command) -> Result<()> {
    support::nested_cargo::compile_with_clippy(command);
    let program = env::current_exe().context("the path of xtask is unknown")?;
    command.env(support::nested_cargo::WRAPPER, program);
    Ok(())
}

/// Compiles as cargo asks for it, if cargo has started this process as a compiler.
pub fn run() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let rustc = arguments.next().filter(|program| is_named(program, "rustc"))?;
    let arguments: Vec<OsString> = arguments.collect();
    let mut clippy = Command::new("clippy-driver");
    clippy.arg(&rustc).args(&arguments);
    let commands = iter::once(clippy).chain(documenting(&rustc, &arguments));
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
    if has("--test") || !(is_library || has("--crate-type=lib")) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments that cargo 1.95 passes for a library, without most lints.
    const LIBRARY: &str = "--crate-name a --edition=2024 src/lib.rs --error-format=json --crate-type lib --emit=dep-info,metadata,link \
                           -C debuginfo=0 --warn=clippy::all --warn=missing_docs --out-dir /target/debug/deps -L dependency=/target/debug/deps";

    fn documented(arguments: &str) -> Option<String> {
        let arguments: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
        let command = documenting(&OsString::from("/bin/rustc"), &arguments)?;
        let parts = iter::once(command.get_program()).chain(command.get_args());
        Some(parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn libraries_are_documented() {
        let expected = "/bin/rustdoc --crate-name a --edition=2024 src/lib.rs --error-format=json --crate-type lib -C debuginfo=0 \
                        --warn=missing_docs --out-dir /target/debug/deps/../../doc -L dependency=/target/debug/deps -D warnings";
        assert_eq!(documented(LIBRARY).as_deref(), Some(expected));
        assert!(documented(&LIBRARY.replace("--crate-type lib", "--crate-type=lib")).is_some());
        assert_eq!(documented(&LIBRARY.replace("--crate-type lib", "--crate-type bin")), None);
        assert_eq!(documented(&format!("{LIBRARY} --test")), None);
    }
}

//! The programs that don't compile.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Value;
use support::nested_cargo::DEPENDENCIES;

use super::{Failures, crates::Crates};
use crate::{Result, workspace};

/// Returns the programs that don't compile, with their errors.
pub fn failures(crates: &Crates, folder: &Path, target: &Path) -> Result<Failures> {
    let package = crates.package("programs");
    let mut remaining = crates.programs();
    let mut failures = Failures::new();
    loop {
        let mut root = "#![allow(warnings)]\n".to_owned();
        remaining.iter().for_each(|program| _ = writeln!(root, "mod {program};"));
        workspace::write_if_new(&folder.join(&package).join("src/lib.rs"), &root)?;
        let found = check(&package, folder, target)?;
        if found.is_empty() {
            return Ok(failures);
        }
        remaining.retain(|program| !found.contains_key(program));
        failures.extend(found);
    }
}

/// Compiles a package, and returns the errors of each of its modules.
fn check(package: &str, folder: &Path, target: &Path) -> Result<Failures> {
    let mut command = support::nested_cargo::cargo();
    command.current_dir(folder).env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    let output = command
        .args(["check", "--quiet", "--offline", "--message-format=json"])
        .args(["--package", package, "--package", DEPENDENCIES])
        .output()?;
    let mut failures = Failures::new();
    let mut others = String::new();
    let messages = String::from_utf8_lossy(&output.stdout);
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        if text("/message/level") != Some("error") {
            continue;
        }
        let spans = message.pointer("/message/spans").and_then(Value::as_array).into_iter().flatten();
        let located = |span| located(span, package, folder);
        match spans.filter(|span| span["is_primary"] == true).find_map(located) {
            Some((module, line)) => {
                let code = text("/message/code/code").map_or_else(String::new, |code| format!("{code}: "));
                let error = text("/message/message").unwrap_or_default();
                failures.entry(module).or_default().push(format!("{code}{error}\n    {line}"));
            }
            None => others += text("/message/rendered").unwrap_or_default(),
        }
    }
    if failures.is_empty() && !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(
            format!("`{package}` in {} can't be compiled:\n{others}{errors}", folder.display()).into()
        );
    }
    Ok(failures)
}

/// Returns the module of a package that a span is in, and the line of the program with the item around it.
fn located(span: &Value, package: &str, folder: &Path) -> Option<(String, String)> {
    let file = Path::new(span["file_name"].as_str()?);
    if !file.starts_with(package) {
        return None;
    }
    let module = file.file_stem()?.to_str()?.to_owned();
    let lines = span["text"].as_array()?.iter().filter_map(|line| line["text"].as_str());
    let line = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let program = fs::read_to_string(folder.join(file)).ok()?;
    let before: Vec<&str> =
        program.lines().take(usize::try_from(span["line_start"].as_u64()?).ok()?).collect();
    let item = before.iter().rev().find(|line| line.starts_with("const ") || line.starts_with("impl "));
    let around = item.filter(|item| !item.contains(&line)).map(|item| format!("\n    in {item}"));
    Some((module, line + &around.unwrap_or_default()))
}

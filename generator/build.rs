//! Embeds the sources of the runtime in the command line.
//!
//! The command line writes a copy of them next to the generated crates.
//!
//! The script follows `mod` declarations, as the compiler does. So every source file is found, and files that
//! only tests use are not. Test modules are removed.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_CLI").is_none() {
        return Ok(());
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    let mut files = Vec::new();
    for (path, name) in [
        ("runtime/Cargo.toml", "Cargo.toml"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("rustfmt.toml", "rustfmt.toml"),
    ] {
        files.push((name.to_owned(), read(&root.join(path))?));
    }
    module(&root.join("runtime"), "src/lib.rs", "src", &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (name, text) in files {
        writeln!(list, "    ({name:?}, {text:?}),")?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("runtime.rs"), list)?;
    Ok(())
}

/// Adds the file of a module and the files of its submodules, which are in `folder`.
fn module(
    root: &Path,
    file: &str,
    folder: &str,
    files: &mut Vec<(String, String)>,
) -> Result<(), Box<dyn Error>> {
    let text = without_tests(&read(&root.join(file))?);
    for name in text.lines().filter_map(declared_module) {
        let (flat, nested) = (format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs"));
        let file = if root.join(&flat).exists() { flat } else { nested };
        module(root, &file, &format!("{folder}/{name}"), files)?;
    }
    files.push((file.to_owned(), text));
    Ok(())
}

/// Returns the name in `mod name;`, with any visibility.
fn declared_module(line: &str) -> Option<&str> {
    let declaration = line.trim_start().strip_suffix(';')?;
    let name =
        declaration.strip_prefix("mod ").or_else(|| declaration.split_once(" mod ").map(|parts| parts.1))?;
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (declaration.starts_with("mod ") || declaration.starts_with("pub"))
        .then_some(name)
        .filter(|name| is_name(name))
}

/// Removes the test modules at the top level of the text.
///
/// Expects the formatting of rustfmt.
fn without_tests(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_module = |line: &str| {
            line.starts_with("mod ") || line.starts_with("#[path") || line.starts_with("pub(crate) mod ")
        };
        if line.is_empty() && kept.last().is_some_and(|last| last.is_empty()) {
            continue;
        }
        if line != "#[cfg(test)]" || !lines.peek().copied().is_some_and(is_module) {
            kept.push(line);
            continue;
        }
        for line in lines.by_ref() {
            if line == "}" || line.ends_with(';') && line.contains("mod ") {
                break;
            }
        }
    }
    kept.join("\n").trim_end().to_owned() + "\n"
}

fn read(path: &Path) -> Result<String, String> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).map_err(|error| {
        let path = path.display();
        format!("cannot read {path}, whose text is embedded in the command line: {error}")
    })
}

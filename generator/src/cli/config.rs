//! Finds the settings file `openapi-crates.toml`, and makes its paths relative to where they are used.

use std::{collections::BTreeMap, path::Path};

use openapi_crates::Report;
pub use openapi_crates::internals::{Config, ConfigError, RuntimeKind, SettingsFile};

use super::{Failure, paths, revision::Files};

/// The name of the settings file.
pub const FILE: &str = "openapi-crates.toml";

/// Reads the named file, or the one next to a document of the working tree or of a revision, if there is one.
///
/// Returns the settings with the file. Paths in the settings become relative to the current directory.
pub fn find(
    files: &Files,
    named: Option<&Path>,
    spec: Option<&Path>,
) -> Result<(Config, Option<SettingsFile>), Failure> {
    let (path, text) = match named {
        Some(path) => (path.to_owned(), Files::Disk.read(path)?),
        None => {
            let is_file = |path: &&Path| *path != Path::new("-");
            let folder = spec.filter(is_file).and_then(Path::parent).unwrap_or(Path::new(""));
            let path = folder.join(FILE);
            let Some(text) = files.read_optional(&path)? else { return Ok((Config::default(), None)) };
            (path, text)
        }
    };
    let mut config = Config::parse(&path, &text)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folders = [&mut config.out, &mut config.runtime_path].into_iter().flatten();
    for inner in folders.chain(&mut config.overlays) {
        *inner = folder.join(&*inner);
    }
    Ok((config, Some(SettingsFile { path, text })))
}

/// Returns a note about the settings for documents of FastAPI, unless the settings choose names.
pub fn fastapi_note(report: &Report, config: &Config) -> Option<String> {
    (report.is_fastapi && config.names.is_none()).then(|| {
        format!(
            "note: most operation ids have FastAPI's form of function, path and method; `names = \"fastapi\"` in {FILE} \
             shortens them to the function, and `names = \"document\"` keeps them and hides this note"
        )
    })
}

/// Returns the TOML value of each dependency.
///
/// Paths become relative to the folder of a generated crate.
pub fn dependencies(config: &Config, file: &Path, out: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let folder = paths::absolute(file.parent().unwrap_or(Path::new("")))?;
    let member = paths::absolute(out)?.join("models");
    Ok(config.dependencies(|path| paths::relative(&paths::lexical(&folder.join(path)), &member)))
}

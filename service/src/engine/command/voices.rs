//! Voices that are files: `voices/*.onnx`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::InvalidSetting;

/// Returns the files of a pattern such as `voices/*.onnx`, by their names without the ending.
///
/// # Errors
/// The pattern has another form, or no file matches it.
pub(super) fn find(
    setting: &str,
    pattern: &str,
    data_dir: &Path,
) -> Result<BTreeMap<String, String>, InvalidSetting> {
    let invalid = |expected: String| InvalidSetting::must_be(setting.to_owned(), expected);
    let (folder, ending) = pattern
        .split_once("/*.")
        .filter(|(_, ending)| !ending.is_empty() && !ending.contains(['/', '*']))
        .ok_or_else(|| invalid("a folder and an ending, such as `voices/*.onnx`".to_owned()))?;
    // Arguments are paths from the program's own folder, so they have to be absolute.
    let folder = std::path::absolute(data_dir.join(folder)).map_err(|error| invalid(error.to_string()))?;
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let voice = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_suffix(ending)?.strip_suffix('.').filter(|name| !name.is_empty())?.to_owned();
        Some((name, entry.path().into_os_string().into_string().ok()?))
    };
    let voices: BTreeMap<String, String> = entries.filter_map(voice).collect();
    if voices.is_empty() {
        return Err(invalid(format!("the pattern of at least one file; `{}` has none", folder.display())));
    }
    Ok(voices)
}

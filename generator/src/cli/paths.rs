//! Computes paths from paths, without access to the disk.

use std::path::{Component, Path, PathBuf};

use super::Failure;

/// Returns the absolute path, without `.` and `..`.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    // `std::path::absolute` rejects the empty path, which means the current directory here.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path);
    absolute.map(|path| lexical(&path)).map_err(|source| Failure::Read { path: path.to_owned(), source })
}

/// Removes `.` and `..` from an absolute path.
pub fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = result.pop(),
            Component::CurDir => {}
            component => result.push(component),
        }
    }
    result
}

/// Returns `path` relative to the folder `from`, with `/` as separator.
///
/// Both must be absolute.
pub fn relative(path: &Path, from: &Path) -> String {
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_from_folder_to_folder() {
        assert_eq!(relative(Path::new("/a/b/rt"), Path::new("/a/out/models")), "../../b/rt");
        assert_eq!(lexical(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}

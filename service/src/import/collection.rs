//! Collections: the files of an import, and the ids of their records.

use std::path::{Path, PathBuf};

use super::{ImportError, files_of, slug, stable_id};

/// A folder of files, or one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The path to import.
    path: PathBuf,
    /// The folder itself, or the folder of the file.
    root: PathBuf,
    /// The name that separates its records from other collections' records.
    name: String,
}

impl Collection {
    /// Opens the collection at this path; its default name is the folder's name.
    ///
    /// # Errors
    /// Fails if the path does not exist, or if it has no name and none is given.
    pub fn at(path: &Path, name: Option<&str>) -> Result<Self, ImportError> {
        let source = |source| ImportError::Read { path: path.to_owned(), source };
        // `.` and links get the name of the folder that they lead to.
        let real = path.canonicalize().map_err(source)?;
        let root = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        let folder = root.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.map(str::to_owned).or(folder).filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| ImportError::Content {
            path: path.to_owned(),
            why: "the folder has no name; set one with `--collection`".to_owned(),
        })?;
        Ok(Self { root: root.to_owned(), path: real, name })
    }

    /// Lists the files, in order.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, ImportError> {
        files_of(&self.path)
    }

    /// Returns the path of a file within the folder.
    ///
    /// It is the same for an import of the folder and for an import of the file alone.
    pub(super) fn relative<'a>(&self, file: &'a Path) -> &'a Path {
        file.strip_prefix(&self.root).unwrap_or(file)
    }

    /// Returns the id of the record for a file.
    pub(super) fn id(&self, kind: &str, file: &Path) -> i64 {
        let relative = self.relative(file).to_string_lossy().replace('\\', "/");
        stable_id(kind, &format!("{}/{relative}", self.name))
    }

    /// Returns the slug of the folder that contains a file.
    pub(super) fn folder_of(&self, file: &Path) -> String {
        let folder = file.parent().unwrap_or(&self.root).file_name();
        folder.map(|folder| slug(&folder.to_string_lossy())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_file_comes_from_its_collection_and_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "x").unwrap();
            path.canonicalize().unwrap()
        };
        let (house, inner, other) = (at("a/house.jpg"), at("a/rain/drop.wav"), at("b/house.jpg"));
        let a = Collection::at(&folder.path().join("a"), None).unwrap();
        let b = Collection::at(&folder.path().join("b"), None).unwrap();
        let alone = Collection::at(&house, None).unwrap();
        assert_eq!(a.files().unwrap(), [house.clone(), inner.clone()]);
        assert_eq!(alone.files().unwrap(), std::slice::from_ref(&house));
        assert_eq!(alone.id("resource", &house), a.id("resource", &house));
        assert_ne!(a.id("resource", &house), b.id("resource", &other));
        assert_ne!(a.id("resource", &house), a.id("resource", &inner));
        let named = Collection::at(&folder.path().join("b"), Some("a")).unwrap();
        assert_eq!(named.id("resource", &other), a.id("resource", &house));
        assert_eq!((a.folder_of(&inner), a.folder_of(&house)), ("rain".to_owned(), "a".to_owned()));
        assert!(Collection::at(Path::new("/"), None).is_err());
        assert!(Collection::at(&folder.path().join("c"), None).is_err());
    }
}

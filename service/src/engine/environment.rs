//! The environment of engines: the service's data folder, downloads, notifications.

use std::path::{Path, PathBuf};

use super::notifications::Notifications;
use crate::files::FileUrls;
use crate::net::fetch::Fetcher;

/// The environment of engines.
#[derive(Clone)]
pub struct Environment {
    /// The data folder, for files that settings name.
    pub data_dir: PathBuf,
    /// Downloads what URLs of providers name, within the service's policy.
    pub fetcher: Fetcher,
    /// The service's own URLs.
    pub urls: FileUrls,
    /// The notifications of providers.
    pub notifications: Notifications,
}

impl Environment {
    /// Creates the environment of a service with this data folder and public URL.
    #[must_use]
    pub fn new(data_dir: &Path, fetcher: Fetcher, base_url: &str) -> Self {
        let urls = FileUrls::new(base_url);
        Self { data_dir: data_dir.to_owned(), fetcher, urls, notifications: Notifications::default() }
    }

    /// Returns an environment for tests, in which engines on this machine are allowed.
    #[cfg(test)]
    pub(crate) fn on_this_machine() -> Self {
        let fetcher = Fetcher::new(crate::net::testing::inner_guard(&[])).unwrap();
        Self::new(Path::new("."), fetcher, "http://127.0.0.1:8080")
    }

    /// Returns the absolute path of a file that the settings name from the data folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        let path = self.data_dir.join(name);
        std::path::absolute(&path).unwrap_or(path)
    }

    /// Returns the path of a program: a path from the data folder, or a name in `PATH`.
    ///
    /// # Errors
    /// Returns why there is no such program.
    pub fn program(&self, name: &str) -> Result<PathBuf, String> {
        if name.contains('/') {
            let path = self.path(name);
            let why = if path.is_file() { "is not executable" } else { "does not exist, or is not a file" };
            return if is_program(&path) { Ok(path) } else { Err(format!("`{}` {why}", path.display())) };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(name));
        candidates.find(|path| is_program(path)).ok_or_else(|| format!("`{name}` is not found in PATH"))
    }
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

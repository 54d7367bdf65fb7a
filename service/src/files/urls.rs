//! The URLs of stored files.

use super::{Area, is_name};

/// Builds the URLs of stored files.
#[derive(Debug, Clone)]
pub struct FileUrls {
    /// The service's URL without a trailing slash: `https://assets.example.com`.
    base: String,
}

impl FileUrls {
    /// Creates the builder for this public URL of the service.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        Self { base: base_url.trim_end_matches('/').to_owned() }
    }

    /// Returns the URL of the service.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the URL of the result with this key.
    #[must_use]
    pub fn of(&self, key: &str) -> String {
        format!("{}/files/{key}", self.base)
    }

    /// Returns the URL of the catalogue file with this key.
    #[must_use]
    pub fn of_catalogue(&self, key: &str) -> String {
        [self.base.as_str(), "/catalogue/", key].concat()
    }

    /// Returns the area and the key of the file that this URL of the service names.
    ///
    /// Returns `None` unless the URL is spelled exactly as the service writes it.
    #[must_use]
    pub fn own<'u>(&self, url: &'u str) -> Option<(Area, &'u str)> {
        let path = url.strip_prefix(&self.base)?.strip_prefix('/')?;
        let (kind, key) = path.split_once('/')?;
        let area = match kind {
            "files" => Area::Results,
            "catalogue" => Area::Catalogue,
            _ => return None,
        };
        let (folder, name) = key.split_once('/')?;
        (is_name(folder) && is_name(name)).then_some((area, key))
    }

    /// Returns the URL of a page of the service.
    #[must_use]
    pub fn page(&self, path: &str) -> String {
        [self.base.as_str(), "/", path].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_known_by_their_urls() {
        let urls = FileUrls::new("http://127.0.0.1:8080/");
        let (result, picture) = (urls.of("ab12/1-0.png"), urls.of_catalogue("previews/cd.jpg"));
        assert_eq!(urls.own(&result), Some((Area::Results, "ab12/1-0.png")));
        assert_eq!(urls.own(&picture), Some((Area::Catalogue, "previews/cd.jpg")));
        for url in [
            "http://127.0.0.1:80801/files/ab12/1-0.png",
            "http://127.0.0.1:8080.example.com/files/ab12/1-0.png",
            "http://127.0.0.1:8080/inputs/ab12/1-0.png",
            "http://127.0.0.1:8080/files/../service.db",
            "http://127.0.0.1:8080/files/ab12/../1-0.png",
            "http://127.0.0.1:8080/files/ab12/1-0.png?x",
            "http://127.0.0.1:8080/files/ab12",
            "https://127.0.0.1:8080/files/ab12/1-0.png",
        ] {
            assert_eq!(urls.own(url), None, "{url}");
        }
    }
}

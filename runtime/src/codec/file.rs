//! A file in a multipart body.

use std::fmt;

use super::Bytes;

/// A file in a multipart body.
///
/// ```
/// use openapi_crates_runtime::types::File;
///
/// let file = File::new("logo.svg", "<svg/>").with_content_type("image/svg+xml");
/// assert_eq!(file.data.len(), 6);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct File {
    /// The file name.
    pub file_name: Option<String>,
    /// The media type.
    ///
    /// If it is `None`, the file is sent with the media type that the document specifies for the property, or
    /// as `application/octet-stream`.
    pub content_type: Option<String>,
    /// The content.
    pub data: Bytes,
}

impl File {
    /// Creates a file with a name and without a media type.
    #[must_use]
    pub fn new(file_name: impl Into<String>, data: impl Into<Bytes>) -> Self {
        Self { file_name: Some(file_name.into()), content_type: None, data: data.into() }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_content_type(mut self, content_type: impl Into<String>) -> Self {
        self.content_type = Some(content_type.into());
        self
    }
}

impl From<Bytes> for File {
    fn from(data: Bytes) -> Self {
        Self { data, ..Self::default() }
    }
}

impl From<Vec<u8>> for File {
    fn from(data: Vec<u8>) -> Self {
        Bytes::from(data).into()
    }
}

/// Shows the number of bytes instead of the content.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("file_name", &self.file_name)
            .field("content_type", &self.content_type)
            .field("data", &format_args!("{} bytes", self.data.len()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_short() {
        let file = File::new("a.png", vec![0; 2000]).with_content_type("image/png");
        assert_eq!(
            format!("{file:?}"),
            r#"File { file_name: Some("a.png"), content_type: Some("image/png"), data: 2000 bytes }"#
        );
    }
}

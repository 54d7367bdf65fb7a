//! A file in a multipart body.

use std::fmt;

use super::Bytes;

/// A file in a multipart body: its bytes, and what its part says of them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct File {
    /// The name it was given.
    pub file_name: Option<String>,
    /// Its media type.
    pub content_type: Option<String>,
    /// What is in it.
    pub data: Bytes,
}

impl File {
    /// A file with a name.
    #[must_use]
    pub fn new(file_name: impl Into<String>, data: impl Into<Bytes>) -> Self {
        Self { file_name: Some(file_name.into()), content_type: None, data: data.into() }
    }

    /// This file, of a media type.
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

/// How many bytes there are, rather than them all.
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

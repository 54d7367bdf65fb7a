//! Errors of the file store.

use object_store::Error;

/// The longest text of a bucket's error.
const MAX_CHARACTERS: usize = 300;

/// The error codes of S3 and of Azure Blob Storage for a bucket that does not exist.
const NO_BUCKET: [&str; 2] = ["NoSuchBucket", "ContainerNotFound"];

/// An error of the file store.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The folder can't be created or read.
    #[error("can't create or read the folder {folder} of the file store: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The file store failed.
    #[error("file store error: {0}")]
    Store(Error),
    /// The bucket does not respond, is full, or refuses requests.
    #[error("the bucket failed: {0}")]
    Bucket(String),
    /// A scratch file can't be read.
    #[error("can't read a scratch file: {0}")]
    Scratch(std::io::Error),
    /// The file store did not respond in time.
    #[error("the file store does not respond")]
    TooSlow,
}

impl FilesError {
    /// Returns whether a later attempt may succeed, without a change of the request.
    ///
    /// This holds for all errors of a bucket: an operator may replace its credentials or raise its quota at any time.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Bucket(_) | Self::TooSlow)
    }
}

impl From<Error> for FilesError {
    fn from(error: Error) -> Self {
        let is_of_bucket = match &error {
            Error::Generic { store, .. } => !["LocalFileSystem", "InMemory"].contains(store),
            // Only buckets have these.
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => true,
            // Its files are not gone: it may be back later.
            Error::NotFound { source, .. } => {
                let text = source.to_string();
                NO_BUCKET.iter().any(|code| text.contains(code))
            }
            _ => false,
        };
        if is_of_bucket { Self::Bucket(summary(&error.to_string())) } else { Self::Store(error) }
    }
}

/// Returns the text of a bucket's error with the code of its body, but without the body: it may quote credentials.
fn summary(text: &str) -> String {
    let (before, body) = text.split_at(text.find(['<', '{']).unwrap_or(text.len()));
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let code = code.map_or("", |(code, _)| code);
    let shown = before.chars().chain(code.chars()).map(|char| if char.is_control() { ' ' } else { char });
    shown.take(MAX_CHARACTERS).collect::<String>().trim_end_matches([' ', ':']).to_owned()
}

/// Returns `None` if no such file exists.
pub(super) fn found<T>(result: object_store::Result<T>) -> Result<Option<T>, FilesError> {
    match result.map_err(FilesError::from) {
        Ok(found) => Ok(Some(found)),
        Err(FilesError::Store(Error::NotFound { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_an_error_is_reduced_to_its_code() {
        for (text, expected) in [
            (
                "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\n<Error>\
                 <Code>SignatureDoesNotMatch</Code><CanonicalRequest>x-amz-security-token:token</CanonicalRequest>",
                "Server returned non-2xx status code: 403 Forbidden: SignatureDoesNotMatch",
            ),
            ("status code: 401 Unauthorized: {\"error\": \"token\"}", "status code: 401 Unauthorized"),
            ("connection\nrefused", "connection refused"),
        ] {
            assert_eq!(summary(text), expected);
        }
        assert_eq!(summary(&"ä".repeat(1000)).chars().count(), MAX_CHARACTERS);
    }
}

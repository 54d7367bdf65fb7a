//! A bucket: the files are objects of S3 or Azure Blob Storage, named by a URL.
//!
//! The environment has the credentials, the region and the endpoint, under the names that the tools of each
//! provider read. So no setting contains a secret.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::signer::{Method, Signer};
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt as _, ObjectStoreScheme,
    RetryConfig,
};
use url::Url;

use super::error::{FilesError, found};
use super::media_type;

/// The size of a part of an upload: the least that S3 accepts. Each upload has one part in memory.
pub(super) const PART: usize = 5 * 1024 * 1024;

/// How long a connection attempt may take.
const CONNECT: Duration = Duration::from_secs(3);

/// How long the bucket may send nothing, while a part is uploaded or a response is read.
const SILENCE: Duration = Duration::from_secs(15);

/// How long a request is repeated after failures. The last repetition may begin at the end of this time.
///
/// A request that got no response until the end of [`SILENCE`] is thus not repeated.
const RETRIES: Duration = Duration::from_secs(8);

/// How long a client may use the URL of a redirect.
const SIGNED: Duration = Duration::from_secs(600);

/// How long a client may keep a redirect; its URL works for another five minutes then.
pub const REDIRECT_SECONDS: u64 = 300;

/// The expected form of a bucket's URL, for messages.
pub const BUCKET: &str = "the URL of a bucket: s3://bucket/prefix or az://container/prefix";

/// A bucket, or the part of one under a prefix.
pub(super) struct Bucket {
    /// Its URL, which contains no secret.
    pub(super) url: String,
    signer: Arc<dyn Signer>,
    /// The whole bucket.
    whole: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Whether clients are redirected to the bucket.
    redirects: bool,
}

/// Returns the URL of a bucket and the prefix in it; `None` if the text is not such a URL.
pub fn bucket_url(text: &str) -> Option<(Url, Path)> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.host_str().is_some_and(|bucket| !bucket.is_empty())
        && url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !is_plain || !["s3", "az"].contains(&url.scheme()) {
        return None;
    }
    let (_, prefix) = ObjectStoreScheme::parse(&url).ok()?;
    Some((url, prefix))
}

/// Opens a bucket with the credentials of this environment.
pub(super) fn open(
    url: &Url,
    prefix: Path,
    redirects: bool,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<(Arc<dyn ObjectStore>, Bucket), FilesError> {
    // reqwest takes the process's cryptography. An error says that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    macro_rules! opened {
        ($builder:ty, $variables:literal) => {{
            let builder =
                <$builder>::new().with_url(url.as_str()).with_client_options(client()).with_retry(retry());
            let variables = environment.into_iter().filter(|(name, _)| name.starts_with($variables));
            let builder =
                variables.fold(builder, |builder, (name, value)| match name.to_ascii_lowercase().parse() {
                    Ok(key) => builder.with_config(key, value),
                    Err(_) => builder,
                });
            let store = Arc::new(builder.build()?);
            (Arc::clone(&store) as Arc<dyn ObjectStore>, store as Arc<dyn Signer>)
        }};
    }
    let (whole, signer) = match url.scheme() {
        "az" => opened!(MicrosoftAzureBuilder, "AZURE_"),
        _ => opened!(AmazonS3Builder, "AWS_"),
    };
    let url = url.as_str().trim_end_matches('/').to_owned();
    let store = Arc::new(PrefixStore::new(Arc::clone(&whole), prefix.clone()));
    Ok((store, Bucket { url, signer, whole, prefix, redirects }))
}

impl Bucket {
    /// Returns a URL with which anyone can read the object for some minutes, if clients are redirected.
    pub(super) async fn redirect(&self, object: &Path) -> Result<Option<String>, FilesError> {
        if !self.redirects {
            return Ok(None);
        }
        Ok(Some(self.signer.signed_url(Method::GET, &under(&self.prefix, object), SIGNED).await?.into()))
    }

    /// Copies an object that is under another prefix; returns `false` if it does not exist.
    ///
    /// The object must be here already if `url` names another bucket, or this one.
    pub(super) async fn copy_from(&self, url: &str, object: &Path) -> Result<bool, FilesError> {
        let to = under(&self.prefix, object);
        let from = bucket_url(url).filter(|(url, _)| {
            bucket_url(&self.url)
                .is_some_and(|(own, _)| (own.scheme(), own.host()) == (url.scheme(), url.host()))
        });
        Ok(match from {
            Some((_, prefix)) if prefix != self.prefix => {
                found(self.whole.copy(&under(&prefix, object), &to).await)?.is_some()
            }
            _ => found(self.whole.head(&to).await)?.is_some(),
        })
    }
}

fn under(prefix: &Path, object: &Path) -> Path {
    prefix.parts().chain(object.parts()).collect()
}

/// Returns the headers that the bucket itself sends to redirected clients.
pub(super) fn attributes(key: &str) -> Attributes {
    [
        (Attribute::ContentType, media_type(key)),
        (Attribute::CacheControl, "private, max-age=31536000, immutable"),
    ]
    .into_iter()
    .collect()
}

/// A request is limited while nothing arrives, not as a whole: a file may be large.
fn client() -> ClientOptions {
    ClientOptions::new().with_timeout_disabled().with_connect_timeout(CONNECT).with_read_timeout(SILENCE)
}

fn retry() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(2), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 4, retry_timeout: RETRIES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_bucket_has_a_bucket_and_nothing_else_than_a_prefix() {
        let prefix = |url| bucket_url(url).map(|(_, prefix)| prefix.to_string());
        assert_eq!(prefix("s3://bucket/some/prefix").as_deref(), Some("some/prefix"));
        assert_eq!(prefix("s3://bucket").as_deref(), Some(""));
        assert_eq!(prefix("az://container/a/").as_deref(), Some("a"));
        for bad in [
            "",
            "files",
            "/var/files",
            "file:///var/files",
            "s3:///a",
            "gs://bucket/a",
            "s3://key:secret@bucket/a",
            "s3://bucket/a?region=b",
            "s3://bucket:9000/a",
            "https://bucket.s3.amazonaws.com/a",
        ] {
            assert_eq!(prefix(bad), None, "{bad}");
        }
    }
}

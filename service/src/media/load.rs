//! Loads a running task's media: downloads URLs and checks the bytes.

use std::time::Duration;

use bytes::Bytes;

use super::format::{Format, Kind};
use super::input::{self, Expected, Refused};
use crate::net::fetch::{FetchError, Fetcher, Limits};

/// The time limit of a download.
const DEADLINE: Duration = Duration::from_secs(60);

/// Why a task's medium could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The download failed.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The medium was loaded and is refused.
    #[error("{}", sentence(*.kind, .refused))]
    Refused {
        /// The expected kind of the medium.
        kind: Kind,
        /// The reason.
        refused: Refused,
    },
}

impl LoadError {
    /// Returns whether another attempt of the task may succeed.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Fetch(error) if error.is_temporary())
    }

    /// Returns the reason for the log.
    #[must_use]
    pub fn for_operator(&self) -> String {
        match self {
            Self::Fetch(error) => error.for_operator(),
            refused => refused.to_string(),
        }
    }

    /// Returns the `error.code` of its task. The error itself is the sentence for the client.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.code(),
            Self::Refused { refused, .. } => refused.code(),
        }
    }
}

/// Downloads a medium and checks it.
///
/// # Errors
/// The download failed, or the medium is refused.
pub async fn fetch(fetcher: &Fetcher, url: &str, expected: &Expected) -> Result<(Bytes, Format), LoadError> {
    let kind = expected.kind;
    let limits = Limits { bytes: kind.max_fetched(), deadline: DEADLINE };
    let refused = |refused| LoadError::Refused { kind, refused };
    let bytes = fetcher.fetch(url, limits).await.map_err(|error| match error {
        FetchError::TooLarge { limit } => refused(Refused::TooLarge { kind, limit }),
        error => error.into(),
    })?;
    let format = input::checked(&bytes, expected, limits.bytes).await.map_err(refused)?.format;
    Ok((bytes, format))
}

/// Checks a file of this service that was submitted as a medium.
///
/// # Errors
/// The file is refused.
pub async fn check(bytes: &Bytes, expected: &Expected) -> Result<(), LoadError> {
    let kind = expected.kind;
    let checked = input::checked(bytes, expected, kind.max_fetched()).await;
    checked.map(drop).map_err(|refused| LoadError::Refused { kind, refused })
}

fn sentence(kind: Kind, refused: &Refused) -> String {
    match refused {
        Refused::Picture { message, .. } => message.clone(),
        refused => format!("The {} {refused}.", kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::family;
    use crate::net::testing::{Reaction, Server, inner_guard};

    async fn load(reaction: Reaction, kind: Kind) -> Result<Format, (String, String)> {
        load_expected(reaction, Expected { kind, seconds: None }).await
    }

    async fn load_expected(reaction: Reaction, expected: Expected) -> Result<Format, (String, String)> {
        let server = Server::start(move |_| reaction.clone()).await;
        let fetcher = Fetcher::new(inner_guard(&[])).unwrap();
        let loaded = fetch(&fetcher, &server.url("/a.png"), &expected).await;
        loaded.map(|(_, format)| format).map_err(|error| (error.code().to_owned(), error.to_string()))
    }

    fn refused(code: &str, message: &str) -> Result<Format, (String, String)> {
        Err((code.to_owned(), message.to_owned()))
    }

    #[tokio::test]
    async fn the_format_of_a_fetched_file_comes_from_its_bytes() {
        let sound = || Reaction::response("200 OK", "content-type: image/png\r\n", "ID3 and so on");
        let no_sound = refused("unsupported_media", "The audio must be MP3, WAV or M4A.");
        assert_eq!(load(sound(), Kind::Audio).await, no_sound);
        let no_picture = refused("unsupported_media", "The image must be JPEG, PNG or WebP.");
        assert_eq!(load(sound(), Kind::Image).await, no_picture);
    }

    #[tokio::test]
    async fn a_fetched_video_has_the_length_that_its_field_bounds() {
        let film = include_bytes!("../../../tests/providers/media/film.mp4");
        let reaction =
            || Reaction::All([b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".as_slice(), film].concat());
        let of_motion =
            crate::engine::media_fields::expected(&family::MOTION_CONTROL_PRO, "video_url", Kind::Video);
        assert_eq!(of_motion.seconds, Some(3.0..=30.0));
        let too_short = refused("unsupported_media", "The video must be 3 to 30 s long.");
        assert_eq!(load_expected(reaction(), of_motion).await, too_short);
        assert_eq!(load(reaction(), Kind::Video).await, Ok(Format::Mp4));
        let of_lips = crate::engine::media_fields::expected(&family::LIP_SYNC, "audio_url", Kind::Audio);
        assert_eq!(of_lips.seconds, Some(1.0..=300.0));
    }

    #[tokio::test]
    async fn load_errors_have_messages_for_clients() {
        let endless = Reaction::ThenZeros("HTTP/1.1 200 OK\r\n\r\n".into());
        let too_large = refused("image_too_large", "The image must have at most 10485760 bytes.");
        assert_eq!(load(endless, Kind::Image).await, too_large);
        let missing =
            refused("fetch_failed", "The file could not be fetched: the server responded with status 404.");
        assert_eq!(load(Reaction::response("404 Not Found", "", ""), Kind::Video).await, missing);
    }
}

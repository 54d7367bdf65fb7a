//! The outputs of the simulated models: small files that decode.

use simulated_providers_server::media::MediaApi;
use simulated_providers_server::models::common::Problem;
use simulated_providers_server::models::media::GetMediumInput;
use simulated_providers_server::models::responses::ApiError;
use simulated_providers_server::models::types::ByteStream;
use simulated_providers_server::{Context, Failure};

use crate::Shared;

/// A medium that a simulated model makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A PNG picture of 32×32 pixels.
    Picture,
    /// A WAV file of a tenth of a second.
    Sound,
    /// An MP4 file of a second, with 8 frames of 32×32 pixels in H.264.
    Film,
}

impl Medium {
    const ALL: [Self; 3] = [Self::Picture, Self::Sound, Self::Film];

    /// Returns the file.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Picture => include_bytes!("../media/picture.png"),
            Self::Sound => include_bytes!("../media/sound.wav"),
            Self::Film => include_bytes!("../media/film.mp4"),
        }
    }

    /// Returns the media type.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Picture => "image/png",
            Self::Sound => "audio/wav",
            Self::Film => "video/mp4",
        }
    }

    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Picture => "picture.png",
            Self::Sound => "sound.wav",
            Self::Film => "film.mp4",
        }
    }

    /// Returns the medium with this file name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|medium| medium.file_name() == name)
    }
}

impl Shared {
    /// Returns the URL of a result.
    pub(crate) fn medium_url(&self, medium: Medium) -> String {
        format!("{}/media/{}", self.origin, medium.file_name())
    }
}

/// Returns the error that nothing has this id or name.
pub(crate) fn missing() -> ApiError {
    ApiError::Problem(Problem::new("Not found"))
}

impl MediaApi for Shared {
    async fn get_medium(
        &self,
        _: Context<()>,
        input: GetMediumInput,
    ) -> Result<ByteStream, Failure<ApiError>> {
        let medium = Medium::named(&input.name).ok_or_else(missing)?;
        Ok(ByteStream::from(medium.bytes()))
    }
}

//! Generates speech. A long text is requested in parts, whose files are joined.

use std::time::Duration;

use asset_engines::{LongFile, Scratch};
use futures_util::FutureExt as _;
use openai_client::models::common::{CreateSpeechRequest, CreateSpeechRequestResponseFormat};
use openapi_crates_runtime::types::{StreamError, StreamErrorKind, With};
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::{Extra, Server, checked, on_blocking_thread, sentences, unwritable, within, write};
use crate::engine::context::Context;
use crate::engine::failure::quoted;
use crate::engine::result::complete::join_mp3;
use crate::engine::result::wav;
use crate::engine::{Failure, Output};
use crate::media::format::Kind;

/// The minimum wait before a part is requested from a busy server again.
const PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of characters that OpenAI accepts in one request.
pub const MAX_CHARACTERS: usize = 4096;

/// The format to request. Both can be joined from parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// WAV.
    #[default]
    Wav,
    /// MP3, for servers that don't support WAV.
    Mp3,
}

/// A text to speak.
#[derive(Debug, Clone, Copy)]
pub struct Speech<'a> {
    /// The server's model.
    pub model: &'a str,
    /// The server's voice.
    pub voice: &'a str,
    /// The text, of any length.
    pub text: &'a str,
    /// The speed, where 1 is normal.
    pub speed: Option<f64>,
    /// The format to request.
    pub format: Format,
    /// The maximum number of characters in one request: [`MAX_CHARACTERS`] for OpenAI.
    pub most_characters: usize,
    /// Further fields of the request.
    pub extra: &'a Extra,
}

impl Server {
    /// Generates the speech of a text. A long text is split at the ends of sentences, and the parts are joined.
    ///
    /// # Errors
    /// Returns why there is no speech.
    pub async fn speech(&self, speech: Speech<'_>, context: &Context) -> Result<Output, Failure> {
        let parts = sentences::split(speech.text, speech.most_characters);
        if parts.is_empty() {
            return Err(Failure::Invalid("The text is empty.".to_owned()));
        }
        let mut spoken = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let percent = index * 100 / parts.len();
            context.report(u8::try_from(percent).ok(), "speaking");
            let said = self.request_part(speech, part, context).await;
            spoken.push(match said {
                Err(failure) if index > 0 => self.retry_part(speech, part, failure, context).await?,
                said => said?,
            });
        }
        if spoken.len() == 1
            && let Some(only) = spoken.pop()
        {
            return Ok(Output::Long(only));
        }
        let into = context.scratch()?;
        let joined = async {
            checked(on_blocking_thread(move || joined(spoken, into)).await?, Kind::Audio, context).await
        };
        joined.await.map_err(Failure::after_payment)
    }

    /// Requests a part again after a failure, while the server is busy and the deadline permits.
    ///
    /// Another attempt at the task would pay for the earlier parts again, so this one waits instead.
    async fn retry_part(
        &self,
        speech: Speech<'_>,
        text: &str,
        mut failure: Failure,
        context: &Context,
    ) -> Result<LongFile, Failure> {
        while let Failure::Busy { retry_after } = failure {
            let wait = retry_after.unwrap_or(PAUSE).max(PAUSE);
            if wait >= context.deadline.saturating_duration_since(Instant::now()) {
                break;
            }
            context.report(None, "waiting");
            within(context, sleep(wait).map(Ok)).await?;
            failure = match self.request_part(speech, text, context).await {
                Ok(said) => return Ok(said),
                Err(failure) => failure,
            };
        }
        Err(failure.after_payment())
    }

    /// Requests the speech of one part and writes it to a file.
    async fn request_part(
        &self,
        speech: Speech<'_>,
        text: &str,
        context: &Context,
    ) -> Result<LongFile, Failure> {
        let body = CreateSpeechRequest::new(text, speech.model, speech.voice).with(|body| {
            body.speed = speech.speed;
            body.response_format = Some(match speech.format {
                Format::Wav => CreateSpeechRequestResponseFormat::Wav,
                Format::Mp3 => CreateSpeechRequestResponseFormat::Mp3,
            });
            body.additional_properties = speech.extra.clone();
        });
        // The call may be charged, so the file for its response is created first.
        let content = context.scratch()?;
        let mut stream = self.send(self.client.create_speech(body), context).await?;
        while let Some(piece) = within(context, async { Ok(stream.next().await) }).await? {
            let piece = piece.map_err(of_stream)?;
            let mut content = content.clone();
            let written = on_blocking_thread(move || write(&mut content, &piece)).await;
            written.map_err(Failure::after_payment)?;
        }
        match checked(content, Kind::Audio, context).await {
            Ok(Output::Long(file)) => Ok(file),
            Ok(_) => Err(Failure::Uncertain("the speech is not a file".to_owned())),
            Err(failure) => Err(failure.after_payment()),
        }
    }
}

/// Returns the failure of a response that ended too early.
fn of_stream(error: StreamError) -> Failure {
    match error.kind() {
        StreamErrorKind::Timeout { .. } | StreamErrorKind::Deadline { .. } => {
            Failure::Timeout(format!("the speech did not end in time{}", quoted(&error.to_string())))
        }
        StreamErrorKind::TooLarge { .. } => Context::too_large(),
        // The server has generated the speech, and may charge for it.
        _ => Failure::Uncertain(format!("the speech ended too early{}", quoted(&error.to_string()))),
    }
}

/// Joins the files of all parts.
fn joined(parts: Vec<LongFile>, mut into: Scratch) -> Result<Scratch, Failure> {
    let extension = parts.first().map_or("", |part| part.extension);
    let is_same = parts.iter().all(|part| part.extension == extension);
    let mut contents: Vec<_> = parts.into_iter().map(|part| part.content).collect();
    let is_joined = match extension {
        "wav" if is_same => wav::join(&mut contents, &mut into).map_err(unwritable)?,
        "mp3" if is_same => join_mp3(&mut contents, &mut into).map(|()| true).map_err(unwritable)?,
        _ => false,
    };
    if !is_joined {
        return Err(Failure::Internal(
            "the parts of the speech have formats that can't be joined".to_owned(),
        ));
    }
    Ok(into)
}

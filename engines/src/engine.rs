//! The traits and types that all engines share.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::picture::Info;
use crate::scratch::Scratch;

/// Does the work of a modality. It blocks, so it needs its own thread.
///
/// `P` are the parameters, without the media. They are stored with a task as JSON, so a field that is added later needs a
/// default.
pub trait Engine<P> {
    /// The name and version of the engine, such as `lanczos-upscaler/1`.
    ///
    /// The task and the metadata of result files contain it.
    const NAME: &'static str;

    /// The media of a request: still encoded, and untrusted.
    type Media;

    /// Returns all parameters that the engine can't honour.
    ///
    /// It is called before a task is accepted, and again before the task runs, because request validation does
    /// not cover parameters from workflow apps and stored tasks.
    fn refuse(&self, parameters: &P) -> Vec<Refusal> {
        let _ = parameters;
        Vec::new()
    }

    /// Returns the parameters that have no effect on the result, because of their values.
    fn ignored(&self, parameters: &P) -> Vec<&'static str> {
        let _ = parameters;
        Vec::new()
    }

    /// Returns all reasons why the pictures don't fit the parameters or each other, by their headers.
    ///
    /// It is called before a task is accepted. `pictures` has an entry for each medium, in order: `None` if
    /// its bytes are not available yet, or if it is not a picture.
    fn refuse_media(&self, parameters: &P, pictures: &[Option<Info>]) -> Vec<Refusal> {
        let _ = (parameters, pictures);
        Vec::new()
    }

    /// Does the work.
    ///
    /// # Errors
    /// Returns why there is no result.
    fn run(&self, parameters: &P, media: Self::Media, job: &Job) -> Result<Vec<Output>, Failure>;
}

/// A parameter that an engine can't honour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The name of the parameter or of the medium.
    pub parameter: Cow<'static, str>,
    /// The reason for the client, as words that follow the parameter's name.
    pub reason: String,
}

impl Refusal {
    /// Creates a refusal of this parameter.
    pub fn new(parameter: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        Self { parameter: parameter.into(), reason: reason.into() }
    }

    /// Returns a refusal of this parameter if the engine can't honour its value.
    #[must_use]
    pub fn when(is_refused: bool, parameter: &'static str, reason: impl Into<String>) -> Option<Self> {
        is_refused.then(|| Self::new(parameter, reason))
    }

    /// Returns a refusal if a text has more than `most` characters.
    #[must_use]
    pub fn of_text(parameter: impl Into<Cow<'static, str>>, text: &str, most: usize) -> Option<Self> {
        // The length in bytes is known. Counting characters takes time.
        let is_longer = text.len() > most && text.chars().nth(most).is_some();
        is_longer.then(|| Self::new(parameter, format!("must have at most {most} characters")))
    }

    /// Returns a refusal if a number is out of range.
    #[must_use]
    pub fn of_number<N: PartialOrd + Display>(
        parameter: &'static str,
        number: N,
        range: RangeInclusive<N>,
    ) -> Option<Self> {
        let reason = || format!("must be from {} to {}", range.start(), range.end());
        (!range.contains(&number)).then(|| Self::new(parameter, reason()))
    }
}

/// The seed, the cancellation and the limits of one run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The seed of all random numbers.
    pub seed: u64,
    cancelled: Arc<AtomicBool>,
    scratch: Option<PathBuf>,
    most_bytes: u64,
}

impl Job {
    /// Creates a job that is cancelled by setting `cancelled`.
    #[must_use]
    pub fn new(seed: u64, cancelled: Arc<AtomicBool>) -> Self {
        Self { seed, cancelled, scratch: None, most_bytes: u64::MAX }
    }

    /// Sets the folder of scratch files.
    ///
    /// By default, they are in the folder for temporary files, which may be in memory.
    #[must_use]
    pub fn in_folder(self, scratch: Option<PathBuf>) -> Self {
        Self { scratch, ..self }
    }

    /// Sets the maximum size of a scratch file in bytes. By default there is none.
    #[must_use]
    pub fn at_most(self, most_bytes: u64) -> Self {
        Self { most_bytes, ..self }
    }

    /// Creates a job that is never cancelled.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self::new(seed, Arc::default())
    }

    /// Checks whether the job is cancelled. Engines call this several times a second.
    ///
    /// # Errors
    /// Returns [`Failure::Cancelled`], which the engine must return.
    pub fn check(&self) -> Result<(), Failure> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Failure::Cancelled) } else { Ok(()) }
    }

    /// Creates a file for a large result.
    ///
    /// # Errors
    /// Returns [`Failure::Internal`] if the file can't be created.
    pub fn scratch(&self) -> Result<Scratch, Failure> {
        Scratch::new(self.scratch.as_deref(), self.most_bytes)
            .map_err(|error| Failure::Internal(format!("can't create a scratch file: {error}")))
    }
}

/// A part of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A file in memory.
    File(File),
    /// A file that is too large for memory.
    Long(LongFile),
    /// A text, from engines that write prompts or descriptions.
    Text(String),
}

/// A file in memory that an engine made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The media type: `image/png`.
    pub media_type: &'static str,
    /// The file extension: `png`.
    pub extension: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A large file, stored on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongFile {
    /// The media type: `audio/flac`.
    pub media_type: &'static str,
    /// The file extension: `flac`.
    pub extension: &'static str,
    /// The content, from the beginning of the file.
    pub content: Scratch,
}

/// Why an engine has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The job was cancelled.
    #[error("the work was cancelled")]
    Cancelled,
    /// The media can't be used. Another attempt does not help.
    #[error("{message}")]
    Media {
        /// The task's `error.code`: `unsupported_media`, `image_too_large`, …
        code: &'static str,
        /// A sentence for the client.
        message: String,
    },
    /// The engine failed. Another attempt may succeed.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// Creates a failure for media that can't be used.
    pub fn media(code: &'static str, message: impl Into<String>) -> Self {
        Self::Media { code, message: message.into() }
    }

    /// Creates the failure for a result that exceeds the maximum size.
    #[must_use]
    pub fn too_large() -> Self {
        Self::media("result_too_large", "The result is larger than the service stores.")
    }
}

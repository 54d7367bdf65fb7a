//! What every engine is: a name, what it can't honour, and the work itself.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::picture::Info;

/// What can be asked of a modality, without the media.
///
/// It is stored with a task as JSON: a field that is added later needs a default.
pub trait Parameters: Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The media that come with it, as the client gave them: still encoded and not to be trusted.
    type Media: Send;
}

/// What does the work of a modality. It blocks: it is for a thread of its own.
pub trait Engine<P: Parameters>: Send + Sync + 'static {
    /// What made a result, as the task and the file's metadata tell it: a name and a version, `lanczos-upscaler/1`.
    fn name(&self) -> &'static str;

    /// What of this the engine can't honour; all of it at once. Asked before a task is accepted, and again before it runs:
    /// parameters come from more than one place, and the API's rules look at one of them.
    fn refuse(&self, parameters: &P) -> Vec<Refusal> {
        let _ = parameters;
        Vec::new()
    }

    /// What of the pictures doesn't go with the parameters, or with one another, as far as their headers tell; all of it
    /// at once. Asked before a task is accepted, of its media in their order; `None` is one that is not there yet, and a
    /// medium of another kind.
    fn refuse_media(&self, parameters: &P, pictures: &[Option<Info>]) -> Vec<Refusal> {
        let _ = (parameters, pictures);
        Vec::new()
    }

    /// Returns the parameters that are given and that the engine does not read, so that they have no effect on the result.
    ///
    /// Clients read these names, so they are those of the API: `additional_settings.prompt_extend`.
    fn ignored(&self, parameters: &P) -> Vec<&'static str> {
        let _ = parameters;
        Vec::new()
    }

    /// Does the work.
    ///
    /// # Errors
    /// Why there is no result.
    fn run(&self, parameters: &P, media: P::Media, job: &Job) -> Result<Vec<Output>, Failure>;
}

/// A parameter that an engine can't honour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The parameter's name in [`Parameters`], or the medium's.
    pub parameter: &'static str,
    /// Why, in a sentence for the client.
    pub reason: String,
}

impl Refusal {
    /// A refusal of this parameter.
    pub fn new(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self { parameter, reason: reason.into() }
    }

    /// A refusal of a text of more than `most` characters.
    #[must_use]
    pub fn of_text(parameter: &'static str, text: &str, most: usize) -> Option<Self> {
        // Bytes are counted at once, characters one by one.
        let is_longer = text.len() > most && text.chars().nth(most).is_some();
        is_longer.then(|| Self::new(parameter, format!("must have at most {most} characters")))
    }

    /// A refusal of a number that is outside of what it may be.
    #[must_use]
    pub fn of_number<N: PartialOrd + Display>(
        parameter: &'static str,
        number: N,
        range: RangeInclusive<N>,
    ) -> Option<Self> {
        (!range.contains(&number))
            .then(|| Self::new(parameter, format!("must be from {} to {}", range.start(), range.end())))
    }
}

/// What one run has beside its parameters.
#[derive(Debug, Clone)]
pub struct Job {
    /// All that is random comes from it.
    pub seed: u64,
    cancelled: Arc<AtomicBool>,
}

impl Job {
    /// A job that is cancelled by setting `cancelled`.
    #[must_use]
    pub fn new(seed: u64, cancelled: Arc<AtomicBool>) -> Self {
        Self { seed, cancelled }
    }

    /// A job that nobody cancels.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self::new(seed, Arc::default())
    }

    /// To be asked between steps of work, some times a second.
    ///
    /// # Errors
    /// [`Failure::Cancelled`], to be passed on.
    pub fn check(&self) -> Result<(), Failure> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Failure::Cancelled) } else { Ok(()) }
    }
}

/// A piece of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A file.
    File(File),
    /// A text, of the engines that write prompts.
    Text(String),
}

/// A file that an engine made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// `image/png`.
    pub media_type: &'static str,
    /// `png`.
    pub extension: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Why an engine has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The job was cancelled.
    #[error("the work was cancelled")]
    Cancelled,
    /// The media can't be worked on; trying again does not help.
    #[error("{message}")]
    Media {
        /// `unsupported_media`, `image_too_large`, …: the task's `error.code`.
        code: &'static str,
        /// A sentence for the client.
        message: String,
    },
    /// The engine broke; trying again may help.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// Media that can't be worked on.
    pub fn media(code: &'static str, message: impl Into<String>) -> Self {
        Self::Media { code, message: message.into() }
    }
}

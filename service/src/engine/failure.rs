//! The failures of a step: of its engine, its media, or the file store.
//!
//! One table decides the consequence for the task: `tasks/worker/outcome.rs`.

use std::time::Duration;

use super::secret::Secret;
use crate::files::FilesError;
use crate::log::redact::without_values;
use crate::media::load::LoadError;

/// The maximum wait that an engine can ask for with `Retry-After`.
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// Why a step has no result.
///
/// The texts of [`Moderation`](Self::Moderation), [`Invalid`](Self::Invalid) and [`Unsupported`](Self::Unsupported) are for
/// the client, and so is every `message`. The others are for the operator, because they may name hosts and settings.
/// Texts of programs and servers are in quotation marks, so that the log leaves them out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The attempt was cancelled.
    #[error("the work was cancelled")]
    Cancelled,
    /// The engine has too much to do and has not accepted the request. The task waits.
    #[error("the engine is busy")]
    Busy {
        /// The wait that the engine asks for.
        retry_after: Option<Duration>,
    },
    /// The engine can't be reached, or failed before it accepted the request. The task waits.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The engine refused the operator's credentials. The task waits.
    #[error("the engine refused the credentials: {0}")]
    Credentials(String),
    /// The engine took too long. Another attempt may succeed.
    #[error("{0}")]
    Timeout(String),
    /// The engine failed. Another attempt may succeed.
    #[error("{0}")]
    Internal(String),
    /// The engine refuses to generate this content. The task fails.
    #[error("{0}")]
    Moderation(String),
    /// The request is invalid for this model. The task fails.
    #[error("{0}")]
    Invalid(String),
    /// The media can't be used, or the result exceeds a limit. The task fails.
    #[error("{message}")]
    Media {
        /// The task's `error.code`.
        code: &'static str,
        /// The message for the client: a sentence.
        message: String,
    },
    /// A download failed. Another attempt may succeed.
    #[error("can't fetch media: {reason}")]
    Fetch {
        /// The task's `error.code`.
        code: &'static str,
        /// The message for the client: a sentence.
        message: String,
        /// The reason for the operator.
        reason: String,
    },
    /// The file store or the database failed. Another attempt may succeed, and this one does not count.
    #[error("{0}")]
    Storage(String),
    /// This version of the engine can't do the work. Another process may, so it gets the next attempt.
    #[error("{0}")]
    Unsupported(String),
    /// This process can't read the task, or has no engine for it. Another process may, so the task waits for it.
    #[error("{reason}")]
    Unserved {
        /// The message for the client: a sentence.
        message: &'static str,
        /// The reason for the operator.
        reason: String,
    },
    /// The provider no longer knows the job, so its outcome is unknown.
    #[error("the provider no longer knows the job: {0}")]
    Gone(String),
    /// The engine may have accepted the request, or its result can't be used. The request may be charged.
    #[error("the engine may have accepted the request: {0}")]
    Uncertain(String),
}

/// Formats a message of a program or a server as the end of a failure's text.
///
/// It may contain user text: many programs and servers repeat their input. [`Failure::for_log`] leaves it out.
#[must_use]
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": \"{text}\"") }
}

impl Failure {
    /// Returns the kind of the failure, for traces.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Busy { .. } => "busy",
            Self::Unavailable(_) => "unavailable",
            Self::Credentials(_) => "credentials",
            Self::Timeout(_) => "timeout",
            Self::Internal(_) => "internal",
            Self::Moderation(_) => "moderation",
            Self::Invalid(_) => "invalid",
            Self::Media { code, .. } | Self::Fetch { code, .. } => code,
            Self::Storage(_) => "storage",
            Self::Unsupported(_) => "unsupported",
            Self::Unserved { .. } => "unserved",
            Self::Gone(_) => "gone",
            Self::Uncertain(_) => "uncertain",
        }
    }

    /// Returns the text without the message of a program or a server.
    #[must_use]
    pub fn for_log(&self) -> String {
        without_values(&self.to_string()).to_owned()
    }

    /// Returns whether the failure concerns the engine rather than the request.
    #[must_use]
    pub fn is_of_engine(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Credentials(_) | Self::Timeout(_) | Self::Uncertain(_))
    }

    /// Limits the wait that an engine asks for.
    #[must_use]
    pub(super) fn with_bounded_wait(mut self) -> Self {
        if let Self::Busy { retry_after: Some(wait) } = &mut self {
            *wait = MAX_WAIT.min(*wait);
        }
        self
    }

    /// Returns the wait that a busy engine asks for. Zero counts as none: the engine would get requests without a pause.
    pub(crate) fn requested_wait(retry_after: Option<Duration>) -> Option<Duration> {
        retry_after.filter(|wait| !wait.is_zero())
    }

    /// Converts a failure that occurs after the server has generated something, which may be charged.
    ///
    /// Another call could be charged again, so failures that cause one become [`Uncertain`](Self::Uncertain). Those that no call
    /// of this process returns stay as they are: [`Unsupported`](Self::Unsupported), [`Unserved`](Self::Unserved).
    #[must_use]
    pub(super) fn after_payment(self) -> Self {
        match self {
            Self::Busy { .. }
            | Self::Unavailable(_)
            | Self::Credentials(_)
            | Self::Timeout(_)
            | Self::Internal(_)
            | Self::Invalid(_)
            | Self::Fetch { .. }
            | Self::Storage(_) => Self::Uncertain(self.to_string()),
            failure => failure,
        }
    }

    /// Removes a secret from the texts: some servers quote it.
    #[must_use]
    pub(super) fn without(mut self, secret: Option<&Secret>) -> Self {
        let Some(secret) = secret else { return self };
        match &mut self {
            Self::Unavailable(text)
            | Self::Credentials(text)
            | Self::Timeout(text)
            | Self::Internal(text)
            | Self::Moderation(text)
            | Self::Invalid(text)
            | Self::Unsupported(text)
            | Self::Gone(text)
            | Self::Uncertain(text) => *text = secret.removed_from(text),
            Self::Cancelled
            | Self::Busy { .. }
            | Self::Media { .. }
            | Self::Fetch { .. }
            | Self::Storage(_)
            | Self::Unserved { .. } => {}
        }
        self
    }
}

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Self {
        Self::Storage(error.to_string())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let (code, message) = (error.code(), error.to_string());
        if error.is_temporary() {
            Self::Fetch { code, message, reason: error.for_operator() }
        } else {
            Self::Media { code, message }
        }
    }
}

impl From<asset_engines::Failure> for Failure {
    fn from(failure: asset_engines::Failure) -> Self {
        match failure {
            asset_engines::Failure::Cancelled => Self::Cancelled,
            asset_engines::Failure::Media { code, message } => Self::Media { code, message },
            asset_engines::Failure::Internal(reason) => Self::Internal(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_omits_messages_of_providers() {
        for (failure, shown) in [
            (Failure::Internal(format!("program a ended{}", quoted("a \"secret\""))), "program a ended"),
            (
                Failure::Unavailable(format!("status 404{}", quoted(""))),
                "the engine is unavailable: status 404",
            ),
            (
                Failure::Invalid(format!("refused{}", quoted("a secret"))).after_payment(),
                "the engine may have accepted the request: refused",
            ),
        ] {
            assert_eq!(failure.for_log(), shown);
        }
    }

    #[test]
    fn no_failure_after_a_payment_causes_another_call() {
        let fetch = Failure::Fetch {
            code: "image_url_unreachable",
            message: "It can't be read.".to_owned(),
            reason: "status 500".to_owned(),
        };
        for failure in [
            Failure::Busy { retry_after: None },
            Failure::Unavailable("status 404".to_owned()),
            Failure::Credentials("status 401".to_owned()),
            Failure::Timeout("it took too long".to_owned()),
            Failure::Internal("status 500".to_owned()),
            Failure::Invalid("status 400".to_owned()),
            Failure::Storage("the disk is full".to_owned()),
            fetch,
        ] {
            assert_eq!(failure.clone().after_payment(), Failure::Uncertain(failure.to_string()));
        }
        let refused = Failure::Moderation("refused".to_owned());
        assert_eq!(refused.clone().after_payment(), refused);
    }
}

//! Maps errors of a server to failures of the task.
//!
//! Servers that speak OpenAI's API have no common error format: OpenAI nests an object in `error`, others nest a text,
//! use `detail`, or nest nothing. All of them are read here.

use openai_client::{Error, ErrorKind};
use openapi_crates_runtime::types::{NoError, Value};
use url::Url;

use crate::engine::Failure;
use crate::engine::context::Context;
use crate::engine::failure::quoted;

/// Codes and types by which servers say that they refuse content.
const MODERATION: &[&str] =
    &["moderation_blocked", "content_policy_violation", "content_filter", "image_generation_user_error"];

/// Codes of an account without credit. Waiting for a few seconds does not help.
const BILLING: &[&str] = &["insufficient_quota", "billing_hard_limit_reached"];

/// Returns the failure of a call of the server with this base URL.
pub(super) fn of_call(error: &Error<NoError>, base: &Url) -> Failure {
    let text = match error.kind() {
        ErrorKind::Unexpected(response) => {
            format!("status {}{}", response.status.as_u16(), quoted(&error.to_string()))
        }
        _ => error.to_string(),
    };
    match error.kind() {
        ErrorKind::Unexpected(response) => {
            match response.status.as_u16() {
                // The path or the model does not exist, which the operator can repair.
                404 | 405 => Failure::Unavailable(not_found(error, base)),
                status => of_response(error, status, &Reason::read(&response.body), text),
            }
        }
        ErrorKind::Connect(_) => Failure::Unavailable(text),
        ErrorKind::Timeout { .. } | ErrorKind::Deadline { .. } => Failure::Timeout(text),
        // The request may have arrived.
        ErrorKind::Transport(_) => Failure::Uncertain(text),
        ErrorKind::TooLarge { .. } => Context::too_large(),
        // The server did the work, but its response can't be read.
        ErrorKind::Decode(_) => Failure::Uncertain(text),
        _ => Failure::Internal(text),
    }
}

fn of_response(error: &Error<NoError>, status: u16, reason: &Reason, text: String) -> Failure {
    if reason.is_one_of(MODERATION) {
        return Failure::Moderation("The engine's moderation refused the request.".to_owned());
    }
    match status {
        300..=399 => {
            Failure::Unavailable(format!("status {status}: redirects to other servers are not followed"))
        }
        // Servers quote the key here, so their text is left out.
        401 | 403 => Failure::Credentials(format!("status {status}")),
        402 => Failure::Credentials("the account has no credit".to_owned()),
        429 if reason.is_one_of(BILLING) => Failure::Credentials("the account has no credit".to_owned()),
        429 => Failure::Busy { retry_after: error.retry_after() },
        // llama.cpp loads its model.
        503 if reason.is_one_of(&["unavailable_error"]) => Failure::Busy { retry_after: error.retry_after() },
        408 => Failure::Timeout(text),
        410 => Failure::Gone(text),
        400..=499 => {
            let message = error.message().unwrap_or_else(|| format!("it responded with status {status}"));
            Failure::Invalid(format!("The engine refused the request{}", quoted(&message)))
        }
        // Servers send these after the request was accepted, too, and unusable successes are paid.
        _ => Failure::Uncertain(text),
    }
}

/// Names the whole URL that the server does not serve, and what to check.
fn not_found(error: &Error<NoError>, base: &Url) -> String {
    let path = error.operation().map_or("", |operation| operation.path.trim_start_matches('/'));
    let status = error.status().map_or(404, |status| status.as_u16());
    let message = error.message().map(|message| quoted(&message)).unwrap_or_default();
    format!(
        "{base}{path} responded with status {status}; check the settings model and base-url, whose path is often /v1{message}"
    )
}

/// The machine-readable part of an error.
#[derive(Default)]
struct Reason {
    words: Vec<String>,
}

impl Reason {
    fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let objects = [Some(&body), body.get("error"), body.get("detail")];
        // `code` may be a number, which repeats the status.
        let words = objects.into_iter().flatten().flat_map(|object| {
            ["code", "type", "error"].into_iter().filter_map(|name| object.get(name)?.as_str())
        });
        Self { words: words.map(str::to_owned).collect() }
    }

    fn is_one_of(&self, codes: &[&str]) -> bool {
        self.words.iter().any(|word| codes.contains(&word.as_str()))
    }
}

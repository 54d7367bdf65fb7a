//! The media of a request: read and checked at submission, then stored for the worker.

use std::borrow::Cow;

use asset_engines::picture::Info;
use uuid::Uuid;

use super::request::Field;
use super::{NotAccepted, ReadyStep, Submitter};
use crate::apps::FilledMedia;
use crate::domain::{Piece, TaskStatus};
use crate::engine::Refusal;
use crate::engine::work::{Step, StoredMedium};
use crate::files::{Area, FilesError, media_type};
use crate::media::format::Kind;
use crate::media::input::{self, Expected, Given, Refused, Source};
use crate::net::guard::UrlRefused;

/// A medium of a step, as far as it can be read before the task runs.
pub(super) enum Prepared {
    Given(Kind, Given),
    /// The first file of an earlier step.
    Output(Kind, usize),
    /// Invalid; it is already among the reported violations.
    Refused,
}

impl Prepared {
    /// Returns the number of bytes that are in the request.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Given(_, Given::Bytes { bytes, .. }) => bytes.len() as u64,
            _ => 0,
        }
    }

    /// Returns the size and format from a picture's header, if its bytes are in the request.
    pub(super) fn picture(&self) -> Option<Info> {
        match self {
            Self::Given(_, Given::Bytes { facts, .. }) => facts.picture,
            _ => None,
        }
    }
}

impl Submitter {
    /// Reads a medium that an app fills in.
    ///
    /// # Errors
    /// The store failed. Violations of the medium are added to `invalid`.
    pub(super) async fn read_filled(
        &self,
        key_id: &str,
        media: &FilledMedia,
        expected: Expected,
        invalid: &mut Vec<Refusal>,
    ) -> Result<Prepared, NotAccepted> {
        let kind = expected.kind;
        let (name, text) = match media {
            FilledMedia::Output(step) => return Ok(Prepared::Output(kind, *step)),
            FilledMedia::Given { name, text } => (name, text.as_str()),
        };
        let Some(id) = task_id(text) else {
            let field = Field { name: name.clone(), text: Cow::Borrowed(text), expected, url_only: false };
            return Ok(self.read(&field, invalid).await);
        };
        Ok(match self.result_of(key_id, id, &expected).await? {
            Ok(given) => Prepared::Given(kind, given),
            Err(expected) => {
                invalid.push(Refusal::new(name.clone(), expected));
                Prepared::Refused
            }
        })
    }

    /// Returns the first result of a task as a medium, or why it can't be one.
    async fn result_of(
        &self,
        key_id: &str,
        id: Uuid,
        expected: &Expected,
    ) -> Result<Result<Given, String>, NotAccepted> {
        let kind = expected.kind;
        let task = self.store.any_task(id).await?.filter(|task| task.key_id == key_id);
        let Some(task) = task else {
            return Ok(Err("must be base64, an https URL or the id of a task of this API key".to_owned()));
        };
        if task.status != TaskStatus::Completed {
            let status = task.status.name();
            return Ok(Err(format!(
                "must be the id of a completed task; the status of this one is {status}"
            )));
        }
        match task.results.first().and_then(Piece::file) {
            Some(key) if kind.media_types().contains(&media_type(key)) => {
                Ok(self.own(Area::Results, key, expected).await.map_err(|refused| refused.to_string()))
            }
            _ => Ok(Err(format!("must be the id of a task whose first result is {}", kind.formats()))),
        }
    }

    /// Reads a medium; adds its violations to `invalid`.
    pub(super) async fn read(&self, field: &Field<'_>, invalid: &mut Vec<Refusal>) -> Prepared {
        let expected = &field.expected;
        let given = match self.urls.own(&field.text) {
            Some((area, key)) => self.own(area, key, expected).await,
            None => input::accept(&self.policy, &field.text, expected, field.url_only).await,
        };
        match given {
            Ok(given) => Prepared::Given(expected.kind, given),
            Err(refused) => {
                if let Refused::Url(refused) = refused {
                    hint(&field.name, refused);
                }
                invalid.push(Refusal::new(field.name.clone(), refused.to_string()));
                Prepared::Refused
            }
        }
    }

    /// Returns a file that the service itself serves, if it exists and is neither too large nor of a wrong length.
    ///
    /// Its format is checked when the task runs, as for any other URL.
    async fn own(&self, area: Area, key: &str, expected: &Expected) -> Result<Given, Refused> {
        let kind = expected.kind;
        let limit = kind.max_fetched();
        match self.files.size(area, key).await {
            Ok(Some(size)) if size <= limit as u64 => {
                if let Some(file) = self.files.on_disk(area, key) {
                    input::check_length(file, expected).await?;
                }
                Ok(Given::Own { area, key: key.to_owned() })
            }
            Ok(Some(_)) => Err(Refused::TooLarge { kind, limit }),
            Ok(None) => Err(Refused::NotThere),
            Err(error) => {
                tracing::error!(%error, "can't read the size of a stored file");
                Err(Refused::NotThere)
            }
        }
    }

    /// Stores the media that the request contains, for the worker.
    pub(super) async fn store_media(
        &self,
        folder: &str,
        steps: Vec<ReadyStep>,
    ) -> Result<Vec<Step>, FilesError> {
        let mut stored_steps = Vec::with_capacity(steps.len());
        for (number, step) in steps.into_iter().enumerate() {
            let mut media = Vec::with_capacity(step.media.len());
            for (index, (name, prepared)) in step.media.into_iter().enumerate() {
                media.push(match prepared {
                    Prepared::Output(kind, step) => StoredMedium::Output { name, kind, step },
                    Prepared::Given(kind, Given::Url(target)) => {
                        StoredMedium::Given { name, kind, source: Source::Url(target.url().to_string()) }
                    }
                    Prepared::Given(kind, Given::Own { area, key }) => {
                        StoredMedium::Given { name, kind, source: Source::Own { area, key } }
                    }
                    Prepared::Given(kind, Given::Bytes { bytes, .. }) => {
                        let key = format!("{folder}/{number}-{index}");
                        self.files.put(Area::Inputs, &key, bytes).await?;
                        StoredMedium::Given { name, kind, source: Source::Stored(key) }
                    }
                    Prepared::Refused => continue,
                });
            }
            stored_steps.push(Step {
                family: step.family.name.to_owned(),
                instructions: step.instructions,
                media,
            });
        }
        Ok(stored_steps)
    }
}

/// Returns the id of a task if the text is one, as creations write it.
///
/// Base64 has no hyphens, and every URL has a colon.
fn task_id(text: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(text).ok()?;
    id.hyphenated().to_string().eq_ignore_ascii_case(text).then_some(id)
}

/// Logs which settings would allow a URL.
///
/// The log is for the operator: clients can't change settings, so their response names only the problem.
pub(super) fn hint(parameter: &str, refused: UrlRefused) {
    if matches!(refused, UrlRefused::Scheme | UrlRefused::Port | UrlRefused::Host) {
        tracing::info!(
            parameter,
            "rejected URL: it {refused}; the setting `allow-private-networks` (http, any port, private hosts) or \
             `allow-subnets` would allow it"
        );
    }
}

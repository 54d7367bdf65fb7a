//! Validates a request: its media, its webhook URL, and what the engines of its steps support.

use bytes::Bytes;
use uuid::Uuid;

use super::{NotAccepted, Refusal, Request, Submitter};
use crate::domain::{Piece, TaskStatus};
use crate::engine::work::{Step, StoredMedium};
use crate::engine::{MediumContent, MediumRequest};
use crate::files::{Area, FilesError, media_type};
use crate::media::input::{self, Expected, Given, Refused, Source};
use crate::net::guard::UrlRefused;

/// The steps of a valid request, the engines that will run them, and the media to store for them.
#[derive(Default)]
pub(super) struct ValidRequest {
    pub(super) steps: Vec<Step>,
    pub(super) engines: Vec<String>,
    /// Fields of the request that the engine does not read.
    pub(super) ignored: Vec<String>,
    /// The media in the request, by the keys that the steps have for them.
    pub(super) uploads: Vec<(String, Bytes)>,
}

impl Submitter {
    /// Validates a request and takes its steps. Its media get keys in this folder.
    ///
    /// # Errors
    /// Returns all violations, or why no engine can do the work.
    pub(super) async fn validate(
        &self,
        request: &mut Request<'_>,
        folder: &str,
    ) -> Result<ValidRequest, NotAccepted> {
        let (mut valid, mut invalid) = (ValidRequest::default(), Vec::new());
        let mut media = Vec::with_capacity(request.steps.len());
        for (number, step) in request.steps.iter().enumerate() {
            // Only an attached engine gets the input of an app's step.
            let broken = step.violations.iter().filter(|_| step.input.is_some());
            invalid.extend(broken.map(|refusal| step.for_client(refusal.clone())));
            let mut of_step = Vec::with_capacity(step.media.len());
            for (index, medium) in step.media.iter().enumerate() {
                let key = format!("{folder}/{number}-{index}");
                of_step.push(self.read(request, medium, key, &mut valid.uploads, &mut invalid).await?);
            }
            media.push(of_step);
        }
        if let Some(url) = &request.webhook_url
            && let Err(refused) = self.policy.check_url(url)
        {
            hint("webhook_url", refused);
            invalid.push(Refusal::new("webhook_url", refused.to_string()));
        }
        invalid.append(&mut request.invalid);
        let mut engines = Vec::with_capacity(request.steps.len());
        for (step, media) in request.steps.iter().zip(&media) {
            let engine = self.registry.engine(step.request());
            let pictures: Vec<_> = media.iter().map(|medium| medium.as_ref()?.picture()).collect();
            let refused = engine.iter().flat_map(|engine| engine.refuse(step.request(), &pictures));
            invalid.extend(refused.map(|refusal| step.for_client(refusal)));
            engines.push(engine);
        }
        if !invalid.is_empty() {
            return Err(NotAccepted::Invalid(invalid));
        }
        if !self.registry.has_model(request.family, request.model) {
            return Err(NotAccepted::UnknownModel);
        }
        for ((step, engine), media) in std::mem::take(&mut request.steps).into_iter().zip(engines).zip(media)
        {
            let engine = engine.ok_or(NotAccepted::NoEngine)?;
            valid.engines.push(engine.name().to_owned());
            // The run of an app has no such list: the app sets the parameters of its steps, not the client.
            if request.app.is_none() {
                valid.ignored.extend(engine.ignored(step.request()));
            }
            let instructions = self.registry.instructions(step.family, step.input, step.work);
            let instructions = instructions.ok_or(NotAccepted::NoEngine)?;
            let (family, media) = (step.family.name.to_owned(), media.into_iter().flatten().collect());
            valid.steps.push(Step { family, instructions, media });
        }
        if valid.steps.is_empty() { Err(NotAccepted::NoEngine) } else { Ok(valid) }
    }

    /// Reads a medium as far as possible before the task runs; its bytes go to `uploads`, with this key.
    ///
    /// Returns `None` if it is invalid, and adds why to `invalid`.
    ///
    /// # Errors
    /// The store failed.
    async fn read(
        &self,
        request: &Request<'_>,
        medium: &MediumRequest,
        key: String,
        uploads: &mut Vec<(String, Bytes)>,
        invalid: &mut Vec<Refusal>,
    ) -> Result<Option<StoredMedium>, NotAccepted> {
        let (field, expected) = (medium.field.clone(), &medium.expected);
        let (name, text) = match &medium.content {
            MediumContent::Output(step) => {
                return Ok(Some(StoredMedium::Output { name: field, kind: expected.kind, step: *step }));
            }
            MediumContent::Given { name, text } => (name, text),
        };
        let given = match task_id(text).filter(|_| request.app.is_some()) {
            Some(id) => self.result_of(request.key_id, id, expected).await?,
            None => self.given(medium, name, text).await?.map_err(|refused| refused.to_string()),
        };
        let (source, picture) = match given {
            Ok(Given::Url(target)) => (Source::Url(target.url().to_string()), None),
            Ok(Given::Own { area, key }) => (Source::Own { area, key }, None),
            Ok(Given::Bytes { bytes, facts }) => {
                uploads.push((key.clone(), bytes));
                (Source::Stored(key), facts.picture)
            }
            Err(reason) => {
                invalid.push(Refusal::new(name.clone(), reason));
                return Ok(None);
            }
        };
        Ok(Some(StoredMedium::Given { name: field, kind: expected.kind, source, picture }))
    }

    /// Reads a URL or base64 that the client gave in the field with this name.
    async fn given(
        &self,
        medium: &MediumRequest,
        name: &str,
        text: &str,
    ) -> Result<Result<Given, Refused>, FilesError> {
        if let Some((area, key)) = self.urls.own(text) {
            return self.own(area, key, &medium.expected).await;
        }
        let given = input::accept(&self.policy, text, &medium.expected, medium.url_only).await;
        if let Err(Refused::Url(refused)) = given {
            hint(name, refused);
        }
        Ok(given)
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
                Ok(self.own(Area::Results, key, expected).await?.map_err(|refused| refused.to_string()))
            }
            _ => Ok(Err(format!("must be the id of a task whose first result is {}", kind.formats()))),
        }
    }

    /// Returns a file that the service itself serves, if it exists and is neither too large nor of a wrong length.
    ///
    /// Its format is checked when the task runs, as for any other URL; the length of a file in a bucket, too.
    async fn own(
        &self,
        area: Area,
        key: &str,
        expected: &Expected,
    ) -> Result<Result<Given, Refused>, FilesError> {
        let kind = expected.kind;
        let limit = kind.max_fetched();
        Ok(match self.files.size(area, key).await? {
            Some(size) if size <= limit as u64 => {
                let length = match self.files.on_disk(area, key) {
                    Some(file) => input::check_length(file, expected).await,
                    None => Ok(()),
                };
                length.map(|()| Given::Own { area, key: key.to_owned() })
            }
            Some(_) => Err(Refused::TooLarge { kind, limit }),
            None => Err(Refused::NotThere),
        })
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
fn hint(parameter: &str, refused: UrlRefused) {
    if matches!(refused, UrlRefused::Scheme | UrlRefused::Port | UrlRefused::Host) {
        tracing::info!(
            parameter,
            "rejected URL: it {refused}; the setting `allow-private-networks` (http, any port, private hosts) or \
             `allow-subnets` would allow it"
        );
    }
}

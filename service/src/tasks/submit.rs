//! Accepts tasks: validates a request as far as possible, then stores it as a task.

mod media;
mod request;

use std::sync::Arc;
use std::time::Duration;

use asset_engines::picture::Info;
use rand::RngExt;
use uuid::Uuid;

use super::allowance::Allowances;
use super::effort;
use crate::apps::FilledStep;
use crate::domain::{Created, Idempotency, NewTask, OutboxLimits, Task, TaskStatus};
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::work::{Assignment, Instructions, Work, stage};
use crate::engine::{self, Engine, GivenMedium, Input, media_fields};
use crate::files::{Area, FileUrls, Files, FilesError, random_folder};
use crate::keys::tier::Tier;
use crate::media::format::Kind;
use crate::net::guard::Policy;
use crate::quiesce::Quiesce;
use crate::store::SharedStore;
use crate::time::{Clock, Millis, millis};

pub use crate::engine::InvalidParam;
use media::Prepared;
pub use request::{Request, SeededWork};

/// How long an `Idempotency-Key` is remembered.
const IDEMPOTENCY: Duration = Duration::from_secs(24 * 60 * 60);

/// The caller of an operation, and the operation.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The API key's id.
    pub key_id: &'a str,
    /// The operation's id. An `Idempotency-Key` is unique per operation, not per spelling of the path.
    pub operation: &'a str,
    /// The quotas of the key.
    pub tier: &'a Tier,
}

/// Why a task was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum NotAccepted {
    /// Some parameters are invalid; holds all of them.
    #[error("invalid parameters: {0:?}")]
    Invalid(Vec<InvalidParam>),
    /// The family has no model of this name.
    #[error("unknown model")]
    UnknownModel,
    /// No engine serves the family.
    #[error("no engine configured")]
    NoEngine,
    /// The service is quiesced.
    #[error("the service is quiesced")]
    Quiesced,
    /// The disk of the files is almost full.
    #[error("the disk is almost full")]
    DiskFull,
    /// Too many of the key's tasks wait or are in progress.
    #[error("too many open tasks")]
    TooManyOpen,
    /// Too many webhook events of the key are undelivered.
    #[error("too many undelivered webhook events")]
    TooManyEvents,
    /// Webhook events of the key are undelivered to too many hosts.
    #[error("undelivered webhook events to too many hosts")]
    TooManyHosts,
    /// The results of the key's tasks take as much space as they may.
    #[error("too much stored")]
    TooMuchStored,
    /// The key has used up its daily quota.
    #[error("the daily quota is used up")]
    Quota {
        /// The time until the next daily quota begins.
        retry_after: Duration,
    },
    /// The key has sent as many bytes of media as it may today.
    #[error("the daily quota of uploads is used up")]
    Uploads {
        /// The time until the next daily quota begins.
        retry_after: Duration,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The work can't be serialized.
    #[error("can't serialize the work: {0}")]
    Json(#[from] serde_json::Error),
}

/// Accepts tasks.
#[derive(Clone)]
pub struct Submitter {
    /// The store of tasks.
    pub store: SharedStore,
    /// The file store for their media.
    pub files: Files,
    /// The engines and models of each family.
    pub registry: Arc<Registry>,
    /// Checks URLs from users.
    pub policy: Policy,
    /// Recognises URLs of the service's own files.
    pub urls: FileUrls,
    /// The source of time.
    pub clock: Clock,
    /// Whether the service is quiesced, and accepts no tasks.
    pub quiesce: Quiesce,
    /// Free bytes on the disk of the files under which no task is accepted.
    pub low_water: u64,
    /// What each key may create before its usage is read again.
    pub allowances: Allowances,
    /// What each key may create with webhooks before its outbox is read again.
    pub webhook_allowances: Allowances,
}

impl Submitter {
    /// Accepts a task and returns its id.
    ///
    /// If the request repeats an earlier one, the id is that of the earlier task.
    ///
    /// # Errors
    /// Returns why the task was not accepted.
    pub async fn submit(&self, asker: Asker<'_>, mut request: Request<'_>) -> Result<Uuid, NotAccepted> {
        let now = self.clock.now();
        let idempotency = request.idempotency.as_ref().map(|(key, body_hash)| Idempotency {
            path: scope(asker.operation, &request),
            key: key.clone(),
            body_hash: body_hash.clone(),
            expires_at: now + millis(IDEMPOTENCY),
        });
        if let Some(idempotency) = &idempotency
            && let Some(id) = settled(self.store.idempotent(asker.key_id, idempotency, now).await?, now)?
        {
            return Ok(id);
        }
        if self.quiesce.is_on() {
            return Err(NotAccepted::Quiesced);
        }
        if self.files.free_space().is_some_and(|free| free < self.low_water) {
            return Err(NotAccepted::DiskFull);
        }
        if !self.allowances.take(asker.key_id, now) {
            self.check_usage(asker, now).await?;
        }
        if let Some(url) = &request.webhook_url
            && !self.webhook_allowances.take(asker.key_id, now)
        {
            self.check_outbox(asker, url, now).await?;
        }
        let input = request.input.take();
        let prepared = self.prepare(asker.key_id, &request, input).await?;

        let id = Uuid::now_v7();
        let folder = random_folder();
        let inputs =
            prepared.steps.iter().flat_map(|step| &step.media).map(|(_, prepared)| prepared.size()).sum();
        let has_inputs = inputs > 0;
        let most = asker.tier.daily_upload_bytes();
        if has_inputs && !self.store.count_upload(asker.key_id, now, inputs, most).await? {
            return Err(NotAccepted::Uploads { retry_after: until_tomorrow(now) });
        }
        let engine = prepared.engines.join(" + ");
        let first = stage(prepared.steps.iter().map(|step| &step.instructions));
        let demand = effort::demand(prepared.steps.iter().take(first).map(ReadyStep::effort));
        let steps = self.keep(&folder, prepared.steps).await?;
        let seed = request.seed.unwrap_or_else(|| rand::rng().random());
        let most_bytes = asker.tier.result_bytes();
        let assignment = Assignment { steps, finished: Vec::new(), seed, most_bytes };
        let new = NewTask {
            task: Task {
                id,
                key_id: asker.key_id.to_owned(),
                family: request.family.name.to_owned(),
                model: request.model.map(ToOwned::to_owned),
                status: TaskStatus::Created,
                results: Vec::new(),
                error: None,
                engine,
                folder: folder.clone(),
                webhook_url: request.webhook_url,
                app: request.app.map(|app| app.sqid.clone()),
                ignored: prepared.ignored,
                progress: None,
                created_at: now,
                updated_at: now,
            },
            work: serde_json::to_string(&assignment)?,
            demand,
            input_bytes: inputs,
            idempotency,
            daily_quota: asker.tier.daily_tasks,
        };
        let created = self.store.create_task(&new).await?;
        if created == Created::New {
            crate::crash::point("after-create");
            tracing::info!(task = %id, family = request.family.name, key = asker.key_id, "task accepted");
            metrics::counter!("tasks_created_total", "family" => request.family.name).increment(1);
            return Ok(id);
        }
        if has_inputs {
            self.files.remove_folder(Area::Inputs, &folder).await?;
        }
        // `None` would mean that the store has created the task after all.
        Ok(settled(created, now)?.unwrap_or(id))
    }

    /// Checks that the key has open tasks and stored bytes left.
    ///
    /// Creations at the same time may exceed the limit by their number.
    async fn check_usage(&self, asker: Asker<'_>, now: Millis) -> Result<(), NotAccepted> {
        let most = asker.tier.open_tasks;
        let usage = self.store.usage(asker.key_id, most).await?;
        if usage.open_tasks >= most {
            return Err(NotAccepted::TooManyOpen);
        }
        let stored = usage.stored_bytes.saturating_add(self.files.working_bytes(asker.key_id));
        if stored >= asker.tier.stored_bytes() {
            return Err(NotAccepted::TooMuchStored);
        }
        self.allowances.note(asker.key_id, most - usage.open_tasks, now);
        Ok(())
    }

    /// Checks that the key may have more undelivered webhook events, also to the host of this URL.
    ///
    /// The events of its open tasks may exceed the limits.
    async fn check_outbox(&self, asker: Asker<'_>, url: &str, now: Millis) -> Result<(), NotAccepted> {
        let most = OutboxLimits { events: asker.tier.webhook_events, hosts: asker.tier.webhook_hosts };
        let there = self.store.outbox(asker.key_id, url, most).await?;
        if there.events >= most.events {
            return Err(NotAccepted::TooManyEvents);
        }
        if there.hosts >= most.hosts && !there.has_host {
            return Err(NotAccepted::TooManyHosts);
        }
        let left = (most.events - there.events).min(most.hosts.saturating_sub(there.hosts));
        self.webhook_allowances.note(asker.key_id, left, now);
        Ok(())
    }

    /// Validates a request and returns its steps.
    ///
    /// # Errors
    /// Returns all violations, or why no engine can do the work.
    async fn prepare(
        &self,
        key_id: &str,
        request: &Request<'_>,
        input: Option<Input>,
    ) -> Result<Steps, NotAccepted> {
        let mut invalid = Vec::new();
        let mut media = Vec::with_capacity(request.media.len());
        for field in &request.media {
            media.push(self.read(field, &mut invalid).await);
        }
        let mut steps = Vec::new();
        if request.app.is_none() {
            let names = request.media.iter().map(|field| field.name.clone());
            let media = names.zip(media).collect();
            steps.push(PreparedStep { family: request.family, work: request.work.clone(), input, media });
        }
        for step in &request.steps {
            steps.push(self.prepare_step(key_id, step, &mut invalid).await?);
        }
        if let Some(url) = &request.webhook_url
            && let Err(refused) = self.policy.check_url(url)
        {
            media::hint("webhook_url", refused);
            invalid.push(InvalidParam::new("webhook_url", refused.to_string()));
        }
        invalid.extend(request.unmet.iter().cloned());
        let engines: Vec<_> = steps.iter().map(|step| self.registry.engine(step.request())).collect();
        for (place, (engine, step)) in engines.iter().zip(&steps).enumerate() {
            let media = step.given_media();
            for refusal in engine.iter().flat_map(|engine| engine.refuse(step.request(), &media)) {
                // The client of an app knows only the app's inputs, not the parameters of its steps.
                let filled = request.steps.get(place);
                let name = filled
                    .map_or_else(|| refusal.parameter.to_string(), |step| step.name_of(&refusal.parameter));
                invalid.push(InvalidParam::new(name, refusal.reason));
            }
        }
        if !invalid.is_empty() {
            return Err(NotAccepted::Invalid(invalid));
        }
        if !self.registry.has_model(request.family, request.model) {
            return Err(NotAccepted::UnknownModel);
        }
        // The run of an app has no such list: the app sets the parameters of its steps, not the client.
        let of_client = engines.iter().flatten().zip(&steps).filter(|_| request.app.is_none());
        let ignored = of_client.flat_map(|(engine, step)| engine.ignored(step.request())).collect();
        let name = |engine: &Option<Arc<dyn Engine>>| Some(engine.as_ref()?.name().to_owned());
        let engines: Option<Vec<_>> = engines.iter().map(name).collect();
        let steps: Option<Vec<_>> = steps.into_iter().map(|step| step.ready(&self.registry)).collect();
        match engines.zip(steps) {
            Some((engines, steps)) if !steps.is_empty() => Ok(Steps { steps, engines, ignored }),
            _ => Err(NotAccepted::NoEngine),
        }
    }
}

impl Submitter {
    /// Prepares a step of a workflow app: for the attached engine of its family, else for the built-in one.
    async fn prepare_step(
        &self,
        key_id: &str,
        step: &FilledStep,
        invalid: &mut Vec<InvalidParam>,
    ) -> Result<PreparedStep, NotAccepted> {
        let (family, mut media) = (step.family, Vec::new());
        if let Some(filled) = step.attached(&self.registry) {
            let named = |param: &InvalidParam| InvalidParam::new(step.name_of(&param.name), &param.expected);
            invalid.extend(filled.violations.iter().map(named));
            for (name, kind, filled) in &filled.media {
                let expected = media_fields::expected(family, name, *kind);
                media.push((name.clone(), self.read_filled(key_id, filled, expected, invalid).await?));
            }
            let input = Some(filled.with_model(&self.registry, family));
            return Ok(PreparedStep { family, work: None, input, media });
        }
        let work = step.work.as_ref().map(|filled| &filled.work);
        let filled = step.work.as_ref().map(|filled| filled.media.as_slice()).unwrap_or_default();
        let asked = engine::Request { family, input: None, work };
        let engine = self.registry.engine(asked);
        let kinds = engine.and_then(|engine| engine.kinds(asked, filled.len())).unwrap_or_default();
        for (place, filled) in filled.iter().enumerate() {
            let kind = kinds.get(place).copied().unwrap_or(Kind::Image);
            let expected = media_fields::expected(family, "", kind);
            media.push((String::new(), self.read_filled(key_id, filled, expected, invalid).await?));
        }
        Ok(PreparedStep { family, work: work.cloned(), input: None, media })
    }
}

/// Returns the scope of an `Idempotency-Key`: the operation, with the model or app in its path.
fn scope(operation: &str, request: &Request<'_>) -> String {
    match request.model.or_else(|| request.app.map(|app| app.sqid.as_str())) {
        Some(which) => format!("{operation} {which}"),
        None => operation.to_owned(),
    }
}

/// The steps of a valid request, and the engines that will run them.
struct Steps {
    steps: Vec<ReadyStep>,
    engines: Vec<String>,
    /// Fields of the request that the engine does not read.
    ignored: Vec<String>,
}

struct PreparedStep {
    family: &'static Family,
    work: Option<Work>,
    input: Option<Input>,
    /// The media, by the fields that hold them.
    media: Vec<(String, Prepared)>,
}

impl PreparedStep {
    /// Returns what the engine is asked to do.
    fn request(&self) -> engine::Request<'_> {
        engine::Request { family: self.family, input: self.input.as_ref(), work: self.work.as_ref() }
    }

    /// Returns what the engine gets to know of the media before they are loaded.
    fn given_media(&self) -> Vec<GivenMedium<'_>> {
        let media = self.media.iter();
        media.map(|(name, prepared)| GivenMedium { name, picture: prepared.picture() }).collect()
    }

    /// Returns the step with what its engine is to do; `None` without an engine.
    fn ready(self, registry: &Registry) -> Option<ReadyStep> {
        let instructions = registry.instructions(self.family, self.input, self.work)?;
        Some(ReadyStep { family: self.family, instructions, media: self.media })
    }
}

/// A step of a valid request.
struct ReadyStep {
    family: &'static Family,
    instructions: Instructions,
    /// The media, by the fields that hold them.
    media: Vec<(String, Prepared)>,
}

impl ReadyStep {
    /// Returns what [`effort::demand`] reads of the step.
    fn effort(&self) -> (&str, &Instructions, Vec<Option<Info>>) {
        let pictures = self.media.iter().map(|(_, prepared)| prepared.picture());
        (self.family.name, &self.instructions, pictures.collect())
    }
}

/// Returns the task that an earlier request with the same key created, if there is one.
///
/// # Errors
/// Returns why the request can't create a task.
fn settled(created: Created, now: Millis) -> Result<Option<Uuid>, NotAccepted> {
    match created {
        Created::New => Ok(None),
        Created::Repeat(task) => Ok(Some(task.id)),
        Created::Conflict => Err(NotAccepted::Invalid(vec![InvalidParam::new(
            "Idempotency-Key",
            "must be new: this key was sent with a different body in the last 24 hours",
        )])),
        Created::QuotaExhausted => Err(NotAccepted::Quota { retry_after: until_tomorrow(now) }),
    }
}

/// Returns the time until the next UTC day.
fn until_tomorrow(now: Millis) -> Duration {
    const DAY: Millis = 24 * 60 * 60 * 1000;
    Duration::from_millis(u64::try_from(DAY - now.rem_euclid(DAY)).unwrap_or_default())
}

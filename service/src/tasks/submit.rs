//! Accepts tasks: validates a request as far as possible, then stores it as a task.

mod validate;

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use uuid::Uuid;

use super::allowance::Allowances;
use super::effort;
use crate::apps::App;
use crate::domain::{Created, Idempotency, NewTask, OutboxLimits, Task, TaskStatus};
use crate::engine::StepRequest;
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::work::Assignment;
use crate::files::{Area, FileUrls, Files, FilesError, random_folder};
use crate::keys::tier::Tier;
use crate::net::guard::Policy;
use crate::quiesce::Quiesce;
use crate::store::SharedStore;
use crate::telemetry::Limit;
use crate::telemetry::keys::{self, Use};
use crate::time::{Clock, Millis, millis};
use crate::trace;

pub use crate::engine::Refusal;

/// How long a client waits while too many tasks of its key are open, which end within seconds.
const FULL_QUEUE: Duration = Duration::from_secs(5);

/// How long a client waits while its key stores too much: the sweep has to remove tasks.
const FULL_STORE: Duration = Duration::from_secs(3600);

/// How long a client waits while its key has too many undelivered webhook events: receivers have to respond.
const FULL_OUTBOX: Duration = Duration::from_secs(60);

/// How long an `Idempotency-Key` is remembered.
const IDEMPOTENCY: Duration = Duration::from_secs(24 * 60 * 60);

/// A request for a task.
#[derive(Debug)]
pub struct Request<'a> {
    /// The API key's id.
    pub key_id: &'a str,
    /// The quotas of the key.
    pub tier: &'a Tier,
    /// The operation's id. An `Idempotency-Key` is unique per operation, not per spelling of the path.
    pub operation: &'a str,
    /// The family.
    pub family: &'static Family,
    /// The model in the path.
    pub model: Option<&'a str>,
    /// The workflow app, of which this is a run.
    pub app: Option<&'a App>,
    /// The URL that receives the webhook events.
    pub webhook_url: Option<String>,
    /// The `Idempotency-Key` and the hash of the body.
    pub idempotency: Option<(String, Vec<u8>)>,
    /// The seed of random numbers; random if it is absent.
    pub seed: Option<u64>,
    /// The steps. A request of an operation has one.
    pub steps: Vec<StepRequest>,
    /// The invalid inputs of an app. The request has no steps then.
    pub invalid: Vec<Refusal>,
}

/// Why a task was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum NotAccepted {
    /// Some parameters are invalid; holds all of them.
    #[error("invalid parameters: {0:?}")]
    Invalid(Vec<Refusal>),
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
    /// The key has reached a limit.
    #[error("{message}")]
    Limited {
        /// The limit.
        limit: Limit,
        /// The reason, for the client.
        message: &'static str,
        /// How long the client should wait.
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
    /// The number of tasks that each key may create before its usage is read again.
    pub allowances: Allowances,
    /// The number of tasks with webhooks that each key may create before its outbox is read again.
    pub webhook_allowances: Allowances,
}

impl Submitter {
    /// Accepts a task and returns its id.
    ///
    /// If the request repeats an earlier one, it returns the id of the earlier task.
    ///
    /// # Errors
    /// Returns why the task was not accepted.
    pub async fn submit(&self, mut request: Request<'_>) -> Result<Uuid, NotAccepted> {
        let (key_id, tier, now) = (request.key_id, request.tier, self.clock.now());
        let idempotency = request.idempotency.take().map(|(key, body_hash)| Idempotency {
            path: scope(&request),
            key,
            body_hash,
            expires_at: now + millis(IDEMPOTENCY),
        });
        if let Some(idempotency) = &idempotency
            && let Some(id) = settled(self.store.idempotent(key_id, idempotency, now).await?, now)?
        {
            return Ok(id);
        }
        if self.quiesce.is_on() {
            return Err(NotAccepted::Quiesced);
        }
        if self.files.free_space().is_some_and(|free| free < self.low_water) {
            return Err(NotAccepted::DiskFull);
        }
        if !self.allowances.take(key_id, now) {
            self.check_usage(&request, now).await?;
        }
        if let Some(url) = &request.webhook_url
            && !self.webhook_allowances.take(key_id, now)
        {
            self.check_outbox(&request, url, now).await?;
        }
        let (id, folder) = (Uuid::now_v7(), random_folder());
        let valid = self.validate(&mut request, &folder).await?;
        let inputs = valid.uploads.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let has_inputs = inputs > 0;
        let most = tier.daily_upload_bytes();
        if has_inputs && !self.store.count_upload(key_id, now, inputs, most).await? {
            let message = "The API key has sent as much media as it may today";
            return limited(Limit::Uploads, message, until_tomorrow(now));
        }
        for (key, bytes) in valid.uploads {
            self.files.put(Area::Inputs, &key, bytes).await?;
        }
        let seed = request.seed.unwrap_or_else(|| rand::rng().random());
        let most_bytes = tier.result_bytes();
        let assignment = Assignment { steps: valid.steps, finished: Vec::new(), seed, most_bytes };
        let new = NewTask {
            task: Task {
                id,
                key_id: key_id.to_owned(),
                family: request.family.name.to_owned(),
                model: request.model.map(ToOwned::to_owned),
                status: TaskStatus::Created,
                results: Vec::new(),
                error: None,
                engine: valid.engines.join(" + "),
                folder: folder.clone(),
                webhook_url: request.webhook_url,
                app: request.app.map(|app| app.sqid.clone()),
                ignored: valid.ignored,
                progress: None,
                created_at: now,
                updated_at: now,
            },
            work: serde_json::to_string(&assignment)?,
            demand: effort::demand(assignment.stage()),
            input_bytes: inputs,
            idempotency,
            daily_quota: tier.daily_tasks,
            trace: trace::current(),
        };
        let created = trace::stored("create_task", self.store.create_task(&new)).await?;
        if created == Created::New {
            crate::crash::point("after-create");
            tracing::info!(task = %id, family = request.family.name, key = key_id, "task accepted");
            metrics::counter!("tasks_created_total", "family" => request.family.name).increment(1);
            keys::count(key_id, Use::Task);
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
    async fn check_usage(&self, request: &Request<'_>, now: Millis) -> Result<(), NotAccepted> {
        let &Request { key_id, tier, .. } = request;
        let most = tier.open_tasks;
        let usage = self.store.usage(key_id, most).await?;
        if usage.open_tasks >= most {
            let message = "Too many tasks of the API key wait or are in progress";
            return limited(Limit::OpenTasks, message, FULL_QUEUE);
        }
        let stored = usage.stored_bytes.saturating_add(self.files.working_bytes(key_id));
        if stored >= tier.stored_bytes() {
            let message = "The results of the API key's tasks take as much space as they may";
            return limited(Limit::Stored, message, FULL_STORE);
        }
        self.allowances.note(key_id, most - usage.open_tasks, now);
        Ok(())
    }

    /// Checks that the key may have more undelivered webhook events, also to the host of this URL.
    ///
    /// The events of its open tasks may exceed the limits.
    async fn check_outbox(&self, request: &Request<'_>, url: &str, now: Millis) -> Result<(), NotAccepted> {
        let &Request { key_id, tier, .. } = request;
        let most = OutboxLimits { events: tier.webhook_events, hosts: tier.webhook_hosts };
        let there = self.store.outbox(key_id, url, most).await?;
        if there.events >= most.events {
            let message = "Too many webhook events of the API key wait for their delivery";
            return limited(Limit::Webhooks, message, FULL_OUTBOX);
        }
        if there.hosts >= most.hosts && !there.has_host {
            let message = "Webhook events of the API key wait for their delivery to too many hosts";
            return limited(Limit::Webhooks, message, FULL_OUTBOX);
        }
        let left = (most.events - there.events).min(most.hosts.saturating_sub(there.hosts));
        self.webhook_allowances.note(key_id, left, now);
        Ok(())
    }
}

/// Returns the scope of an `Idempotency-Key`: the operation, with the model or app in its path.
fn scope(request: &Request<'_>) -> String {
    let operation = request.operation;
    match request.model.or_else(|| request.app.map(|app| app.sqid.as_str())) {
        Some(which) => format!("{operation} {which}"),
        None => operation.to_owned(),
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
        Created::Conflict => Err(NotAccepted::Invalid(vec![Refusal::new(
            "Idempotency-Key",
            "must be new: this key was sent with a different body in the last 24 hours",
        )])),
        Created::QuotaExhausted => {
            limited(Limit::Day, "The daily quota of the API key is used up", until_tomorrow(now))
        }
    }
}

fn limited<T>(limit: Limit, message: &'static str, retry_after: Duration) -> Result<T, NotAccepted> {
    Err(NotAccepted::Limited { limit, message, retry_after })
}

/// Returns the time until the next UTC day.
fn until_tomorrow(now: Millis) -> Duration {
    const DAY: Millis = 24 * 60 * 60 * 1000;
    Duration::from_millis(u64::try_from(DAY - now.rem_euclid(DAY)).unwrap_or_default())
}

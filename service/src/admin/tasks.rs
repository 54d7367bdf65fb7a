//! Tasks of all keys: lists, details, and changes of many at a time.

use std::collections::HashSet;

use asset_admin_server::models::common::{self as models, Outcome, TaskDetailsFields, TaskFields};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;
use uuid::Uuid;

use super::{Admin, AdminError, Result, count, now};
use crate::domain::{Created, EventQuery, Listed, NewTask, Page, Task, TaskQuery, TaskStatus};
use crate::engine::family::Family;
use crate::engine::work::{Assignment, StoredMedium};
use crate::files::{Area, Files, random_folder};
use crate::media::input::Source;
use crate::tasks::cancel::cancel;
use crate::tasks::effort;
use crate::time::{Millis, timestamp};

/// Tasks that are changed at a time; simultaneous writes share a commit.
const AT_ONCE: usize = 64;

/// Tasks whose files are copied or removed at a time.
const WITH_FILES: usize = 4;

/// The maximum number of events of a task.
const EVENTS: Page = Page { offset: 0, limit: 10 };

impl Admin {
    /// Returns a page of tasks, newest first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<models::Task>> {
        let now = now();
        Ok(self.store.all_tasks(query, page).await?.iter().map(|listed| shown(listed, now)).collect())
    }

    /// Returns everything that is stored about a task.
    ///
    /// # Errors
    /// Fails if there is no such task, or if the store fails.
    pub async fn task(&self, id: Uuid) -> Result<models::TaskDetails> {
        let listed = self.store.listed_task(id).await?.ok_or_else(|| missing(id))?;
        let work = self.store.work(id).await?.unwrap_or_default();
        let query = EventQuery { task_id: Some(id), ..EventQuery::default() };
        let task = &listed.task;
        let mut details = models::TaskDetails::new(TaskDetailsFields {
            task: shown(&listed, now()),
            outages: listed.outages.into(),
            refusals: listed.refusals.into(),
            crashes: listed.crashes.into(),
            input_bytes: count(listed.input_bytes),
            result_bytes: count(listed.result_bytes),
            ignored: task.ignored.clone(),
            results: serde_json::to_value(&task.results).unwrap_or_default(),
            work: json(&work),
            events: self.events(&query, EVENTS).await?,
        });
        details.engine_seconds = listed.engine_time.map(|time| time.as_secs_f64());
        details.traceparent = listed.trace.map(|trace| trace.to_string());
        details.webhook_url.clone_from(&task.webhook_url);
        details.app.clone_from(&task.app);
        details.progress = task.progress.as_deref().map(json);
        details.call = listed.call.as_deref().map(json);
        Ok(details)
    }

    /// Cancels tasks that have not ended; they end as failed with the code `cancelled`.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn cancel_tasks(&self, ids: &[Uuid]) -> Result<Vec<Outcome>> {
        let cancel = |id| async move {
            let has_ended = !cancel(&self.store, self.found(id).await?, now()).await?;
            match has_ended {
                true => Err(AdminError::Refused(format!("task {id} has ended already"))),
                false => Ok(None),
            }
        };
        self.each("cancel tasks", ids, AT_ONCE, cancel).await
    }

    /// Creates new tasks with the work of failed ones, which stay as they are.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn retry_tasks(&self, files: &Files, ids: &[Uuid]) -> Result<Vec<Outcome>> {
        let retry = |id| async move {
            let task = self.found(id).await?;
            if task.status != TaskStatus::Failed {
                let status = task.status.name();
                let why = format!("task {id} is {status}; only FAILED tasks can be retried");
                return Err(AdminError::Refused(why));
            }
            let work = self.store.work(id).await?.unwrap_or_default();
            let again = new_from(files, task, &work).await?;
            match self.store.create_task(&again).await? {
                Created::New => {
                    metrics::counter!("tasks_created_total", "family" => again.task.family).increment(1);
                    Ok(Some(again.task.id))
                }
                _ => Err(AdminError::Refused("the store did not accept the new task".to_owned())),
            }
        };
        self.each("retry tasks", ids, WITH_FILES, retry).await
    }

    /// Deletes ended tasks with their files, events and delivery attempts.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn delete_tasks(&self, files: &Files, ids: &[Uuid]) -> Result<Vec<Outcome>> {
        let delete = |id| async move {
            let task = self.found(id).await?;
            if !task.status.is_terminal() {
                let status = task.status.name();
                return Err(AdminError::Refused(format!(
                    "task {id} is {status}; only ended tasks can be deleted; `tasks cancel {id}` ends it"
                )));
            }
            // Its files go first: if this is interrupted, the task is still there and can be deleted again.
            for area in [Area::Inputs, Area::Results] {
                files.remove_folder(area, &task.folder).await?;
            }
            self.store.delete_task(id).await?;
            Ok(None)
        };
        self.each("delete tasks", ids, WITH_FILES, delete).await
    }

    /// Cancels all tasks that have not ended, of a key or of all; returns their number.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn cancel_all(&self, key_id: Option<&str>) -> Result<usize> {
        /// Tasks that are read at a time.
        const BATCH: u32 = 500;

        let cancel_all = async {
            let mut cancelled = 0;
            for status in [TaskStatus::Created, TaskStatus::InProgress] {
                let key_id = key_id.map(str::to_owned);
                let query = TaskQuery { key_id, status: Some(status), ..TaskQuery::default() };
                loop {
                    let tasks = self.store.all_tasks(&query, Page { offset: 0, limit: BATCH }).await?;
                    if tasks.is_empty() {
                        break;
                    }
                    let ended = stream::iter(tasks).map(|listed| cancel(&self.store, listed.task, now()));
                    cancelled += ended
                        .buffer_unordered(AT_ONCE)
                        .try_fold(0, |count, ended| async move { Ok(count + usize::from(ended)) })
                        .await?;
                }
            }
            Ok(cancelled)
        };
        let target = key_id.map_or_else(|| "all".to_owned(), |id| format!("all of key {id}"));
        self.change("cancel tasks", &target, cancel_all, |cancelled| format!("done: {cancelled}")).await
    }

    /// Changes each of these tasks once, `most` at a time.
    ///
    /// A task that is missing or can't be changed does not keep the others from their change. If the process stops or the
    /// request takes too long, the remaining tasks stay unchanged.
    ///
    /// # Errors
    /// Fails if the store fails for all of them.
    async fn each<F>(
        &self,
        action: &str,
        ids: &[Uuid],
        most: usize,
        change: impl Fn(Uuid) -> F + Sync,
    ) -> Result<Vec<Outcome>>
    where
        F: Future<Output = Result<Option<Uuid>>> + Send,
    {
        let mut seen = HashSet::new();
        let ids: Vec<Uuid> = ids.iter().copied().filter(|id| seen.insert(*id)).collect();
        let target: Vec<String> = ids.iter().map(Uuid::to_string).collect();
        let changes = stream::iter(ids).map(|id| {
            let change = change(id);
            async move {
                let changed = match self.continues() {
                    Ok(()) => change.await,
                    Err(stopping) => Err(stopping),
                };
                (id, changed)
            }
        });
        let changes = async { outcomes(changes.buffered(most).collect().await) };
        let result = |outcomes: &Vec<Outcome>| {
            let refused = outcomes.iter().filter_map(|outcome| outcome.reason.as_deref());
            let reasons: Vec<&str> = refused.collect();
            match reasons.as_slice() {
                [] => "done".to_owned(),
                reasons => format!("done but for {}: {}", reasons.len(), reasons.join("; ")),
            }
        };
        self.change(action, &target.join(" "), changes, result).await
    }

    async fn found(&self, id: Uuid) -> Result<Task> {
        self.store.any_task(id).await?.ok_or_else(|| missing(id))
    }
}

/// Returns the outcome of each change; fails if the store or the file store failed for all of them.
fn outcomes(changes: Vec<(Uuid, Result<Option<Uuid>>)>) -> Result<Vec<Outcome>> {
    let has_failed = |(_, changed): &(Uuid, Result<_>)| {
        matches!(changed, Err(AdminError::Store(_) | AdminError::Files(_)))
    };
    let have_all_failed = changes.iter().all(has_failed);
    let outcome = |(id, changed): (Uuid, Result<Option<Uuid>>)| {
        let mut outcome = Outcome::new(id, changed.is_ok());
        match changed {
            Ok(new_id) => outcome.new_id = new_id,
            Err(error) if have_all_failed => return Err(error),
            Err(error) => outcome.reason = Some(error.to_string()),
        }
        Ok(outcome)
    };
    changes.into_iter().map(outcome).collect()
}

fn missing(id: Uuid) -> AdminError {
    AdminError::Missing(format!("no task has the id {id}; `tasks list` shows the newest ones"))
}

/// Reads JSON that the store holds; a text of another version stays a text.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

fn shown(listed: &Listed, now: Millis) -> models::Task {
    let task = &listed.task;
    let mut shown = models::Task::new(TaskFields {
        id: task.id,
        key: task.key_id.clone(),
        family: task.family.clone(),
        path: path(task),
        status: match task.status {
            TaskStatus::Created => models::TaskStatus::Created,
            TaskStatus::InProgress => models::TaskStatus::InProgress,
            TaskStatus::Completed => models::TaskStatus::Completed,
            TaskStatus::Failed => models::TaskStatus::Failed,
        },
        state: state(listed, now),
        engine: task.engine.clone(),
        needs: listed.engines.to_string(),
        attempts: listed.tries.into(),
        due: timestamp(listed.due_at),
        created: timestamp(task.created_at),
        updated: timestamp(task.updated_at),
    });
    shown.worker.clone_from(&listed.worker);
    shown.error = task.error.as_ref().map(|cause| models::FailureCause::new(&cause.code, &cause.message));
    shown
}

/// Returns the path of a task's operations.
fn path(task: &Task) -> String {
    let family = Family::named(&task.family);
    family.map_or_else(|| task.family.clone(), |family| family.path_of(task.model.as_deref()))
}

/// Describes the reason why the task waits or has failed.
fn state(listed: &Listed, now: Millis) -> String {
    let state = queued_state(listed, now);
    if listed.crashes == 0 || listed.task.status != TaskStatus::InProgress {
        return state;
    }
    // It may have crashed a process; see `store::quarantine`.
    let crashes =
        if listed.crashes == 1 { "1 crash".to_owned() } else { format!("{} crashes", listed.crashes) };
    format!("{state}, tried alone after {crashes}")
}

fn queued_state(listed: &Listed, now: Millis) -> String {
    let (is_leased, due) = (listed.worker.is_some(), timestamp(listed.due_at));
    match listed.task.status {
        TaskStatus::Created => "queued".to_owned(),
        TaskStatus::InProgress if is_leased && listed.due_at > now => format!("leased until {due}"),
        TaskStatus::InProgress if is_leased => format!("lease expired {due}"),
        TaskStatus::InProgress => format!("next attempt {due}"),
        TaskStatus::Completed => String::new(),
        TaskStatus::Failed => listed.task.error.as_ref().map(|cause| cause.code.clone()).unwrap_or_default(),
    }
}

/// Creates a new task for the work of a failed one.
///
/// The new task has its own copies of the input files, because the sweep removes the first task together with
/// its files.
async fn new_from(files: &Files, task: Task, work: &str) -> Result<NewTask> {
    let unreadable = |error| AdminError::Refused(format!("can't read the work of task {}: {error}", task.id));
    let mut assignment: Assignment = serde_json::from_str(work).map_err(unreadable)?;
    let (folder, mut input_bytes) = (random_folder(), 0);
    for medium in assignment.steps.iter_mut().flat_map(|step| &mut step.media) {
        let StoredMedium::Given { source: Source::Stored(key), .. } = medium else { continue };
        let Some(bytes) = files.read(Area::Inputs, key).await? else {
            let message = format!("an input file of task {} has been removed already", task.id);
            return Err(AdminError::Refused(message));
        };
        let name = key.rsplit('/').next().unwrap_or_default();
        let copy = format!("{folder}/{name}");
        input_bytes += bytes.len() as u64;
        files.put(Area::Inputs, &copy, bytes).await?;
        *key = copy;
    }
    // The new task begins with the first step.
    assignment.finished.clear();
    let demand = effort::demand(assignment.stage());
    let work = serde_json::to_string(&assignment).map_err(unreadable)?;
    let now = now();
    let task = Task {
        id: Uuid::now_v7(),
        status: TaskStatus::Created,
        results: Vec::new(),
        error: None,
        folder,
        progress: None,
        created_at: now,
        updated_at: now,
        ..task
    };
    Ok(NewTask { task, work, demand, input_bytes, idempotency: None, daily_quota: None, trace: None })
}

#[cfg(test)]
mod tests;

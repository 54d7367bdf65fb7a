//! `tasks`: lists tasks, retries failed ones, cancels and deletes.

use clap::{Subcommand, ValueEnum};
use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::output::{self, Align, Column};
use super::{CommandError, Instance, moment, now};
use crate::domain::{Created, Listed, NewTask, Page, Task, TaskQuery, TaskStatus};
use crate::engine::family::Family;
use crate::engine::work::{Assignment, StoredMedium};
use crate::files::{Area, Files, random_folder};
use crate::media::input::Source;
use crate::store::SharedStore;
use crate::tasks::cancel::cancel;
use crate::tasks::effort;
use crate::time::Millis;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List tasks, newest first, with their attempts, their engine, and their lease or the code of their error
    ///
    /// Example: asset-service tasks list --status failed --limit 50
    List {
        /// List only tasks of this API key: the 8 characters after `svc_`
        #[arg(long)]
        key: Option<String>,
        /// List only tasks with this status
        #[arg(long)]
        status: Option<Status>,
        /// List at most this many tasks
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Cancel tasks that have not ended; they end as FAILED with the code `cancelled`
    ///
    /// Their webhooks get the event. A running engine stops within a third of `worker.lease-seconds`.
    ///
    /// Example: asset-service tasks cancel 0193b7a2-6b1e-7c3a-9d2f-3f6a5c1e8b40
    Cancel {
        /// Cancel the tasks with these ids; `tasks list` shows ids
        #[arg(required = true)]
        ids: Vec<Uuid>,
    },
    /// Delete ended tasks with their files, events and delivery attempts
    ///
    /// URLs of the files return 404 from now on. Backups and caches of others may still hold copies.
    ///
    /// Example: asset-service tasks delete 0193b7a2-6b1e-7c3a-9d2f-3f6a5c1e8b40
    Delete {
        /// Delete the tasks with these ids; `tasks list` shows ids
        #[arg(required = true)]
        ids: Vec<Uuid>,
    },
    /// Retry a failed task as a new task, and print the new id
    ///
    /// The failed task stays FAILED, because a task's status only moves forward. The new task has the same work, API key
    /// and webhook, and a copy of the uploaded media.
    ///
    /// Example: asset-service tasks retry 0193b7a2-6b1e-7c3a-9d2f-3f6a5c1e8b40
    Retry {
        /// Retry the failed task with this id; `tasks list` shows ids
        id: Uuid,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Status {
    Created,
    InProgress,
    Completed,
    Failed,
}

impl From<Status> for TaskStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Created => Self::Created,
            Status::InProgress => Self::InProgress,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
        }
    }
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let store = instance.store().await?;
    match command {
        Command::List { key, status, limit } => {
            let key_id = key.map(|key| key.trim_start_matches("svc_").to_owned());
            let query = TaskQuery { key_id, status: status.map(Into::into) };
            let columns: &[Column<Listed>] = &[
                ("id", Align::Left, |listed| listed.task.id.to_string()),
                ("key", Align::Left, |listed| listed.task.key_id.clone()),
                ("status", Align::Left, |listed| listed.task.status.name().to_owned()),
                ("attempt", Align::Left, |listed| listed.tries.to_string()),
                ("updated", Align::Left, |listed| moment(listed.task.updated_at)),
                ("path", Align::Left, |listed| path(&listed.task)),
                ("engine", Align::Left, |listed| listed.task.engine.clone()),
                ("state", Align::Left, |listed| state(listed, now())),
            ];
            output::table(columns, &store.all_tasks(&query, Page { offset: 0, limit }).await?)?;
        }
        Command::Cancel { ids } => {
            for id in ids {
                let task = found(&store, id).await?;
                if !cancel(&store, task, now()).await? {
                    return Err(CommandError::Refused(format!("task {id} has ended already")));
                }
                output::line(format_args!("{id} is cancelled"))?;
            }
        }
        Command::Delete { ids } => {
            let files = instance.files(&store).await?;
            for id in ids {
                delete(&store, &files, found(&store, id).await?).await?;
                output::line(format_args!("{id} is deleted"))?;
            }
        }
        Command::Retry { id } => {
            let task = found(&store, id).await?;
            if task.status != TaskStatus::Failed {
                return Err(CommandError::Refused(format!(
                    "task {id} is {}; only FAILED tasks can be retried",
                    task.status.name()
                )));
            }
            let files = instance.files(&store).await?;
            let work = store.work(id).await?.unwrap_or_default();
            let again = new_from(&files, task, &work).await?;
            let id = again.task.id;
            match store.create_task(&again).await? {
                Created::New => output::line(id)?,
                _ => return Err(CommandError::Refused("the store did not accept the new task".to_owned())),
            }
        }
    }
    Ok(())
}

async fn found(store: &SharedStore, id: Uuid) -> Result<Task, CommandError> {
    let refused = || format!("no task has the id {id}; `tasks list` shows the newest ones");
    store.any_task(id).await?.ok_or_else(|| CommandError::Refused(refused()))
}

/// Deletes an ended task.
///
/// Its files go first: if this is interrupted, the task is still there and can be deleted again.
async fn delete(store: &SharedStore, files: &Files, task: Task) -> Result<(), CommandError> {
    if !task.status.is_terminal() {
        return Err(CommandError::Refused(format!(
            "task {id} is {}; only ended tasks can be deleted; `tasks cancel {id}` ends it",
            task.status.name(),
            id = task.id
        )));
    }
    for area in [Area::Inputs, Area::Results] {
        files.remove_folder(area, &task.folder).await?;
    }
    store.delete_task(task.id).await?;
    Ok(())
}

/// Cancels all tasks that have not ended, of a key or of all; returns their number.
pub(super) async fn cancel_all(store: &SharedStore, key_id: Option<&str>) -> Result<usize, CommandError> {
    /// Tasks that are read and cancelled at a time; simultaneous writes share a commit.
    const BATCH: u32 = 500;
    const AT_ONCE: usize = 64;

    let mut cancelled = 0;
    for status in [TaskStatus::Created, TaskStatus::InProgress] {
        let query = TaskQuery { key_id: key_id.map(str::to_owned), status: Some(status) };
        loop {
            let tasks = store.all_tasks(&query, Page { offset: 0, limit: BATCH }).await?;
            if tasks.is_empty() {
                break;
            }
            let ended = stream::iter(tasks).map(|listed| cancel(store, listed.task, now()));
            cancelled += ended
                .buffer_unordered(AT_ONCE)
                .try_fold(0, |count, ended| async move { Ok(count + usize::from(ended)) })
                .await?;
        }
    }
    Ok(cancelled)
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
    match listed.task.status {
        TaskStatus::Created => "queued".to_owned(),
        TaskStatus::InProgress if listed.held && listed.due_at > now => {
            format!("leased until {}", moment(listed.due_at))
        }
        TaskStatus::InProgress if listed.held => format!("lease expired {}", moment(listed.due_at)),
        TaskStatus::InProgress => format!("next attempt {}", moment(listed.due_at)),
        TaskStatus::Completed => String::new(),
        TaskStatus::Failed => listed.task.error.as_ref().map(|cause| cause.code.clone()).unwrap_or_default(),
    }
}

/// Creates a new task for the work of a failed one.
///
/// The new task has its own copies of the input files, because the sweep removes the first task together with
/// its files.
async fn new_from(files: &Files, task: Task, work: &str) -> Result<NewTask, CommandError> {
    let unreadable =
        |error| CommandError::Refused(format!("can't read the work of task {}: {error}", task.id));
    let mut assignment: Assignment = serde_json::from_str(work).map_err(unreadable)?;
    let (folder, mut input_bytes) = (random_folder(), 0);
    for medium in assignment.steps.iter_mut().flat_map(|step| &mut step.media) {
        let StoredMedium::Given { source: Source::Stored(key), .. } = medium else { continue };
        let Some(bytes) = files.read(Area::Inputs, key).await? else {
            let message = format!("an input file of task {} has been removed already", task.id);
            return Err(CommandError::Refused(message));
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
mod tests {
    use bytes::Bytes;

    use super::*;

    fn failed(folder: &str) -> (Task, String) {
        let work = format!(
            r#"{{"steps": [{{"family": "image-to-prompt",
                "instructions": {{"built-in": {{"modality": "describe", "parameters": {{}}}}}},
                "media": [{{"given": {{"kind": "image", "source": {{"stored": "{folder}/0-0"}}}}}}]}}],
                "seed": 1, "most_bytes": 9}}"#
        );
        let task = Task {
            id: Uuid::now_v7(),
            key_id: "AAAA0001".to_owned(),
            family: "image-to-prompt".to_owned(),
            model: None,
            status: TaskStatus::Failed,
            results: Vec::new(),
            error: None,
            engine: "measured-description/1".to_owned(),
            folder: folder.to_owned(),
            webhook_url: None,
            app: None,
            ignored: Vec::new(),
            progress: None,
            created_at: 1,
            updated_at: 1,
        };
        (task, work)
    }

    #[tokio::test]
    async fn a_retry_has_media_of_its_own() {
        let files = Files::in_memory();
        let first = random_folder();
        files.put(Area::Inputs, &format!("{first}/0-0"), Bytes::from_static(b"picture")).await.unwrap();
        let (task, work) = failed(&first);
        let new = new_from(&files, task.clone(), &work).await.unwrap();
        assert!(new.task.folder != first && !new.work.contains(&first), "{new:?}");
        files.remove_folder(Area::Inputs, &first).await.unwrap();
        let assignment: Assignment = serde_json::from_str(&new.work).unwrap();
        let StoredMedium::Given { source: Source::Stored(key), .. } = &assignment.steps[0].media[0] else {
            panic!("{assignment:?}")
        };
        assert_eq!(*key, format!("{}/0-0", new.task.folder));
        assert_eq!(files.read(Area::Inputs, key).await.unwrap().as_deref(), Some(&b"picture"[..]));

        let refused = new_from(&files, task, &work).await.unwrap_err().to_string();
        assert!(refused.contains("has been removed already"), "{refused}");
    }
}

//! `tasks`: what the queue holds.

use clap::{Subcommand, ValueEnum};
use uuid::Uuid;

use super::{CommandError, Place, moment, now};
use crate::files::random_folder;
use crate::store::{Created, NewTask, Page, Task, TaskQuery, TaskStatus};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List tasks, newest first
    List {
        /// Of this key alone: the 8 characters after `svc_`
        #[arg(long)]
        key: Option<String>,
        /// Of this status alone
        #[arg(long)]
        status: Option<Status>,
        /// How many at most
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Try a failed task again: as a new one, whose id is printed
    ///
    /// A client that has seen a task fail never sees it succeed: the status of a task only moves forward. The new task
    /// has the same work, API key and webhook.
    Retry {
        /// The failed task
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

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let store = place.store().await?;
    match command {
        Command::List { key, status, limit } => {
            let key_id = key.map(|key| key.trim_start_matches("svc_").to_owned());
            let query = TaskQuery { key_id, status: status.map(Into::into) };
            println!("{:<38}{:<10}{:<13}{:<26}{:<38}error", "id", "key", "status", "updated", "path");
            for task in store.all_tasks(&query, Page { offset: 0, limit }).await? {
                let error = task.error.map(|cause| cause.code).unwrap_or_default();
                let (status, updated) = (task.status.name(), moment(task.updated_at));
                println!(
                    "{:<38}{:<10}{status:<13}{updated:<26}{:<38}{error}",
                    task.id.to_string(),
                    task.key_id,
                    task.scope
                );
            }
        }
        Command::Retry { id } => {
            let Some(task) = store.any_task(id).await? else {
                return Err(CommandError::Refused(format!("there is no task {id}")));
            };
            if task.status != TaskStatus::Failed {
                return Err(CommandError::Refused(format!(
                    "task {id} is {}, not FAILED",
                    task.status.name()
                )));
            }
            let again = again(task);
            let id = again.task.id;
            match store.create_task(&again).await? {
                Created::New => println!("{id}"),
                _ => return Err(CommandError::Refused("the store did not take the new task".to_owned())),
            }
        }
    }
    Ok(())
}

/// A new task for the work of a failed one. Its media stay where they are: in the folder of the first one, which the
/// sweep removes with that one.
fn again(task: Task) -> NewTask {
    let now = now();
    let task = Task {
        id: Uuid::now_v7(),
        status: TaskStatus::Created,
        results: Vec::new(),
        error: None,
        folder: random_folder(),
        created_at: now,
        updated_at: now,
        ..task
    };
    NewTask { task, idempotency: None, daily_quota: None }
}

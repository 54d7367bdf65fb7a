//! `tasks`: lists and shows tasks, retries failed ones, cancels and deletes.

use asset_admin_server::models::common::{Outcome, Task};
use clap::{Args, Subcommand, ValueEnum};
use uuid::Uuid;

use super::output::{self, Align, Column};
use super::{CommandError, Instance, now};
use crate::domain::{Page, TaskQuery, TaskStatus};
use crate::time::Millis;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List tasks, newest first, with their attempts, their engine, and their lease or the code of their error
    ///
    /// Example: asset-service tasks list --status failed --family voiceover --newer-than 2h
    List(Filter),
    /// Show everything that is stored about a task: its request, its lease, its error and its webhook events
    ///
    /// The output contains texts and URLs of the client.
    ///
    /// Example: asset-service tasks show 0193b7a2-6b1e-7c3a-9d2f-3f6a5c1e8b40
    Show {
        /// Show the task with this id; `tasks list` shows ids
        id: Uuid,
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
    /// Retry failed tasks as new tasks, and print the new ids
    ///
    /// The failed tasks stay FAILED, because a task's status only moves forward. A new task has the same work, API key
    /// and webhook, and a copy of the uploaded media.
    ///
    /// Example: asset-service tasks retry 0193b7a2-6b1e-7c3a-9d2f-3f6a5c1e8b40
    Retry {
        /// Retry the failed tasks with these ids; `tasks list` shows ids
        #[arg(required = true)]
        ids: Vec<Uuid>,
    },
}

#[derive(Debug, Args)]
pub(super) struct Filter {
    /// List only tasks of this API key: the 8 characters after `svc_`
    #[arg(long)]
    key: Option<String>,
    /// List only tasks with this status
    #[arg(long)]
    status: Option<Status>,
    /// List only tasks of this family; `engines list` shows the names
    #[arg(long)]
    family: Option<String>,
    /// List only tasks of this engine
    #[arg(long)]
    engine: Option<String>,
    /// List only tasks that failed with this code
    #[arg(long, value_name = "CODE")]
    error: Option<String>,
    /// List only tasks that were accepted longer ago: 90s, 30m, 2h or 7d
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Millis>,
    /// List only tasks that were accepted since then: 90s, 30m, 2h or 7d
    #[arg(long, value_name = "AGE", value_parser = age)]
    newer_than: Option<Millis>,
    /// List at most this many tasks
    #[arg(long, default_value_t = 20)]
    limit: u32,
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
    let admin = instance.admin().await?;
    match command {
        Command::List(filter) => {
            let page = Page { offset: 0, limit: filter.limit };
            let columns: &[Column<Task>] = &[
                ("id", Align::Left, |task| task.id.to_string()),
                ("key", Align::Left, |task| task.key.clone()),
                ("status", Align::Left, |task| task.status.as_str().to_owned()),
                ("attempt", Align::Left, |task| task.attempts.to_string()),
                ("updated", Align::Left, |task| task.updated.to_string()),
                ("path", Align::Left, |task| task.path.clone()),
                ("engine", Align::Left, |task| task.engine.clone()),
                ("state", Align::Left, |task| task.state.clone()),
            ];
            output::table(columns, &admin.tasks(&filter.query(now()), page).await?)
        }
        Command::Show { id } => output::details(&admin.task(id).await?),
        Command::Cancel { ids } => {
            report(&admin.cancel_tasks(&ids).await?, |outcome| format!("{} is cancelled", outcome.id))
        }
        Command::Delete { ids } => {
            let files = instance.files(&admin.store).await?;
            let deleted = admin.delete_tasks(&files, &ids).await?;
            report(&deleted, |outcome| format!("{} is deleted", outcome.id))
        }
        Command::Retry { ids } => {
            let files = instance.files(&admin.store).await?;
            let retried = admin.retry_tasks(&files, &ids).await?;
            report(&retried, |outcome| outcome.new_id.map(|id| id.to_string()).unwrap_or_default())
        }
    }
}

/// Prints what was done. Fails if something was not.
fn report(outcomes: &[Outcome], text: fn(&Outcome) -> String) -> Result<(), CommandError> {
    for outcome in outcomes.iter().filter(|outcome| outcome.done) {
        output::result(text(outcome), outcome)?;
    }
    let reasons: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.reason.as_deref()).collect();
    if reasons.is_empty() { Ok(()) } else { Err(CommandError::Refused(reasons.join("\n"))) }
}

impl Filter {
    fn query(self, now: Millis) -> TaskQuery {
        TaskQuery {
            key_id: self.key.map(|key| key.trim_start_matches("svc_").to_owned()),
            status: self.status.map(Into::into),
            family: self.family,
            engine: self.engine,
            error: self.error,
            created_before: self.older_than.map(|age| now.saturating_sub(age)),
            created_after: self.newer_than.map(|age| now.saturating_sub(age)),
        }
    }
}

/// Parses an age, such as `2h`.
fn age(text: &str) -> Result<Millis, String> {
    let units = [("s", 1), ("m", 60), ("h", 60 * 60), ("d", 24 * 60 * 60)];
    let parsed = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Millis::from(number) * seconds * 1000)
    });
    parsed.ok_or_else(|| "expected a number and a unit: 90s, 30m, 2h or 7d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        for (text, expected) in [("90s", 90_000), ("30m", 1_800_000), ("2h", 7_200_000), ("7d", 604_800_000)]
        {
            assert_eq!(age(text), Ok(expected));
        }
        for text in ["", "7", "d", "-1h", "1.5h", "99999999999d"] {
            assert!(age(text).is_err(), "{text}");
        }
    }
}

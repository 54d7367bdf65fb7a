//! The operations of a store on tasks.

use async_trait::async_trait;
use tokio::sync::Notify;
use uuid::Uuid;

use super::Result;
use crate::domain::{
    Claim, Claimed, Created, Ended, FolderOwner, Idempotency, Lease, Listed, NewTask, Page, Payload,
    QueueLength, Release, RemainingWork, Task, TaskQuery, TaskStatus, Usage,
};
use crate::time::Millis;

/// Stores tasks, which are also the queue.
#[async_trait]
pub trait Tasks {
    /// Accepts a task.
    ///
    /// One transaction stores the row with its `Idempotency-Key` and counts it for the quota.
    async fn create_task(&self, new: &NewTask) -> Result<Created>;

    /// Returns what this API key has taken of its quotas; open tasks are counted up to `most_open`.
    async fn usage(&self, key_id: &str, most_open: u32) -> Result<Usage>;

    /// Counts bytes of media that this API key sends on this day; returns `false`, and counts none, above `most`.
    async fn count_upload(&self, key_id: &str, now: Millis, bytes: u64, most: u64) -> Result<bool>;

    /// Returns what an `Idempotency-Key` was used for.
    ///
    /// [`Created::New`] means that it is unused. Callers check this before they begin any work on a repeated
    /// request.
    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created>;

    /// Returns a task of this API key, family and model.
    async fn task(&self, key_id: &str, family: &str, model: Option<&str>, id: Uuid) -> Result<Option<Task>>;

    /// Returns a task of any API key, for operators and workers.
    async fn any_task(&self, id: Uuid) -> Result<Option<Task>>;

    /// Returns what a task of any API key is to do: [`NewTask::work`].
    async fn work(&self, id: Uuid) -> Result<Option<String>>;

    /// Returns a page of the tasks of this API key, family and model, newest first.
    async fn tasks(&self, key_id: &str, family: &str, model: Option<&str>, page: Page) -> Result<Vec<Task>>;

    /// Returns a page of tasks for an operator, newest first.
    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>>;

    /// Returns a task of any API key with its state in the queue.
    async fn listed_task(&self, id: Uuid) -> Result<Option<Listed>>;

    /// Claims tasks that wait or whose lease has expired.
    ///
    /// No API key exceeds its cap. The key with the fewest tasks in progress goes first; within a key, the
    /// oldest task. With oldest first over all keys, a key with a hundred thousand waiting tasks and a cap
    /// above the number of workers would starve the others.
    ///
    /// The tasks of a process whose leases have all expired are quarantined. A process claims one quarantined task at a time,
    /// and no other tasks of a key with quarantined ones. The attempt that a crash cut off counts only if the task was
    /// quarantined before, or the only one of the process.
    ///
    /// The first claim of a task also queues its `IN_PROGRESS` event with `payload`, in the same transaction.
    async fn claim_tasks(&self, claim: &Claim, payload: &Payload) -> Result<Vec<Claimed>>;

    /// Returns the notifier that fires when tasks may be claimable.
    ///
    /// It is a hint for one loop per process. It may fire needlessly or not at all, so the loop must poll as
    /// well.
    fn tasks_woken(&self) -> &Notify;

    /// Extends a lease; returns `false` if it is lost.
    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool>;

    /// Records the call of a provider, as JSON of the engine domain; `None` removes the record.
    ///
    /// Returns `false` if the lease is lost; nothing changes then.
    async fn record_call(&self, lease: &Lease, call: Option<&str>) -> Result<bool>;

    /// Ends the quarantine of a task that makes progress: another one may be tried now. Returns `false` if the lease is lost.
    async fn end_quarantine(&self, lease: &Lease) -> Result<bool>;

    /// Stores how far the engine has come, as JSON. Returns `false` if the lease is lost.
    async fn record_progress(&self, lease: &Lease, progress: &str) -> Result<bool>;

    /// Ends a task.
    ///
    /// One transaction stores the results, the status and the terminal event, and gives up an undelivered
    /// `IN_PROGRESS` event. Returns `false` if the lease is lost; nothing changes then.
    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool>;

    /// Ends a task that has not ended: with or without a lease, or only without one.
    ///
    /// A worker that holds it loses the lease. Otherwise it is like [`end_task`](Self::end_task). Returns `false` if the
    /// task has ended or does not exist.
    async fn cancel_task(&self, id: Uuid, even_held: bool, ended: &Ended) -> Result<bool>;

    /// Deletes an ended task with its events, whether delivered or not.
    ///
    /// Returns `false` if the task has not ended or does not exist.
    async fn delete_task(&self, id: Uuid) -> Result<bool>;

    /// Returns a task to the queue.
    ///
    /// It stays `IN_PROGRESS`. Returns `false` if the lease is lost.
    async fn release_task(&self, lease: &Lease, release: Release) -> Result<bool>;

    /// Stores the rest of a task's work, and returns the task to the queue.
    ///
    /// The record of its call is removed, and attempts count anew. Returns `false` if the lease is lost; nothing
    /// changes then.
    async fn advance_task(&self, lease: &Lease, rest: &RemainingWork) -> Result<bool>;

    /// Takes over tasks without a lease and without an attempt left.
    ///
    /// Their leases have expired, or they were returned to the queue. The caller ends them as failed.
    async fn exhausted(&self, claim: &Claim) -> Result<Vec<Claimed>>;

    /// Returns up to `limit` tasks without a lease that were accepted before this time, oldest first.
    async fn waiting_since(&self, before: Millis, limit: u32) -> Result<Vec<Task>>;

    /// Returns when the oldest task that may be claimed was accepted, for each
    /// [`Demand::engines`](crate::domain::Demand::engines), as text.
    async fn oldest_due(&self, now: Millis) -> Result<Vec<(String, Millis)>>;

    /// Counts the open tasks of each family.
    async fn queues(&self) -> Result<Vec<QueueLength>>;

    /// Returns how many tasks wait and how many are in progress.
    async fn depth(&self) -> Result<(u64, u64)> {
        let queues = self.queues().await?;
        let count = |status| queues.iter().filter(|of| of.status == status).map(|of| of.tasks).sum();
        Ok((count(TaskStatus::Created), count(TaskStatus::InProgress)))
    }

    /// Deletes ended tasks and returns their folders.
    ///
    /// It deletes at most `limit` tasks that were last updated before `before`, with their events, attempts
    /// and `Idempotency-Key`s. A task stays while an event of it is pending or its `Idempotency-Key` is
    /// valid. What is known of days more than [`Days::RETAINED`](crate::domain::Days::RETAINED) ago is deleted too. With `retains_results`, the results count as stored
    /// until [`sweep_retained`](Self::sweep_retained).
    async fn sweep_tasks(
        &self,
        before: Millis,
        now: Millis,
        limit: u32,
        retains_results: bool,
    ) -> Result<Vec<String>>;

    /// Returns up to `limit` folders whose results stayed after their task, and no longer counts them.
    async fn sweep_retained(&self, limit: u32) -> Result<Vec<String>>;

    /// Passes a notification of a provider on to the processes that share the database: one may wait for the job.
    fn forward_notification(&self, notification: Uuid);

    /// Waits for notifications that other processes have passed on.
    async fn forwarded_notifications(&self) -> Vec<Uuid>;

    /// Returns the tasks that own these folders.
    ///
    /// The sweep of orphaned files uses it.
    async fn folders(&self, folders: &[String]) -> Result<Vec<FolderOwner>>;
}

//! Cancels the job of an attempt that ends without a result, so that no provider runs a job without a waiting attempt.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::Http;
use super::job::Job;
use crate::engine::context::{CancelReason, Context};
use crate::engine::{Failure, Output};
use crate::log::redact::without_values;

/// The part of the grace period that is reserved for the cancellation of the job.
const CANCELLING: Duration = Duration::from_secs(3);

/// The pause after a cancellation that failed.
const PAUSE: Duration = Duration::from_millis(300);

/// The stage of an attempt's job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// No request has been sent that could have created a job.
    #[default]
    Nothing,
    /// A request that creates a job has been sent. Holds the job once its id is known.
    Creating(Option<Job>),
    /// The queue has the job, so that another attempt resumes it.
    Stored(Job),
}

/// The current stage of an attempt, which decides what a cancellation does.
#[derive(Debug, Default)]
pub(super) struct Current(watch::Sender<Stage>);

impl Current {
    pub(super) fn set(&self, stage: Stage) {
        self.0.send_replace(stage);
    }

    fn get(&self) -> Stage {
        self.0.borrow().clone()
    }

    /// Resolves when no request is in progress whose job would be unknown.
    async fn settled(&self) {
        let mut stage = self.0.subscribe();
        // The sender is part of `self`, so it is not closed.
        let _ = stage.wait_for(|stage| !matches!(stage, Stage::Creating(_))).await;
    }
}

impl Http {
    /// Does the work until the attempt is cancelled.
    pub(super) async fn until_cancelled(
        &self,
        work: impl Future<Output = Result<Vec<Output>, Failure>>,
        current: &Current,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        tokio::pin!(work);
        let reason = tokio::select! {
            // Before the work, which must not create a job after its end.
            biased;
            reason = context.cancellation.cancelled() => reason,
            done = &mut work => {
                return match done {
                    // The lease is lost, and the worker will notice it.
                    Err(Failure::Cancelled) => {
                        let reason = context.cancellation.cancelled().await;
                        self.leave(reason, current.get()).await;
                        done
                    }
                    Err(_) => {
                        self.leave(CancelReason::Interrupted, current.get()).await;
                        done
                    }
                    Ok(_) => done,
                };
            }
        };
        // If a request that creates a job were dropped, the job's id would be unknown.
        let known = async {
            tokio::select! {
                _ = &mut work => {}
                () = current.settled() => {}
            }
        };
        let _ = timeout(reason.grace_period().saturating_sub(CANCELLING), known).await;
        self.leave(reason, current.get()).await;
        Err(Failure::Cancelled)
    }

    /// Cancels the job of an attempt that has no result, unless another attempt can resume it.
    async fn leave(&self, reason: CancelReason, stage: Stage) {
        let engine = &self.settings.name;
        match (stage, reason) {
            (Stage::Nothing, _) | (Stage::Stored(_), CancelReason::Interrupted) => {}
            (Stage::Stored(job) | Stage::Creating(Some(job)), CancelReason::TaskEnded) => {
                self.cancel(&job).await
            }
            // Another attempt finds the job by the same id.
            (Stage::Creating(Some(_)), CancelReason::Interrupted)
                if self.settings.protocol.create.own_job => {}
            (Stage::Creating(Some(job)), CancelReason::Interrupted) => {
                tracing::error!(
                    engine,
                    job = job.id,
                    "can't store the id of a provider's job; cancelling it"
                );
                self.cancel(&job).await;
            }
            (Stage::Creating(None), _) => {
                let why = "it is unknown whether a request has created a job";
                tracing::warn!(engine, why, "a provider may run a job that nobody waits for");
            }
        }
    }

    /// Cancels a job, as far as the provider can.
    pub(super) async fn cancel(&self, job: &Job) {
        let mut last = "no response in time".to_owned();
        let cancelled = async {
            while let Err((why, is_temporary)) = self.cancelled(job).await {
                last = why;
                if !is_temporary {
                    return false;
                }
                sleep(PAUSE).await;
            }
            true
        };
        if !timeout(CANCELLING, cancelled).await.unwrap_or(false) {
            let (engine, why) = (&self.settings.name, self.clean(&last));
            let why = without_values(&why);
            tracing::warn!(engine, job = job.id, why, "can't cancel a provider's job, which may run on");
        }
    }

    /// Sends the request that cancels a job. Returns why it failed, and whether another one may succeed.
    async fn cancelled(&self, job: &Job) -> Result<(), (String, bool)> {
        let Some(cancel) = &self.settings.protocol.cancel else {
            return Err(("the settings have no `cancel`".to_owned(), false));
        };
        let url =
            self.url(&cancel.path, None, &job.variables()).map_err(|failure| (failure.to_string(), false))?;
        match self.send(self.request(cancel.method.into(), url)).await {
            Ok(reply) if reply.is_success() => Ok(()),
            Ok(reply) => Err((format!("status {}", reply.status), reply.is_temporary())),
            Err(broken) => Err((broken.why(), true)),
        }
    }
}

//! The record of a provider's call, so that the service never pays twice unnoticed.
//!
//! A call may cost money. So a key is stored before it, and the provider's job id after it. An attempt that
//! follows a crash finds the record: with a job id it resumes the job; with a key alone it sends the same key
//! where the provider takes one. Elsewhere the outcome is uncertain, and [`OnUncertain`] decides.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::Failure;
use crate::domain::{Charge, Lease};
use crate::store::SharedStore;
use crate::time::Clock;

/// The action on a task if it is unknown whether a provider accepted its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnUncertain {
    /// The task fails with the code `outcome_unknown`.
    Fail,
    /// The request is sent again, which may cost twice.
    Retry,
}

/// A call of a provider, as the queue stores it with the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The name of the engine in the settings.
    pub engine: String,
    /// The key that was stored before the call, for providers that recognise repeated requests by one.
    pub key: Uuid,
    /// The provider's job, in the form of the engine; absent until the provider has accepted the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Value>,
    /// Whether the key of the task has been charged for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counted: bool,
}

/// The recorded call of earlier attempts, when an attempt begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Earlier {
    /// No call has been made.
    Nothing,
    /// A call was made with this key; whether the provider accepted it is unknown.
    Sent(Uuid),
    /// The provider has accepted this job, for the call with this key.
    Accepted(Uuid, Value),
    /// A call was made of another engine, or by a version whose record can't be read.
    Unknown,
}

/// The call of one task.
pub struct Calls {
    engine: String,
    /// The store and the lease; `None` for a probe, which belongs to no task.
    recorded_by: Option<(SharedStore, Lease)>,
    /// The record as it is stored.
    stored: Mutex<Option<Call>>,
}

impl Calls {
    /// Creates the record of a task's call; `stored` is what an earlier attempt has left.
    #[must_use]
    pub fn of_task(engine: &str, store: SharedStore, lease: Lease, stored: Option<&str>) -> Self {
        // A record that this version can't read proves that a call was made.
        let unreadable = || Call { engine: String::new(), key: Uuid::nil(), job: None, counted: false };
        let earlier = stored.map(|stored| serde_json::from_str(stored).unwrap_or_else(|_| unreadable()));
        Self { engine: engine.to_owned(), recorded_by: Some((store, lease)), stored: Mutex::new(earlier) }
    }

    /// Creates the record of a probe: nothing is stored.
    #[must_use]
    pub fn unrecorded(engine: &str) -> Self {
        Self { engine: engine.to_owned(), recorded_by: None, stored: Mutex::default() }
    }

    /// Creates the record of an attempt that follows one with this call; nothing is stored.
    #[cfg(test)]
    pub(crate) fn found(engine: &str, call: Call) -> Self {
        Self { engine: engine.to_owned(), recorded_by: None, stored: Mutex::new(Some(call)) }
    }

    /// Returns what an earlier attempt has left. Engines ask before their first call.
    ///
    /// The call of another engine can't be resumed or repeated: the settings have changed since.
    #[must_use]
    pub fn earlier(&self) -> Earlier {
        match self.stored.lock().clone() {
            None => Earlier::Nothing,
            Some(Call { engine, key, job: Some(job), .. }) if engine == self.engine => {
                Earlier::Accepted(key, job)
            }
            Some(call) if call.engine == self.engine => Earlier::Sent(call.key),
            Some(_) => Earlier::Unknown,
        }
    }

    /// Stores a new key; the caller may call the provider after that.
    ///
    /// # Errors
    /// The lease is lost or the store failed, so the provider must not be called.
    pub async fn begin(&self, key: Uuid) -> Result<(), Failure> {
        self.record(Some(self.call(key, None))).await?;
        crate::crash::point("before-call");
        Ok(())
    }

    /// Stores the provider's job.
    ///
    /// # Errors
    /// The lease is lost or the store failed.
    pub async fn accepted(&self, key: Uuid, job: Value) -> Result<(), Failure> {
        crate::crash::point("after-call");
        let recorded = self.record(Some(self.call(key, Some(job)))).await;
        crate::crash::point("after-job");
        recorded
    }

    /// Counts a finished call for the key of the task, once: an attempt that resumes a counted job does not count again.
    ///
    /// Returns whether it has counted. If the lease is lost, another attempt does the work and counts it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count(&self, charge: &Charge) -> Result<bool, Failure> {
        let Some((store, lease)) = &self.recorded_by else { return Ok(true) };
        let call = self.stored.lock().clone();
        if call.as_ref().is_some_and(|call| call.counted) {
            return Ok(false);
        }
        let call = call.map(|call| Call { counted: true, ..call });
        let text = written(call.as_ref())?;
        let counted = store.charge(lease, charge, text.as_deref(), Clock::System.now()).await;
        let counted = counted.map_err(|error| Failure::Storage(format!("can't count a call: {error}")))?;
        *self.stored.lock() = call;
        Ok(counted)
    }

    /// Removes the record: the provider has certainly not accepted the request, or the job has failed.
    ///
    /// # Errors
    /// The lease is lost or the store failed.
    pub async fn clear(&self) -> Result<(), Failure> {
        self.record(None).await
    }

    /// Returns what a failure means under this policy: [`Failure::Internal`] if the request may be sent again.
    ///
    /// The record is removed then.
    pub(super) async fn under_policy(&self, failure: Failure, on_uncertain: OnUncertain) -> Failure {
        match failure {
            Failure::Uncertain(_) | Failure::Gone(_) if on_uncertain == OnUncertain::Retry => {
                let again = Failure::Internal(failure.to_string());
                self.clear().await.err().unwrap_or(again)
            }
            Failure::Uncertain(_) | Failure::Gone(_) => {
                let reason = failure.for_log();
                tracing::error!(reason, "a task fails, because another call could cost twice");
                failure
            }
            failure => failure,
        }
    }

    async fn record(&self, call: Option<Call>) -> Result<(), Failure> {
        let Some((store, lease)) = &self.recorded_by else { return Ok(()) };
        let text = written(call.as_ref())?;
        match store.record_call(lease, text.as_deref()).await {
            Ok(true) => {
                *self.stored.lock() = call;
                Ok(())
            }
            Ok(false) => Err(Failure::Cancelled),
            Err(error) => Err(Failure::Storage(format!("can't store a call: {error}"))),
        }
    }

    fn call(&self, key: Uuid, job: Option<Value>) -> Call {
        Call { engine: self.engine.clone(), key, job, counted: false }
    }
}

/// Returns a call as the queue stores it.
fn written(call: Option<&Call>) -> Result<Option<String>, Failure> {
    let text = call.map(serde_json::to_string).transpose();
    text.map_err(|error| Failure::Internal(format!("can't write a call: {error}")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::sqlite::Sqlite;

    #[tokio::test]
    async fn a_lost_lease_and_a_failure_of_the_database_are_not_failures_of_the_engine() {
        let folder = tempfile::tempdir().unwrap();
        let store: SharedStore = Arc::new(Sqlite::open(&folder.path().join("service.db")).await.unwrap());
        let lease = Lease { task_id: Uuid::nil(), attempt: 1, owner: "me".to_owned() };
        let calls = Calls::of_task("p", Arc::clone(&store), lease, None);
        assert_eq!(calls.begin(Uuid::now_v7()).await, Err(Failure::Cancelled));
        store.close().await;
        assert!(matches!(calls.begin(Uuid::now_v7()).await, Err(Failure::Storage(_))));
        let charge = Charge {
            engine: "p".to_owned(),
            family: "voiceover".to_owned(),
            unit: "task".to_owned(),
            units: 1.0,
            price: None,
            currency: String::new(),
            source: String::new(),
        };
        assert!(matches!(calls.count(&charge).await, Err(Failure::Storage(_))));
    }

    #[tokio::test]
    async fn the_policy_decides_about_an_unknown_outcome() {
        let calls = Calls::unrecorded("p");
        for failure in [|| Failure::Uncertain(String::new()), || Failure::Gone(String::new())] {
            let again = calls.under_policy(failure(), OnUncertain::Retry).await;
            assert_eq!(again, Failure::Internal(failure().to_string()));
            assert_eq!(calls.under_policy(failure(), OnUncertain::Fail).await, failure());
        }
        assert_eq!(calls.under_policy(Failure::Cancelled, OnUncertain::Retry).await, Failure::Cancelled);
    }
}

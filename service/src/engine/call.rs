//! The record of a provider's call, so that the service never pays twice in silence.
//!
//! A call may cost money. So a key is stored before it, and the provider's job id after it. An attempt that
//! follows a crash finds the record: with a job id it resumes the job; with a key alone it sends the same key
//! where the provider takes one. Elsewhere the outcome is uncertain, and [`OnUncertain`] decides.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::Failure;
use crate::store::{Charge, Lease, SharedStore};
use crate::time::Clock;

/// What to do with a task if a provider may have accepted its request, or not.
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
}

/// What an engine finds when an attempt begins.
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
    earlier: Option<Call>,
}

impl Calls {
    /// Creates the record of a task's call; `stored` is what an earlier attempt has left.
    #[must_use]
    pub fn of_task(engine: &str, store: SharedStore, lease: Lease, stored: Option<&str>) -> Self {
        // A record that this version can't read proves that a call was made.
        let unreadable = || Call { engine: String::new(), key: Uuid::nil(), job: None };
        let earlier = stored.map(|stored| serde_json::from_str(stored).unwrap_or_else(|_| unreadable()));
        Self { engine: engine.to_owned(), recorded_by: Some((store, lease)), earlier }
    }

    /// Creates the record of a probe: nothing is stored.
    #[must_use]
    pub fn unrecorded(engine: &str) -> Self {
        Self { engine: engine.to_owned(), recorded_by: None, earlier: None }
    }

    /// Returns what an earlier attempt has left.
    ///
    /// The call of another engine can't be resumed or repeated: the settings have changed since.
    #[must_use]
    pub fn earlier(&self) -> Earlier {
        match &self.earlier {
            None => Earlier::Nothing,
            Some(Call { engine, key, job: Some(job) }) if *engine == self.engine => {
                Earlier::Accepted(*key, job.clone())
            }
            Some(call) if call.engine == self.engine => Earlier::Sent(call.key),
            Some(_) => Earlier::Unknown,
        }
    }

    /// Stores a new key; the caller may call the provider after that.
    ///
    /// # Errors
    /// The lease is lost or the store failed, so the provider must not be called.
    pub async fn begin(&self) -> Result<Uuid, Failure> {
        let key = Uuid::now_v7();
        self.begin_with(key).await?;
        Ok(key)
    }

    /// Stores this key, for a request that was made ready with it.
    ///
    /// # Errors
    /// The lease is lost or the store failed, so the provider must not be called.
    pub async fn begin_with(&self, key: Uuid) -> Result<(), Failure> {
        self.record(Some(&Call { engine: self.engine.clone(), key, job: None })).await?;
        crate::crash::point("before-call");
        Ok(())
    }

    /// Stores the provider's job.
    ///
    /// # Errors
    /// The lease is lost or the store failed.
    pub async fn accepted(&self, key: Uuid, job: Value) -> Result<(), Failure> {
        crate::crash::point("after-call");
        let recorded = self.record(Some(&Call { engine: self.engine.clone(), key, job: Some(job) })).await;
        crate::crash::point("after-job");
        recorded
    }

    /// Counts a finished call for the key of the task.
    ///
    /// # Errors
    /// The store failed. If the lease is lost, another attempt does the work and counts it.
    pub async fn count(&self, charge: &Charge) -> Result<(), Failure> {
        let Some((store, lease)) = &self.recorded_by else { return Ok(()) };
        let counted = store.charge(lease, charge, Clock::System.now()).await;
        counted.map(drop).map_err(|error| Failure::Internal(format!("can't count a call: {error}")))
    }

    /// Removes the record: the provider has certainly made nothing, or the job has failed.
    ///
    /// # Errors
    /// The lease is lost or the store failed.
    pub async fn clear(&self) -> Result<(), Failure> {
        self.record(None).await
    }

    async fn record(&self, call: Option<&Call>) -> Result<(), Failure> {
        let Some((store, lease)) = &self.recorded_by else { return Ok(()) };
        let unwritable = |error: serde_json::Error| Failure::Internal(format!("can't write a call: {error}"));
        let text = call.map(serde_json::to_string).transpose().map_err(unwritable)?;
        match store.record_call(lease, text.as_deref()).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::Cancelled),
            Err(error) => Err(Failure::Internal(format!("can't store a call: {error}"))),
        }
    }
}

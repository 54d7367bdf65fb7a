//! Tiers: the rate limits and the quotas of keys.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::{Checked, at_least, rate};

/// The tier of keys that are created without a tier.
pub const DEFAULT_TIER: &str = "default";

/// The rate limits and the quotas of a tier.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Tier {
    /// The maximum number of requests in a burst. Default: 50.
    pub burst: u32,
    /// Requests per second that refill the burst. Default: 10.
    pub per_second: f64,
    /// The maximum number of requests in progress. Default: 64.
    pub concurrent_requests: u32,
    /// The maximum number of tasks per UTC day. Default: unlimited.
    pub daily_tasks: Option<u32>,
    /// The maximum number of tasks that wait or are in progress. Default: 1000.
    pub open_tasks: u32,
    /// The number of undelivered webhook events from which no task with a webhook is accepted. Default: 10000.
    pub webhook_events: u32,
    /// The number of hosts with undelivered webhook events from which no task with another host is accepted.
    ///
    /// Default: 200.
    pub webhook_hosts: u32,
    /// The maximum size of media in requests per UTC day, in MiB. Default: 4096.
    pub daily_upload_mib: u64,
    /// The maximum size of a task's results, in MiB. Default: 256.
    pub result_mib: u64,
    /// The size of the results of all tasks from which no task is accepted, in MiB. Default: 16384.
    pub stored_mib: u64,
}

impl Tier {
    /// Checks the values of the table with this name.
    fn check(&self, table: &str) -> Checked {
        rate(table, self.burst, self.per_second)?;
        [
            ("concurrent-requests", u64::from(self.concurrent_requests)),
            ("open-tasks", u64::from(self.open_tasks)),
            ("webhook-events", u64::from(self.webhook_events)),
            ("webhook-hosts", u64::from(self.webhook_hosts)),
            ("result-mib", self.result_mib),
            ("stored-mib", self.stored_mib),
        ]
        .into_iter()
        .try_for_each(|(setting, given)| at_least(&format!("{table}.{setting}"), Some(given), 1))
    }

    /// Returns the maximum size of media in requests per UTC day, in bytes.
    #[must_use]
    pub fn daily_upload_bytes(&self) -> u64 {
        self.daily_upload_mib.saturating_mul(1024 * 1024)
    }

    /// Returns the maximum size of a task's results, in bytes.
    #[must_use]
    pub fn result_bytes(&self) -> u64 {
        self.result_mib.saturating_mul(1024 * 1024)
    }

    /// Returns the size of the results of all tasks from which no task is accepted, in bytes.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        self.stored_mib.saturating_mul(1024 * 1024)
    }
}

impl Default for Tier {
    fn default() -> Self {
        Self {
            burst: 50,
            per_second: 10.0,
            concurrent_requests: 64,
            daily_tasks: None,
            open_tasks: 1000,
            webhook_events: 10_000,
            webhook_hosts: 200,
            daily_upload_mib: 4096,
            result_mib: 256,
            stored_mib: 16 * 1024,
        }
    }
}

/// The tiers of the settings, by name.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Tiers(BTreeMap<String, Tier>);

impl Tiers {
    /// Checks the values of the table `tiers`.
    ///
    /// # Errors
    /// One is invalid.
    pub(crate) fn check(&self) -> Checked {
        self.0.iter().try_for_each(|(name, tier)| tier.check(&format!("tiers.{name}")))
    }

    /// Returns the limits of a tier.
    ///
    /// A tier that the settings don't define (removed, or misspelt) has the limits of the tier `default`, so
    /// that it never grants more than that.
    #[must_use]
    pub fn get(&self, name: &str) -> Tier {
        self.0.get(name).or_else(|| self.0.get(DEFAULT_TIER)).cloned().unwrap_or_default()
    }

    /// Returns whether a key may have this tier.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        name == DEFAULT_TIER || self.0.contains_key(name)
    }

    /// Returns the names of the tiers that the settings define.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

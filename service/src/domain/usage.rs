//! The usage of API keys: tasks, files, the time of engines, and calls at their prices.

use std::time::Duration;

use crate::time::Millis;

/// The usage of an API key by the quotas that don't depend on the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Its tasks that wait or are in progress.
    pub open_tasks: u32,
    /// The size of the stored files of its tasks, in bytes.
    ///
    /// Inputs count until their task is completed. Results count as long as they are stored.
    pub stored_bytes: u64,
}

/// The work of an engine for a task, for billing.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// The engine's name in the settings.
    pub engine: String,
    /// The family.
    pub family: String,
    /// The unit: `task`, `picture`, `second`, `1000 characters`.
    pub unit: String,
    /// The number of units.
    pub units: f64,
    /// The price of a unit; `None` if the settings declare none.
    pub price: Option<f64>,
    /// The currency of the price, such as `USD`; empty without one.
    pub currency: String,
    /// Where the price comes from, with a date; empty if the settings don't name it.
    pub source: String,
}

/// The work of engines for a key at one price.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The key.
    pub key_id: String,
    /// The number of finished calls.
    pub calls: u64,
    /// Their sum.
    pub charge: Charge,
}

/// Whole UTC days, counted from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub first: i64,
    /// The last day, which belongs to the period.
    pub last: i64,
}

impl Days {
    /// The number of past days whose usage the store keeps, in addition to today.
    pub const RETAINED: u32 = 400;

    /// Returns the day of this time.
    #[must_use]
    pub const fn of(at: Millis) -> i64 {
        at.div_euclid(86_400_000)
    }
}

/// The usage of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyUsage {
    /// The key.
    pub key_id: String,
    /// The tasks that it created in the period.
    pub created: u64,
    /// Its tasks that were completed in the period.
    pub completed: u64,
    /// Its tasks that failed in the period.
    pub failed: u64,
    /// Its tasks that wait or are in progress now.
    pub open: u64,
    /// How long engines worked on tasks that ended in the period, or that are open if today belongs to it.
    ///
    /// `None`: unknown. Attempts that ended with their process are not counted.
    pub engine_time: Option<Duration>,
    /// The tasks that ended in the period after an attempt, and whose engine time is unknown.
    pub untimed: u64,
    /// The media that it sent in the period, in bytes.
    pub uploaded_bytes: u64,
    /// The media that it has sent today, in bytes.
    pub uploaded_today: u64,
    /// The tasks that count for today's quota; 0 if its tier has none.
    pub quota_used: u64,
    /// The bytes that count as stored now.
    pub stored_bytes: u64,
}

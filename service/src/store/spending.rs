//! What the engines of providers have done for each key, and the prices in the settings at that time.

use async_trait::async_trait;

use super::row::row;
use super::{Lease, Result};
use crate::time::Millis;

/// What an engine has done for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// The engine's name in the settings.
    pub engine: String,
    /// The family.
    pub family: String,
    /// What is counted: `task`, `picture`, `second`, `1000 characters`.
    pub unit: String,
    /// How many of them.
    pub units: f64,
    /// The price of a unit; `None` if the settings declare none.
    pub price: Option<f64>,
    /// The currency of the price, such as `USD`; empty without one.
    pub currency: String,
    /// Where the price comes from, with a date; empty if the settings don't say it.
    pub source: String,
}

/// What engines have done for a key at one price.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The key.
    pub key_id: String,
    /// The number of finished calls.
    pub calls: u64,
    /// Their sum.
    pub charge: Charge,
}

/// Stores what engines have done for keys.
#[async_trait]
pub trait Spending {
    /// Adds what an engine has done for a leased task to its key's account.
    ///
    /// If there is a `call`, it replaces the recorded one in the same transaction: see [`Tasks::record_call`](super::Tasks::record_call).
    /// Returns `false` if the lease is lost: another attempt does the work, and counts it.
    async fn charge(&self, lease: &Lease, charge: &Charge, call: Option<&str>, now: Millis) -> Result<bool>;

    /// Returns the sums since the beginning of this time's UTC day, by key, engine and family.
    async fn spending(&self, since: Millis) -> Result<Vec<Spent>>;
}

row! {
    /// A sum over rows of `spending`.
    pub(super) struct SpentRow {
        key_id: String,
        engine: String,
        family: String,
        unit: String,
        price: String,
        currency: String,
        source: String,
        calls: i64,
        units: f64,
    }
}

/// Selects the [`SpentRow`]s since a day.
macro_rules! select_spending {
    ($day:literal) => {
        concat!(
            "SELECT key_id, engine, family, unit, price, currency, source, CAST(sum(calls) AS BIGINT) AS calls,
                    sum(units) AS units
             FROM spending WHERE day >= ",
            $day,
            " GROUP BY key_id, engine, family, unit, price, currency, source
              ORDER BY key_id, engine, family, unit, price, currency, source"
        )
    };
}
pub(super) use select_spending;

impl From<SpentRow> for Spent {
    fn from(row: SpentRow) -> Self {
        let SpentRow { key_id, engine, family, unit, price, currency, source, calls, units } = row;
        let charge = Charge { engine, family, unit, units, price: price.parse().ok(), currency, source };
        Self { key_id, calls: u64::try_from(calls).unwrap_or_default(), charge }
    }
}

/// Returns a price as the table holds it: exactly, and empty if there is none.
pub(super) fn price(price: Option<f64>) -> String {
    price.map(|price| price.to_string()).unwrap_or_default()
}

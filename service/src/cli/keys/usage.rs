//! `keys usage`: the usage of each key, and the rest of its limits.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use asset_admin_server::models::common::KeyState;
use asset_api_models::types::Timestamp;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::super::output::Align::{Left, Right};
use super::super::output::{self, Column};
use super::super::{CommandError, now};
use crate::admin::keys::state;
use crate::domain::{Days, KeyRecord, KeyUsage, Spent};
use crate::keys::tier::Tier;
use crate::settings::Settings;
use crate::store::SharedStore;
use crate::time::Millis;

const DAY: Millis = 24 * 60 * 60 * 1000;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Show the last days, in UTC, with today
    #[arg(long, default_value_t = 30, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=i64::from(Days::RETAINED)))]
    days: u32,
    /// Show the days from this one, in UTC: 2026-11-01
    #[arg(long, value_name = "DAY", value_parser = day, conflicts_with = "days")]
    from: Option<i64>,
    /// Show the days up to this one, in UTC [default: today]
    #[arg(long, value_name = "DAY", value_parser = day, requires = "from")]
    to: Option<i64>,
    /// Sort by this column: the largest number, or the first text, comes first
    #[arg(long, value_name = "COLUMN", default_value = "engine-seconds")]
    sort: Order,
    /// Show the finished calls of attached engines instead, by engine, family and price
    #[arg(long)]
    calls: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    Key,
    Name,
    Created,
    Completed,
    Failed,
    Open,
    EngineSeconds,
    Uploaded,
    Stored,
    Calls,
    Cost,
}

/// Parses a day; returns its number from 1970.
fn day(text: &str) -> Result<i64, String> {
    let midnight = format!("{text}T00:00:00Z").parse::<Timestamp>();
    let seconds = midnight.map_err(|_| "expected a day such as 2026-11-01".to_owned())?.unix_seconds();
    Ok(Days::of(seconds * 1000))
}

/// Formats a day as [`day`] reads it.
fn date(day: i64) -> String {
    let midnight = super::super::moment(day * DAY);
    midnight.split('T').next().unwrap_or_default().to_owned()
}

#[derive(Serialize)]
struct OfKey {
    id: String,
    name: String,
    tier: String,
    state: KeyState,
    tasks: Tasks,
    /// `None`: unknown.
    engine_seconds: Option<f64>,
    untimed_tasks: u64,
    uploaded_bytes: u64,
    stored_bytes: u64,
    calls: Vec<Call>,
    /// By currency.
    cost: BTreeMap<String, f64>,
    unpriced_calls: u64,
    left: Remaining,
}

#[derive(Serialize)]
struct Tasks {
    created: u64,
    completed: u64,
    failed: u64,
    open: u64,
}

#[derive(Serialize)]
struct Call {
    engine: String,
    family: String,
    calls: u64,
    unit: String,
    units: f64,
    /// `None`: unknown.
    price: Option<f64>,
    currency: Option<String>,
    cost: Option<f64>,
    source: Option<String>,
}

/// A row of `--calls`.
#[derive(Serialize)]
struct CallOfKey<'a> {
    key: &'a str,
    #[serde(flatten)]
    call: &'a Call,
}

/// The rest of the limits of the key's tier.
#[derive(Serialize)]
struct Remaining {
    /// `None`: unlimited.
    daily_tasks: Option<u64>,
    daily_upload_bytes: u64,
    stored_bytes: u64,
    open_tasks: u64,
}

pub(super) async fn run(
    store: &SharedStore,
    settings: &Settings,
    arguments: &Arguments,
) -> Result<(), CommandError> {
    let now = now();
    let days = days(arguments, now)?;
    let mut calls: HashMap<String, Vec<Call>> = HashMap::new();
    for spent in store.spending(days).await? {
        calls.entry(spent.key_id.clone()).or_default().push(Call::new(spent));
    }
    let used = store.usage_by_key(days, now).await?;
    let mut used: HashMap<String, KeyUsage> =
        used.into_iter().map(|usage| (usage.key_id.clone(), usage)).collect();
    let keys = store.keys().await?.into_iter().map(|key| {
        let (used, calls) = (used.remove(&key.id), calls.remove(&key.id));
        OfKey::new(key, &used.unwrap_or_default(), calls.unwrap_or_default(), settings, now)
    });
    let mut keys: Vec<OfKey> = keys.collect();
    keys.sort_by(|one, other| arguments.sort.order(one, other).then_with(|| one.id.cmp(&other.id)));
    let (from, to) = (date(days.first), date(days.last));
    output::note(format_args!("days from {from} to {to} in UTC"));
    if arguments.calls { show_calls(&keys) } else { show(&keys) }
}

/// Returns the days of the report.
fn days(arguments: &Arguments, now: Millis) -> Result<Days, CommandError> {
    let today = Days::of(now);
    let last = arguments.to.unwrap_or(today);
    let first = arguments.from.unwrap_or(today - i64::from(arguments.days) + 1);
    if first > last {
        let (first, last) = (date(first), date(last));
        return Err(CommandError::Refused(format!(
            "--from {first} is after {last}, the last day of the report"
        )));
    }
    let oldest = today - i64::from(Days::RETAINED);
    if first < oldest {
        let (first, oldest) = (date(first), date(oldest));
        return Err(CommandError::Refused(format!(
            "--from {first} is too long ago: the service keeps {} days; the first one is {oldest}",
            Days::RETAINED
        )));
    }
    Ok(Days { first, last })
}

impl Call {
    fn new(Spent { calls, charge, .. }: Spent) -> Self {
        let known = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            engine: charge.engine,
            family: charge.family,
            calls,
            unit: charge.unit,
            units: charge.units,
            price: charge.price,
            currency: known(charge.currency),
            cost: charge.price.map(|price| price * charge.units),
            source: known(charge.source),
        }
    }

    /// Returns an amount with its currency, as human-readable text.
    fn money(&self, amount: Option<String>) -> String {
        known(amount.map(|amount| format!("{amount} {}", self.currency.as_deref().unwrap_or_default())))
    }
}

impl OfKey {
    fn new(key: KeyRecord, used: &KeyUsage, calls: Vec<Call>, settings: &Settings, now: Millis) -> Self {
        // If the time of all tasks is known and there is none, then no engine has worked.
        let engine_time = used.engine_time.or_else(|| (used.untimed == 0).then_some(Duration::ZERO));
        let mut cost: BTreeMap<String, f64> = BTreeMap::new();
        for call in &calls {
            if let (Some(currency), Some(amount)) = (&call.currency, call.cost) {
                *cost.entry(currency.clone()).or_default() += amount;
            }
        }
        let left = Remaining::new(&settings.tiers.get(&key.tier), used);
        Self {
            state: state(&key, now),
            id: key.id,
            name: key.name,
            tier: key.tier,
            tasks: Tasks {
                created: used.created,
                completed: used.completed,
                failed: used.failed,
                open: used.open,
            },
            engine_seconds: engine_time.map(|time| time.as_secs_f64()),
            untimed_tasks: used.untimed,
            uploaded_bytes: used.uploaded_bytes,
            stored_bytes: used.stored_bytes,
            unpriced_calls: calls.iter().filter(|call| call.cost.is_none()).map(|call| call.calls).sum(),
            calls,
            cost,
            left,
        }
    }

    fn number_of_calls(&self) -> u64 {
        self.calls.iter().map(|call| call.calls).sum()
    }

    /// Returns the cost as text: the sum for each currency, and `unknown` if a price is unknown.
    fn cost(&self) -> String {
        let known = self.cost.iter().map(|(currency, amount)| format!("{amount:.4} {currency}"));
        let unknown = (self.unpriced_calls > 0).then(|| "unknown".to_owned());
        let parts: Vec<String> = known.chain(unknown).collect();
        if parts.is_empty() { "-".to_owned() } else { parts.join(" + ") }
    }

    fn seconds(&self) -> String {
        match (self.engine_seconds, self.untimed_tasks) {
            (None, _) => "unknown".to_owned(),
            (Some(seconds), 0) => format!("{seconds:.1}"),
            (Some(seconds), _) => format!(">{seconds:.1}"),
        }
    }
}

impl Remaining {
    fn new(tier: &Tier, used: &KeyUsage) -> Self {
        Self {
            daily_tasks: tier.daily_tasks.map(|limit| u64::from(limit).saturating_sub(used.quota_used)),
            daily_upload_bytes: tier.daily_upload_bytes().saturating_sub(used.uploaded_today),
            stored_bytes: tier.stored_bytes().saturating_sub(used.stored_bytes),
            open_tasks: u64::from(tier.open_tasks).saturating_sub(used.open),
        }
    }
}

impl Order {
    fn order(self, one: &OfKey, other: &OfKey) -> Ordering {
        let largest = |of: fn(&OfKey) -> f64| of(other).total_cmp(&of(one));
        match self {
            Self::Key => one.id.cmp(&other.id),
            Self::Name => one.name.cmp(&other.name),
            Self::Created => largest(|key| key.tasks.created as f64),
            Self::Completed => largest(|key| key.tasks.completed as f64),
            Self::Failed => largest(|key| key.tasks.failed as f64),
            Self::Open => largest(|key| key.tasks.open as f64),
            Self::EngineSeconds => largest(|key| key.engine_seconds.unwrap_or_default()),
            Self::Uploaded => largest(|key| key.uploaded_bytes as f64),
            Self::Stored => largest(|key| key.stored_bytes as f64),
            Self::Calls => largest(|key| key.number_of_calls() as f64),
            Self::Cost => largest(|key| key.cost.values().sum()),
        }
    }
}

/// Prints a row for each key.
fn show(keys: &[OfKey]) -> Result<(), CommandError> {
    let columns: &[Column<OfKey>] = &[
        ("key", Left, |key| key.id.clone()),
        ("name", Left, |key| key.name.clone()),
        ("tier", Left, |key| key.tier.clone()),
        ("state", Left, |key| key.state.as_str().to_owned()),
        ("created", Right, |key| key.tasks.created.to_string()),
        ("completed", Right, |key| key.tasks.completed.to_string()),
        ("failed", Right, |key| key.tasks.failed.to_string()),
        ("open", Right, |key| key.tasks.open.to_string()),
        ("engine-s", Right, OfKey::seconds),
        ("uploaded-MiB", Right, |key| mebibytes(key.uploaded_bytes)),
        ("stored-MiB", Right, |key| mebibytes(key.stored_bytes)),
        ("calls", Right, |key| key.number_of_calls().to_string()),
        ("cost", Left, OfKey::cost),
        ("left: tasks-today", Right, |key| {
            key.left.daily_tasks.map_or_else(|| "no limit".to_owned(), |left| left.to_string())
        }),
        ("upload-MiB-today", Right, |key| mebibytes(key.left.daily_upload_bytes)),
        ("stored-MiB", Right, |key| mebibytes(key.left.stored_bytes)),
        ("open-tasks", Right, |key| key.left.open_tasks.to_string()),
    ];
    output::table(columns, keys)
}

/// Prints a row for each key, engine, family and price.
fn show_calls(keys: &[OfKey]) -> Result<(), CommandError> {
    let columns: &[Column<CallOfKey<'_>>] = &[
        ("key", Left, |of| of.key.to_owned()),
        ("engine", Left, |of| of.call.engine.clone()),
        ("family", Left, |of| of.call.family.clone()),
        ("calls", Right, |of| of.call.calls.to_string()),
        ("units", Left, |of| format!("{:.3} x {}", of.call.units, of.call.unit)),
        ("price", Left, |of| of.call.money(of.call.price.map(|price| price.to_string()))),
        ("cost", Left, |of| of.call.money(of.call.cost.map(|cost| format!("{cost:.4}")))),
        ("source of the price", Left, |of| known(of.call.source.clone())),
    ];
    let calls = keys.iter().flat_map(|key| key.calls.iter().map(|call| CallOfKey { key: &key.id, call }));
    output::table(columns, &calls.collect::<Vec<_>>())
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "unknown".to_owned())
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1024.0 * 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_they_are_shown() {
        assert_eq!(day("1970-01-02"), Ok(1));
        assert_eq!(date(day("2026-11-24").unwrap()), "2026-11-24");
        assert!(day("24.11.2026").is_err() && day("2026-02-30").is_err());
    }

    #[test]
    fn a_period_lies_within_the_recorded_days() {
        let now = 20_000 * DAY + 5;
        let of = |days_: u32, from: Option<i64>, to: Option<i64>| {
            let sort = Order::Key;
            let arguments = Arguments { days: days_, from, to, sort, calls: false };
            days(&arguments, now).map_err(|error| error.to_string())
        };
        assert_eq!(of(1, None, None), Ok(Days { first: 20_000, last: 20_000 }));
        assert_eq!(of(30, None, None), Ok(Days { first: 19_971, last: 20_000 }));
        assert_eq!(of(30, Some(19_990), Some(19_995)), Ok(Days { first: 19_990, last: 19_995 }));
        assert!(of(30, Some(20_001), None).unwrap_err().contains("is after"));
        assert!(of(30, Some(19_000), None).unwrap_err().contains("keeps 400 days"));
    }
}

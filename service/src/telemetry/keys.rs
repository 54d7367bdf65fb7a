//! Counters of what each API key uses.
//!
//! Only operators may see them, so they are collected if `/metrics` has an address of its own.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use metrics::Counter;
use parking_lot::RwLock;

/// The maximum number of keys that have counters of their own in a process.
const MAX_KEYS: usize = 1000;

/// The name under which all further keys are counted.
const OTHER: &str = "other";

/// The name and help text of each counter.
pub(super) const COUNTERS: [(&str, &str); 3] = [
    ("key_requests_total", "Responses to requests with a valid key, by key."),
    ("key_tasks_total", "Accepted tasks, by key."),
    ("key_engine_milliseconds_total", "Milliseconds that engines have worked, by key."),
];

/// A use of the service by a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A request has a response.
    Request,
    /// A task is accepted.
    Task,
    /// Engines have worked for this long.
    Engines(Duration),
}

struct Meter {
    requests: Counter,
    tasks: Counter,
    engines: Counter,
}

impl Meter {
    fn new(key_id: &str) -> Self {
        let [requests, tasks, engines] =
            COUNTERS.map(|(name, _)| metrics::counter!(name, "key" => key_id.to_owned()));
        Self { requests, tasks, engines }
    }

    fn count(&self, used: Use) {
        match used {
            Use::Request => self.requests.increment(1),
            Use::Task => self.tasks.increment(1),
            Use::Engines(time) => {
                self.engines.increment(u64::try_from(time.as_millis()).unwrap_or_default());
            }
        }
    }
}

static METERS: OnceLock<RwLock<HashMap<String, Meter>>> = OnceLock::new();

/// Starts counting.
pub fn collect() {
    METERS.get_or_init(RwLock::default);
}

/// Counts what a key uses, if [`collect`] was called.
pub fn count(key_id: &str, used: Use) {
    let Some(meters) = METERS.get() else { return };
    let known = meters.read();
    let has_meter = known.len() < MAX_KEYS || known.contains_key(key_id);
    let name = if has_meter { key_id } else { OTHER };
    if let Some(meter) = known.get(name) {
        return meter.count(used);
    }
    drop(known);
    meters.write().entry(name.to_owned()).or_insert_with(|| Meter::new(name)).count(used);
}

//! Which tasks a worker claims next: a choice over lanes, without clock, store and threads.
//!
//! In this order:
//!
//! 1. A lane with free permits gets tasks of any key. The store puts the keys with the fewest tasks in progress first.
//! 2. While no thread becomes free, the reserve gets a quick task.
//! 3. While one key has had all threads for a while, a task of another key gets one: the task that began last yields.

use std::sync::Arc;
use std::time::Duration;

/// A thread that was taken within this time shows that threads become free soon.
///
/// A worker claims ahead the tasks that should start within it.
pub(super) const CLAIM_AHEAD: Duration = Duration::from_millis(20);

/// The purpose of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The threads of built-in engines.
    Threads,
    /// An additional thread, for quick tasks.
    Reserve,
    /// An attached engine.
    Engine,
}

/// A lane at one moment.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub(super) kind: Kind,
    /// How many tasks may begin.
    pub(super) free: usize,
    /// How many more may be claimed if any may begin, because permits become free soon.
    pub(super) ahead: usize,
    /// How long ago the last task began that has not ended.
    pub(super) last_start: Option<Duration>,
    /// The key that has had all permits for a while.
    pub(super) sole_key: Option<Arc<str>>,
    /// How long the lane gets no claims, because it was empty.
    pub(super) rest: Duration,
}

/// Which tasks to claim, in order of preference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Select {
    Any,
    Quick,
    OtherThan(Arc<str>),
}

/// A claim of up to `limit` tasks for a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) lane: usize,
    pub(super) limit: usize,
    pub(super) select: Select,
}

impl Lane {
    /// Returns whether a permit is probably free soon. Another claim would cost more than the wait.
    fn is_flowing(&self) -> bool {
        self.last_start.is_none_or(|ago| ago < CLAIM_AHEAD)
    }

    fn is_full(&self) -> bool {
        self.kind == Kind::Threads && self.free == 0 && !self.is_flowing()
    }

    /// Returns how long to wait before the next choice if this one finds no task; `None`: until something happens.
    fn pause(&self) -> Option<Duration> {
        match self.kind {
            Kind::Threads => (self.free == 0 && self.is_flowing()).then_some(CLAIM_AHEAD),
            Kind::Engine => (self.free > 0 && !self.rest.is_zero()).then_some(self.rest),
            Kind::Reserve => None,
        }
    }
}

/// Returns the claims to make now, in order.
pub(super) fn choose(lanes: &[Lane]) -> Vec<Choice> {
    let is_full = lanes.iter().any(Lane::is_full);
    let choice = |(lane, at): (usize, &Lane)| {
        let (limit, select) = match (at.kind, at.free) {
            (Kind::Reserve, free) => (if is_full { free } else { 0 }, Select::Quick),
            (Kind::Threads, 0) => (1, Select::OtherThan(at.sole_key.clone().filter(|_| is_full)?)),
            (Kind::Engine, 0) => return None,
            (Kind::Threads | Kind::Engine, free) => (free.saturating_add(at.ahead), Select::Any),
        };
        (limit > 0 && at.rest.is_zero()).then_some(Choice { lane, limit, select })
    };
    let mut choices: Vec<Choice> = lanes.iter().enumerate().filter_map(choice).collect();
    choices.sort_by(|one, other| one.select.cmp(&other.select));
    choices
}

/// Returns how long to wait if these claims have found no task: at most `poll`.
pub(super) fn pause(lanes: &[Lane], poll: Duration) -> Duration {
    lanes.iter().filter_map(Lane::pause).fold(poll, Duration::min)
}

#[cfg(test)]
mod tests;

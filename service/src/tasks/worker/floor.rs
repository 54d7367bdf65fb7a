//! The threads of a worker, and which tasks get them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::outcome::{Effect, Wait};
use super::passed::Passed;
use super::quick::{Corrections, LONGEST};
use super::slots::{AHEAD, PATIENCE, Slot, Slots};
use super::{LONGEST_WAIT, Stop, Worker};
use crate::engine::breaker::Admission;
use crate::engine::lane::{BETWEEN_LOOKS, BUILT_IN_ENGINES, Lane};
use crate::store::{Claimed, Only};

/// How long a task waits for the thread that another task gives up for it.
const GIVING_UP: Duration = Duration::from_secs(10);

/// The threads of a worker: those of the settings, and one beside them for quick tasks.
pub(super) struct Floor<'a> {
    worker: &'a Worker,
    stop: Stop,
    /// What a task on a thread may need. The others need a lane, or another process.
    here: Vec<&'static str>,
    all: Slots,
    quick: Slots,
    lanes: Vec<Desk>,
    known: Known,
}

/// What a worker has learnt of tasks. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) corrections: Corrections,
    pub(super) passed: Passed,
}

impl Known {
    /// Learns from an attempt that took this long.
    pub(super) fn learn(&self, claimed: &Claimed, effect: &mut Effect, took: Duration) {
        match effect {
            Effect::Complete(_) => self.corrections.took(&claimed.demand, took),
            _ => self.corrections.took_longer(&claimed.demand, took),
        }
        if let Effect::Requeue(requeue) = effect
            && requeue.wait == Wait::Others
        {
            if !self.passed.add(claimed.task.id, std::time::Instant::now()).is_zero() {
                requeue.wait = Wait::For(LONGEST_WAIT);
            }
        }
    }
}

impl<'a> Floor<'a> {
    pub(super) fn new(worker: &'a Worker, stop: Stop) -> Self {
        let mut here = worker.registry.on_threads();
        here.extend(["", BUILT_IN_ENGINES]);
        Self {
            worker,
            stop,
            here,
            lanes: worker.registry.lanes().iter().map(Desk::new).collect(),
            all: Slots::new(worker.settings.threads),
            quick: Slots::new(1).at_most(LONGEST),
            known: Known::default(),
        }
    }

    /// Claims as many tasks as threads are free for, and starts them.
    ///
    /// When no thread has been free for a moment, a quick task may have the one beside them. Returns the tasks that found no
    /// thread after all, or `None` if there was nothing to claim.
    pub(super) async fn fill(&self, running: &mut JoinSet<bool>) -> Option<Vec<Claimed>> {
        let only = Only { among: Some(&self.here), ..Only::default() };
        let (slots, claimed) = match self.all.room() {
            // Another claim would cost more than the wait.
            0 if self.all.is_flowing() => return None,
            0 => {
                let (room, quick) = (self.quick.room(), self.known.corrections.quick());
                (&self.quick, self.claim(room, Only { quick: Some(&quick), ..only }).await)
            }
            room => (&self.all, self.claim(room, only).await),
        };
        if claimed.is_empty() {
            return None;
        }
        let (until, mut left) = (Instant::now() + PATIENCE, Vec::new());
        for claimed in claimed {
            match slots.take(&claimed.task.key_id, until).await.filter(|_| !self.stop.is_set()) {
                Some(slot) => {
                    running.spawn(self.work(claimed, slot));
                }
                None => left.push(claimed),
            }
        }
        Some(left)
    }

    /// Claims a task of another key if one key has all threads; one of its tasks gives its thread up.
    ///
    /// Returns whether there was such a task.
    pub(super) async fn make_room(&self, running: &mut JoinSet<bool>) -> bool {
        let Some(key) = self.all.sole_holder() else { return false };
        let only = Only { among: Some(&self.here), except: Some(&key), ..Only::default() };
        let Some(claimed) = self.claim(1, only).await.pop() else { return false };
        self.all.ask_youngest();
        let slots = self.all.clone();
        let worker = self.worker.clone();
        let (known, stop) = (self.known.clone(), self.stop.clone());
        running.spawn(async move {
            match slots.take(&claimed.task.key_id, Instant::now() + GIVING_UP).await {
                Some(slot) => worker.work(claimed, Arc::new(slot), known, stop).await,
                None => {
                    worker.hand_back(&claimed).await;
                    true
                }
            }
        });
        true
    }

    /// Claims tasks for the attached engines, and starts them. Returns whether any has begun.
    pub(super) async fn fill_lanes(&self, running: &mut JoinSet<bool>) -> bool {
        let mut has_begun = false;
        for desk in &self.lanes {
            let room = desk.room();
            if room == 0 {
                continue;
            }
            let only = Only { among: Some(&desk.lane.demands), ..Only::default() };
            let claimed = self.claim(room, only).await;
            desk.looked(claimed.is_empty());
            for claimed in claimed {
                let Some(slot) = desk.slots.take(&claimed.task.key_id, Instant::now() + PATIENCE).await
                else {
                    self.worker.hand_back(&claimed).await;
                    continue;
                };
                running.spawn(self.work(claimed, slot));
                has_begun = true;
            }
        }
        has_begun
    }

    /// Returns how long an idle worker sleeps: `poll`, or until a lane may be looked at again, or until the thread for
    /// quick tasks may be used.
    pub(super) fn next_look(&self, poll: Duration) -> Duration {
        let poll = if self.all.free() == 0 && self.all.is_flowing() { poll.min(AHEAD) } else { poll };
        let now = Instant::now();
        let waits = self.lanes.iter().filter(|desk| desk.slots.free() > 0);
        waits
            .map(|desk| desk.next().saturating_duration_since(now))
            .fold(poll, |least, wait| if wait.is_zero() { least } else { least.min(wait) })
    }

    /// Returns whether hung engines occupy all threads, so that nothing runs except quick tasks, at most.
    pub(super) fn has_no_thread(&self) -> bool {
        self.all.are_lost()
    }

    async fn claim(&self, room: usize, only: Only<'_>) -> Vec<Claimed> {
        if room == 0 {
            return Vec::new();
        }
        let passed = self.known.passed.ids(std::time::Instant::now());
        self.worker.claim(room, Only { passed: &passed, ..only }).await
    }

    fn work(&self, claimed: Claimed, slot: Slot) -> impl Future<Output = bool> + Send + 'static {
        let (known, stop) = (self.known.clone(), self.stop.clone());
        self.worker.clone().work(claimed, Arc::new(slot), known, stop)
    }
}

/// The lane of an attached engine, and its requests in progress.
struct Desk {
    lane: Arc<Lane>,
    slots: Slots,
    /// The time from which the lane is looked at again.
    next: Mutex<Instant>,
}

impl Desk {
    fn new(lane: &Arc<Lane>) -> Self {
        let slots = Slots::new(lane.concurrency);
        Self { lane: Arc::clone(lane), slots, next: Mutex::new(Instant::now()) }
    }

    /// Returns how many tasks the engine may get now.
    fn room(&self) -> usize {
        if self.lane.demands.is_empty() || self.next() > Instant::now() {
            return 0;
        }
        match self.lane.breaker.admission(Instant::now()) {
            Admission::All => self.slots.free(),
            Admission::Probe if self.slots.free() == self.lane.concurrency => 1,
            Admission::Probe | Admission::Closed(_) => 0,
        }
    }

    fn next(&self) -> Instant {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a look: an empty lane is left alone for a moment, so that looks don't slow the other tasks.
    fn looked(&self, was_empty: bool) {
        if was_empty {
            *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + BETWEEN_LOOKS;
        }
    }
}

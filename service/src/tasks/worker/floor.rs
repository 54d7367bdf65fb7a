//! The threads of a worker, and which tasks get them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Worker;
use super::quick::Corrections;
use super::slots::{PATIENCE, Slot, Slots};
use crate::store::{Claimed, Only};

/// How long a task waits for the thread that another task gives up for it.
const GIVING_UP: Duration = Duration::from_secs(10);

/// The threads of a worker: those of the settings, and one beside them for quick tasks.
pub(super) struct Floor<'a> {
    worker: &'a Worker,
    stop: watch::Receiver<bool>,
    grace: Duration,
    /// The families that this process can't serve.
    unserved: Vec<&'static str>,
    all: Slots,
    quick: Slots,
    corrections: Corrections,
}

impl<'a> Floor<'a> {
    pub(super) fn new(worker: &'a Worker, stop: watch::Receiver<bool>, grace: Duration) -> Self {
        Self {
            worker,
            stop,
            grace,
            unserved: worker.registry.unserved(),
            all: Slots::new(worker.settings.threads),
            quick: Slots::new(1),
            corrections: Corrections::default(),
        }
    }

    /// Claims as many tasks as threads are free for, and starts them.
    ///
    /// When no thread is free, a quick task may have the one beside them. Returns the tasks that found no
    /// thread after all, or `None` if there was nothing to claim.
    pub(super) async fn fill(&self, running: &mut JoinSet<bool>) -> Option<Vec<Claimed>> {
        let only = Only { without: &self.unserved, ..Only::default() };
        let (slots, claimed) = match self.all.room() {
            0 => {
                let (room, quick) = (self.quick.room(), self.corrections.quick());
                (&self.quick, self.claim(room, Only { quick: Some(&quick), ..only }).await)
            }
            room => (&self.all, self.claim(room, only).await),
        };
        if claimed.is_empty() {
            return None;
        }
        let (until, mut left) = (Instant::now() + PATIENCE, Vec::new());
        for claimed in claimed {
            match slots.take(&claimed.task.key_id, until).await.filter(|_| !*self.stop.borrow()) {
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
        let only = Only { without: &self.unserved, except: Some(&key), ..Only::default() };
        let Some(claimed) = self.claim(1, only).await.pop() else { return false };
        self.all.ask_youngest();
        metrics::counter!("task_threads_given_up_total").increment(1);
        let slots = self.all.clone();
        let worker = self.worker.clone();
        let (corrections, stop, grace) = (self.corrections.clone(), self.stop.clone(), self.grace);
        running.spawn(async move {
            match slots.take(&claimed.task.key_id, Instant::now() + GIVING_UP).await {
                Some(slot) => worker.work(claimed, Arc::new(slot), corrections, stop, grace).await,
                None => {
                    worker.give_back(&claimed).await;
                    true
                }
            }
        });
        true
    }

    async fn claim(&self, room: usize, only: Only<'_>) -> Vec<Claimed> {
        if room == 0 { Vec::new() } else { self.worker.claim(room, only).await }
    }

    fn work(&self, claimed: Claimed, slot: Slot) -> impl Future<Output = bool> + Send + 'static {
        let (corrections, stop) = (self.corrections.clone(), self.stop.clone());
        self.worker.clone().work(claimed, Arc::new(slot), corrections, stop, self.grace)
    }
}

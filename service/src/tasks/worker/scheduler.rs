//! Claims tasks as [`choice`](super::choice) says, and runs them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::choice::{self, Choice, Kind, Select};
use super::estimates::{Estimates, LIMIT};
use super::outcome::{Effect, Wait};
use super::permits::{PATIENCE, Permit, Permits};
use super::skipped::Skipped;
use super::{LONGEST_WAIT, NoThreadLeft, Stop, Worker};
use crate::domain::{Claimed, Offered, Only};
use crate::engine::registry::lane::Lane as EngineLane;

/// The minimum time between claims. It lets one claim take several tasks that become available one by one.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(2);

/// How long an empty lane of an engine is left alone, so that its claims don't slow the other tasks.
const REST: Duration = Duration::from_millis(50);

/// How long a task waits for the permit that another task yields to it.
const YIELDING: Duration = Duration::from_secs(10);

/// How long hung engines may occupy all threads until the worker stops; one may return after all.
const LAST_HOPE: Duration = Duration::from_secs(10);

/// The lanes of a worker, and its estimates and skipped tasks.
pub(super) struct Scheduler {
    worker: Worker,
    stop: Stop,
    lanes: Vec<Lane>,
    /// Fires when a permit is returned.
    returned: Arc<Notify>,
    known: Known,
}

/// The measurements and skipped tasks of a worker. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) estimates: Estimates,
    pub(super) skipped: Skipped,
}

impl Known {
    /// Learns from an attempt that took this long.
    pub(super) fn learn(&self, claimed: &Claimed, effect: &mut Effect, took: Duration) {
        self.estimates.learn(&claimed.demand, took, matches!(effect, Effect::Complete(_)));
        if let Effect::Requeue(requeue) = effect
            && requeue.wait == Wait::Others
            && !self.skipped.add(claimed.task.id, std::time::Instant::now())
        {
            requeue.wait = Wait::For(LONGEST_WAIT);
        }
    }
}

struct Lane {
    kind: Kind,
    /// The families whose engines its tasks need: the attached ones of an engine's lane, or else the built-in ones.
    families: Vec<&'static str>,
    permits: Permits,
    engine: Option<Arc<EngineLane>>,
    /// The lane is empty until then.
    rests_until: Instant,
}

impl Scheduler {
    pub(super) fn new(worker: &Worker, stop: Stop) -> Self {
        let returned = Arc::default();
        let lane = |kind, families, cap, limit| {
            let permits = Permits::new(cap, limit, &returned);
            Lane { kind, families, permits, engine: None, rests_until: Instant::now() }
        };
        let here = worker.registry.on_threads();
        let threads = lane(Kind::Threads, here.clone(), worker.settings.threads, None);
        let mut lanes = vec![threads, lane(Kind::Reserve, here, 1, Some(LIMIT))];
        for engine in worker.registry.lanes().iter().filter(|engine| !engine.families.is_empty()) {
            let lane = lane(Kind::Engine, engine.families.clone(), engine.concurrency, None);
            lanes.push(Lane { engine: Some(Arc::clone(engine)), ..lane });
        }
        Self { worker: worker.clone(), stop, lanes, returned, known: Known::default() }
    }

    /// Works until the process stops. Sets `halt` if no thread is left.
    pub(super) async fn run(mut self, halt: &watch::Sender<bool>) -> Result<(), NoThreadLeft> {
        let (settings, mut running) = (self.worker.settings.clone(), JoinSet::new());
        let (mut next_search, mut lost_since, mut ended) = (Instant::now(), None, Ok(()));
        while !self.stop.is_set() {
            while running.try_join_next().is_some() {}
            let are_lost =
                self.lanes.iter().any(|lane| lane.kind == Kind::Threads && lane.permits.are_lost());
            lost_since = are_lost.then(|| lost_since.unwrap_or_else(Instant::now));
            if lost_since.is_some_and(|since| since.elapsed() >= LAST_HOPE) {
                tracing::error!("hung engines occupy all threads; the worker stops");
                ended = Err(NoThreadLeft);
                halt.send_replace(true);
                break;
            }
            if Instant::now() >= next_search {
                self.worker.end_exhausted(&self.stop).await;
                next_search = Instant::now() + settings.lease / 2;
            }
            let next_claim = Instant::now() + BETWEEN_CLAIMS;
            let (lanes, mut is_idle) = (self.at(Instant::now()), true);
            for choice in choice::choose(&lanes) {
                is_idle &= !self.claim(choice, &mut running).await;
            }
            if is_idle {
                tokio::select! {
                    () = self.worker.store.tasks_woken().notified() => {}
                    () = self.returned.notified() => {}
                    () = tokio::time::sleep(choice::pause(&self.at(Instant::now()), settings.poll)) => {}
                    () = self.stop.set() => {}
                }
            }
            tokio::time::sleep_until(next_claim).await;
        }
        let mut handed_back = 0;
        while let Some(ended) = running.join_next().await {
            handed_back += usize::from(ended.unwrap_or_default());
        }
        tracing::info!(handed_back, "worker stopped; unfinished tasks are back in the queue");
        ended
    }

    /// Returns the lanes as they are now.
    fn at(&self, now: Instant) -> Vec<choice::Lane> {
        self.lanes.iter().map(|lane| lane.at(now)).collect()
    }

    /// Claims tasks for a lane and starts them; returns whether there were any.
    async fn claim(&mut self, Choice { lane, limit, select }: Choice, running: &mut JoinSet<bool>) -> bool {
        let Some(lane) = self.lanes.get_mut(lane) else { return false };
        let skipped = self.known.skipped.ids(std::time::Instant::now());
        let quick = (select == Select::Quick).then(|| self.known.estimates.quick());
        let (except, patience) = match &select {
            Select::OtherThan(key_id) => (Some(&**key_id), YIELDING),
            Select::Any | Select::Quick => (None, PATIENCE),
        };
        let only = Only { among: Some(lane.offered()), quick: quick.as_ref(), except, skipped: &skipped };
        let claimed = self.worker.claim(limit, only).await;
        if claimed.is_empty() {
            if lane.kind == Kind::Engine {
                lane.rests_until = Instant::now() + REST;
            }
            return false;
        }
        if except.is_some() {
            lane.permits.preempt_youngest();
        }
        for claimed in claimed {
            let permit = lane.permits.try_take(&claimed.task.key_id);
            let (permits, worker) = (lane.permits.clone(), self.worker.clone());
            let (known, stop) = (self.known.clone(), self.stop.clone());
            running.spawn(async move {
                let permit = match permit {
                    None => waits_for(&permits, &claimed, patience, &stop).await,
                    permit => permit,
                };
                match permit {
                    Some(permit) => worker.work(claimed, Arc::new(permit), &known, &stop).await,
                    None => {
                        worker.hand_back(&claimed).await;
                        stop.is_set()
                    }
                }
            });
        }
        true
    }
}

/// Waits for a permit, unless the process stops.
async fn waits_for(permits: &Permits, claimed: &Claimed, patience: Duration, stop: &Stop) -> Option<Permit> {
    tokio::select! {
        biased;
        () = stop.set() => None,
        permit = permits.take(&claimed.task.key_id, patience) => permit,
    }
}

impl Lane {
    /// Returns the engines that its claims offer.
    fn offered(&self) -> Offered<'_> {
        match self.kind {
            Kind::Threads | Kind::Reserve => Offered::BuiltIn(&self.families),
            Kind::Engine => Offered::Attached(&self.families),
        }
    }

    fn at(&self, now: Instant) -> choice::Lane {
        let permits = &self.permits;
        let (free, is_unused) = (permits.free(), permits.are_unused());
        let breaker = self.engine.as_ref().map(|engine| &engine.breaker);
        let free = breaker.map_or(free, |breaker| breaker.admits(free, is_unused, now));
        choice::Lane {
            kind: self.kind,
            free,
            ahead: if self.kind == Kind::Threads { permits.ahead() } else { 0 },
            last_start: permits.last_start(now.into_std()),
            sole_key: permits.sole_key(now.into_std()),
            rest: self.rests_until.saturating_duration_since(now),
        }
    }
}

//! Claims the tasks that [`choice`](super::choice) selects, and runs them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::choice::{self, Choice, Kind, Select};
use super::known::{Known, LIMIT};
use super::permits::{PERMIT_TIMEOUT, Permit, Permits};
use super::{NoThreadLeft, Stop, Worker, attempt};
use crate::crash;
use crate::domain::{Claim, Claimed, Engines, Offered, Only, Payload};
use crate::engine::call::{Calls, Earlier};
use crate::engine::family::Family;
use crate::engine::registry::lane::Lane as EngineLane;
use crate::tasks::view;
use crate::time::millis;

/// The minimum time between claims. It lets one claim take several tasks that become available one by one.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(2);

/// How long an empty lane of an engine gets no claims, so that they don't slow the other tasks.
const REST: Duration = Duration::from_millis(50);

/// How long a task waits for the permit that another task yields to it.
const YIELD_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval at which the paused families are read.
const PAUSED_INTERVAL: Duration = Duration::from_secs(2);

/// How long hung engines may occupy all threads before the worker stops. One may still return in this time.
const HUNG_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of tasks without attempts left that are ended at a time.
const EXHAUSTED: usize = 100;

/// The lanes of a worker, and its observations about tasks.
pub(super) struct Scheduler {
    worker: Worker,
    stop: Stop,
    lanes: Vec<Lane>,
    /// Fires when a permit is returned.
    returned: Arc<Notify>,
    known: Arc<Known>,
    /// The families that operators have paused; `None` until they have been read.
    paused: Option<BTreeSet<String>>,
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
        Self { worker: worker.clone(), stop, lanes, returned, known: Arc::default(), paused: None }
    }

    /// Works until the process stops. Sets `halt` if no thread is left.
    pub(super) async fn run(mut self, halt: &watch::Sender<bool>) -> Result<(), NoThreadLeft> {
        let (settings, mut running) = (self.worker.settings.clone(), JoinSet::new());
        let (mut next_search, mut lost_since, mut ended) = (Instant::now(), None, Ok(()));
        let mut next_pauses = Instant::now();
        while !self.stop.is_set() {
            while running.try_join_next().is_some() {}
            let are_lost =
                self.lanes.iter().any(|lane| lane.kind == Kind::Threads && lane.permits.are_lost());
            lost_since = are_lost.then(|| lost_since.unwrap_or_else(Instant::now));
            if lost_since.is_some_and(|since| since.elapsed() >= HUNG_TIMEOUT) {
                tracing::error!("hung engines occupy all threads; the worker stops");
                ended = Err(NoThreadLeft);
                halt.send_replace(true);
                break;
            }
            if Instant::now() >= next_search {
                self.worker.end_exhausted(&self.stop).await;
                next_search = Instant::now() + settings.lease / 2;
            }
            if Instant::now() >= next_pauses {
                self.read_pauses().await;
                next_pauses = Instant::now() + PAUSED_INTERVAL;
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

    /// Reads the paused families. If that fails, those that were read last stay paused.
    async fn read_pauses(&mut self) {
        match self.worker.store.paused().await {
            Ok(paused) => self.paused = Some(paused.into_iter().collect()),
            Err(error) => tracing::error!(%error, "can't read which families are paused"),
        }
    }

    /// Returns the lanes as they are now.
    fn at(&self, now: Instant) -> Vec<choice::Lane> {
        self.lanes.iter().map(|lane| lane.at(now)).collect()
    }

    /// Claims tasks for a lane and starts them; returns whether there were any.
    async fn claim(&mut self, Choice { lane, limit, select }: Choice, running: &mut JoinSet<bool>) -> bool {
        let (Some(lane), Some(paused)) = (self.lanes.get_mut(lane), &self.paused) else { return false };
        let skipped = self.known.skipped(std::time::Instant::now());
        let quick = (select == Select::Quick).then(|| self.known.quick());
        let (except, patience) = match select {
            Select::OtherThan(key_id) => (Some(key_id.to_string()), YIELD_TIMEOUT),
            Select::Any | Select::Quick => (None, PERMIT_TIMEOUT),
        };
        let preempts = except.is_some();
        let only = Only { among: Some(lane.offered(paused)), quick, except, skipped };
        let claimed = self.worker.claim(limit, only).await;
        if claimed.is_empty() {
            if lane.kind == Kind::Engine {
                lane.rests_until = Instant::now() + REST;
            }
            return false;
        }
        if preempts {
            lane.permits.preempt_youngest();
        }
        for claimed in claimed {
            let permit = lane.permits.try_take(&claimed.task.key_id);
            let (permits, worker) = (lane.permits.clone(), self.worker.clone());
            let (known, stop) = (Arc::clone(&self.known), self.stop.clone());
            running.spawn(async move {
                let permit = match permit {
                    None => waits_for(&permits, &claimed, patience, &stop).await,
                    permit => permit,
                };
                match permit {
                    Some(permit) => attempt::run(&worker, &claimed, permit, &known, &stop).await,
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

impl Worker {
    /// Returns a claim for up to `limit` of these tasks, valid from now.
    fn claiming(&self, limit: usize, only: Only) -> Claim {
        let now = self.clock.now();
        Claim {
            owner: self.owner.clone(),
            now,
            lease_until: now + millis(self.settings.lease),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            running_per_key: self.settings.running_per_key,
            max_attempts: self.settings.max_attempts,
            only,
        }
    }

    /// Fails unleased tasks that have no attempt left.
    async fn end_exhausted(&self, stop: &Stop) {
        match self.store.exhausted(&self.claiming(EXHAUSTED, Only::default())).await {
            Ok(exhausted) => {
                // At the same time: a provider that does not respond takes seconds for each, and their leases expire.
                let ends = exhausted.iter().map(async |claimed| {
                    self.abandon(claimed).await;
                    self.fail_exhausted(claimed, stop).await;
                });
                join_all(ends).await;
            }
            Err(error) => tracing::error!(%error, "can't end tasks without attempts left"),
        }
    }

    /// Cancels the provider's job that an earlier attempt of a task has left.
    async fn abandon(&self, claimed: &Claimed) {
        let Engines::Attached(family) = &claimed.demand.engines else { return };
        let attached = Family::named(family).and_then(|family| self.registry.attached(family));
        let Some(((lane, engine), call)) = attached.zip(claimed.call.as_deref()) else { return };
        let (store, lease) = (Arc::clone(&self.store), claimed.lease.clone());
        if let Earlier::Accepted(_, job) = Calls::of_task(&lane.name, store, lease, Some(call)).earlier() {
            engine.abandon(job).await;
        }
    }

    /// Claims up to `free` of these tasks.
    async fn claim(&self, free: usize, only: Only) -> Vec<Claimed> {
        let claim = self.claiming(free, only);
        let urls = self.urls.clone();
        let payload: Payload = Arc::new(move |task| view::payload(task, &urls));
        let begun = Instant::now();
        let claimed = self.store.claim_tasks(&claim, &payload).await;
        metrics::histogram!("claim_seconds", "queue" => "tasks").record(begun.elapsed().as_secs_f64());
        match claimed {
            Ok(claimed) => {
                if !claimed.is_empty() {
                    crash::point("after-claim");
                }
                claimed
            }
            Err(error) => {
                tracing::error!(%error, "can't claim tasks");
                Vec::new()
            }
        }
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
    /// Returns the engines that its claims offer: those of families that are not paused.
    fn offered(&self, paused: &BTreeSet<String>) -> Offered {
        let families = self.families.iter().copied().filter(|family| !paused.contains(*family)).collect();
        match self.kind {
            Kind::Threads | Kind::Reserve => Offered::BuiltIn(families),
            Kind::Engine => Offered::Attached(families),
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

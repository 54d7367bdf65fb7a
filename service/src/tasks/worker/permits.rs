//! The permits of a lane: the tasks that hold them, for how long, and how fast they become free.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

use super::choice::CLAIM_AHEAD;

/// The maximum number of tasks claimed ahead per permit.
const MAX_AHEAD: u128 = 16;

/// How long a claimed task may wait for a permit before it is handed back.
pub(super) const PERMIT_TIMEOUT: Duration = Duration::from_millis(200);

/// How long a key has all permits before one of its tasks has to yield.
const SOLE: Duration = Duration::from_millis(500);

/// The permits of a lane. Clones share them.
#[derive(Clone)]
pub(super) struct Permits(Arc<Shared>);

struct Shared {
    cap: usize,
    /// How long a task may have a permit.
    limit: Option<Duration>,
    free: Semaphore,
    state: Mutex<State>,
    /// Fires when a permit is returned.
    returned: Arc<Notify>,
}

struct State {
    /// The tasks with a permit, in the order in which they began.
    running: Vec<Running>,
    /// How many of them hang. Up to `cap` of these don't count against it.
    hung: usize,
    /// The moving average of the time that tasks have a permit. Each new time has a weight of one eighth.
    pace: Duration,
}

struct Running {
    key_id: Arc<str>,
    since: Instant,
    /// Asks the task to yield.
    asked: Arc<Notify>,
    is_asked: bool,
    hangs: bool,
}

/// A permit of a task, until this is dropped.
pub(super) struct Permit {
    of: Arc<Shared>,
    asked: Arc<Notify>,
}

impl Permits {
    pub(super) fn new(cap: usize, limit: Option<Duration>, returned: &Arc<Notify>) -> Self {
        let state = Mutex::new(State { running: Vec::new(), hung: 0, pace: PERMIT_TIMEOUT });
        let returned = Arc::clone(returned);
        Self(Arc::new(Shared { cap, limit, free: Semaphore::new(cap), state, returned }))
    }

    /// Returns how many permits are free.
    pub(super) fn free(&self) -> usize {
        self.0.free.available_permits()
    }

    /// Returns whether no task has a permit.
    pub(super) fn are_unused(&self) -> bool {
        self.0.state.lock().running.is_empty()
    }

    /// Returns whether hung engines have all permits, and all that could replace them.
    pub(super) fn are_lost(&self) -> bool {
        self.0.state.lock().hung >= self.0.cap.saturating_mul(2)
    }

    /// Returns how many tasks may be claimed ahead: as many as begin soon at the pace of the last ones.
    pub(super) fn ahead(&self) -> usize {
        let each = CLAIM_AHEAD.as_micros() / self.0.state.lock().pace.as_micros().max(1);
        usize::try_from(each.min(MAX_AHEAD)).unwrap_or_default().saturating_mul(self.0.cap)
    }

    /// Returns how long ago the last task got its permit, of those that still have one.
    pub(super) fn last_start(&self, now: Instant) -> Option<Duration> {
        self.0.state.lock().running.last().map(|last| now.saturating_duration_since(last.since))
    }

    /// Returns the key that has had all of several permits for a while, unless a task of it is asked to yield already.
    ///
    /// With a single permit no task yields: the keys would only interrupt each other.
    pub(super) fn sole_key(&self, now: Instant) -> Option<Arc<str>> {
        let state = self.0.state.lock();
        let active = || state.running.iter().filter(|task| !task.hangs);
        let key_id = Arc::clone(&active().next()?.key_id);
        let is_sole = |task: &Running| {
            let age = now.saturating_duration_since(task.since);
            task.key_id == key_id && age >= SOLE && !task.is_asked
        };
        (self.free() == 0 && active().count() > 1 && active().all(is_sole)).then_some(key_id)
    }

    /// Asks the task that began last to yield its permit.
    pub(super) fn preempt_youngest(&self) {
        if let Some(youngest) = self.0.state.lock().running.iter_mut().rfind(|task| !task.hangs) {
            youngest.is_asked = true;
            youngest.asked.notify_one();
        }
    }

    /// Takes a free permit for a task of this key.
    pub(super) fn try_take(&self, key_id: &str) -> Option<Permit> {
        let free = self.0.free.try_acquire().ok()?;
        free.forget();
        Some(self.taken(key_id))
    }

    /// Takes a permit for a task of this key, or returns `None` if none is free within this time.
    ///
    /// After `None`, tasks are not claimed ahead until some were quick again.
    pub(super) async fn take(&self, key_id: &str, within: Duration) -> Option<Permit> {
        let Ok(Ok(free)) = tokio::time::timeout(within, self.0.free.acquire()).await else {
            self.0.state.lock().took(PERMIT_TIMEOUT * 8);
            return None;
        };
        free.forget();
        Some(self.taken(key_id))
    }

    fn taken(&self, key_id: &str) -> Permit {
        let (key_id, since, asked) = (key_id.into(), Instant::now(), Arc::new(Notify::new()));
        let task = Running { key_id, since, asked: Arc::clone(&asked), is_asked: false, hangs: false };
        self.0.state.lock().running.push(task);
        Permit { of: Arc::clone(&self.0), asked }
    }
}

impl State {
    fn took(&mut self, time: Duration) {
        self.pace = self.pace.saturating_mul(7).saturating_add(time) / 8;
    }
}

impl Permit {
    /// Resolves when the task should yield the permit to another key.
    pub(super) fn yielded(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let asked = Arc::clone(&self.asked);
        async move { asked.notified().await }
    }

    /// Resolves when a task that begins now has had the permit for as long as it may.
    pub(super) fn overdue(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let limit = self.of.limit;
        async move {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Adds a permit in place of this one, because its engine hangs. Returns whether it did.
    ///
    /// At most `cap` hung permits are replaced at a time: each hung engine takes memory and perhaps a processor.
    pub(super) fn replace(&self) -> bool {
        let mut state = self.of.state.lock();
        let Some(task) = state.running.iter_mut().find(|task| Arc::ptr_eq(&task.asked, &self.asked)) else {
            return false;
        };
        task.hangs = true;
        state.hung += 1;
        let is_replaced = state.hung <= self.of.cap;
        if is_replaced {
            self.of.free.add_permits(1);
            self.of.returned.notify_one();
        }
        is_replaced
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.of.state.lock();
        let index = state.running.iter().position(|task| Arc::ptr_eq(&task.asked, &self.asked));
        let Some(index) = index else { return };
        let task = state.running.remove(index);
        state.took(task.since.elapsed());
        // A permit that was replaced is free already, unless more engines hang than may be replaced.
        let is_free = task.hangs && state.hung <= self.of.cap;
        state.hung -= usize::from(task.hangs);
        if !is_free {
            self.of.free.add_permits(1);
            self.of.returned.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON_ENOUGH: Duration = Duration::from_millis(1);

    fn permits(cap: usize) -> Permits {
        Permits::new(cap, None, &Arc::default())
    }

    #[test]
    fn quick_tasks_are_claimed_ahead_and_slow_ones_are_not() {
        let permits = permits(2);
        let took = |time, times| (0..times).for_each(|_| permits.0.state.lock().took(time));
        assert_eq!(permits.ahead(), 0, "no task has run yet");
        took(Duration::from_millis(5), 64);
        assert!((6..=8).contains(&permits.ahead()), "{}", permits.ahead());
        took(Duration::from_micros(50), 64);
        assert_eq!(permits.ahead(), 2 * 16, "the number claimed ahead has a maximum");
        took(Duration::from_secs(2), 1);
        assert_eq!(permits.ahead(), 0, "one slow task must stop claiming ahead");
        took(Duration::from_secs(2), 64);
        took(Duration::ZERO, 1);
        assert_eq!(permits.ahead(), 0, "one quick task must not resume claiming ahead");
    }

    #[tokio::test]
    async fn who_finds_no_permit_claims_no_more_ahead() {
        let permits = permits(1);
        (0..64).for_each(|_| permits.0.state.lock().took(Duration::ZERO));
        let taken = permits.take("A", SOON_ENOUGH).await;
        assert!(taken.is_some() && permits.free() == 0 && permits.try_take("A").is_none());
        assert!(permits.take("A", SOON_ENOUGH).await.is_none());
        drop(taken);
        assert_eq!((permits.free(), permits.ahead()), (1, 0));
    }

    #[tokio::test]
    async fn permits_of_hung_engines_are_replaced_as_often_as_there_are_permits() {
        let permits = permits(1);
        let hung = permits.try_take("A").unwrap();
        assert!(hung.replace());
        let second = permits.try_take("A").unwrap();
        assert_eq!(permits.sole_key(Instant::now() + SOLE), None);
        assert!(!second.replace());
        assert!(permits.are_lost() && permits.try_take("A").is_none(), "nothing can run any more");
        drop(hung);
        assert!(!permits.are_lost(), "an engine has returned");
        assert!(permits.try_take("A").is_some());
        drop(second);
        assert_eq!(permits.free(), 1);
    }

    #[tokio::test]
    async fn the_youngest_task_of_a_sole_key_yields() {
        let permits = permits(2);
        let sole = || permits.sole_key(Instant::now() + SOLE);
        let first = permits.try_take("A").unwrap();
        assert_eq!(sole(), None, "a permit is free");
        let second = permits.try_take("A").unwrap();
        assert_eq!(permits.sole_key(Instant::now()), None, "the tasks have only begun");
        assert_eq!(sole().as_deref(), Some("A"));
        permits.preempt_youngest();
        second.yielded().await;
        assert_eq!(sole(), None, "one is on its way");
        drop(second);
        let other = permits.try_take("B").unwrap();
        assert_eq!(sole(), None, "two keys share the permits");
        drop((first, other));
        assert!(permits.are_unused());
    }
}

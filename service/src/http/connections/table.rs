//! The open connections: how many each address has, and which one is closed to make room for the next.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use metrics::Gauge;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::telemetry;

/// The address that a connection counts for; `None` for the idle connection of a trusted proxy.
pub(super) type Owner = Option<IpAddr>;

/// The unsent bytes of responses with which a connection begins no further request.
const UNSENT: u64 = 2 * 1024 * 1024;

/// The unsent bytes of all responses. A lookup for each response would take longer than the count.
static UNSENT_BYTES: LazyLock<Gauge> = LazyLock::new(|| metrics::gauge!(telemetry::UNSENT));

/// All open connections; at most `most`.
#[derive(Debug)]
pub(super) struct Table {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    connections: HashMap<u64, Arc<Connection>>,
}

#[derive(Debug)]
struct Connection {
    idle_owner: Owner,
    state: Mutex<State>,
    /// Notified when the connection is closed to make room for another one.
    close: Notify,
    /// Notified when the client has read responses, so that further ones may be sent.
    drained: Notify,
    /// Whether a part of a request's body will not be read.
    unread: Arc<AtomicBool>,
}

#[derive(Debug)]
struct State {
    owner: Owner,
    /// The number of requests in progress, until their responses are sent.
    requests: u32,
    /// Whether it has had a request.
    asked: bool,
    /// The start of the connection, or the last start or end of a request.
    since: Instant,
    /// The bytes of responses that are not sent yet.
    unsent: u64,
    /// The last progress of each response that is not sent yet, in a slot of its own.
    responses: Vec<Option<Instant>>,
}

impl State {
    fn new(owner: Owner) -> Self {
        let since = Instant::now();
        Self { owner, requests: 0, asked: false, since, unsent: 0, responses: Vec::new() }
    }

    /// Adds a response; returns its slot.
    fn responds(&mut self, bytes: u64) -> usize {
        self.unsent = self.unsent.saturating_add(bytes);
        let now = Some(Instant::now());
        let free = self.responses.iter_mut().enumerate().find(|(_, response)| response.is_none());
        if let Some((slot, response)) = free {
            *response = now;
            return slot;
        }
        self.responses.push(now);
        self.responses.len() - 1
    }
}

/// The entry of an open connection in the table, until it is dropped. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Entry(Arc<OpenConnection>);

#[derive(Debug)]
struct OpenConnection {
    table: Arc<Table>,
    id: u64,
    connection: Arc<Connection>,
}

impl Table {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Returns whether a connection has not had a request yet.
    pub(super) fn awaits_requests(&self) -> bool {
        self.open.lock().connections.values().any(|connection| !connection.state.lock().asked)
    }

    /// Adds a connection. In a full table, another one is closed to make room.
    ///
    /// Returns `None` if the new connection itself is the one too many.
    pub(super) fn enter(self: &Arc<Self>, owner: Owner) -> Option<Entry> {
        let mut open = self.open.lock();
        if open.connections.len() >= self.most {
            metrics::counter!("connections_closed_total", "reason" => "full").increment(1);
            let id = victim(&open.connections, owner)?;
            if let Some(connection) = open.connections.remove(&id) {
                connection.close.notify_one();
            }
        }
        let connection = Arc::new(Connection {
            idle_owner: owner,
            state: Mutex::new(State::new(owner)),
            close: Notify::new(),
            drained: Notify::new(),
            unread: Arc::default(),
        });
        let id = open.next;
        open.next += 1;
        open.connections.insert(id, Arc::clone(&connection));
        drop(open);
        Some(Entry(Arc::new(OpenConnection { table: Arc::clone(self), id, connection })))
    }
}

/// Chooses the connection that makes room: of the address with most connections, the one that is idle for longest.
///
/// Without an idle one, a request is cut off only for an address with fewer connections.
fn victim(open: &HashMap<u64, Arc<Connection>>, newcomer: Owner) -> Option<u64> {
    let states = open.iter().map(|(id, connection)| {
        let state = connection.state.lock();
        (*id, state.owner, state.requests == 0, state.since)
    });
    let states: Vec<_> = states.collect();
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for owner in states.iter().map(|(_, owner, ..)| *owner).chain([newcomer]).flatten() {
        *held.entry(owner).or_default() += 1;
    }
    let held = |owner: Owner| owner.and_then(|owner| held.get(&owner).copied()).unwrap_or_default();
    let (id, owner, is_idle, _) = states
        .into_iter()
        .max_by_key(|(_, owner, is_idle, since)| (held(*owner), *is_idle, std::cmp::Reverse(*since)))?;
    let is_fair = is_idle || held(newcomer) < held(owner);
    is_fair.then_some(id)
}

impl Entry {
    /// Counts a request until the returned guard is dropped.
    pub(super) fn request(&self, owner: Owner) -> Pending {
        let mut state = self.0.connection.state.lock();
        state.owner = owner;
        state.requests = state.requests.saturating_add(1);
        state.asked = true;
        state.since = Instant::now();
        Pending { connection: Arc::clone(&self.0.connection), response: OnceLock::new() }
    }

    /// Returns the flag which says that a part of a request's body will not be read.
    pub(super) fn unread(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.connection.unread)
    }

    /// Resolves when the connection is closed to make room for another one.
    pub(super) async fn evicted(&self) {
        self.0.connection.close.notified().await;
    }

    /// Resolves when the client has read enough of the responses for a further one.
    pub(super) async fn has_capacity(&self) {
        loop {
            let drained = self.0.connection.drained.notified();
            if self.0.connection.state.lock().unsent < UNSENT {
                return;
            }
            drained.await;
        }
    }

    /// Resolves when the connection had no request for the time `idle`, or when a response made no progress for the time
    /// `stalled`; returns which, as the label `reason` of the metric.
    pub(super) async fn close_reason(&self, idle: Duration, stalled: Duration) -> &'static str {
        loop {
            let now = Instant::now();
            let (idle_since, stalled_since) = {
                let state = self.0.connection.state.lock();
                (
                    (state.requests == 0).then_some(state.since),
                    state.responses.iter().flatten().min().copied(),
                )
            };
            let idle_end = idle_since.unwrap_or(now) + idle;
            let stalled_end = stalled_since.unwrap_or(now) + stalled;
            if idle_end <= now {
                return "idle";
            }
            if stalled_end <= now {
                return "stalled";
            }
            sleep_until(idle_end.min(stalled_end)).await;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.table.open.lock().connections.remove(&self.id);
    }
}

/// A request in progress, until its response is sent.
#[derive(Debug)]
pub(in crate::http) struct Pending {
    connection: Arc<Connection>,
    /// The slot of the response, and its bytes.
    response: OnceLock<(usize, u64)>,
}

impl Pending {
    /// Counts the bytes of the response, which begins now.
    pub(in crate::http) fn responds(&self, bytes: u64) {
        self.response.get_or_init(|| {
            UNSENT_BYTES.increment(bytes as f64);
            (self.connection.state.lock().responds(bytes), bytes)
        });
    }

    /// Notes that the client has taken a part of the response.
    pub(in crate::http) fn progresses(&self) {
        if let Some((slot, _)) = self.response.get()
            && let Some(response) = self.connection.state.lock().responses.get_mut(*slot)
        {
            *response = Some(Instant::now());
        }
    }

    /// Notes that a part of the request's body will not be read.
    pub(in crate::http) fn leaves_body(&self) {
        self.connection.unread.store(true, Ordering::Relaxed);
    }

    /// Closes the connection.
    pub(in crate::http) fn close(&self) {
        self.connection.close.notify_one();
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut state = self.connection.state.lock();
        state.requests = state.requests.saturating_sub(1);
        state.since = Instant::now();
        if state.requests == 0 {
            state.owner = self.connection.idle_owner;
        }
        if let Some((slot, bytes)) = self.response.get() {
            if let Some(response) = state.responses.get_mut(*slot) {
                *response = None;
            }
            UNSENT_BYTES.decrement(*bytes as f64);
            let was_full = state.unsent >= UNSENT;
            state.unsent = state.unsent.saturating_sub(*bytes);
            if was_full && state.unsent < UNSENT {
                self.connection.drained.notify_waiters();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn from(last: u8) -> Owner {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn is_evicted(entry: &Entry) -> bool {
        entry.evicted().now_or_never().is_some()
    }

    #[tokio::test]
    async fn the_longest_idle_of_the_address_that_holds_most_is_closed() {
        let table = Table::new(4);
        let mut entries = Vec::new();
        for last in [1, 2, 2, 2] {
            entries.push(table.enter(from(last)).unwrap());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        drop(entries[1].request(from(2)));
        let _new = table.enter(from(3)).unwrap();
        assert_eq!(entries.iter().map(is_evicted).collect::<Vec<_>>(), [false, false, true, false]);
    }

    #[tokio::test]
    async fn a_request_is_cut_off_only_for_an_address_with_fewer_connections() {
        let table = Table::new(3);
        let entries =
            [table.enter(from(1)).unwrap(), table.enter(from(1)).unwrap(), table.enter(from(2)).unwrap()];
        let _requests: Vec<_> =
            entries.iter().zip([1, 1, 2]).map(|(entry, last)| entry.request(from(last))).collect();
        assert!(table.enter(from(1)).is_none());
        assert!(table.enter(from(2)).is_none(), "both would hold two");
        let _new = table.enter(from(3)).unwrap();
        assert!(is_evicted(&entries[0]) && !is_evicted(&entries[1]) && !is_evicted(&entries[2]));
    }

    #[tokio::test]
    async fn connections_of_a_proxy_count_for_its_clients() {
        let table = Table::new(4);
        let proxy: Vec<_> = (0..3).map(|_| table.enter(None).unwrap()).collect();
        let _busy = [proxy[0].request(from(1)), proxy[1].request(from(1))];
        let direct = table.enter(from(2)).unwrap();
        let _new = table.enter(None).unwrap();
        assert!(is_evicted(&proxy[0]), "its client holds most");
        assert!(!is_evicted(&proxy[2]) && !is_evicted(&direct));
    }

    #[tokio::test]
    async fn a_response_that_is_not_read_stalls_although_others_progress() {
        let limit = Duration::from_secs(1);
        let entry = Table::new(1).enter(from(1)).unwrap();
        let long = Duration::from_secs(600);
        let is_stalled =
            async || tokio::time::timeout(2 * limit, entry.close_reason(long, limit)).await.is_ok();
        let requests = [entry.request(from(1)), entry.request(from(1))];
        assert!(!is_stalled().await, "no response has begun");
        requests[0].responds(1);
        let is_stalled_meanwhile = async || {
            let progress = async {
                loop {
                    requests[0].progresses();
                    tokio::time::sleep(limit / 20).await;
                }
            };
            tokio::select! {
                () = progress => false,
                is_stalled = is_stalled() => is_stalled,
            }
        };
        assert!(!is_stalled_meanwhile().await, "the client reads");
        requests[1].responds(1);
        assert!(is_stalled_meanwhile().await, "the client reads the first one only");
        drop(requests);
        assert!(!is_stalled().await, "both are sent");
    }

    #[tokio::test]
    async fn a_connection_with_many_unsent_bytes_has_no_capacity() {
        let entry = Table::new(1).enter(from(1)).unwrap();
        let requests = [entry.request(from(1)), entry.request(from(1))];
        requests[0].responds(UNSENT - 1);
        assert!(entry.has_capacity().now_or_never().is_some());
        requests[1].responds(1);
        let drained = entry.has_capacity();
        tokio::pin!(drained);
        assert!(drained.as_mut().now_or_never().is_none());
        drop(requests);
        drained.await;
    }

    #[tokio::test]
    async fn a_closed_connection_frees_its_entry() {
        let table = Table::new(1);
        drop(table.enter(from(1)).unwrap());
        let entry = table.enter(from(1)).unwrap();
        let _request = entry.request(from(1));
        assert!(table.enter(from(1)).is_none());
        assert!(!is_evicted(&entry));
    }
}

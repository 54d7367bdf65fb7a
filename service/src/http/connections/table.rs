//! The open connections: who holds how many, and which one makes room for the next.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The address that a connection counts for; `None` for the idle connection of a trusted proxy.
pub(super) type Holder = Option<IpAddr>;

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
    idle_holder: Holder,
    state: Mutex<State>,
    /// Notified when the connection has to make room.
    close: Notify,
}

#[derive(Debug, Clone, Copy)]
struct State {
    holder: Holder,
    /// The number of requests in progress, until their responses are sent.
    requests: u32,
    /// The start of the connection, or the last start or end of a request.
    since: Instant,
}

/// The place of an open connection in the table, until it is dropped. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Place(Arc<Seat>);

#[derive(Debug)]
struct Seat {
    table: Arc<Table>,
    id: u64,
    connection: Arc<Connection>,
}

impl Table {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Adds a connection. In a full table, another one is closed to make room.
    ///
    /// Returns `None` if the new connection itself is the one too many.
    pub(super) fn enter(self: &Arc<Self>, holder: Holder) -> Option<Place> {
        let mut open = lock(&self.open);
        if open.connections.len() >= self.most {
            metrics::counter!("connections_closed_total", "reason" => "full").increment(1);
            let id = victim(&open.connections, holder)?;
            if let Some(connection) = open.connections.remove(&id) {
                connection.close.notify_one();
            }
        }
        let state = State { holder, requests: 0, since: Instant::now() };
        let connection =
            Arc::new(Connection { idle_holder: holder, state: Mutex::new(state), close: Notify::new() });
        let id = open.next;
        open.next += 1;
        open.connections.insert(id, Arc::clone(&connection));
        drop(open);
        Some(Place(Arc::new(Seat { table: Arc::clone(self), id, connection })))
    }
}

/// Chooses the connection that makes room: of the address that holds most, the one that is idle for longest.
///
/// Without an idle one, a request is cut off only for an address that holds fewer connections.
fn victim(open: &HashMap<u64, Arc<Connection>>, newcomer: Holder) -> Option<u64> {
    let states: Vec<_> = open.iter().map(|(id, connection)| (*id, *lock(&connection.state))).collect();
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for holder in states.iter().map(|(_, state)| state.holder).chain([newcomer]).flatten() {
        *held.entry(holder).or_default() += 1;
    }
    let held = |holder: Holder| holder.and_then(|holder| held.get(&holder).copied()).unwrap_or_default();
    let (id, state) = states
        .into_iter()
        .max_by_key(|(_, state)| (held(state.holder), state.requests == 0, std::cmp::Reverse(state.since)))?;
    let is_fair = state.requests == 0 || held(newcomer) < held(state.holder);
    is_fair.then_some(id)
}

impl Place {
    /// Counts a request until the returned guard is dropped.
    pub(super) fn request(&self, holder: Holder) -> Request {
        let mut state = lock(&self.0.connection.state);
        *state = State { holder, requests: state.requests.saturating_add(1), since: Instant::now() };
        Request(Arc::clone(&self.0.connection))
    }

    /// Resolves when the connection has to make room.
    pub(super) async fn has_to_close(&self) {
        self.0.connection.close.notified().await;
    }

    /// Resolves when the connection had no request for this long.
    pub(super) async fn is_idle_for(&self, limit: Duration) {
        loop {
            let state = *lock(&self.0.connection.state);
            let now = Instant::now();
            let end = if state.requests == 0 { state.since + limit } else { now + limit };
            if end <= now {
                return;
            }
            sleep_until(end).await;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.table.open).connections.remove(&self.id);
    }
}

/// A request in progress.
#[derive(Debug)]
pub(super) struct Request(Arc<Connection>);

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.requests = state.requests.saturating_sub(1);
        state.since = Instant::now();
        if state.requests == 0 {
            state.holder = self.0.idle_holder;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn from(last: u8) -> Holder {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn has_to_close(place: &Place) -> bool {
        place.has_to_close().now_or_never().is_some()
    }

    #[tokio::test]
    async fn the_longest_idle_of_the_address_that_holds_most_makes_room() {
        let table = Table::new(4);
        let mut places = Vec::new();
        for last in [1, 2, 2, 2] {
            places.push(table.enter(from(last)).unwrap());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        drop(places[1].request(from(2)));
        let _new = table.enter(from(3)).unwrap();
        assert_eq!(places.iter().map(has_to_close).collect::<Vec<_>>(), [false, false, true, false]);
    }

    #[tokio::test]
    async fn a_request_is_cut_off_only_for_who_holds_less() {
        let table = Table::new(3);
        let places =
            [table.enter(from(1)).unwrap(), table.enter(from(1)).unwrap(), table.enter(from(2)).unwrap()];
        let _requests: Vec<_> =
            places.iter().zip([1, 1, 2]).map(|(place, last)| place.request(from(last))).collect();
        assert!(table.enter(from(1)).is_none());
        assert!(table.enter(from(2)).is_none(), "both would hold two");
        let _new = table.enter(from(3)).unwrap();
        assert!(has_to_close(&places[0]) && !has_to_close(&places[1]) && !has_to_close(&places[2]));
    }

    #[tokio::test]
    async fn connections_of_a_proxy_count_for_its_clients() {
        let table = Table::new(4);
        let proxy: Vec<_> = (0..3).map(|_| table.enter(None).unwrap()).collect();
        let _busy = [proxy[0].request(from(1)), proxy[1].request(from(1))];
        let direct = table.enter(from(2)).unwrap();
        let _new = table.enter(None).unwrap();
        assert!(has_to_close(&proxy[0]), "its client holds most");
        assert!(!has_to_close(&proxy[2]) && !has_to_close(&direct));
    }

    #[tokio::test]
    async fn a_closed_connection_frees_its_place() {
        let table = Table::new(1);
        drop(table.enter(from(1)).unwrap());
        let place = table.enter(from(1)).unwrap();
        let _request = place.request(from(1));
        assert!(table.enter(from(1)).is_none());
        assert!(!has_to_close(&place));
    }
}

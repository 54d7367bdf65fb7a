//! Selects the due events that a claim takes.
//!
//! [`select`] decides; a database only runs the few short queries of [`DueEvents`]. So both databases share one rule, and a
//! claim takes as many steps with a hundred thousand events as with some hundreds.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Result;
use crate::domain::EventClaim;
use crate::time::Millis;

/// How many of the events of a key that have been due longest a claim reads.
///
/// If a key has more, these may hide the events of other lanes, so the claim also steps through lanes of the key.
const FIRST: usize = 16;

/// How many lanes of a key a claim steps through if more events of the key are due.
///
/// Eight keys get so many lanes, and more keys share them. All lanes together get sixteen times as many events.
const LANES: usize = 128;

/// The events of one API key to one host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lane {
    pub(super) key_id: String,
    pub(super) host: String,
}

/// A due event.
#[derive(Debug)]
pub(super) struct DueEvent {
    pub(super) lane: Lane,
    pub(super) due_at: Millis,
    pub(super) seq: i64,
}

/// A row of a lane: its key and host.
pub(super) type LaneRow = (String, String);

/// A row of a due event: its lane, time and number.
pub(super) type DueRow = (String, String, Millis, i64);

impl From<LaneRow> for Lane {
    fn from((key_id, host): LaneRow) -> Self {
        Self { key_id, host }
    }
}

impl From<DueRow> for DueEvent {
    fn from((key_id, host, due_at, seq): DueRow) -> Self {
        Self { lane: Lane { key_id, host }, due_at, seq }
    }
}

/// Lanes of a key to step through, in the order of the hosts: from the lane of the last event that was due by then.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) key_id: String,
    pub(super) due_by: Millis,
}

/// The queries of a claim, in the transaction that claims.
pub(super) trait DueEvents {
    /// Returns the lanes that have events in delivery, with the number of these.
    fn in_delivery(&mut self, now: Millis) -> impl Future<Output = Result<Vec<(Lane, u32)>>> + Send;

    /// Returns the keys that have due events, with the time since which the first of these has been due.
    fn due_keys(&mut self, now: Millis) -> impl Future<Output = Result<Vec<(String, Millis)>>> + Send;

    /// Returns the events of each key that have been due longest, at most `count` of each.
    fn first(
        &mut self,
        keys: &[&str],
        now: Millis,
        count: usize,
    ) -> impl Future<Output = Result<Vec<DueEvent>>> + Send;

    /// Returns at most `count` lanes of each walk.
    fn lanes(&mut self, walks: &[Walk], count: usize) -> impl Future<Output = Result<Vec<Lane>>> + Send;

    /// Returns the events of each lane that have been due longest, at most `count` of each.
    fn first_of_lanes(
        &mut self,
        lanes: &[&Lane],
        now: Millis,
        count: usize,
    ) -> impl Future<Output = Result<Vec<DueEvent>>> + Send;
}

/// Selects the events to claim, and returns their `seq`.
pub(super) async fn select(db: &mut impl DueEvents, claim: &EventClaim) -> Result<Vec<i64>> {
    let mut keys = db.due_keys(claim.now).await?;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let counts = Counts::new(db.in_delivery(claim.now).await?);
    keys.retain(|(key_id, _)| counts.of_key(key_id) < claim.per_key);
    let ids: Vec<&str> = keys.iter().map(|(key_id, _)| key_id.as_str()).collect();
    let mut due = db.first(&ids, claim.now, FIRST).await?;
    let walks = walks(&keys, &due, claim.now);
    if !walks.is_empty() {
        let steps = (LANES * 8 / walks.len()).clamp(LANES / 16, LANES);
        let mut lanes: HashSet<Lane> = db.lanes(&walks, steps).await?.into_iter().collect();
        let walked: HashSet<&str> = walks.iter().map(|walk| walk.key_id.as_str()).collect();
        lanes.extend(
            due.iter().map(|event| &event.lane).filter(|lane| walked.contains(&*lane.key_id)).cloned(),
        );
        due.retain(|event| !walked.contains(&*event.lane.key_id));
        let open: Vec<&Lane> = lanes.iter().filter(|lane| counts.room(lane, claim) > 0).collect();
        let most = (LANES * 16 / lanes.len().max(1)).max(1).min(claim.per_lane.min(claim.limit) as usize);
        due.extend(db.first_of_lanes(&open, claim.now, most).await?);
    }
    Ok(choose(due, counts, claim))
}

/// Returns a walk for each key that has more than its first events, from a random event.
fn walks(keys: &[(String, Millis)], first: &[DueEvent], now: Millis) -> Vec<Walk> {
    let mut found: HashMap<&str, usize> = HashMap::new();
    for event in first {
        *found.entry(&event.lane.key_id).or_default() += 1;
    }
    let has_more = |key_id: &str| found.get(key_id).is_some_and(|count| *count >= FIRST);
    let walk = |(key_id, oldest): &(String, Millis)| Walk {
        key_id: key_id.clone(),
        due_by: rand::random_range(*oldest..=now.max(*oldest)),
    };
    keys.iter().filter(|(key_id, _)| has_more(key_id)).map(walk).collect()
}

/// The numbers of events in delivery.
struct Counts {
    of_lanes: HashMap<Lane, u32>,
    of_hosts: HashMap<String, u32>,
    of_keys: HashMap<String, u32>,
}

impl Counts {
    fn new(lanes: Vec<(Lane, u32)>) -> Self {
        let mut counts = Self { of_lanes: HashMap::new(), of_hosts: HashMap::new(), of_keys: HashMap::new() };
        for (lane, count) in lanes {
            counts.add(lane, count);
        }
        counts
    }

    fn add(&mut self, lane: Lane, count: u32) {
        *self.of_hosts.entry(lane.host.clone()).or_default() += count;
        *self.of_keys.entry(lane.key_id.clone()).or_default() += count;
        *self.of_lanes.entry(lane).or_default() += count;
    }

    fn of_lane(&self, lane: &Lane) -> u32 {
        self.of_lanes.get(lane).copied().unwrap_or_default()
    }

    fn of_key(&self, key_id: &str) -> u32 {
        self.of_keys.get(key_id).copied().unwrap_or_default()
    }

    /// Returns how many more events of this lane may be in delivery.
    ///
    /// Only the first event of a lane may take a reservation of its host.
    fn room(&self, lane: &Lane, claim: &EventClaim) -> u32 {
        let of_lane = self.of_lane(lane);
        let to_host = self.of_hosts.get(&lane.host).copied().unwrap_or_default();
        let reserved = if of_lane > 0 { claim.reserved } else { 0 };
        let caps = [
            claim.per_lane.saturating_sub(of_lane),
            claim.per_host.saturating_sub(reserved).saturating_sub(to_host),
            claim.per_key.saturating_sub(self.of_key(&lane.key_id)),
        ];
        caps.into_iter().min().unwrap_or_default()
    }
}

/// Chooses among due events: those of the lane with the fewest events in delivery go first; within a lane, those that
/// have been due longest.
fn choose(due: Vec<DueEvent>, mut counts: Counts, claim: &EventClaim) -> Vec<i64> {
    let mut lanes: BTreeMap<Lane, Vec<(Millis, i64)>> = BTreeMap::new();
    for event in due {
        lanes.entry(event.lane).or_default().push((event.due_at, event.seq));
    }
    let mut turns = Vec::new();
    for (lane, mut events) in lanes {
        events.sort_unstable();
        let turn = counts.of_lane(&lane);
        turns.extend((turn..).zip(events).map(|(turn, (due_at, seq))| (turn, due_at, seq, lane.clone())));
    }
    turns.sort_unstable();
    let mut chosen = Vec::new();
    for (_, _, seq, lane) in turns {
        if chosen.len() >= claim.limit as usize {
            break;
        }
        if counts.room(&lane, claim) > 0 {
            counts.add(lane, 1);
            chosen.push(seq);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: EventClaim =
        EventClaim { now: 9, lease_until: 99, per_lane: 3, per_host: 5, reserved: 2, per_key: 4, limit: 10 };

    fn lane(name: &str) -> Lane {
        let (key_id, host) = name.split_at(1);
        Lane { key_id: key_id.to_owned(), host: host.to_owned() }
    }

    /// Chooses among events that have been due in this order; each has the name of its lane: a key and a host.
    fn chosen<'a>(due: &[&'a str], in_delivery: &[(&str, u32)], claim: &EventClaim) -> Vec<&'a str> {
        let event = |(seq, name): (i64, &&str)| DueEvent { lane: lane(name), due_at: seq, seq };
        let counts = in_delivery.iter().map(|(name, count)| (lane(name), *count)).collect();
        let chosen = choose((0..).zip(due).map(event).collect(), Counts::new(counts), claim);
        chosen.into_iter().map(|seq| due[usize::try_from(seq).unwrap()]).collect()
    }

    #[test]
    fn the_lane_with_the_fewest_deliveries_goes_first() {
        assert_eq!(chosen(&["Ax", "Ax", "Ay", "Bx"], &[], &CLAIM), ["Ax", "Ay", "Bx", "Ax"]);
        assert_eq!(chosen(&["Ax", "By"], &[("Ax", 1)], &CLAIM), ["By", "Ax"]);
        let one = EventClaim { limit: 1, ..CLAIM };
        assert_eq!(chosen(&["Ax", "By"], &[], &one), ["Ax"]);
    }

    #[test]
    fn no_cap_is_exceeded() {
        assert_eq!(
            chosen(&["Ax"; 9], &[], &CLAIM),
            ["Ax"; 3],
            "of a lane, and of a host without its reserve"
        );
        assert_eq!(chosen(&["Ax"; 9], &[("Ax", 1)], &CLAIM), ["Ax"; 2]);
        assert_eq!(
            chosen(&["Ax", "Ay", "Az", "Au", "Av"], &[], &CLAIM),
            ["Ax", "Ay", "Az", "Au"],
            "of a key"
        );
        let many = ["Ax", "Bx", "Cx", "Dx", "Ex", "Fx"];
        assert_eq!(chosen(&many, &[], &CLAIM), many[..5], "of a host");
        assert!(chosen(&["Ax"], &[("Bx", 5)], &CLAIM).is_empty());
    }

    #[test]
    fn reserved_slots_are_for_the_first_event_of_a_lane() {
        let in_delivery = [("Ax", 2), ("Bx", 1)];
        assert!(chosen(&["Ax", "Bx"], &in_delivery, &CLAIM).is_empty());
        assert_eq!(chosen(&["Ax", "Cx", "Dx", "Ex"], &in_delivery, &CLAIM), ["Cx", "Dx"]);
    }

    #[test]
    fn an_event_that_does_not_fit_hides_no_other() {
        // The key A may have one more in delivery; its second event takes none from the key B.
        let in_delivery = [("Ay", 3)];
        assert_eq!(chosen(&["Ax", "Ax", "Bx", "Bx"], &in_delivery, &CLAIM), ["Ax", "Bx", "Bx"]);
    }
}

//! Decides which due events a claim takes.
//!
//! A database only runs a few short queries. So both databases share one rule, and a claim takes as many steps with a hundred
//! thousand events as with some hundreds.

use std::collections::{BTreeMap, HashMap};

use super::row::row;
use crate::domain::{DeliveryCaps, EventClaim};
use crate::time::Millis;

/// How many of the events of a key that have been due longest a claim reads.
///
/// If a key has more, these may hide the events of other lanes, so the claim also steps through lanes of the key.
pub(super) const FIRST: usize = 16;

/// How many lanes of a key a claim steps through if more events of the key are due.
///
/// Eight keys get this number of lanes each, and more keys share them. All lanes together get sixteen times as many events.
pub(super) const LANES: usize = 128;

row! {
    /// The events of one API key to one host.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub(super) struct Lane {
        pub(super) key_id: String,
        pub(super) host: String,
    }
}

row! {
    /// A due event.
    #[derive(Debug)]
    pub(super) struct DueEvent {
        pub(super) due_at: Millis,
        pub(super) seq: i64,
    } with pub(super) lane: Lane
}

/// Lanes of a key to step through, in the order of the hosts: from the lane of the last event that was due by then.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) key_id: String,
    pub(super) due_by: Millis,
}

/// Returns a walk for each key that has more than its first events, from a random event.
pub(super) fn walks(keys: &[(String, Millis)], first: &[DueEvent], now: Millis) -> Vec<Walk> {
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
pub(super) struct Counts {
    of_lanes: HashMap<Lane, u32>,
    of_hosts: HashMap<String, u32>,
    of_keys: HashMap<String, u32>,
}

impl Counts {
    pub(super) fn new(lanes: Vec<(Lane, u32)>) -> Self {
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

    pub(super) fn of_key(&self, key_id: &str) -> u32 {
        self.of_keys.get(key_id).copied().unwrap_or_default()
    }

    /// Returns how many more events of this lane may be in delivery.
    ///
    /// Only the first event of a lane may take a reservation of its host.
    pub(super) fn capacity(&self, lane: &Lane, caps: &DeliveryCaps) -> u32 {
        let of_lane = self.of_lane(lane);
        let to_host = self.of_hosts.get(&lane.host).copied().unwrap_or_default();
        let reserved = if of_lane > 0 { caps.reserved } else { 0 };
        let caps = [
            caps.per_lane.saturating_sub(of_lane),
            caps.per_host.saturating_sub(reserved).saturating_sub(to_host),
            caps.per_key.saturating_sub(self.of_key(&lane.key_id)),
        ];
        caps.into_iter().min().unwrap_or_default()
    }
}

/// Chooses among due events: those of the lane with the fewest events in delivery go first; within a lane, those that
/// have been due longest.
pub(super) fn choose(due: Vec<DueEvent>, mut counts: Counts, claim: &EventClaim) -> Vec<i64> {
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
        if counts.capacity(&lane, &claim.caps) > 0 {
            counts.add(lane, 1);
            chosen.push(seq);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: DeliveryCaps = DeliveryCaps { per_lane: 3, per_host: 5, reserved: 2, per_key: 4 };
    const CLAIM: EventClaim = EventClaim { now: 9, lease_until: 99, caps: CAPS, limit: 10 };

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

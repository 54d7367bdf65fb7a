//! The operations of a store on webhook events.

use async_trait::async_trait;
use tokio::sync::Notify;

use super::Result;
use crate::domain::{
    Attempt, ClaimedEvent, Event, EventClaim, EventQuery, Next, OutboxLimits, OutboxUsage, Page,
    RecordedAttempt,
};
use crate::time::Millis;

/// Stores the outbox of webhook events.
#[async_trait]
pub trait Events {
    /// Claims events that are due.
    ///
    /// Events wait in lanes: one for each host and API key. No lane, no host and no API key exceeds its cap.
    /// The lane with the fewest events in delivery goes first; within a lane, the event that has been due
    /// longest. So events that hang at a host delay no other key's events to it. The reserved slots of a host are for
    /// the first event of a lane, so that a few keys can't fill the host. An event in delivery counts until its
    /// attempt is recorded, even if its task has ended in the meantime.
    ///
    /// The time of a claim does not depend on the number of events. If a key has many lanes, a claim reads some of them,
    /// each time others.
    async fn claim_events(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>>;

    /// Returns the events of an API key in the outbox: all, and those to the host of this URL. Counts up to `most`.
    async fn outbox(&self, key_id: &str, url: &str, most: OutboxLimits) -> Result<OutboxUsage>;

    /// Returns the notifier that fires when events may be due.
    ///
    /// It is a hint for one loop per process. It may fire needlessly or not at all, so the loop must poll as
    /// well.
    fn events_woken(&self) -> &Notify;

    /// Records an attempt and what happens next, in one transaction.
    ///
    /// Returns `false` if the lease was lost; the attempt is recorded nevertheless.
    async fn record_attempt(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) -> Result<bool>;

    /// Returns a page of events for an operator, newest first.
    async fn events(&self, query: &EventQuery, page: Page) -> Result<Vec<Event>>;

    /// Returns the attempts of an event, in order.
    async fn attempts(&self, event_id: &str) -> Result<Vec<RecordedAttempt>>;

    /// Makes an event pending and due now, and resets its count of attempts.
    ///
    /// Returns `false` if no such event exists or if it is pending already.
    async fn replay_event(&self, event_id: &str, now: Millis) -> Result<bool>;
}

//! Plain data and rules: tasks and their queue, webhook events, keys and their usage.
//!
//! It knows neither the database nor the engines. The [store](crate::store) keeps these data. The catalogue's data and rules are in
//! [`catalogue`](crate::catalogue).

mod audit;
mod demand;
mod events;
mod keys;
pub(crate) mod quarantine;
mod queue;
mod task;
mod usage;

pub use audit::{AuditRecord, QueueLength, Stored};
pub use demand::{Demand, Engines, Offered, Quick};
pub use events::{
    Attempt, ClaimedEvent, DeliveryCaps, Event, EventClaim, EventQuery, EventState, Next, OutboxLimits,
    OutboxUsage, RecordedAttempt,
};
pub use keys::{KeyRecord, ReplacedSecret, Role, WebhookSecret};
pub use queue::{
    Claim, Claimed, Counts, Ended, FolderOwner, Lease, Listed, Only, Payload, Release, RemainingWork,
};
pub use task::{
    Content, Created, Facts, FailureCause, Idempotency, NewTask, Page, Piece, Task, TaskQuery, TaskStatus,
};
pub use usage::{Charge, Days, KeyUsage, Spent, Usage};

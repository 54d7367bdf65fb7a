//! Where keys, tasks, webhook events and the catalogue are kept: one trait, and a database behind it.
//!
//! The database is the queue: a task is accepted by the commit of its row, claimed under a lease, and ended by one
//! transaction that holds its results, its status and its webhook event. SQLite and PostgreSQL pass the same
//! conformance suite.

mod events;
mod keys;
mod tasks;

use std::sync::Arc;

pub use events::{Attempt, ClaimedEvent, Event, EventQuery, EventState, Events, Next, RecordedAttempt};
pub use keys::{KeyRecord, Keys, WebhookSecret};
pub use tasks::{
    Claim, Claimed, Created, Ended, FailureCause, Idempotency, Lease, NewTask, Page, Piece, Task, TaskQuery,
    TaskStatus, Tasks,
};

/// All that the service keeps.
pub trait Store: Keys + Tasks + Events + Send + Sync + 'static {}

impl<S: Keys + Tasks + Events + Send + Sync + 'static> Store for S {}

/// A store that is shared.
pub type SharedStore = Arc<dyn Store>;

/// What goes wrong in a store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database can't be reached, is too busy, or refuses.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The database's schema can't be brought up to date.
    #[error("the database's schema can't be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A row holds what this version can't read.
    #[error("the {what} in the database can't be read: {why}")]
    Corrupt {
        /// Which column of what.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// What a store's methods return.
pub type Result<T> = std::result::Result<T, Error>;

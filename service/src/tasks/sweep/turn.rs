//! The turns of a sweep: it removes something only while it has one.
//!
//! A backup must find every file that its copy of the database names. So it ends the turns of all processes, waits until
//! the last one has ended, and begins then.

use std::time::{Duration, Instant};

use super::SweepError;
use crate::store::SharedStore;
use crate::time::millis;

/// The turns of a sweep.
pub(super) struct Turns<'a> {
    pub(super) store: &'a SharedStore,
    length: Duration,
    ends: Option<Instant>,
}

impl<'a> Turns<'a> {
    pub(super) const fn new(store: &'a SharedStore, length: Duration) -> Self {
        Self { store, length, ends: None }
    }

    /// Takes or continues a turn, in which something may be removed now.
    ///
    /// # Errors
    /// Returns [`SweepError::Backup`] if a backup is in progress, or why the store has failed.
    pub(super) async fn take(&mut self) -> Result<(), SweepError> {
        let now = Instant::now();
        // A removal takes time, so none begins in the second half of a turn.
        if self.ends.is_some_and(|ends| now + self.length / 2 < ends) {
            return Ok(());
        }
        if !self.store.sweep_turn(millis(self.length)).await? {
            return Err(SweepError::Backup);
        }
        self.ends = Some(now + self.length);
        Ok(())
    }
}

//! Queues: the open tasks of a family, and their pause.

use std::collections::BTreeMap;

use asset_admin_server::models::common::Queue;

use super::{Admin, AdminError, Result, count, done};
use crate::domain::TaskStatus;
use crate::engine::family::Family;
use crate::time::timestamp;

impl Admin {
    /// Returns the families that have open tasks or are paused.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn queues(&self) -> Result<Vec<Queue>> {
        let mut queues: BTreeMap<String, Queue> = BTreeMap::new();
        let of = |family: String| (family.clone(), Queue::new(family, 0, 0, false));
        for length in self.store.queues().await? {
            let (family, queue) = of(length.family);
            let queue = queues.entry(family).or_insert(queue);
            let (tasks, oldest) = (count(length.tasks), Some(timestamp(length.oldest)));
            match length.status {
                TaskStatus::Created => (queue.waiting, queue.oldest_waiting) = (tasks, oldest),
                _ => (queue.running, queue.oldest_running) = (tasks, oldest),
            }
        }
        for (family, queue) in self.store.paused().await?.into_iter().map(of) {
            queues.entry(family).or_insert(queue).paused = true;
        }
        Ok(queues.into_values().collect())
    }

    /// Stops all processes from starting tasks that need engines of a family. Tasks in progress continue.
    ///
    /// # Errors
    /// Fails if there is no such family, or if the store fails.
    pub async fn pause(&self, family: &str) -> Result<()> {
        let pause = async {
            let family = known(family)?;
            self.store.pause(family.name).await?;
            Ok(())
        };
        self.change("pause queue", family, pause, done).await
    }

    /// Ends the pause of a family.
    ///
    /// # Errors
    /// Fails if there is no such family, or if the store fails.
    pub async fn resume(&self, family: &str) -> Result<()> {
        let resume = async {
            let family = known(family)?;
            self.store.unpause(family.name).await?;
            Ok(())
        };
        self.change("resume queue", family, resume, done).await
    }
}

fn known(name: &str) -> Result<&'static Family> {
    let missing = || AdminError::Missing(format!("no family is called `{name}`"));
    Family::named(name).ok_or_else(missing)
}

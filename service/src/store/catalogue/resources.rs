//! Resources: found in memory ([`Index`]), read from the database.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockReadGuard, mpsc};
use tokio::task::{JoinHandle, spawn_blocking};

use super::FoundResource;
use super::rows::from_json;
use super::tables::Tables;
use crate::catalogue::Resource;
use crate::catalogue::index::{Batch, Index};
use crate::catalogue::query::{Found, ResourceQuery};
use crate::store::{Error, Result};

/// How many resources are read at once when the index catches up.
const BATCH: u32 = 5000;

/// How many batches are taken apart at a time, while others are read and put in.
const AHEAD: usize = 2;

/// After how many resources the log tells how far the index is.
const TOLD: usize = 100_000;

/// The index, which catches up with the database whenever it is asked, whoever has written: so what was imported is found,
/// by each process. A process that asks nothing reads nothing.
#[derive(Debug, Default)]
pub struct Resources {
    index: Arc<RwLock<Index>>,
    is_prepared: AtomicBool,
}

impl Resources {
    /// Whether the index has been as far as the database.
    pub(super) fn is_prepared(&self) -> bool {
        self.is_prepared.load(Ordering::Relaxed)
    }
}

/// Reads the catalogue into the index.
pub(super) async fn prepare(tables: &impl Tables) -> Result<()> {
    let begun = Instant::now();
    let last = tables.last_resource().await?;
    let resources = caught_up(tables, last).await?.len();
    tables.resources().is_prepared.store(true, Ordering::Relaxed);
    tracing::info!(resources, seconds = begun.elapsed().as_secs_f64(), "the catalogue was read");
    Ok(())
}

/// The index is searched as it is. The statement that reads what was found tells how far the database is; so one statement is
/// all that a search needs, and where the index turns out to be behind, it is searched again.
pub(super) async fn search(tables: &impl Tables, query: &ResourceQuery) -> Result<Found<FoundResource>> {
    let index = &tables.resources().index;
    let (mut hits, reached) = {
        let index = index.read().await;
        (index.search(query), index.reached())
    };
    let (last, mut records) = tables.resource_records(&hits.ids).await?;
    let mut current = index.read().await;
    // Others may have brought it there since it was searched: what counts is how far it was then.
    if reached.is_none_or(|reached| reached < last) {
        drop(current);
        hits = caught_up(tables, last).await?.search(query);
        (_, records) = tables.resource_records(&hits.ids).await?;
        current = index.read().await;
    }
    let mut resources = HashMap::with_capacity(records.len());
    for record in &records {
        match from_json::<Resource>(record) {
            Ok(resource) => drop(resources.insert(resource.id, resource)),
            // One that another version has written is no reason to show none of the page.
            Err(error) => tracing::error!(%error, "a resource is left out of a page"),
        }
    }
    let found = hits.ids.iter().filter_map(|id| resources.remove(id)).map(|resource| {
        let (series, others) = current.related(&resource, query.related as usize);
        FoundResource { of_author: current.total_of_author(resource.author.id), resource, series, others }
    });
    Ok(Found { items: found.collect(), total: hits.total })
}

/// The index, as far as this place at least.
async fn caught_up<T: Tables>(tables: &T, last: i64) -> Result<RwLockReadGuard<'_, Index>> {
    let resources = tables.resources();
    let index = Arc::clone(&resources.index).write_owned().await;
    if index.is_at(last) {
        drop(index);
    } else {
        // Whoever goes away meanwhile leaves an index from where the next one goes on.
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::try_join!(read(tables, index.seq(), last, sender), put(index, receiver))?;
    }
    Ok(resources.index.read().await)
}

/// A batch that is being taken apart.
type Pending = JoinHandle<Batch>;

/// Reads what has come after a place.
async fn read(tables: &impl Tables, mut seq: i64, last: i64, sender: mpsc::Sender<Pending>) -> Result<()> {
    while seq < last {
        let rows = tables.resource_records_after(seq, BATCH).await?;
        let Some((reached, ..)) = rows.last() else { break };
        seq = *reached;
        if sender.send(spawn_blocking(move || Batch::read(&rows))).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Puts batches into the index, and all in order when they end.
async fn put(mut index: OwnedRwLockWriteGuard<Index>, mut pending: mpsc::Receiver<Pending>) -> Result<()> {
    while let Some(batch) = pending.recv().await {
        let batch = done(batch).await?;
        let before = index.len();
        index = done(spawn_blocking(move || {
            index.put(batch);
            index
        }))
        .await?;
        if before / TOLD != index.len() / TOLD {
            tracing::info!(resources = index.len(), "the catalogue is being read");
        }
    }
    done(spawn_blocking(move || index.settle())).await
}

/// What was done on a thread of its own; there are none any more when the process ends.
async fn done<T>(work: JoinHandle<T>) -> Result<T> {
    work.await.map_err(|_| Error::Closed)
}

#[cfg(test)]
mod tests;

//! Resources: found in memory by the [`Index`], and read from the database.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockReadGuard, mpsc};
use tokio::task::{JoinHandle, spawn_blocking};

use super::FoundResource;
use super::rows::from_json;
use crate::catalogue::Resource;
use crate::catalogue::index::{Batch, Index};
use crate::catalogue::query::{Found, ResourceQuery};
use crate::store::{Error, Result};

/// The number of resources per read when the index catches up.
const BATCH: u32 = 5000;

/// The number of parsed batches that may wait to be put into the index.
const AHEAD: usize = 2;

/// The number of resources after which the log reports progress.
const REPORTED: usize = 100_000;

/// The search index of resources.
///
/// On each search, the index catches up with the database, whichever process wrote to it. Every process thus
/// finds what was imported. A process that does not search reads nothing.
#[derive(Debug, Default)]
pub struct Resources {
    index: Arc<RwLock<Index>>,
    is_prepared: AtomicBool,
}

impl Resources {
    /// Returns whether the index has been loaded once.
    pub(in crate::store) fn is_prepared(&self) -> bool {
        self.is_prepared.load(Ordering::Relaxed)
    }
}

/// Reads the resources of a database.
#[async_trait]
pub trait ResourceTable: Send + Sync {
    /// Returns the highest `seq`.
    async fn last_resource(&self) -> Result<i64>;

    /// Returns `seq`, id and record of at most `limit` resources after `seq`, in order of `seq`.
    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>>;

    /// Returns the highest `seq`, and the records of these resources in any order.
    ///
    /// One statement reads both.
    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)>;

    /// Returns the search index of resources.
    fn resources(&self) -> &Resources;
}

/// Loads the catalogue into the index.
pub(in crate::store) async fn prepare(tables: &impl ResourceTable) -> Result<()> {
    let begun = Instant::now();
    let last = tables.last_resource().await?;
    let resources = caught_up(tables, last).await?.len();
    tables.resources().is_prepared.store(true, Ordering::Relaxed);
    tracing::info!(resources, seconds = begun.elapsed().as_secs_f64(), "loaded the catalogue");
    Ok(())
}

/// Searches the index, and searches again if it was behind the database.
///
/// The statement that reads the found records also returns the last `seq` of the database. A search therefore
/// needs only one statement. Only if the index was behind, it catches up and the search runs again.
pub(in crate::store) async fn search(
    tables: &impl ResourceTable,
    query: &ResourceQuery,
) -> Result<Found<FoundResource>> {
    let index = &tables.resources().index;
    let (mut hits, reached) = {
        let index = index.read().await;
        (index.search(query), index.reached())
    };
    let (last, mut records) = tables.resource_records(&hits.ids).await?;
    let mut current = index.read().await;
    // The hits are as old as `reached`, even if another search has updated the index since.
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
            // A record that this version can't read must not hide the others of the page.
            Err(error) => tracing::error!(%error, "left a resource out of a page"),
        }
    }
    let found = hits.ids.iter().filter_map(|id| resources.remove(id)).map(|resource| {
        let (series, others) = current.related(&resource, query.related as usize);
        FoundResource { of_author: current.total_of_author(resource.author.id), resource, series, others }
    });
    Ok(Found { items: found.collect(), total: hits.total })
}

/// Returns the index after it has reached at least `last`.
async fn caught_up<T: ResourceTable>(tables: &T, last: i64) -> Result<RwLockReadGuard<'_, Index>> {
    let resources = tables.resources();
    let index = Arc::clone(&resources.index).write_owned().await;
    if index.is_at(last) {
        drop(index);
    } else {
        // If the caller is dropped, the next one continues from the index as it is.
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::try_join!(read(tables, index.seq(), last, sender), put(index, receiver))?;
    }
    Ok(resources.index.read().await)
}

/// A batch that is being parsed.
type Pending = JoinHandle<Batch>;

/// Reads the records after `seq`, up to `last`.
async fn read(
    tables: &impl ResourceTable,
    mut seq: i64,
    last: i64,
    sender: mpsc::Sender<Pending>,
) -> Result<()> {
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

/// Puts batches into the index, and settles it after the last one.
async fn put(mut index: OwnedRwLockWriteGuard<Index>, mut pending: mpsc::Receiver<Pending>) -> Result<()> {
    while let Some(batch) = pending.recv().await {
        let batch = done(batch).await?;
        let before = index.len();
        index = done(spawn_blocking(move || {
            index.put(batch);
            index
        }))
        .await?;
        if before / REPORTED != index.len() / REPORTED {
            tracing::info!(resources = index.len(), "loading the catalogue");
        }
    }
    done(spawn_blocking(move || index.settle())).await
}

/// Waits for blocking work, which fails only if its thread is gone.
async fn done<T>(work: JoinHandle<T>) -> Result<T> {
    work.await.map_err(|_| Error::Closed)
}

#[cfg(test)]
mod tests;

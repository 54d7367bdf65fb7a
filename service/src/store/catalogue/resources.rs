//! Resources: found in memory ([`Index`]), read from the database.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use tokio::sync::{RwLock, RwLockReadGuard};

use super::RelatedResources;
use super::rows::{from_json, once};
use super::tables::Tables;
use crate::catalogue::index::{Hits, Index};
use crate::catalogue::query::{Found, ResourceQuery};
use crate::catalogue::{Resource, Summary};
use crate::store::Result;

/// How many resources are read at once when the index catches up.
const BATCH: u32 = 1000;

/// The index, which catches up with the database whenever it is asked, whoever has written: so what was imported is found,
/// by each process. A process that asks nothing reads nothing.
#[derive(Debug, Default)]
pub struct Resources {
    index: RwLock<Index>,
}

pub(super) async fn search(tables: &impl Tables, query: &ResourceQuery) -> Result<Found<Resource>> {
    let Hits { ids, total } = current(tables).await?.search(query);
    let mut records = records::<Resource>(tables, &ids).await?;
    Ok(Found { items: ids.iter().filter_map(|id| records.remove(id)).collect(), total })
}

pub(super) async fn related(
    tables: &impl Tables,
    of: &[Resource],
    limit: u32,
) -> Result<Vec<RelatedResources>> {
    let index = current(tables).await?;
    let ids: Vec<(Vec<i64>, Vec<i64>)> =
        of.iter().map(|resource| index.related(resource, limit as usize)).collect();
    drop(index);
    let all: Vec<i64> =
        ids.iter().flat_map(|(series, others)| series.iter().chain(others)).copied().collect();
    let records = records::<Summary>(tables, &once(&all)).await?;
    let of = |ids: &[i64]| ids.iter().filter_map(|id| records.get(id).cloned()).collect();
    Ok(ids
        .iter()
        .map(|(series, others)| RelatedResources { series: of(series), others: of(others) })
        .collect())
}

pub(super) async fn totals(tables: &impl Tables, authors: &[i64]) -> Result<Vec<u64>> {
    let index = current(tables).await?;
    Ok(authors.iter().map(|author| index.total_of_author(*author)).collect())
}

/// The index, as far as the database.
pub(super) async fn current<T: Tables>(tables: &T) -> Result<RwLockReadGuard<'_, Index>> {
    let last = tables.last_resource().await?;
    let index = tables.resources().index.read().await;
    if index.is_at(last) {
        return Ok(index);
    }
    drop(index);
    // Whoever goes away meanwhile leaves an index from where the next one goes on.
    let mut index = tables.resources().index.write().await;
    while index.seq() < last {
        let rows = tables.resource_records_after(index.seq(), BATCH).await?;
        let Some((seq, ..)) = rows.last() else { break };
        index.forget(rows.iter().map(|(_, id, _)| *id));
        for (_, id, record) in &rows {
            match from_json(record) {
                Ok(resource) => index.put(&resource),
                // One record that can't be read is no reason to find nothing at all.
                Err(error) => tracing::error!(id, %error, "a resource is left out of all searches"),
            }
        }
        index.reach(*seq);
    }
    index.settle();
    Ok(index.downgrade())
}

/// What is asked of the records of these ids.
async fn records<R: DeserializeOwned>(tables: &impl Tables, ids: &[i64]) -> Result<HashMap<i64, R>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = tables.resource_records(ids).await?;
    rows.iter().map(|(id, record)| Ok((*id, from_json(record)?))).collect()
}

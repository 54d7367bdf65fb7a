//! Removes the files of removed catalogue records that no other record names.

use std::collections::BTreeSet;

use super::SweepError;
use super::turn::Turns;
use crate::catalogue::{AnyRecord, RecordKind};
use crate::files::Files;
use crate::store::SharedStore;
use crate::time::Millis;

/// The maximum number of files that one sweep looks for in the records.
const FILES: u32 = 20_000;

/// The number of records that are read at a time.
const RECORDS: u32 = 500;

/// The number of files that one transaction removes; other writes to the embedded database wait for it.
const AT_ONCE: usize = 32;

/// Removes files of records that were removed before this time; returns their number.
pub(super) async fn sweep(turns: &mut Turns<'_>, files: &Files, before: Millis) -> Result<usize, SweepError> {
    let unused: BTreeSet<String> = turns.store.unused_files(before, FILES).await?.into_iter().collect();
    if unused.is_empty() {
        return Ok(0);
    }
    let used = used(turns.store, &unused).await?;
    let (used, unused): (Vec<String>, Vec<String>) = unused.into_iter().partition(|key| used.contains(key));
    turns.store.keep_files(&used).await?;
    let mut removed = 0;
    for keys in unused.chunks(AT_ONCE) {
        turns.take().await?;
        removed += turns.store.remove_unused(keys, files).await?;
    }
    Ok(removed)
}

/// Returns the files of this list that a record names.
async fn used(store: &SharedStore, keys: &BTreeSet<String>) -> Result<BTreeSet<String>, SweepError> {
    let mut used = BTreeSet::new();
    for kind in RecordKind::ALL {
        let mut last = i64::MIN;
        loop {
            let records = store.records_after(kind, last, RECORDS).await?;
            let Some((id, _)) = records.last() else { break };
            last = *id;
            for (_, record) in &records {
                match AnyRecord::parse(kind, record) {
                    Ok(record) => used.extend(record.files.into_iter().filter(|key| keys.contains(key))),
                    // Another version wrote the record. It names its files somewhere.
                    Err(_) => used.extend(keys.iter().filter(|key| record.contains(key.as_str())).cloned()),
                }
            }
        }
    }
    Ok(used)
}

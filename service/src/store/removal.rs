//! Removal of catalogue records, and of the files that no record names any more.
//!
//! Several records may name one file. A removal therefore only notes the files, and the sweep later removes those that no
//! record names. A file is removed in the transaction that removes its note. An import that stores a record removes the
//! note as well. So either the file stays, or the import finds after its commit that the file is missing.

use async_trait::async_trait;

use super::Result;
use crate::catalogue::{AnyRecord, RecordKind};
use crate::files::Files;
use crate::time::Millis;

/// Lists and removes records of the catalogue.
#[async_trait]
pub trait Removal {
    /// Returns id and JSON of the records after this id, in order of ids.
    async fn records_after(&self, kind: RecordKind, id: i64, limit: u32) -> Result<Vec<(i64, String)>>;

    /// Removes the records with these ids, and notes their files as unused; returns the number of removed records.
    ///
    /// After this, no search of any process finds them.
    async fn remove_records(&self, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64>;

    /// Returns files of records that were removed before this time.
    async fn unused_files(&self, before: Millis, limit: u32) -> Result<Vec<String>>;

    /// Removes the notes of these files, because records name them.
    async fn keep_files(&self, keys: &[String]) -> Result<()>;

    /// Removes the files of this list that are still noted as unused, with their notes; returns their number.
    async fn remove_unused(&self, keys: &[String], files: &Files) -> Result<usize>;
}

/// Returns the statement of [`Removal::records_after`]: $1 is the id, $2 the limit.
pub(super) const fn records_after(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Icons => "SELECT id, record FROM icons WHERE id > $1 ORDER BY id LIMIT $2",
        // An empty record stands for a removed one.
        RecordKind::Resources => {
            "SELECT id, record FROM resources WHERE id > $1 AND record <> '' ORDER BY id LIMIT $2"
        }
        RecordKind::Music => {
            "SELECT id, record FROM audio WHERE kind = 'music' AND id > $1 ORDER BY id LIMIT $2"
        }
        RecordKind::Effects => {
            "SELECT id, record FROM audio WHERE kind = 'sfx' AND id > $1 ORDER BY id LIMIT $2"
        }
    }
}

/// Returns the files of removed records, sorted and without duplicates.
///
/// The files of a record that this version can't read are unknown, and stay.
pub(super) fn files_of(kind: RecordKind, records: &[String]) -> Vec<String> {
    let parsed = records.iter().filter_map(|record| AnyRecord::parse(kind, record).ok());
    let mut files: Vec<String> = parsed.flat_map(|record| record.files).collect();
    files.sort_unstable();
    files.dedup();
    files
}

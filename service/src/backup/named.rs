//! Which stored files the rows of a database name.

use std::path::Path;

use crate::catalogue::{AnyRecord, RecordKind};
use crate::engine::work::{Assignment, StoredMedium};
use crate::files::{Area, Files};
use crate::media::input::Source;
use crate::store::transfer::Row;
use crate::store::{Piece, TaskStatus};

use super::FILES;

/// Collects the files that rows name and a folder lacks.
#[derive(Debug)]
pub struct MissingFiles<'a> {
    folder: &'a Path,
    /// The number of missing files.
    pub count: u64,
    /// The paths of the first ones.
    pub first: Vec<String>,
    /// The number of rows that can't be read, so that their files are unknown.
    pub unreadable: u64,
}

/// Begins to compare rows with the stored files of a backup or of a data folder.
#[must_use]
pub const fn missing_files(folder: &Path) -> MissingFiles<'_> {
    MissingFiles { folder, count: 0, first: Vec::new(), unreadable: 0 }
}

impl MissingFiles<'_> {
    /// The tables whose rows are to be [added](Self::add).
    pub const TABLES: [&'static str; 4] = ["tasks", "icons", "resources", "audio"];

    /// Adds the files that a row names.
    pub fn add(&mut self, table: &str, row: Row<'_>) {
        let Some(named) = named(table, row) else {
            self.unreadable += 1;
            return;
        };
        for (area, key) in named {
            let path = format!("{FILES}/{}", Files::path(area, &key));
            if !self.folder.join(&path).is_file() {
                self.count += 1;
                if self.first.len() < super::LISTED {
                    self.first.push(path);
                }
            }
        }
    }
}

/// Returns the files that a row names; `None` if it can't be read.
fn named(table: &str, row: Row<'_>) -> Option<Vec<(Area, String)>> {
    let mut named = Vec::new();
    if table == "tasks" {
        let status = TaskStatus::from_number(row("status")?.parse().ok()?)?;
        if status == TaskStatus::Completed {
            let pieces: Vec<Piece> = row("results").and_then(|text| serde_json::from_str(&text).ok())?;
            named.extend(results(pieces));
            return Some(named);
        }
        // A failed task keeps its inputs, so that it can be retried.
        let work: Assignment = serde_json::from_str(&row("work")?).ok()?;
        for medium in work.steps.into_iter().flat_map(|step| step.media) {
            if let StoredMedium::Given { source: Source::Stored(key), .. } = medium {
                named.push((Area::Inputs, key));
            }
        }
        if status != TaskStatus::Failed {
            named.extend(work.finished.into_iter().flat_map(|step| results(step.pieces)));
        }
        return Some(named);
    }
    let record = row("record")?;
    // A removed resource has an empty record, and no files.
    if record.is_empty() {
        return Some(named);
    }
    let kind = if table == "audio" { row("kind")? } else { table.to_owned() };
    let kind = RecordKind::ALL.into_iter().find(|known| known.name() == kind)?;
    let record = AnyRecord::parse(kind, &record).ok()?;
    let keys = record.files().into_iter().filter(|key| !key.is_empty());
    named.extend(keys.map(|key| (Area::Catalogue, key.to_owned())));
    Some(named)
}

fn results(pieces: Vec<Piece>) -> impl Iterator<Item = (Area, String)> {
    pieces.into_iter().filter_map(|piece| match piece {
        Piece::File(key) => Some((Area::Results, key)),
        Piece::Text(_) => None,
    })
}

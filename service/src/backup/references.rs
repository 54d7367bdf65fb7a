//! Finds the stored files that the rows of a database reference.

use std::path::Path;

use crate::catalogue::{AnyRecord, RecordKind};
use crate::domain::{Piece, TaskStatus};
use crate::engine::work::{Assignment, StoredMedium};
use crate::files::{Area, Files};
use crate::media::input::Source;
use crate::store::transfer::Row;

use super::FILES;

/// Files that rows name and that are missing.
#[derive(Debug, Default)]
pub struct MissingFiles {
    /// The number of missing files.
    pub count: u64,
    /// The paths of the first ones.
    pub first: Vec<String>,
}

impl MissingFiles {
    pub(super) fn add(&mut self, path: String) {
        self.count += 1;
        if self.first.len() < super::LISTED {
            self.first.push(path);
        }
    }

    /// Adds a file that this folder of a backup, or data folder, lacks.
    pub fn check(&mut self, folder: &Path, path: &str) {
        let path = format!("{FILES}/{path}");
        if !folder.join(&path).is_file() {
            self.add(path);
        }
    }
}

/// Reads the files that rows name.
pub struct NamedFiles<F> {
    each: F,
    /// The number of rows that can't be read, so that their files are unknown.
    pub unreadable: u64,
}

impl NamedFiles<()> {
    /// The tables whose rows are to be [added](NamedFiles::add).
    pub const TABLES: [&'static str; 4] = ["tasks", "icons", "resources", "audio"];
}

impl<F: FnMut(String)> NamedFiles<F> {
    /// Calls this function with the path of each file.
    pub const fn new(each: F) -> Self {
        Self { each, unreadable: 0 }
    }

    /// Adds the files that a row names.
    pub fn add(&mut self, table: &str, row: Row<'_>) {
        let Some(named) = named(table, row) else {
            self.unreadable += 1;
            return;
        };
        for (area, key) in named {
            (self.each)(Files::path(area, &key));
        }
    }
}

/// Returns the files that a row names; `None` if it can't be read.
fn named(table: &str, row: Row<'_>) -> Option<Vec<(Area, String)>> {
    let mut named = Vec::new();
    if table == "tasks" {
        let status = TaskStatus::from_number(row("status")?.parse().ok()?)?;
        // A failed task may have results of the steps before the one that failed.
        match row("results") {
            Some(pieces) => named.extend(results(serde_json::from_str(&pieces).ok()?)),
            None if status == TaskStatus::Completed => return None,
            None => {}
        }
        if status == TaskStatus::Completed {
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
    let keys = AnyRecord::parse(kind, &record).ok()?.files.into_iter().filter(|key| !key.is_empty());
    named.extend(keys.map(|key| (Area::Catalogue, key)));
    Some(named)
}

fn results(pieces: Vec<Piece>) -> impl Iterator<Item = (Area, String)> {
    pieces.into_iter().filter_map(|piece| Some((Area::Results, piece.file()?.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_run_names_its_results_and_inputs() {
        let media = r#"[{"given": {"kind": "image", "source": {"stored": "a/0-0"}}}]"#;
        let work = format!(
            r#"{{"steps": [{{"family": "image-to-video", "instructions": {{"attached": {{"operation": "o", "body": null}}}},
                "media": {media}}}], "seed": 1, "most_bytes": 9, "finished": [{{"engine": "e", "pieces": [{{"file": "a/1-0.mp4"}}], "bytes": 7}}]}}"#
        );
        let of = |status: TaskStatus, results: Option<&str>| {
            let row = |column: &str| match column {
                "status" => Some(status.number().to_string()),
                "results" => results.map(str::to_owned),
                _ => Some(work.clone()),
            };
            named("tasks", &row)
        };
        let (input, film) = ((Area::Inputs, "a/0-0".to_owned()), (Area::Results, "a/1-0.mp4".to_owned()));
        let partial = r#"[{"file": "a/1-0.mp4", "facts": {"step": "image-to-video"}}, {"text": "A bay"}]"#;
        assert_eq!(of(TaskStatus::Failed, Some(partial)), Some(vec![film.clone(), input.clone()]));
        assert_eq!(of(TaskStatus::Failed, None), Some(vec![input.clone()]));
        assert_eq!(of(TaskStatus::InProgress, None), Some(vec![input, film.clone()]));
        assert_eq!(of(TaskStatus::Completed, Some(partial)), Some(vec![film]));
        assert_eq!(of(TaskStatus::Completed, None), None);
    }
}

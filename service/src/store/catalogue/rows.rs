//! Stored records: JSON, with the columns that find and sort them.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Imported;
use crate::catalogue::{Effect, Icon, RecordKind, Resource, Track, tokens};
use crate::log::redact::without_values;
use crate::store::{Error, Result};

/// Converts a record into its stored form.
fn to_json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string(record).map_err(|error| corrupt(&error))
}

/// Parses a stored record.
pub(in crate::store) fn from_json<T: DeserializeOwned>(record: &str) -> Result<T> {
    serde_json::from_str(record).map_err(|error| corrupt(&error))
}

/// Parses stored records.
pub(in crate::store) fn all<T: DeserializeOwned>(records: &[String]) -> Result<Vec<T>> {
    records.iter().map(|record| from_json(record)).collect()
}

fn corrupt(error: &serde_json::Error) -> Error {
    Error::Corrupt { what: "record of the catalogue", why: without_values(&error.to_string()).to_owned() }
}

/// A stored record: JSON, the files that it names, and the columns that find and sort it.
///
/// A resource has no columns; the index in memory finds it (see [`crate::catalogue::index`]).
#[derive(Debug, Clone)]
pub struct Row<C = ()> {
    pub id: i64,
    pub columns: C,
    pub record: String,
    pub files: Vec<String>,
}

impl<C> Row<C> {
    fn new(id: i64, record: &impl Serialize, files: Vec<&str>, columns: C) -> Result<Self> {
        let files = files.into_iter().map(str::to_owned).collect();
        Ok(Self { id, columns, record: to_json(record)?, files })
    }
}

/// Returns the ids of the rows.
pub(in crate::store) fn ids<C>(rows: &[Row<C>]) -> Vec<i64> {
    rows.iter().map(|row| row.id).collect()
}

/// Returns the files that the rows name.
pub(in crate::store) fn files<C>(rows: &[Row<C>]) -> Vec<String> {
    rows.iter().flat_map(|row| &row.files).cloned().collect()
}

/// Returns the rows that differ from the stored ones, and the counts.
///
/// If several rows have one id, the last one wins.
pub(in crate::store) fn different<C>(
    rows: &[Row<C>],
    stored: Vec<(i64, String)>,
) -> (Imported, Vec<&Row<C>>) {
    let stored: HashMap<i64, String> = stored.into_iter().collect();
    let mut records: HashMap<i64, &str> = stored.iter().map(|(id, record)| (*id, record.as_str())).collect();
    let mut imported = Imported::default();
    let mut different: Vec<&Row<C>> = Vec::new();
    for row in rows {
        match records.get(&row.id) {
            Some(record) if *record == row.record => {
                imported.unchanged += 1;
                continue;
            }
            Some(_) => imported.changed += 1,
            None => imported.new += 1,
        }
        records.insert(row.id, &row.record);
        different.push(row);
    }
    different.retain(|row| records.get(&row.id).is_some_and(|record| std::ptr::eq(*record, &*row.record)));
    (imported, different)
}

/// The columns of a track or sound effect.
#[derive(Debug, Clone)]
pub struct AudioColumns {
    pub title: String,
    pub premium: bool,
    pub popularity: f64,
    pub downloads: u32,
    pub created_at: i64,
    pub seconds: f64,
    pub bpm: f64,
    pub tokens: Vec<String>,
}

/// Returns the row of an icon, which itself has the columns.
pub(in crate::store) fn of_icon(icon: &Icon) -> Result<Row<Icon>> {
    Row::new(icon.id, icon, icon.files(), icon.clone())
}

pub(in crate::store) fn of_resource(resource: &Resource) -> Result<Row> {
    Row::new(resource.id, resource, resource.files(), ())
}

pub(in crate::store) fn of_track(track: &Track) -> Result<Row<AudioColumns>> {
    let columns = AudioColumns {
        title: track.title.to_lowercase(),
        premium: track.premium,
        popularity: track.popularity,
        downloads: 0,
        created_at: track.created_at,
        seconds: track.seconds,
        bpm: track.bpm,
        tokens: tokens::of_track(track),
    };
    Row::new(track.id, track, track.files(), columns)
}

pub(in crate::store) fn of_effect(effect: &Effect) -> Result<Row<AudioColumns>> {
    let columns = AudioColumns {
        title: effect.title.to_lowercase(),
        premium: effect.premium,
        popularity: effect.popularity,
        downloads: effect.downloads,
        created_at: effect.created_at,
        seconds: effect.duration,
        bpm: 0.0,
        tokens: tokens::of_effect(effect),
    };
    Row::new(effect.id, effect, effect.files(), columns)
}

/// Returns the tokens that find a stored record of audio of this kind.
pub(in crate::store) fn tokens_of(kind: &str, record: &str) -> Result<Vec<String>> {
    Ok(if kind == RecordKind::Music.name() {
        tokens::of_track(&from_json(record)?)
    } else if kind == RecordKind::Effects.name() {
        tokens::of_effect(&from_json(record)?)
    } else {
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: i64, record: &str) -> Row {
        Row { id, columns: (), record: record.to_owned(), files: Vec::new() }
    }

    #[test]
    fn the_last_one_of_an_id_counts() {
        let rows = [row(1, "a"), row(2, "b"), row(1, "c"), row(3, "d"), row(1, "c")];
        let (imported, different) = different(&rows, vec![(2, "b".to_owned()), (3, "old".to_owned())]);
        assert_eq!(imported, Imported { new: 1, changed: 2, unchanged: 2 });
        let kept: Vec<(i64, &str)> = different.iter().map(|row| (row.id, row.record.as_str())).collect();
        assert_eq!(kept, [(1, "c"), (3, "d")]);
    }
}

//! `catalogue`: lists and removes records of the catalogue.

use std::collections::BTreeSet;

use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use super::output::{self, Align, Column};
use super::{CommandError, Instance, now};
use crate::admin::Admin;
use crate::catalogue::{AnyRecord, RecordKind};
use crate::store::SharedStore;

/// The number of records that are read at a time.
const READ: u32 = 1000;

/// The number of records that one transaction removes.
const REMOVE: usize = 200;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List records of the catalogue in order of their ids, with title, author and group
    ///
    /// Example: asset-service catalogue list resources --match sunset --json
    List {
        #[command(flatten)]
        filter: Filter,
        /// List at most this many records
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Remove records of the catalogue; after that, no search finds them
    ///
    /// The clean-up removes their files, unless another record has the same ones: `retention.orphan-seconds` later (a
    /// day by default), and until then the URLs of the files work. A repeated import brings a record back, with the same
    /// id; remove the source files, too, if you don't want that.
    ///
    /// Example: asset-service catalogue remove icons --group "Material Symbols" --dry-run
    Remove {
        #[command(flatten)]
        filter: Filter,
        /// Remove all records of this kind
        #[arg(long, conflicts_with_all = ["ids", "text", "author", "group"])]
        all: bool,
        /// List the records that would be removed, and remove none
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct Filter {
    /// The kind of records
    kind: RecordKind,
    /// Only the records with these ids
    ids: Vec<i64>,
    /// Only records whose title or file name contains this text, in upper or lower case
    #[arg(long = "match", value_name = "TEXT")]
    text: Option<String>,
    /// Only records of this author or artist; sound effects have none
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Only records of this group: the set of icons, the series of resources, the genre of music, the category of sound
    /// effects
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
}

impl ValueEnum for RecordKind {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(match self {
            Self::Icons => "Icons",
            Self::Resources => "Stock pictures",
            Self::Music => "Music",
            Self::Effects => "Sound effects",
        }))
    }
}

/// A record that was found; `None` if this version can't read it.
type Found = (i64, Option<AnyRecord>);

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    match command {
        Command::List { filter, limit } => {
            let (found, is_cut) = filter.find(&admin.store, limit).await?;
            show(filter.kind, found)?;
            if is_cut {
                output::note(format_args!("there are more than {limit} such records; --limit shows more"));
            }
            Ok(())
        }
        Command::Remove { filter, all, dry_run } => {
            if !all && !filter.is_filter() {
                return Err(CommandError::Refused(format!(
                    "name the {} to remove: by ids, --match, --author or --group, or --all of them",
                    filter.kind.name()
                )));
            }
            remove(&admin, &filter, dry_run).await
        }
    }
}

async fn remove(admin: &Admin, filter: &Filter, dry_run: bool) -> Result<(), CommandError> {
    let (found, _) = filter.find(&admin.store, usize::MAX).await?;
    if found.is_empty() {
        return Err(CommandError::Refused(format!(
            "no {} match; `catalogue list` shows them",
            filter.kind.name()
        )));
    }
    if dry_run {
        let count = found.len();
        show(filter.kind, found)?;
        output::note(format_args!("would remove {} {}; nothing was removed", count, filter.kind.name()));
        return Ok(());
    }
    let ids: Vec<i64> = found.into_iter().map(|(id, _)| id).collect();
    let remove = async {
        let mut removed = 0;
        for ids in ids.chunks(REMOVE) {
            removed += admin.store.remove_records(filter.kind, ids, now()).await?;
        }
        Ok(removed)
    };
    let result = |removed: &u64| format!("done: {removed}");
    let removed = admin.change("remove records", filter.kind.name(), remove, result).await?;
    output::line(format_args!("removed {removed} {}", filter.kind.name()))
}

impl Filter {
    fn is_filter(&self) -> bool {
        !self.ids.is_empty() || self.text.is_some() || self.author.is_some() || self.group.is_some()
    }

    /// Returns the first `limit` matching records, and whether there are more.
    ///
    /// Fails if one of the ids belongs to no record.
    async fn find(&self, store: &SharedStore, limit: usize) -> Result<(Vec<Found>, bool), CommandError> {
        let wanted: BTreeSet<i64> = self.ids.iter().copied().collect();
        let (mut found, mut missing, mut last) = (Vec::new(), wanted.clone(), i64::MIN);
        if let Some(first) = wanted.first() {
            last = first.saturating_sub(1);
        }
        loop {
            let records = store.records_after(self.kind, last, READ).await?;
            let Some((id, _)) = records.last() else { break };
            last = *id;
            for (id, record) in &records {
                missing.remove(id);
                let record = AnyRecord::parse(self.kind, record).ok();
                if (wanted.is_empty() || wanted.contains(id)) && self.matches(record.as_ref()) {
                    if found.len() == limit {
                        return Ok((found, true));
                    }
                    found.push((*id, record));
                }
            }
            if wanted.last().is_some_and(|greatest| *greatest <= last) {
                break;
            }
        }
        if !missing.is_empty() {
            let missing: Vec<String> = missing.iter().map(i64::to_string).collect();
            return Err(CommandError::Refused(format!(
                "no {} have the ids {}",
                self.kind.name(),
                missing.join(", ")
            )));
        }
        Ok((found, false))
    }

    fn matches(&self, record: Option<&AnyRecord>) -> bool {
        let Some(record) = record else {
            // Nothing but its id is known.
            return self.text.is_none() && self.author.is_none() && self.group.is_none();
        };
        let same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        self.text.as_ref().is_none_or(|text| {
            let text = text.to_lowercase();
            [&record.title, &record.file_name].iter().any(|name| name.to_lowercase().contains(&text))
        }) && self.author.as_ref().is_none_or(|author| same(author, &record.author))
            && self.group.as_ref().is_none_or(|group| record.groups.iter().any(|one| same(group, one)))
    }
}

/// A record as a row; `None` if this version can't read it.
#[derive(Serialize)]
struct Row {
    kind: &'static str,
    id: i64,
    #[serde(flatten)]
    record: Option<AnyRecord>,
}

impl Row {
    fn text(&self, of: fn(&AnyRecord) -> String) -> String {
        self.record.as_ref().map(of).unwrap_or_default()
    }
}

fn show(kind: RecordKind, found: Vec<Found>) -> Result<(), CommandError> {
    let rows: Vec<Row> =
        found.into_iter().map(|(id, record)| Row { kind: kind.name(), id, record }).collect();
    let columns: &[Column<Row>] = &[
        ("id", Align::Right, |row| row.id.to_string()),
        ("title", Align::Left, |row| {
            row.record.as_ref().map_or(UNREADABLE, |record| &record.title).to_owned()
        }),
        ("file", Align::Left, |row| row.text(|record| record.file_name.clone())),
        ("author", Align::Left, |row| row.text(|record| record.author.clone())),
        ("group", Align::Left, |row| row.text(|record| record.groups.join(", "))),
    ];
    output::table(columns, &rows)
}

/// The title of a record that this version can't read.
const UNREADABLE: &str = "(written by another version)";

//! The migrations of both databases.
//!
//! Several releases may share a database: an upgrade replaces one process after another. So migrations only
//! expand the schema that the previous release uses; a later release removes what it no longer needs.
//!
//! The list is written by hand, because `sqlx::migrate!` compiles sqlx again for the build machine, with TLS.

use std::borrow::Cow;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::{Error, Result};

/// Lists the migrations of a database: version, description, and the file they are named in.
macro_rules! migrations {
    ($database:literal: $($version:literal $description:ident),* $(,)?) => {
        $crate::store::migrations::migrator([$((
            $version,
            stringify!($description),
            include_str!(concat!(
                "../../../migrations/", $database, "/", $version, "_", stringify!($description), ".sql"
            )),
        )),*])
    };
}
pub(super) use migrations;

/// Returns a migrator for `(version, description, SQL)` of each migration.
pub(super) fn migrator<const N: usize>(migrations: [(&str, &'static str, &'static str); N]) -> Migrator {
    let migrations = migrations.into_iter().filter_map(|(version, description, sql)| {
        let version = version.parse().ok()?;
        let description = Cow::Borrowed(description);
        Some(Migration::new(version, description, MigrationType::Simple, sql.into_sql_str(), false))
    });
    Migrator::with_migrations(migrations.collect())
}

/// The treatment of a schema that is older than this program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Migrate it.
    Migrate,
    /// Refuse it, because other processes may use the database. An empty database gets its schema.
    Expect,
}

/// The versions of a schema before and after it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// The version before; `None` if the database was empty.
    pub before: Option<i64>,
    /// The version now.
    pub now: i64,
}

/// Returns whether migrations have to run after these ones, which the database has already.
///
/// # Errors
/// Fails if the schema is newer than this program's, or older and not to be migrated.
pub(super) fn have_to_run(migrator: &Migrator, applied: &[i64], schema: Schema) -> Result<bool> {
    let known = newest(migrator);
    if let Some(&found) = applied.last().filter(|found| **found > known) {
        return Err(Error::NewerSchema { found, known });
    }
    let is_missing = migrator.iter().any(|one| !applied.contains(&one.version));
    match applied.last() {
        Some(&found) if is_missing && schema == Schema::Expect => {
            Err(Error::OlderSchema { found, needed: known })
        }
        // A run without anything to do still compares the migrations with those that have run.
        _ => Ok(is_missing || schema == Schema::Migrate),
    }
}

/// Returns the version of this program's schema.
pub(super) fn newest(migrator: &Migrator) -> i64 {
    migrator.iter().map(|one| one.version).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::store::{postgres, sqlite};

    #[test]
    fn only_an_empty_or_a_current_schema_is_used_as_it_is() {
        let migrator = migrator(["1", "2", "3"].map(|version| (version, "step", "SELECT 1")));
        let run = |applied: &[i64], schema| {
            have_to_run(&migrator, applied, schema).map_err(|error| error.to_string())
        };
        assert_eq!(run(&[], Schema::Expect), Ok(true));
        assert_eq!(run(&[1, 2, 3], Schema::Expect), Ok(false));
        assert_eq!(run(&[1, 2], Schema::Migrate), Ok(true));
        assert!(run(&[1, 2], Schema::Expect).unwrap_err().contains("`asset-service migrate`"));
        for schema in [Schema::Migrate, Schema::Expect] {
            assert!(run(&[1, 2, 3, 9999], schema).unwrap_err().contains("9999"));
        }
    }

    #[test]
    fn every_file_is_listed() {
        for (database, migrator) in [("postgres", &*postgres::MIGRATIONS), ("sqlite", &*sqlite::MIGRATIONS)] {
            let folder = format!("{}/migrations/{database}", env!("CARGO_MANIFEST_DIR"));
            let files: BTreeSet<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
            let listed: BTreeSet<String> =
                migrator.iter().map(|one| format!("{:04}_{}.sql", one.version, one.description)).collect();
            assert_eq!(listed, files, "{database}");
            for one in migrator.iter() {
                assert!(
                    !one.sql.as_str().starts_with("-- no-transaction"),
                    "{database}: {} runs in a transaction, as all migrations do",
                    one.version
                );
            }
        }
    }
}

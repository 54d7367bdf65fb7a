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

/// Selects the version and checksum of the migrations that a database has.
pub(super) const APPLIED: &str =
    "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version";

/// Returns whether migrations have to run after these ones, which the database has already.
///
/// # Errors
/// Fails if this program does not know the schema, or if the schema is older and not to be migrated.
pub(super) fn have_to_run(migrator: &Migrator, applied: &[(i64, Vec<u8>)], schema: Schema) -> Result<bool> {
    let needed = newest(migrator);
    let is_unknown = |(version, checksum): &&(i64, Vec<u8>)| {
        *version > needed || migrator.iter().any(|one| one.version == *version && *one.checksum != **checksum)
    };
    if let Some(&(found, _)) = applied.iter().find(is_unknown) {
        return Err(Error::UnknownSchema { found });
    }
    let is_missing = migrator.iter().any(|one| applied.iter().all(|(version, _)| one.version != *version));
    match applied.last() {
        Some(&(found, _)) if is_missing && schema == Schema::Expect => {
            Err(Error::OlderSchema { found, needed })
        }
        _ => Ok(is_missing),
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
        let checksum = migrator.iter().next().unwrap().checksum.to_vec();
        let run = |applied: &[i64], schema| {
            let applied: Vec<_> = applied.iter().map(|version| (*version, checksum.clone())).collect();
            have_to_run(&migrator, &applied, schema).map_err(|error| error.to_string())
        };
        assert_eq!(run(&[], Schema::Expect), Ok(true));
        assert_eq!(run(&[1, 2, 3], Schema::Expect), Ok(false));
        assert_eq!(run(&[1, 2], Schema::Migrate), Ok(true));
        assert!(run(&[1, 2], Schema::Expect).unwrap_err().contains("`asset-service migrate`"));
        for schema in [Schema::Migrate, Schema::Expect] {
            assert!(run(&[1, 2, 3, 9999], schema).unwrap_err().contains("doesn't know (migration 9999)"));
            let changed = have_to_run(&migrator, &[(1, checksum.clone()), (2, vec![7])], schema);
            assert!(changed.unwrap_err().to_string().contains("doesn't know (migration 2)"));
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

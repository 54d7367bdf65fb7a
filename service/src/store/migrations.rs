//! The migrations of both databases.
//!
//! The list is written by hand, because `sqlx::migrate!` compiles sqlx again for the build machine, with TLS.

use std::borrow::Cow;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::store::{postgres, sqlite};

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

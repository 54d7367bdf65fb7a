//! Stores API keys, tasks, webhook events and the catalogue in a database.
//!
//! The database is the queue: a task is accepted when its row is committed, and claimed under a lease. One
//! transaction ends it and holds its results, its status and its webhook event. SQLite and PostgreSQL pass
//! the same conformance suite.

mod administration;
mod catalogue;
mod due_events;
mod error;
mod events;
mod health;
mod identity;
mod keys;
pub mod limits;
mod loops;
mod migrations;
mod overdue;
pub mod postgres;
mod removal;
mod row;
mod spending;
pub mod sqlite;
mod tasks;
pub mod transfer;
mod wake;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use administration::Administration;
pub use catalogue::{Catalogue, FoundResource, Imported, RelatedIcons};
pub use error::Error;
pub use events::Events;
pub use health::{DatabaseClock, Health, HeldBack, Load, OldVersions, Undelivered};
pub use identity::{Identity, IdentityMismatch, Quiescence, agree};
pub use keys::Keys;
pub use migrations::{Schema, Versions};
pub use removal::Removal;
pub use spending::Spending;
pub use tasks::Tasks;

use crate::private;
use crate::time::Clock;

/// Everything that the service needs from a database.
pub trait Store:
    Keys
    + Tasks
    + Events
    + Catalogue
    + Removal
    + Health
    + Identity
    + Spending
    + Administration
    + Send
    + Sync
    + 'static
{
}

/// A store that several owners share.
pub type SharedStore = Arc<dyn Store>;

/// How a process uses its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// How long a statement may take.
    pub statement: Duration,
    /// The maximum number of connections to PostgreSQL, without the one that listens.
    pub connections: u32,
}

impl Access {
    /// The default.
    pub const DEFAULT: Self = Self { statement: Duration::from_secs(60), connections: 16 };
}

/// The result of a store method.
pub type Result<T> = std::result::Result<T, Error>;

/// Where the database is.
enum Location<'a> {
    /// SQLite in this file.
    File(PathBuf),
    /// PostgreSQL.
    Url(&'a str),
}

/// Opens the store.
///
/// With a URL, the store is PostgreSQL. Without one, it is SQLite in `service.db` of the data folder.
///
/// # Errors
/// Fails if the URL has another scheme, if the data folder or the database can't be opened, or if its schema
/// is unknown to this program, or older and refused, or can't be migrated.
pub async fn open(
    database_url: Option<&str>,
    data_dir: &Path,
    schema: Schema,
    access: Access,
) -> Result<SharedStore> {
    Ok(match locate(database_url, data_dir)? {
        Location::File(file) => {
            create(&file, data_dir)?;
            Arc::new(sqlite::Sqlite::open_with(&file, schema, access).await?)
        }
        Location::Url(url) => {
            Arc::new(postgres::Postgres::connect_with(url, Clock::System, schema, access).await?)
        }
    })
}

/// Migrates the schema of the database; returns its versions.
///
/// # Errors
/// Fails as [`open`] does.
pub async fn migrate(database_url: Option<&str>, data_dir: &Path) -> Result<Versions> {
    match locate(database_url, data_dir)? {
        Location::File(file) => {
            create(&file, data_dir)?;
            sqlite::migrate(&file).await
        }
        Location::Url(url) => postgres::migrate(url).await,
    }
}

/// Writes a consistent snapshot of the database into this folder; returns the name of the copy.
///
/// Other processes may use the database meanwhile. PostgreSQL is copied by `pg_dump`.
///
/// # Errors
/// Fails if the database can't be read, if the copy can't be written, or if `pg_dump` is missing or fails.
pub async fn backup(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<&'static str> {
    match locate(database_url, data_dir)? {
        Location::File(file) => {
            sqlite::backup(&file, &folder.join(SQLITE_COPY)).await?;
            Ok(SQLITE_COPY)
        }
        Location::Url(url) => {
            postgres::tools::dump(url, &folder.join(POSTGRES_COPY)).await?;
            Ok(POSTGRES_COPY)
        }
    }
}

/// Checks that this folder has a copy of this kind of database, and that the database is empty.
///
/// # Errors
/// Fails if not, or if the database can't be read.
pub async fn is_restorable(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<()> {
    let location = locate(database_url, data_dir)?;
    let copy = copy_of(&location, folder);
    if !copy.is_file() {
        return Err(Error::NoCopy(copy.display().to_string()));
    }
    let is_empty = match location {
        Location::File(file) => std::fs::metadata(&file).map_or_else(is_missing, |file| file.len() == 0),
        Location::Url(url) => postgres::tools::is_empty(url).await?,
    };
    if is_empty { Ok(()) } else { Err(Error::NotEmpty) }
}

/// Restores a copy that [`backup`] wrote into this folder. The database must be empty.
///
/// # Errors
/// Fails as [`is_restorable`] does, or if the database can't be written.
pub async fn restore(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<()> {
    is_restorable(database_url, data_dir, folder).await?;
    let location = locate(database_url, data_dir)?;
    let copy = copy_of(&location, folder);
    match location {
        Location::File(file) => {
            let why = |why| Error::File { file: file.display().to_string(), why };
            create(&file, data_dir)?;
            // The copy's permissions may come from another machine.
            let copied = std::fs::File::open(&copy)
                .and_then(|mut from| std::io::copy(&mut from, &mut private::file(&file)?));
            copied.map(drop).map_err(why)
        }
        Location::Url(url) => postgres::tools::restore(url, &copy).await,
    }
}

fn copy_of(location: &Location<'_>, folder: &Path) -> PathBuf {
    folder.join(match location {
        Location::File(_) => SQLITE_COPY,
        Location::Url(_) => POSTGRES_COPY,
    })
}

/// The names of the copies in a backup.
pub(crate) const SQLITE_COPY: &str = "service.db";
pub(crate) const POSTGRES_COPY: &str = "database.dump";

fn locate<'a>(database_url: Option<&'a str>, data_dir: &Path) -> Result<Location<'a>> {
    let Some(url) = database_url else { return Ok(Location::File(data_dir.join("service.db"))) };
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(Location::Url(url))
    } else {
        Err(Error::Url)
    }
}

/// Creates the file of the embedded database and its folder, as far as they are missing.
fn create(file: &Path, data_dir: &Path) -> Result<()> {
    private::folder(data_dir).map_err(|why| Error::Folder { folder: data_dir.display().to_string(), why })?;
    private::file(file).map(drop).map_err(|why| Error::File { file: file.display().to_string(), why })
}

fn is_missing(error: std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

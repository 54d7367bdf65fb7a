//! Checks that a database and a file store belong together, and keeps a restored copy from acting by itself.
//!
//! Rows name files. If machines share a database but not the files, each machine misses the files that the
//! workers of the others write. A restored copy has an id of its own, so that it can't join its original.

use async_trait::async_trait;

use super::{Result, Store};
use crate::files::{Files, FilesError, random_folder};
use crate::time::Millis;

/// Why and since when a database is quiesced: its processes claim no tasks, deliver no webhooks and remove nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiescence {
    /// The time since which it holds.
    pub since: Millis,
    /// The reason, such as the backup that was restored.
    pub reason: String,
}

/// The id of the file store that a database's rows refer to.
#[async_trait]
pub trait Identity {
    /// Returns the id of the file store that the rows refer to.
    ///
    /// If the database knows no id yet, it keeps `proposed`.
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>>;

    /// Makes the rows those of a copy: they refer to the file store with this id, and no backup is under way.
    async fn detach(&self, files_id: &str, quiescence: Option<&Quiescence>) -> Result<()>;

    /// Returns why the database is quiesced; `None` if it is not.
    async fn quiescence(&self) -> Result<Option<Quiescence>>;

    /// Ends the quiescence; returns `false` if there was none.
    async fn resume(&self) -> Result<bool>;

    /// Gives up all pending webhook events; returns their number.
    async fn drop_events(&self) -> Result<u64>;
}

/// Why a database can't be used with a file store.
#[derive(Debug, thiserror::Error)]
pub enum IdentityMismatch {
    /// The database refers to another file store.
    #[error(
        "the files of the database are in another folder than {folder}; mount that folder here, because machines that share a \
             database must share its files. If {folder} is a moved or restored copy, write {id} into {folder}/{}",
        Files::ID
    )]
    OtherFolder {
        /// This machine's folder.
        folder: String,
        /// The id that the database expects of its files.
        id: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] super::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Checks that the store's rows refer to these files.
///
/// If the store knows no id yet, it keeps the id of the files, which get a new id if they have none.
///
/// # Errors
/// Fails if the store refers to other files, or if the store or the files can't be accessed.
pub async fn agree(store: &dyn Store, files: &Files) -> std::result::Result<(), IdentityMismatch> {
    let mut here = files.id().await?;
    if here.is_none() && store.files_id(None).await?.is_none() {
        // The files come first: a process that dies in between leaves an id that no database contradicts.
        here = Some(files.set_id(&random_folder()).await?);
    }
    let there = store.files_id(here.as_deref()).await?;
    match there {
        Some(id) if here.as_ref() != Some(&id) => {
            Err(IdentityMismatch::OtherFolder { folder: files.place(), id })
        }
        _ => Ok(()),
    }
}

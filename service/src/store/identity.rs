//! Checks that a database and a file store belong together, and keeps a restored copy quiesced until an operator resumes it.
//!
//! Rows name files. If machines share a database but not the files, each machine misses the files that the
//! workers of the others write. A restored copy has an id of its own, so that it can't join its original.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

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

/// The statements that turn the rows of a database into a copy's; see [`Identity::detach`].
pub(super) const DETACH: [&str; 4] = [
    "UPDATE clock SET held_until = 0, sweeping_until = 0",
    "UPDATE tasks SET lease_owner = NULL, refunded = refunded + 1, due_at = updated_at
     WHERE status = 1 AND lease_owner IS NOT NULL",
    "UPDATE events SET lease = NULL, due_at = created_at WHERE lease IS NOT NULL",
    "DELETE FROM quiescence",
];

/// The id of the file store that a database's rows refer to.
#[async_trait]
pub trait Identity {
    /// Returns the id of the file store that the rows refer to.
    ///
    /// If the database knows no id yet, it keeps `proposed`.
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>>;

    /// Returns the folder in which a process last found the files, and keeps this one instead.
    async fn found_in(&self, folder: &str) -> Result<Option<String>>;

    /// Turns the rows into a copy's.
    ///
    /// They refer to the file store with this id. No backup is in progress. The processes of the original hold no lease: they
    /// have not died, so their tasks are not quarantined.
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
        "the files of the database are in another folder or bucket than {folder}; mount that folder here, or set `files` to that \
             bucket, because machines that share a database must share its files. If {folder} has all these files \
             and no process uses the others any more, write {id} into {folder}/{}",
        Files::ID
    )]
    OtherFolder {
        /// This machine's folder.
        folder: String,
        /// The id that the database expects of its files.
        id: String,
    },
    /// Another folder on this machine has the same id.
    #[error(
        "{folder} is a copy of {original}, which the processes of this database use; a copy must not join them. Use `backup` and \
             `restore` to copy. If {original} was moved and is no longer used, remove it"
    )]
    Copy {
        /// This process's folder.
        folder: String,
        /// The folder that the database knows.
        original: String,
    },
    /// The database is new, but the bucket is not.
    #[error(
        "{0} has files of another database; name another prefix in `files`. If no service uses these files any more, or its \
             first start was interrupted, delete {0}/{id}",
        id = Files::ID
    )]
    Used(String),
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
    if (here.is_none() || files.is_in_bucket()) && store.files_id(None).await?.is_none() {
        // A bucket can be named by mistake, and the sweep would remove files that this database does not know.
        if here.is_some() {
            return Err(IdentityMismatch::Used(files.location()));
        }
        // The files come first: a process that dies in between leaves an id that no database contradicts.
        here = Some(files.set_id(&random_folder()).await?);
    }
    let there = store.files_id(here.as_deref()).await?;
    match there {
        Some(id) if here.as_ref() != Some(&id) => {
            Err(IdentityMismatch::OtherFolder { folder: files.location(), id })
        }
        Some(id) => refuse_copy(store, files, &id).await,
        None => Ok(()),
    }
}

/// Checks that the folder in which the database's processes find the files is not another one with the same id.
///
/// That folder may have another path on another machine, so it is only known to be another one if it is here, too.
async fn refuse_copy(
    store: &dyn Store,
    files: &Files,
    id: &str,
) -> std::result::Result<(), IdentityMismatch> {
    // A bucket has one name for all machines.
    let Some(Ok(folder)) = files.folder().map(Path::canonicalize) else { return Ok(()) };
    let Some(path) = folder.to_str() else { return Ok(()) };
    match store.found_in(path).await? {
        Some(original) if original != path && has_copy(Path::new(&original), &folder, id) => {
            // The original stays the known one.
            store.found_in(&original).await?;
            Err(IdentityMismatch::Copy { folder: path.to_owned(), original })
        }
        _ => Ok(()),
    }
}

/// Returns whether both folders have a file with this id, and not the same file.
fn has_copy(original: &Path, folder: &Path, id: &str) -> bool {
    // Two mounts of one disk may differ in their device, but not in this. Two disks may have equal file numbers.
    let number = |folder: &Path| {
        let file = std::fs::metadata(folder.join(Files::ID)).ok()?;
        Some((file.ino(), file.created().ok()))
    };
    let has_id = std::fs::read_to_string(original.join(Files::ID)).is_ok_and(|text| text.trim() == id);
    has_id && number(original) != number(folder)
}

//! A database and a folder of files that belong together. Rows name files: on a machine that has another folder, what its
//! worker makes would be missing for the clients of the other machines, and the other way around.

use async_trait::async_trait;

use super::{Result, Store};
use crate::files::{Files, FilesError, random_folder};

/// Which files a database's rows name.
#[async_trait]
pub trait Identity {
    /// The id of the files that the rows name; where it is not known yet, it is `proposed` from now on.
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>>;
}

/// Why a database and a folder don't belong together, or can't be asked.
#[derive(Debug, thiserror::Error)]
pub enum Stranger {
    /// They don't.
    #[error(
        "the database names files of another folder than {folder}. Machines that share a database share its files too: mount the \
         same folder there. If this is the folder, moved or restored, write {id} into {folder}/{}",
        Files::ID
    )]
    OtherFolder {
        /// This machine's folder.
        folder: String,
        /// The id that its files have to have.
        id: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] super::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Makes sure that these files are those that the store's rows name. What has no id yet gets one.
///
/// # Errors
/// They are others, or can't be asked.
pub async fn agree(store: &dyn Store, files: &Files) -> std::result::Result<(), Stranger> {
    let mut here = files.id().await?;
    if here.is_none() && store.files_id(None).await?.is_none() {
        // First the files, then the database: a process that dies in between has said nothing that is wrong.
        here = Some(files.set_id(&random_folder()).await?);
    }
    let there = store.files_id(here.as_deref()).await?;
    match there {
        Some(id) if here.as_ref() != Some(&id) => Err(Stranger::OtherFolder { folder: files.place(), id }),
        _ => Ok(()),
    }
}

//! `backup` and `restore`: copies of the database, the files and the settings.

use std::path::Path;
use std::time::Duration;

use super::{CommandError, Place, out};
use crate::store::{self, Schema};
use crate::time::millis;
use crate::{backup, machine};

/// How long the sweep waits, unless the backup renews this.
const HOLD: Duration = Duration::from_secs(10 * 60);

/// Writes a backup into a new folder; the service may run meanwhile.
pub(super) async fn backup(place: &Place, folder: &Path) -> Result<(), CommandError> {
    let settings = place.settings()?;
    let store = place.open(&settings, Schema::Expect).await?;
    place.files(&store).await?;
    backup::begin(folder)?;
    machine::give_way();
    let left = store.hold_sweep(millis(HOLD)).await?;
    tokio::time::sleep(Duration::from_millis(left.unsigned_abs())).await;
    let held = async {
        loop {
            tokio::time::sleep(HOLD / 2).await;
            if let Err(error) = store.hold_sweep(millis(HOLD)).await {
                return error;
            }
        }
    };
    let write = async {
        let name = store::backup(place.database_url(&settings), &place.data_dir, folder).await?;
        let (data_dir, into) = (place.data_dir.clone(), folder.to_owned());
        let files = blocking(move || backup::finish(&data_dir, &into)).await?;
        Ok::<_, CommandError>((name, files))
    };
    let written = tokio::select! {
        written = write => written,
        error = held => Err(error.into()),
    };
    store.hold_sweep(0).await?;
    let (name, files) = written?;
    out::line(format_args!("{}: {name}, {files} files", folder.display()))
}

/// Restores a backup into an empty database and a data folder without files.
pub(super) async fn restore(place: &Place, folder: &Path) -> Result<(), CommandError> {
    backup::check(folder, &place.data_dir)?;
    place.make_folder()?;
    let settings = place.settings()?;
    let _alone = place.alone(&settings)?;
    store::restore(place.database_url(&settings), &place.data_dir, folder).await?;
    let (from, data_dir) = (folder.to_owned(), place.data_dir.clone());
    let files = blocking(move || backup::restore(&from, &data_dir)).await?;
    out::line(format_args!("restored the database and {files} files; `serve` migrates an older schema"))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, backup::BackupError> + Send + 'static,
) -> Result<T, CommandError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(panic) => Err(CommandError::Io { what: "can't copy files".to_owned(), source: panic.into() }),
    }
}

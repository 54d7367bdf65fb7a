//! Backups of a service whose files are in a bucket: the backup lists the files, and the bucket keeps them.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::references::{MissingFiles, NamedFiles};
use super::{BackupError, Done, Report};
use crate::files::Files;
use crate::private;
use crate::store::transfer;

/// The file of a backup that lists the files in the bucket, after a line with `#` and the bucket's URL.
///
/// rclone reads it by `--files-from`.
pub(super) const LIST: &str = "bucket-files";

/// The number of requests to a bucket in progress.
const AT_ONCE: usize = 16;

/// The list of a backup.
#[derive(Debug, Clone)]
pub struct BucketFiles {
    path: PathBuf,
    /// The URL of the bucket.
    pub url: String,
}

impl BucketFiles {
    /// Lists the files that the rows of a backup's database name.
    ///
    /// # Errors
    /// Fails if the copy of the database can't be read, or the list can't be written.
    pub async fn write(folder: &Path, url: String) -> Result<Self, BackupError> {
        let path = folder.join(LIST);
        let failed = BackupError::write(&path);
        let mut list = BufWriter::new(private::file(&path).map_err(&failed)?);
        let mut written = writeln!(list, "# {url}");
        let mut named = NamedFiles::new(|path| {
            if written.is_ok() {
                written = writeln!(list, "{path}");
            }
        });
        transfer::scan_copy(folder, &NamedFiles::TABLES, &mut |table, row| named.add(table, row)).await?;
        written
            .and_then(|()| list.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all())
            .map_err(failed)?;
        Ok(Self { path, url })
    }

    /// Opens the list of a backup; returns `None` if its files are in its folder.
    ///
    /// # Errors
    /// Fails if the list can't be read.
    pub fn open(folder: &Path) -> Result<Option<Self>, BackupError> {
        let path = folder.join(LIST);
        if !path.is_file() {
            return Ok(None);
        }
        let mut first = String::new();
        let read = File::open(&path).and_then(|file| BufReader::new(file).read_line(&mut first));
        read.map_err(BackupError::read(&path))?;
        let url = first.trim_start_matches('#').trim().to_owned();
        Ok(Some(Self { path, url }))
    }

    /// Returns the files that a bucket lacks.
    ///
    /// # Errors
    /// Fails if the list or the bucket can't be read.
    pub async fn missing(&self, files: &Files, report: Report<'_>) -> Result<MissingFiles, BackupError> {
        self.each(report, async |path: &str| Ok(files.has(path).await?)).await
    }

    /// Copies the files into another part of the bucket, and returns those that are missing.
    ///
    /// # Errors
    /// Fails if the list or the bucket can't be read or written.
    pub async fn copy(&self, to: &Files, report: Report<'_>) -> Result<MissingFiles, BackupError> {
        self.each(report, async |path: &str| Ok(to.copy_from(&self.url, path).await?)).await
    }

    async fn each(
        &self,
        report: Report<'_>,
        is_there: impl AsyncFn(&str) -> Result<bool, BackupError>,
    ) -> Result<MissingFiles, BackupError> {
        let (mut done, mut missing) = (Done::default(), MissingFiles::default());
        let file = File::open(&self.path).map_err(BackupError::read(&self.path))?;
        let lines = BufReader::new(file)
            .lines()
            .filter(|line| !line.as_ref().is_ok_and(|line| line.starts_with('#')));
        let mut checked = stream::iter(lines)
            .map(|line| {
                let is_there = &is_there;
                async move {
                    let path: String = line.map_err(BackupError::read(&self.path))?;
                    Ok::<_, BackupError>((is_there(&path).await?, path))
                }
            })
            .buffer_unordered(AT_ONCE);
        while let Some((is_there, path)) = checked.try_next().await? {
            if !is_there {
                missing.add(path);
            }
            done.files += 1;
            report(done);
        }
        Ok(missing)
    }
}

//! `backup`, `restore` and `resume`: copies of the database, the files and the settings.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use tokio::time::Instant;

use super::{CommandError, Instance, now, output};
use crate::admin::done;
use crate::backup::{self, BackupError, BucketFiles, Done, MissingFiles, NamedFiles};
use crate::files::random_folder;
use crate::machine;
use crate::settings::Settings;
use crate::store::{self, Quiescence, Schema, transfer};
use crate::time::millis;

/// How long the sweep waits, unless the backup renews this.
const HOLD: Duration = Duration::from_secs(10 * 60);

/// The time between a failed renewal and the next one.
const HOLD_RETRY: Duration = Duration::from_secs(5);

/// The time before the end of the hold in which no renewal begins: a renewal may wait that long for the database.
const HOLD_RESERVE: Duration = Duration::from_secs(90);

#[derive(Debug, Args)]
pub(super) struct Restore {
    /// Restore the backup in this folder
    folder: std::path::PathBuf,
    /// Only verify the backup: all files exist and are unchanged, and the copy of the database is intact
    #[arg(long, conflicts_with = "no_quiesce")]
    verify: bool,
    /// The original is gone: run its tasks and deliver its webhooks at once, and keep its addresses in the settings
    #[arg(long)]
    no_quiesce: bool,
}

#[derive(Debug, Args)]
pub(super) struct Resume {
    /// Cancel the tasks that have not ended, first
    #[arg(long)]
    cancel_tasks: bool,
    /// Give up the pending webhook events, first; with --cancel-tasks, also those of the cancelled tasks
    #[arg(long)]
    drop_webhooks: bool,
}

/// Writes a backup into a new folder; the service may run meanwhile.
pub(super) async fn backup(instance: &Instance, folder: &Path) -> Result<(), CommandError> {
    let settings = instance.settings()?;
    let store = instance.open(&settings, Schema::Expect).await?;
    let files = instance.files(&store).await?;
    backup::begin(folder)?;
    machine::lower_priority();
    let left = store.hold_sweep(millis(HOLD)).await?;
    tokio::time::sleep(Duration::from_millis(left.unsigned_abs())).await;
    let write = async {
        let name = store::backup(instance.database_url(&settings), &instance.data_dir, folder).await?;
        if files.is_in_bucket() {
            BucketFiles::write(folder, files.location()).await?;
        }
        let (data_dir, into) = (instance.data_dir.clone(), folder.to_owned());
        let done = blocking(move || backup::finish(&data_dir, &into, &mut progress("copied"))).await?;
        Ok::<_, CommandError>((name, done))
    };
    let written = tokio::select! {
        written = write => written,
        error = until_held_no_longer(async || store.hold_sweep(millis(HOLD)).await.map(drop)) => Err(error.into()),
    };
    let ended = store.hold_sweep(0).await;
    let (name, done) = written?;
    if let Err(error) = ended {
        output::note(format_args!("warning: the clean-up waits for up to ten more minutes: {error}"));
    }
    output::result(format_args!("{}: {name} and all else, {}", folder.display(), shown(&done)), &done)
}

/// Renews the hold of sweeps, and returns why it is about to expire.
///
/// A restart of the database takes a moment, so a failure is not a reason to give up before.
async fn until_held_no_longer<E>(renew: impl AsyncFn() -> Result<(), E>) -> E {
    let (mut renewed, mut next) = (Instant::now(), HOLD / 2);
    loop {
        tokio::time::sleep_until(renewed + next).await;
        let begun = Instant::now();
        match renew().await {
            Ok(()) => (renewed, next) = (begun, HOLD / 2),
            Err(error) if renewed.elapsed() + HOLD_RETRY > HOLD - HOLD_RESERVE => return error,
            Err(_) => next = renewed.elapsed() + HOLD_RETRY,
        }
    }
}

/// Restores a backup into an empty database and a data folder without files.
pub(super) async fn restore(instance: &Instance, arguments: &Restore) -> Result<(), CommandError> {
    let Restore { folder, verify: only_verify, no_quiesce } = arguments;
    if *only_verify {
        return verify(instance, folder).await;
    }
    let settings = instance.settings()?;
    backup::check(folder, &instance.data_dir)?;
    instance.make_folder()?;
    let (url, bucket) = (instance.database_url(&settings), instance.bucket(&settings));
    names_no_other(instance, "database-url", settings.database_url.as_deref(), url)?;
    names_no_other(instance, "files", settings.files.as_deref(), bucket)?;
    let listed = BucketFiles::open(folder)?;
    let location = location(listed.as_ref(), bucket, *no_quiesce)?;
    let files = instance.open_files(&settings)?;
    if location == Location::New && files.id().await?.is_some() {
        let used = files.location();
        return Err(CommandError::Refused(format!("{used} has files of a service; name another prefix")));
    }
    let _lock = instance.lock_embedded(&settings)?;
    store::is_restorable(url, &instance.data_dir, folder).await?;
    let (from, data_dir) = (folder.to_owned(), instance.data_dir.clone());
    let done = blocking(move || backup::restore(&from, &data_dir, &mut progress("restored"))).await?;
    let mut missing = MissingFiles::default();
    if let Some(listed) = &listed {
        missing = listed.copy(&files, &mut progress("copied")).await?;
    }
    store::restore(url, &instance.data_dir, folder).await?;
    backup::write_settings(folder, &instance.data_dir, url, bucket, !no_quiesce)?;
    let quiescence = (!no_quiesce).then(|| Quiescence {
        since: now(),
        reason: format!("restored from the backup {}", folder.display()),
    });
    let store = store::open(url, &instance.data_dir, Schema::Migrate, settings.access()).await?;
    let id = random_folder();
    let id = match location {
        Location::Original => files.replace_id(&id).await.map(|()| id)?,
        Location::New => files.set_id(&id).await?,
    };
    store.detach(&id, quiescence.as_ref()).await?;
    store.close().await;
    let mut named = NamedFiles::new(|path| {
        if listed.is_none() {
            missing.check(&instance.data_dir, &path);
        }
    });
    transfer::scan(url, &instance.data_dir, &NamedFiles::TABLES, &mut |table, row| named.add(table, row))
        .await?;
    let unreadable = named.unreadable;
    let data_dir = instance.data_dir.clone();
    blocking(move || backup::complete(&data_dir)).await?;
    if let Some(problems) = problems(&missing, unreadable) {
        output::note(format_args!("warning: {problems}"));
    }
    output::result(format_args!("restored the database and all else, {}", shown(&done)), &done)?;
    if quiescence.is_some() {
        output::line(
            "quiesced: `serve` runs no tasks and delivers no webhooks until `asset-service resume`; the copied settings \
             name this database, and no address of the original",
        )?;
    }
    Ok(())
}

/// Verifies a backup without restoring it.
async fn verify(instance: &Instance, folder: &Path) -> Result<(), CommandError> {
    machine::lower_priority();
    let from = folder.to_owned();
    let done = blocking(move || backup::verify(&from, &mut progress("verified"))).await?;
    let listed = BucketFiles::open(folder)?;
    let mut missing = MissingFiles::default();
    if let Some(listed) = &listed {
        let files = instance.open_bucket(&listed.url, false)?;
        missing = listed.missing(&files, &mut progress("verified")).await?;
    }
    let mut named = NamedFiles::new(|path| {
        if listed.is_none() {
            missing.check(folder, &path);
        }
    });
    transfer::scan_copy(folder, &NamedFiles::TABLES, &mut |table, row| named.add(table, row)).await?;
    let unreadable = named.unreadable;
    if let Some(problems) = problems(&missing, unreadable) {
        return Err(CommandError::Refused(problems));
    }
    output::result(format_args!("{} is complete and intact: {}", folder.display(), shown(&done)), &done)
}

/// Returns the problems of the files that the rows name.
fn problems(missing: &MissingFiles, unreadable: u64) -> Option<String> {
    let unreadable = (unreadable > 0).then(|| {
        let rows = if unreadable == 1 { "row" } else { "rows" };
        format!("{unreadable} {rows} of the database can't be read, so their files were not checked")
    });
    let lacking = (missing.count > 0).then(|| {
        format!(
            "{} files that rows of the database name are missing (`tasks delete` during a backup is a cause):\n  {}",
            missing.count,
            missing.first.join("\n  ")
        )
    });
    let problems: Vec<String> = unreadable.into_iter().chain(lacking).collect();
    (!problems.is_empty()).then(|| problems.join("\n"))
}

/// Refuses settings that name another database or bucket than the command line, because `serve` would use it.
fn names_no_other(
    instance: &Instance,
    setting: &str,
    set: Option<&str>,
    used: Option<&str>,
) -> Result<(), CommandError> {
    match set {
        Some(other) if Some(other) != used => Err(CommandError::Refused(format!(
            "{} names another `{setting}` than the command line, which may be that of the original; change it there, or \
             remove the file, and the backup's settings are adapted",
            Settings::path(instance.config.as_deref(), &instance.data_dir).display()
        ))),
        _ => Ok(()),
    }
}

/// The location of the files of a restored copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    /// In a folder or a bucket of its own.
    New,
    /// In the bucket of the original, which is gone.
    Original,
}

/// Returns the location of the files of a copy with this bucket.
fn location(
    listed: Option<&BucketFiles>,
    bucket: Option<&str>,
    is_gone: bool,
) -> Result<Location, CommandError> {
    let refused = |why: String| Err(CommandError::Refused(why));
    match (listed, bucket) {
        (None, None) => Ok(Location::New),
        (None, Some(_)) => refused(
            "the backup contains its files; restore it without `files`, copy the folder `files` of the data folder into the \
             bucket, and then set `files`"
                .to_owned(),
        ),
        (Some(listed), None) => refused(format!(
            "the files of the backup are in {}; name another prefix of that bucket by `--files`, or the same one with \
             `--no-quiesce` if the original is gone",
            listed.url
        )),
        (Some(listed), Some(bucket)) if bucket.trim_end_matches('/') != listed.url => Ok(Location::New),
        (Some(_), Some(_)) if is_gone => Ok(Location::Original),
        (Some(listed), Some(_)) => refused(format!(
            "{} belongs to the original; name another prefix by `--files`, or use `--no-quiesce` if the original is gone",
            listed.url
        )),
    }
}

/// Resumes a restored copy: it runs tasks and delivers webhooks again.
pub(super) async fn resume(instance: &Instance, arguments: &Resume) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    let store = &admin.store;
    if store.quiescence().await?.is_none() {
        return Err(CommandError::Refused("the service is not quiesced".to_owned()));
    }
    if arguments.cancel_tasks {
        let cancelled = admin.cancel_all(None).await?;
        output::line(format_args!("cancelled {cancelled} tasks"))?;
    }
    if arguments.drop_webhooks {
        output::line(format_args!("gave up {} webhook events", admin.drop_events().await?))?;
    }
    let resume = async { Ok(store.resume().await?) };
    admin.change("resume service", "all", resume, done).await?;
    output::line("resumed: processes that run begin to work within a second")
}

fn shown(Done { files, bytes }: &Done) -> String {
    format!("{files} files, {} MiB", bytes / (1024 * 1024))
}

/// Returns a function that reports long work from time to time.
fn progress(verb: &'static str) -> impl FnMut(Done) {
    let progress = output::Progress::new();
    move |done| progress.report(|| format!("{verb} {} so far", shown(&done)))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, CommandError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(panic) => Err(CommandError::Io { what: "can't copy files".to_owned(), source: panic.into() }),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_backup_runs_until_its_hold_is_about_to_expire() {
        let (begun, renewed) = (Instant::now(), Cell::new(Duration::ZERO));
        // The database is unavailable for three minutes, and later permanently.
        let away = [600..780, 4000..u64::MAX];
        let why = until_held_no_longer(async || {
            let now = begun.elapsed();
            if away.iter().any(|away| away.contains(&now.as_secs())) {
                return Err("away");
            }
            renewed.set(now);
            Ok(())
        })
        .await;
        let held = begun.elapsed() - renewed.get();
        assert!(why == "away" && renewed.get() > Duration::from_secs(3600), "{:?}", renewed.get());
        assert!((HOLD - HOLD_RESERVE - HOLD_RETRY..=HOLD - HOLD_RESERVE).contains(&held), "{held:?}");
    }
}

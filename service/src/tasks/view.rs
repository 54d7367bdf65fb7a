//! Converts tasks to API responses and webhook payloads.

use std::time::{Duration, UNIX_EPOCH};

use asset_api_models::types::Timestamp;
use asset_api_models::{apps, common};

use crate::engine::context::Progress;
use crate::engine::family;
use crate::engine::work::Assignment;
use crate::files::{FileUrls, media_type};
use crate::store::{Piece, Task, TaskStatus};
use crate::time::Millis;

/// Returns the task as the API shows it.
#[must_use]
pub fn task(task: &Task, urls: &FileUrls) -> common::Task {
    let generated = match task.status {
        TaskStatus::Completed => task.results.iter().map(|piece| text(piece, urls)).collect(),
        _ => Vec::new(),
    };
    let mut view = common::Task::new(task.id, status(task.status), generated);
    view.error = task.error.as_ref().map(|cause| common::TaskError::new(&cause.code, &cause.message));
    view.created_at = timestamp(task.created_at);
    view.updated_at = timestamp(task.updated_at);
    view.engine = (task.status == TaskStatus::Completed).then(|| task.engine.clone());
    view.ignored = ignored(task);
    view.progress = progress(task);
    view
}

/// Returns how far the engine has come, if the task is in progress and its engine tells.
fn progress(task: &Task) -> Option<common::TaskProgress> {
    let stored = task.progress.as_deref().filter(|_| task.status == TaskStatus::InProgress)?;
    let told: Progress = serde_json::from_str(stored).ok()?;
    let stage = (!told.stage.is_empty()).then_some(told.stage);
    let mut progress = common::TaskProgress::default();
    (progress.percent, progress.stage) = (told.percent.map(i64::from), stage);
    Some(progress)
}

/// Returns the fields of the request that the engine does not read, or `None` if there are none.
fn ignored(task: &Task) -> Option<Vec<String>> {
    /// The part of an [`Assignment`] that is read here.
    #[derive(serde::Deserialize)]
    struct Kept {
        #[serde(default)]
        ignored: Vec<String>,
    }
    // Most tasks have no such fields. Their work is not parsed.
    if !task.work.contains(r#""ignored":["#) {
        return None;
    }
    let kept: Kept = serde_json::from_str(&task.work).ok()?;
    (!kept.ignored.is_empty()).then_some(kept.ignored)
}

/// Returns the response to the creation of a task: `CREATED`, whatever its status is now.
#[must_use]
pub fn created(id: uuid::Uuid) -> common::TaskCreatedResponse {
    common::TaskCreatedResponse::new(common::TaskCreated::new(id, common::TaskStatus::Created))
}

/// Returns the body of a webhook about the task: the task without the `data` wrapper.
#[must_use]
pub fn payload(task: &Task, urls: &FileUrls) -> String {
    if task.scope == family::APP_RUNS.path {
        serde_json::to_string(&app_run(task, urls))
    } else {
        serde_json::to_string(&self::task(task, urls))
    }
    .unwrap_or_default()
}

/// Returns the id of a task's run of a workflow app.
#[must_use]
pub fn run_id(task: uuid::Uuid) -> String {
    format!("run_{}", task.simple())
}

/// Returns the id of the task behind the run with this id.
#[must_use]
pub fn task_of_run(run_id: &str) -> Option<uuid::Uuid> {
    let id = run_id.strip_prefix("run_")?;
    let task = uuid::Uuid::try_parse(id).ok()?;
    (self::run_id(task) == run_id).then_some(task)
}

/// Returns the run of a workflow app as the API shows it.
#[must_use]
pub fn app_run(task: &Task, urls: &FileUrls) -> apps::AppRun {
    let status = match task.status {
        TaskStatus::Created => apps::AppRunStatus::Pending,
        TaskStatus::InProgress => apps::AppRunStatus::Running,
        TaskStatus::Completed => apps::AppRunStatus::Completed,
        TaskStatus::Failed => apps::AppRunStatus::Failed,
    };
    let assignment: Option<Assignment> = serde_json::from_str(&task.work).ok();
    let app = assignment.and_then(|assignment| assignment.app).unwrap_or_default();
    let result = match task.status {
        TaskStatus::Completed => Some(run_result(task, urls)),
        _ => None,
    };
    let mut run = apps::AppRun::new(run_id(task.id), status, app, result);
    run.started_at = timestamp(task.created_at);
    run.error_message = task.error.as_ref().map(|cause| cause.message.clone());
    if task.status.is_terminal() {
        run.completed_at = timestamp(task.updated_at);
    }
    run
}

/// Returns the files of a run, grouped by kind.
fn run_result(task: &Task, urls: &FileUrls) -> apps::AppRunResult {
    let mut result = apps::AppRunResult::new(Vec::new(), Vec::new(), Vec::new());
    for (place, piece) in task.results.iter().enumerate() {
        let Piece::File(key) = piece else { continue };
        let mut output = apps::AppRunOutput::new(format!("out_{}", place + 1), urls.of(key));
        output.created_at = timestamp(task.updated_at);
        match media_type(key).split_once('/') {
            Some(("audio", _)) => result.audios.push(output),
            Some(("video", _)) => result.videos.push(output),
            _ => result.images.push(output),
        }
    }
    result
}

fn text(piece: &Piece, urls: &FileUrls) -> String {
    match piece {
        Piece::File(key) => urls.of(key),
        Piece::Text(text) => text.clone(),
    }
}

/// Converts a status to the API's enum.
#[must_use]
pub const fn status(status: TaskStatus) -> common::TaskStatus {
    match status {
        TaskStatus::Created => common::TaskStatus::Created,
        TaskStatus::InProgress => common::TaskStatus::InProgress,
        TaskStatus::Completed => common::TaskStatus::Completed,
        TaskStatus::Failed => common::TaskStatus::Failed,
    }
}

/// Converts a time to the API's timestamp; `None` if it is out of range.
#[must_use]
pub fn timestamp(at: Millis) -> Option<Timestamp> {
    let since_epoch = Duration::from_millis(u64::try_from(at).ok()?);
    Timestamp::from_system_time(UNIX_EPOCH.checked_add(since_epoch)?)
}

//! An icon of a finished task, in another format: made once, and kept beside the task's results.

use asset_engines::icon::{IconFormat, IconParameters};
use asset_engines::{Failure, Job, Output};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::family;
use super::registry::Registry;
use super::work::{Assignment, Work};
use crate::files::{Area, Files, FilesError};
use crate::store::Task;

/// Icons that are made at a time: they answer requests, so they wait for no task, and must not take all processors either.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Why there is no icon.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(#[from] Failure),
    /// The task is none that made an icon, or its engine is no longer configured.
    #[error("the task's icon can't be made again")]
    NotAnIcon,
}

/// The key of the task's icon in this format.
///
/// # Errors
/// Why there is none.
pub async fn icon(
    files: &Files,
    registry: &Registry,
    task: &Task,
    format: IconFormat,
) -> Result<String, RenderError> {
    let extension = match format {
        IconFormat::Png => "png",
        IconFormat::Svg => "svg",
    };
    let key = format!("{}/render.{extension}", task.folder);
    if files.size(Area::Results, &key).await?.is_some() {
        return Ok(key);
    }
    let assignment: Assignment = serde_json::from_str(&task.work).map_err(|_| RenderError::NotAnIcon)?;
    let seed = assignment.seed;
    let Some(Work::Icon(parameters)) = assignment.steps.into_iter().next().map(|step| step.work) else {
        return Err(RenderError::NotAnIcon);
    };
    let work = Work::Icon(IconParameters { format, preview: false, ..parameters });
    let engine = registry.engine(&family::TEXT_TO_ICON, &work).ok_or(RenderError::NotAnIcon)?;
    // It is never closed.
    let _turn = AT_ONCE.acquire().await;
    let run = tokio::task::spawn_blocking(move || engine.run(&work, Vec::new(), &Job::with_seed(seed)));
    let outputs = run.await.map_err(|panic| Failure::Internal(panic.to_string()))??;
    let Some(Output::File(file)) = outputs.into_iter().next() else { return Err(RenderError::NotAnIcon) };
    files.put(Area::Results, &key, Bytes::from(file.bytes)).await?;
    Ok(key)
}

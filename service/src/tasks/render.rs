//! Renders the icon of a finished task in another format.
//!
//! It renders each format once and stores it with the task's results.

use asset_engines::icon::{IconFormat, IconParameters};
use asset_engines::{Failure, Job, Output};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::family;
use super::registry::Registry;
use super::work::{Assignment, Work};
use crate::files::{Area, Files, FilesError};
use crate::store::Task;

/// Limits concurrent renderings.
///
/// They run during requests, so they don't queue behind tasks, but they must not occupy every processor.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Why an icon could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(#[from] Failure),
    /// The task made no icon, or its engine is no longer configured.
    #[error("can't render the task's icon: the task made no icon, or its engine is no longer configured")]
    NotAnIcon,
}

/// Returns the key of the task's icon in this format, and renders it if missing.
///
/// # Errors
/// Returns why there is no icon.
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
    // The semaphore is never closed.
    let _turn = AT_ONCE.acquire().await;
    let run = tokio::task::spawn_blocking(move || engine.run(&work, Vec::new(), &Job::with_seed(seed)));
    let outputs = run.await.map_err(|panic| Failure::Internal(panic.to_string()))??;
    let Some(Output::File(file)) = outputs.into_iter().next() else { return Err(RenderError::NotAnIcon) };
    files.put(Area::Results, &key, Bytes::from(file.bytes)).await?;
    Ok(key)
}

//! Renders the icon of a finished task in another format.
//!
//! It renders each format once and stores it with the task's results.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use asset_engines::icon::{IconFormat, IconParameters};
use asset_engines::picture;
use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::domain::{Piece, Task};
use crate::engine::call::Calls;
use crate::engine::context::Context;
use crate::engine::family;
use crate::engine::registry::Registry;
use crate::engine::work::{Assignment, BUILT_IN, Instructions, Work};
use crate::engine::{Failure, Output};
use crate::files::{Area, Files, FilesError, media_type};
use crate::store::Store;

/// The time limit of a rendering, which takes milliseconds.
const DEADLINE: Duration = Duration::from_secs(60);

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
    /// The store failed.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(#[from] Failure),
    /// The task made no icon, or its engine is no longer configured.
    #[error("can't render the task's icon: the task made no icon, or its engine is no longer configured")]
    NotAnIcon,
    /// An attached engine has made a picture, which has no vectors.
    #[error("an attached engine has made a picture, which has no vectors")]
    NoVectors,
}

/// Returns the key of the task's icon in this format, and renders it if missing.
///
/// # Errors
/// Returns why there is no icon.
pub async fn icon(
    store: &dyn Store,
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
    if !BUILT_IN.iter().any(|name| task.engine.split('/').next() == Some(name)) {
        return drawn(files, task, format, key).await;
    }
    let work = store.work(task.id).await?.ok_or(RenderError::NotAnIcon)?;
    let assignment: Assignment = serde_json::from_str(&work).map_err(|_| RenderError::NotAnIcon)?;
    let seed = assignment.seed;
    let step = assignment.steps.into_iter().next().ok_or(RenderError::NotAnIcon)?;
    let Instructions::BuiltIn(Work::Icon(parameters)) = step.instructions else {
        return Err(RenderError::NotAnIcon);
    };
    let work = Work::Icon(IconParameters { format, preview: false, ..parameters });
    let instructions = Instructions::BuiltIn(work);
    let request = instructions.request(&family::TEXT_TO_ICON);
    let engine = registry.engine(request).ok_or(RenderError::NotAnIcon)?;
    // The semaphore is never closed.
    let turn = AT_ONCE.acquire().await.map_err(|_| RenderError::NotAnIcon)?;
    let calls = Calls::unrecorded("");
    let context = Context::new(seed, Instant::now() + DEADLINE, calls, Arc::new(turn));
    let outputs = engine.run(request, Vec::new(), &context).await?;
    let Some(Output::File(file)) = outputs.into_iter().next() else { return Err(RenderError::NotAnIcon) };
    files.put(Area::Results, &key, Bytes::from(file.bytes)).await?;
    Ok(key)
}

/// Returns the key of the picture that an attached engine has made, as PNG; stores it under `key` unless it is one.
///
/// No other engine could draw this icon again.
async fn drawn(files: &Files, task: &Task, format: IconFormat, key: String) -> Result<String, RenderError> {
    let Some(result) = task.results.first().and_then(Piece::file) else { return Err(RenderError::NotAnIcon) };
    match (format, media_type(result)) {
        (IconFormat::Png, "image/png") => return Ok(result.to_owned()),
        (IconFormat::Png, _) => {}
        (IconFormat::Svg, _) => return Err(RenderError::NoVectors),
    }
    let bytes = files.read(Area::Results, result).await?.ok_or(RenderError::NotAnIcon)?;
    let png = tokio::task::spawn_blocking(move || {
        let mut png = Cursor::new(Vec::new());
        let picture = picture::decode_result(Cursor::new(bytes)).map_err(|error| error.to_string())?;
        picture.write_to(&mut png, image::ImageFormat::Png).map_err(|error| error.to_string())?;
        Ok::<_, String>(png.into_inner())
    });
    let png = png.await.map_err(|error| Failure::Internal(error.to_string()))?;
    let png = png.map_err(|error| Failure::Internal(format!("can't read the icon: {error}")))?;
    files.put(Area::Results, &key, Bytes::from(png)).await?;
    Ok(key)
}

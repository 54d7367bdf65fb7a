//! The uploads and downloads that docs/use-the-client.md shows. The tests of the service compile and run them.

// BEGIN docs/use-the-client.md
use std::path::Path;

use asset_api_client::{
    Client,
    models::{image_upscaler_precision::PrecisionImageUpscaleRequest, types::File},
    runtime::{BoxError, Downloaded, Progress},
};

/// Enlarges a picture of this machine, and saves the result beside it.
pub async fn enlarge(client: &Client, picture: &Path) -> Result<Downloaded, BoxError> {
    // The field takes a file, bytes, or a URL as text.
    let request = PrecisionImageUpscaleRequest::new(File::read(picture).await?);
    let task = client.create_precision_image_upscale(request).wait().await?;
    let url = task.data.generated.first().ok_or("the task has no result")?;
    save(client, url, &picture.with_extension("large.png")).await
}

/// Saves a file of at most 100 MB, and prints the progress.
pub async fn save(client: &Client, url: &str, target: &Path) -> Result<Downloaded, BoxError> {
    let print = |now: Progress| println!("{} of {:?} bytes", now.received, now.total);
    Ok(client.runtime().fetch(url).download(target).limit(100_000_000).on_progress(print).await?)
}
// END docs/use-the-client.md

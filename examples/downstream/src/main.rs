//! Turns a text into speech, and saves it as `tour.wav`.

use std::{env, path::Path, process::ExitCode};

use asset_api_client::runtime::BoxError;
use downstream_example::narrate;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), BoxError> {
    let url = env::var("ASSET_API_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".to_owned());
    let key = env::var("ASSET_API_KEY").map_err(|_| "set ASSET_API_KEY to a key of the API")?;
    let secret =
        env::var("ASSET_API_SECRET").map_err(|_| "set ASSET_API_SECRET to the secret of its webhooks")?;
    narrate(&url, &key, &secret, Path::new("tour.wav")).await
}

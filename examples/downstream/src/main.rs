//! Has a text spoken and prints the URL of the sound.

use std::{env, error::Error, process::ExitCode, time::Duration};

use asset_api_client::Client;
use downstream_example::narrate;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(url) => {
            println!("{url}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<String, Box<dyn Error>> {
    let text = env::args().nth(1).ok_or("give the text to speak as the argument")?;
    let key = env::var("ASSET_API_KEY").map_err(|_| "set ASSET_API_KEY to a key of the API")?;
    let mut builder = Client::builder().api_key(key);
    if let Ok(url) = env::var("ASSET_API_URL") {
        builder = builder.base_url(url);
    }
    Ok(narrate(&builder.build()?, &text, Duration::from_secs(1)).await?)
}

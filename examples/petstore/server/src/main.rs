//! Serves the petstore: `cargo run -p petstore-example-server -- [ADDRESS]`.

use std::{env, error::Error, process::ExitCode};

use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let key = env::var("PETSTORE_KEY").unwrap_or_else(|_| "demo-key".to_owned());
    let app = petstore_example_server::app(key)?;
    let listener =
        TcpListener::bind(&address).await.map_err(|error| format!("can't listen on `{address}`: {error}"))?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

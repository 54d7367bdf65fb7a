//! Sends instances to the servers that openapi-to-rust generates, one for each group.
//!
//! `tests/suite` copies this file into the target folder, next to the generated `groups.rs`, and compiles it there.
//!
//! Each line of standard input is the path of an operation, a tab, and a JSON text. For each line, the program prints the
//! status of the response, and whether the instance was accepted.

mod groups;

use std::{
    error::Error,
    io::{self, Read, Write},
};

use axum::{body::Body, http::Request};
use tower::ServiceExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let router = groups::router();
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut output = String::new();
    for line in input.lines() {
        let (path, instance) = line.split_once('\t').ok_or("a line has no tab")?;
        let request = Request::post(path)
            .header("content-type", "application/json")
            .body(Body::from(instance.to_owned()))?;
        let status = router.clone().oneshot(request).await?.status();
        output.push_str(&format!("{} {}\n", status.as_u16(), status.is_success()));
    }
    io::stdout().write_all(output.as_bytes())?;
    Ok(())
}

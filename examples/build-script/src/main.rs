//! Counts the pets of a page on standard input.

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let summary = io::read_to_string(io::stdin())
        .map_err(|error| format!("can't read standard input: {error}"))
        .and_then(|page| {
            build_script_example::summary(&page).map_err(|error| format!("not a page of pets: {error}"))
        });
    match summary {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

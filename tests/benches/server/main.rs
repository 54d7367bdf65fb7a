//! The cost of the generated server, compared with the same work written by hand.
//!
//! `cargo xtask bench server [-- decode | routing | loopback]` prints one table. It exits with 1 if a target
//! is missed, and with 2 if there is nothing to measure.
//!
//! **Why a separate harness:** criterion and divan finish one benchmark before they start the next. On a busy
//! machine, two such measurements differ by more than the differences that matter here. In this harness, the
//! contestants of a row take turns within short rounds, so that disturbances affect all of them. The row's
//! ratio is the median over all rounds (see [`rounds`]). Absolute times are printed only for orientation.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first failure"
)]

mod by_hand;
mod decode;
mod http_client;
mod loopback;
mod resources;
mod rounds;
mod routing;
mod text_to_video;
mod voiceover;

use std::process::ExitCode;

use rounds::Row;

fn main() -> ExitCode {
    // Arguments that cargo adds start with `--`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|it| part.contains(it.as_str()));

    rounds::print_head();
    let mut rows = Vec::new();
    for (part, measure) in [
        ("decode", decode::measure as fn(&mut dyn FnMut(Row))),
        ("routing", routing::measure),
        ("loopback", loopback::measure),
    ] {
        if is_wanted(part) {
            measure(&mut |row| {
                row.print();
                rows.push(row);
            });
        }
    }
    if rows.is_empty() {
        eprintln!("error: unknown part; known parts: decode, routing, loopback");
        return ExitCode::from(2);
    }
    let missed = rows.iter().filter(|row| !row.is_met()).count();
    println!("\n{} of {} targets met", rows.len() - missed, rows.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

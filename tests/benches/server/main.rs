//! What the generated server costs, each measurement beside its floor: the same thing written by hand.
//!
//! `cargo xtask bench server [-- decode | routing | loopback]` prints one table. It exits with 1 where a target is missed, with 2
//! where there is nothing to measure.
//!
//! **Why an own harness.** criterion and divan measure one benchmark to its end and then the next. On a machine that
//! is busy with other work, two such measurements differ by more than what is looked for here. So the contestants of a
//! row take turns within short rounds, what disturbs one disturbs the others, and the row's ratio is the median
//! over all rounds (see [`rounds`]). Absolute times are printed for orientation only.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark that can't go on stops"
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
    // What cargo adds itself begins with `--`.
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
        eprintln!("There is no such part; there are decode, routing and loopback.");
        return ExitCode::from(2);
    }
    let missed = rows.iter().filter(|row| !row.is_met()).count();
    println!("\n{} of {} targets met", rows.len() - missed, rows.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

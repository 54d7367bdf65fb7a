//! The cost of the generated server, compared with the same work written by hand.
//!
//! `cargo xtask bench server` prints one table. It exits with 1 if a target is missed. Arguments select the rows
//! whose names contain one of them: `-- decode`, `-- "page alone"`. It exits with 2 if there is no such row.
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

use rounds::Table;

fn main() -> ExitCode {
    // Arguments that cargo adds start with `--`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut table = Table::new(wanted);
    decode::measure(&mut table);
    routing::measure(&mut table);
    loopback::measure(&mut table);
    let (rows, missed) = table.totals();
    if rows == 0 {
        eprintln!("error: no row has such a name; names begin with decode, routing or loopback");
        return ExitCode::from(2);
    }
    println!("\n{} of {} targets met", rows - missed, rows);
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! `cargo xtask bench generate`, `codec` and `rival`: compares the generator and its output with others.

mod check;
mod codec;
mod cut;
mod generate;
mod programs;
mod rival;
mod spent;
mod table;

use anyhow::Result;

use crate::Outcome;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(clap::Subcommand)]
enum Subject {
    /// Measure the release build of the generator: time, memory and lines per document, against other
    /// generators too, and the compilation of the generated code
    #[command(after_help = generate::EXAMPLES)]
    Generate(generate::Arguments),
    /// Measure the compilation of generated models against the same types with serde's derives
    #[command(after_help = codec::EXAMPLES)]
    Codec(codec::Arguments),
    /// Compare the processor time of our generated server with that of openapi-to-rust's
    ///
    /// Both are generated from this project's spec and get the same requests, valid and invalid, without sockets. Installs
    /// openapi-to-rust in target/rivals, which takes minutes in the first run. Exits with 1 if a target is missed.
    Rival,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.subject {
        Subject::Generate(arguments) => generate::run(arguments),
        Subject::Codec(arguments) => codec::run(arguments),
        Subject::Rival => rival::run(),
    }
}

//! `cargo xtask bench generate` and `codec`: compares the generator and its output with others.

mod check;
mod codec;
mod cut;
mod generate;
mod programs;
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
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.subject {
        Subject::Generate(arguments) => generate::run(arguments),
        Subject::Codec(arguments) => codec::run(arguments),
    }
}

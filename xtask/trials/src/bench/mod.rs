//! `cargo xtask bench generate`: the generator beside others.

mod check;
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
    /// The generator's release build: time, memory and lines per document, beside other generators, and what it takes to
    /// compile what they wrote
    #[command(after_help = generate::EXAMPLES)]
    Generate(generate::Arguments),
}

pub fn run(Arguments { subject: Subject::Generate(arguments) }: &Arguments) -> Result<Outcome> {
    generate::run(arguments)
}

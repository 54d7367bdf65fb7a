//! The report: what served each operation, and whether it is real.

use std::collections::BTreeMap;

use asset_service::engine::family::{APP_RUNS, Family};

/// The implementation behind an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A model or a program that does the work.
    Real,
    /// A simulated provider.
    Simulated,
    /// A built-in engine, without a model.
    BuiltIn,
    /// Steps of several kinds.
    Mixed,
    /// The operation needs no engine.
    None,
}

impl Source {
    const ALL: [Self; 5] = [Self::Real, Self::Simulated, Self::BuiltIn, Self::Mixed, Self::None];

    fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Simulated => "simulated",
            Self::BuiltIn => "built-in",
            Self::Mixed => "real and simulated",
            Self::None => "no engine",
        }
    }
}

/// An operation, and what served it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub operation: String,
    /// The family; empty if the operation needs no engine.
    pub family: &'static str,
    /// The engine as the task shows it.
    pub engine: String,
    pub kind: String,
    pub source: Source,
}

impl Row {
    fn cell(&self) -> String {
        match self.source {
            Source::None => self.source.name().to_owned(),
            source => format!("{}: `{}` ({})", source.name(), self.engine, self.kind),
        }
    }

    /// Returns the built-in engine of the family.
    fn built_in(&self) -> &'static str {
        match Family::named(self.family) {
            None => "",
            Some(family) if family.name == APP_RUNS.name => "those of the steps",
            Some(family) => family.engine.unwrap_or("**none**"),
        }
    }
}

/// The real engines of `cargo xtask engines-e2e`, by family, with their kinds.
const REAL: [(&str, &str, &str); 7] = [
    ("improve-prompt", "llama/smollm2", "openai"),
    ("voiceover", "piper", "command"),
    ("image-upscaler-precision", "real-esrgan", "command"),
    ("image-upscaler-precision-v2", "real-esrgan", "command"),
    ("video-upscaler", "ffmpeg", "command"),
    ("video-upscaler-precision", "ffmpeg", "command"),
    ("app-runs", "piper + fal/fal-ai/elevenlabs/sound-effects/v2", "steps"),
];

/// Returns the row as `cargo xtask engines-e2e` sees it.
fn with_models(row: &Row) -> Row {
    let Some((_, engine, kind)) = REAL.iter().find(|(family, ..)| *family == row.family) else {
        return row.clone();
    };
    let source = if engine.contains(" + ") { Source::Mixed } else { Source::Real };
    Row { engine: (*engine).to_owned(), kind: (*kind).to_owned(), source, ..row.clone() }
}

/// The page of the book.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/engines-by-operation.md");

const HEAD: &str = "\
# Engines by operation

A test calls all operations of the API in one instance, whose settings attach an engine to every family. It waits for each task, checks its
results and its webhook, and compares the engine that the task shows with this page. Two runs do that:

- Every CI run attaches simulated providers: servers that return small files, see [tests/providers](../tests/providers). They show that a
  request reaches an engine and its result comes back. They do not show the quality of a model's results.
- `cargo xtask engines-e2e` attaches real engines in place of the simulated ones where a model or a program can be installed from a
  package registry: see [service/tests/engines](../service/tests/engines/README.md).

";

/// Returns the page for the rows of a run without models.
fn page(rows: &[Row]) -> String {
    let real: Vec<Row> = rows.iter().map(with_models).collect();
    let mut page = format!("{HEAD}| operations | CI | engines-e2e |\n|---|---|---|\n");
    let (counts, real_counts) = (counts_of(rows), counts_of(&real));
    for source in Source::ALL {
        let count = |counts: &BTreeMap<Source, usize>| counts.get(&source).copied().unwrap_or_default();
        page += &format!("| {} | {} | {} |\n", source.name(), count(&counts), count(&real_counts));
    }
    page += &format!("| all | {0} | {0} |\n\n{1}\n\n", rows.len(), wrapped(&without_models(&real)));
    page += &format!("{}\n\n", wrapped(&without_settings(rows)));
    page += "| operation | family | built-in engine | CI | engines-e2e |\n|---|---|---|---|---|\n";
    for (row, real) in rows.iter().zip(&real) {
        let real = if row == real { "the same".to_owned() } else { real.cell() };
        let (operation, family, built_in) = (&row.operation, row.family, row.built_in());
        page += &format!("| {operation} | {family} | {built_in} | {} | {real} |\n", row.cell());
    }
    page
}

/// Returns a sentence about an instance to which no engine is attached.
fn without_settings(rows: &[Row]) -> String {
    let (none, all) = (rows.iter().filter(|row| row.built_in() == "**none**").count(), rows.len());
    format!(
        "Without settings, the built-in engines serve their families, and {none} of the {all} operations need an attached engine: \
         their creations get 503, and their lists are empty."
    )
}

/// Breaks a text into lines as long as those of the other pages.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word.to_owned(),
            Some(line) if line.len() + word.len() < 140 => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

fn counts_of(rows: &[Row]) -> BTreeMap<Source, usize> {
    let mut counts = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.source).or_default() += 1);
    counts
}

/// Returns a sentence with the families that no real engine serves.
fn without_models(rows: &[Row]) -> String {
    let mut families: Vec<&str> =
        rows.iter().filter(|row| row.source == Source::Simulated).map(|row| row.family).collect();
    families.sort_unstable();
    families.dedup();
    format!("`engines-e2e` has no real engine for these families: {}.", families.join(", "))
}

/// Checks that the page says what a run without models has seen, or writes it for `cargo xtask pages`.
pub fn check_page(rows: &[Row]) {
    let (expected, shown) = (page(rows), std::fs::read_to_string(PAGE).unwrap_or_default());
    if std::env::var_os("ACCEPT_PAGES").is_some() {
        std::fs::write(PAGE, expected).unwrap();
    } else if expected != shown {
        let differing = expected.lines().find(|line| !shown.contains(line)).unwrap_or("a line too many");
        panic!("docs/engines-by-operation.md differs, first in: {differing}\nto write it: cargo xtask pages");
    }
}

/// Checks that the page says what a run with models has seen.
pub fn check_models(rows: &[Row]) {
    let page = std::fs::read_to_string(PAGE).unwrap();
    for row in rows {
        let line = page.lines().find(|line| line.starts_with(&format!("| {} |", row.operation))).unwrap();
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let shown = if cells[3] == "the same" { cells[2] } else { cells[3] };
        assert_eq!(shown, row.cell(), "{}", row.operation);
    }
}

/// Prints what real engines have served, and what they have not.
pub fn print(rows: &[Row]) {
    for row in rows {
        println!("{:<36}{:<30}{}", row.operation, row.family, row.cell());
    }
    let counts = counts_of(rows);
    let counts: Vec<String> =
        counts.iter().map(|(source, count)| format!("{} {count}", source.name())).collect();
    println!("operations: {} of {}", counts.join(", "), rows.len());
    println!("{}", without_models(rows));
}

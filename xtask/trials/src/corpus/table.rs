//! The table of results.

use std::{collections::BTreeMap, time::Duration};

use super::{
    document::{Failure, Report},
    find::Source,
};

/// A document and its results.
pub struct Row {
    /// The document.
    pub source: Source,
    /// The result of generation.
    pub generated: Result<Report, Failure>,
    /// The result of compilation, if it was requested and the document was generated.
    pub checked: Option<Checked>,
    /// The result of the round trip, if it was requested and the crates compiled.
    pub round_trip: Option<RoundTrip>,
}

/// The result of compiling the crates of a document.
#[derive(Debug, Default, Clone)]
pub struct Checked {
    /// The first errors. Empty if the crates compiled.
    pub errors: Vec<String>,
    /// The first warnings.
    pub warnings: Vec<String>,
    /// The number of warnings.
    pub warning_count: usize,
    /// The time in seconds, if no other document was compiled at the same time.
    pub seconds: Option<f64>,
}

/// The result of the round trip of a document's examples.
#[derive(Debug)]
pub struct RoundTrip {
    /// The number of examples.
    pub count: usize,
    /// The examples that changed, and how.
    pub wrong: Vec<String>,
}

impl Row {
    pub fn new(source: Source, generated: Result<Report, Failure>) -> Self {
        Self { source, generated, checked: None, round_trip: None }
    }

    pub fn has_failed(&self) -> bool {
        self.reasons().next().is_some()
    }

    /// Returns the reasons why the document failed.
    fn reasons(&self) -> impl Iterator<Item = String> {
        let failure = self.generated.as_ref().err().map(|failure| failure.reason.clone());
        let checked = self.checked.iter();
        let problems = checked.flat_map(|checked| {
            let errors = checked.errors.iter().map(|error| format!("error: {error}"));
            errors.chain(checked.warnings.iter().map(|warning| format!("warning: {warning}")))
        });
        let round_trip = self.round_trip.iter().flat_map(|round_trip| round_trip.wrong.iter());
        failure.into_iter().chain(problems).chain(round_trip.map(|text| format!("example: {text}")))
    }

    fn cells(&self) -> [String; COLUMNS] {
        let (generated, warnings, seconds, memory, lines) = match &self.generated {
            Ok(report) => {
                let warnings: usize = report.warnings.values().sum();
                ("yes", warnings.to_string(), report.seconds, report.memory, report.lines.to_string())
            }
            Err(failure) => ("NO", String::new(), failure.seconds, failure.memory, String::new()),
        };
        let (compiled, rustc) = match &self.checked {
            Some(checked) => {
                let compiled = if checked.errors.is_empty() { "yes" } else { "NO" };
                let time = checked.seconds.map_or(String::new(), |seconds| format!(" {seconds:.0} s"));
                (format!("{compiled}{time}"), checked.warning_count.to_string())
            }
            None => (String::new(), String::new()),
        };
        [
            self.source.name.clone(),
            generated.to_owned(),
            warnings,
            compiled,
            rustc,
            self.round_trip.as_ref().map_or(String::new(), |round_trip| {
                format!("{}/{}", round_trip.count.saturating_sub(round_trip.wrong.len()), round_trip.count)
            }),
            format!("{seconds:.3} s"),
            format!("{} MB", memory.div_ceil(1024)),
            lines,
        ]
    }
}

const COLUMNS: usize = 9;

/// The maximum number of reasons printed for a document.
const MAX_REASONS: usize = 12;

const HEADS: [&str; COLUMNS] = [
    "document",
    "generated",
    "warnings",
    "compiled",
    "rustc warnings",
    "examples",
    "time",
    "peak memory",
    "lines",
];

/// Prints the table, the reasons of all failures, and the totals.
pub fn print(rows: &[Row], checked: bool, failures: bool, elapsed: Duration) {
    let shown: Vec<&Row> = rows.iter().filter(|row| !failures || row.has_failed()).collect();
    let heads = HEADS.map(str::to_owned);
    let cells: Vec<[String; COLUMNS]> =
        std::iter::once(heads).chain(shown.iter().map(|row| row.cells())).collect();
    let mut widths = [0; COLUMNS];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in &cells {
        let line: Vec<String> = row
            .iter()
            .zip(widths)
            .enumerate()
            // Names are left-aligned, numbers are right-aligned.
            .map(|(index, (cell, width))| match index {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        println!("{}", line.join("  ").trim_end());
    }
    for row in rows.iter().filter(|row| row.has_failed()) {
        println!("\n{}:", row.source.name);
        row.reasons().take(MAX_REASONS).for_each(|reason| println!("  {reason}"));
        let others = row.reasons().count().saturating_sub(MAX_REASONS);
        if others > 0 {
            println!("  and {others} more");
        }
    }
    println!("\n{}", totals(rows, checked, elapsed));
}

fn totals(rows: &[Row], checked: bool, elapsed: Duration) -> String {
    let reports: Vec<&Report> = rows.iter().filter_map(|row| row.generated.as_ref().ok()).collect();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for (code, count) in reports.iter().flat_map(|report| &report.warnings) {
        *codes.entry(code).or_default() += count;
    }
    let warnings: usize = codes.values().sum();
    let lines: usize = reports.iter().map(|report| report.lines).sum();
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let memory = reports.iter().map(|report| report.memory).max().unwrap_or_default();
    let mut text = format!("total: {} of {} generated", reports.len(), rows.len());
    if checked {
        let checked: Vec<&Checked> = rows.iter().filter_map(|row| row.checked.as_ref()).collect();
        let compiled = checked.iter().filter(|checked| checked.errors.is_empty()).count();
        let warnings: usize = checked.iter().map(|checked| checked.warning_count).sum();
        text += &format!(", {compiled} compiled, {warnings} rustc warnings");
    }
    let round_trip: Vec<&RoundTrip> = rows.iter().filter_map(|row| row.round_trip.as_ref()).collect();
    if !round_trip.is_empty() {
        let count: usize = round_trip.iter().map(|round_trip| round_trip.count).sum();
        let wrong: usize = round_trip.iter().map(|round_trip| round_trip.wrong.len()).sum();
        text += &format!(", {} of {count} examples unchanged", count.saturating_sub(wrong));
    }
    text += &format!(
        "; {lines} lines generated in {seconds:.1} s, peak memory {} MB; {warnings} warnings; {:.0} s in total",
        memory.div_ceil(1024),
        elapsed.as_secs_f64()
    );
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
    if codes.is_empty() { text } else { format!("{text}\nwarnings: {}", codes.join(", ")) }
}

//! Steps in the background of the tests: another `cargo xtask ci`, whose output is shown when it has ended.
//!
//! The tests of the service wait for servers and timers, so they leave a third of two processors to others.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{End, Row, steps::Step, tally::Tally};
use crate::{Outcome, background::Background, project};

/// The longest time that the steps may take.
const LIMIT: Duration = Duration::from_secs(7200);

/// Steps in the background.
pub struct Others {
    process: Background,
    output: PathBuf,
    report: PathBuf,
}

impl Others {
    /// Starts these steps, for the changes since a revision.
    pub fn start(steps: &[&Step], changed: Option<&str>) -> Result<Self> {
        let folder = project::root()?.join("target/ci");
        fs::create_dir_all(&folder)?;
        let [output, report] = ["output.txt", "report.json"].map(|name| folder.join(name));
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        eprintln!("\nin the background: {}; output in {}", names.join(", "), output.display());
        // The rows of an earlier run must not count.
        fs::write(&report, "")?;
        let file = fs::File::create(&output)?;
        let mut command = Command::new(env::current_exe().context("the path of xtask is unknown")?);
        command.args(["ci", "--only", &names.join(","), "--report"]).arg(&report);
        command.args(changed.iter().flat_map(|revision| ["--changed", revision]));
        command.stderr(file.try_clone()?).stdout(file);
        Ok(Self { process: Background::start("the steps in the background", &mut command)?, output, report })
    }

    /// Waits for the steps, shows their output, and returns their rows.
    pub fn end(self, steps: &[&'static Step], tally: &mut Tally) -> Result<Vec<Row>> {
        let status = self.process.wait(LIMIT);
        println!("{}", fs::read_to_string(&self.output)?);
        status?;
        let report = serde_json::from_str(&fs::read_to_string(&self.report)?);
        let report: Value = report.context("the steps in the background ended without a report")?;
        tally.merge(part(&report, "tests"));
        let rows = part(&report, "steps");
        Ok(steps.iter().map(|step| row(step, part(rows, step.name))).collect())
    }
}

/// Writes the report of a run in the background.
pub fn write(file: &Path, table: &[Row], tally: &Tally) -> Result<()> {
    let steps: serde_json::Map<String, Value> = table
        .iter()
        .map(|row| {
            let end = match row.end {
                End::Ran(Outcome::Done) => "done",
                End::Ran(Outcome::Skipped) => "skipped",
                End::Ran(Outcome::Failed) | End::Blocked(_) => "failed",
            };
            let [time, processor] = [row.time, row.processor].map(|time| time.as_secs_f64());
            (row.name.to_owned(), json!({"end": end, "time": time, "processor": processor}))
        })
        .collect();
    fs::write(file, json!({"steps": steps, "tests": tally.report()}).to_string())
        .with_context(|| format!("{} can't be written", file.display()))
}

/// Returns a part of the report, `null` if it is missing.
fn part<'a>(report: &'a Value, name: &str) -> &'a Value {
    report.get(name).unwrap_or(&Value::Null)
}

/// Returns the row of a step. A step without a result has failed.
fn row(step: &'static Step, report: &Value) -> Row {
    let outcome = match part(report, "end").as_str() {
        Some("done") => Outcome::Done,
        Some("skipped") => Outcome::Skipped,
        _ => Outcome::Failed,
    };
    let [time, processor] = ["time", "processor"]
        .map(|name| Duration::from_secs_f64(part(report, name).as_f64().unwrap_or_default()));
    Row { name: step.name, end: End::Ran(outcome), time, processor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::steps::STEPS;

    #[test]
    fn a_report_has_the_rows_and_the_tests() {
        let [time, processor] = [1, 2].map(Duration::from_secs);
        let ends = [
            End::Ran(Outcome::Done),
            End::Ran(Outcome::Skipped),
            End::Ran(Outcome::Failed),
            End::Blocked("build"),
        ];
        let steps: Vec<&Step> = STEPS.iter().take(5).collect();
        let table: Vec<Row> =
            steps.iter().zip(ends).map(|(step, end)| Row { name: step.name, end, time, processor }).collect();
        let mut tally = Tally::default();
        tally.add(
            "test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1s",
        );
        let file = env::temp_dir().join(format!("xtask-report-{}.json", std::process::id()));
        write(&file, &table, &tally).unwrap();
        let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        fs::remove_file(&file).unwrap();

        let rows: Vec<Row> = steps.iter().map(|step| row(step, &report["steps"][step.name])).collect();
        let failed = End::Ran(Outcome::Failed);
        // The last step has no row.
        assert_eq!(
            rows.iter().map(|row| row.end).collect::<Vec<_>>(),
            [ends[0], ends[1], failed, failed, failed]
        );
        assert!(rows[..4].iter().all(|row| (row.time, row.processor) == (time, processor)));
        let mut merged = Tally::default();
        merged.merge(&report["tests"]);
        assert_eq!(merged, tally);
    }
}

//! Steps that run at the same time, each in a process of its own.

use std::{
    env, fs, io,
    path::PathBuf,
    process::{Child, Command},
    time::Duration,
};

use anyhow::{Context as _, Result};

use super::{Ran, steps::Step, tally::Tally};
use crate::{Outcome, project};

/// The folder for output and results, relative to the project's root.
const FOLDER: &str = "target/ci";

/// A step that runs in a process of its own.
struct Running {
    step: &'static Step,
    process: Child,
    log: PathBuf,
    result: PathBuf,
}

/// Runs steps at the same time, and adds them to the table.
///
/// The output of a step is shown as a whole when all steps before it have ended.
pub fn run(
    steps: &[&'static Step],
    changed: Option<&str>,
    tally: &mut Tally,
    table: &mut Vec<Ran>,
) -> Result<()> {
    let names: Vec<_> = steps.iter().map(|step| step.name).collect();
    eprintln!("\n== at the same time: {}", names.join(", "));
    let running = steps.iter().map(|step| start(step, changed)).collect::<Result<Vec<_>>>()?;
    for step in running {
        table.push(finish(step, tally)?);
    }
    Ok(())
}

/// Returns the result of a step as one line, for the process that started this one.
pub fn report(ran: &Ran, tally: &Tally) -> String {
    let outcome = match ran.outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Skipped => "skipped",
    };
    let [passed, failed, ignored] = tally.counts();
    let (time, processor) = (ran.time.as_millis(), ran.processor.as_millis());
    format!("{outcome} {time} {processor} {passed} {failed} {ignored}\n")
}

/// Reads a line of [`report`].
fn reported(line: &str) -> Option<(Outcome, [Duration; 2], [u64; 3])> {
    let (outcome, numbers) = line.trim().split_once(' ')?;
    let outcome = match outcome {
        "done" => Outcome::Done,
        "failed" => Outcome::Failed,
        "skipped" => Outcome::Skipped,
        _ => return None,
    };
    let numbers = numbers.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
    let [time, processor, passed, failed, ignored] = numbers[..] else { return None };
    Some((outcome, [time, processor].map(Duration::from_millis), [passed, failed, ignored]))
}

fn start(step: &'static Step, changed: Option<&str>) -> Result<Running> {
    let folder = project::root()?.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("{} can't be created", folder.display()))?;
    let (log, result) = (folder.join(step.name).with_extension("log"), folder.join(step.name));
    match fs::remove_file(&result) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("{} can't be removed", result.display()));
        }
        _ => {}
    }
    let output = fs::File::create(&log).with_context(|| format!("{} can't be written", log.display()))?;
    let mut command = Command::new(env::current_exe().context("the path of xtask is unknown")?);
    command.args(["ci", "--only", step.name]).arg("--result").arg(&result);
    command.args(changed.map(|revision| format!("--changed={revision}")));
    command.stdout(output.try_clone()?).stderr(output);
    let process = command.spawn().with_context(|| format!("the step `{}` can't be started", step.name))?;
    Ok(Running { step, process, log, result })
}

/// Waits for the end of a step, and shows its output.
fn finish(mut running: Running, tally: &mut Tally) -> Result<Ran> {
    let name = running.step.name;
    running.process.wait().with_context(|| format!("the step `{name}` can't be waited for"))?;
    let mut log =
        fs::File::open(&running.log).with_context(|| format!("{} can't be read", running.log.display()))?;
    io::copy(&mut log, &mut io::stderr())?;
    // A step that ended before it wrote its result has failed. Its output says why.
    let line = fs::read_to_string(&running.result).unwrap_or_default();
    let failed = (Outcome::Failed, [Duration::ZERO; 2], [0; 3]);
    let (outcome, [time, processor], counts) = reported(&line).unwrap_or(failed);
    tally.merge(counts);
    Ok(Ran { name, outcome, time, processor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        for outcome in [Outcome::Done, Outcome::Failed, Outcome::Skipped] {
            let [time, processor] = [61_234, 90_010].map(Duration::from_millis);
            let mut tally = Tally::default();
            tally.merge([3, 2, 1]);
            let line = report(&Ran { name: "suite", outcome, time, processor }, &tally);
            assert_eq!(reported(&line), Some((outcome, [time, processor], [3, 2, 1])), "{line}");
        }
        for line in ["", "done", "done 1 2 3 4", "ended 1 2 3 4 5", "done 1 2 3 4 -5"] {
            assert_eq!(reported(line), None, "{line}");
        }
    }
}

//! Runs a process with limits on time and memory, and measures both.

use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::files;

/// The limits of a process.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum wall-clock time.
    pub time: Duration,
    /// The maximum memory in kilobytes.
    pub memory: u64,
}

/// The result of a process.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
    /// The wall-clock time.
    pub time: Duration,
    /// The peak memory in kilobytes, sampled over the process and its children.
    ///
    /// The last samples may be missing.
    pub memory: u64,
}

/// How a process ended.
#[derive(Debug)]
pub enum Exit {
    /// It exited.
    Exited(ExitStatus),
    /// It exceeded the time limit and was stopped.
    TimedOut,
    /// It exceeded the memory limit and was stopped.
    OutOfMemory,
}

/// Runs a command until it ends or exceeds a limit.
///
/// Its output goes to files named after `log`, which are removed afterwards.
pub fn run(command: &mut Command, log: &Path, limits: Limits) -> Result<Ended> {
    let (output, errors) = (log.with_extension("out"), log.with_extension("err"));
    let open = |path: &Path| File::create(path).with_context(|| format!("cannot create {}", path.display()));
    command.stdin(Stdio::null()).stdout(open(&output)?).stderr(open(&errors)?);
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let (exit, memory) = watch(&mut child, started, limits)?;
    let time = started.elapsed();
    let take = |path: &Path| {
        let text = files::read_lossy(path)?;
        files::remove(path)?;
        anyhow::Ok(text)
    };
    Ok(Ended { exit, output: take(&output)?, errors: take(&errors)?, time, memory })
}

fn watch(child: &mut Child, started: Instant, limits: Limits) -> Result<(Exit, u64)> {
    let mut memory = 0;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for a process")? {
            return Ok((Exit::Exited(status), memory));
        }
        let family = family(child.id());
        let together = family.iter().filter_map(|process| memory_now(*process)).sum();
        memory = memory.max(peak_memory(&child.id().to_string()).unwrap_or_default()).max(together);
        let excess = if memory > limits.memory {
            Some(Exit::OutOfMemory)
        } else if started.elapsed() > limits.time {
            Some(Exit::TimedOut)
        } else {
            None
        };
        if let Some(exit) = excess {
            child.kill().context("cannot stop a process")?;
            child.wait().context("cannot wait for a process")?;
            stop(family.get(1..).unwrap_or_default());
            return Ok((exit, memory));
        }
        // Sample short processes often and long ones rarely.
        let pause = (started.elapsed() / 500).max(Duration::from_millis(2)).min(Duration::from_millis(50));
        thread::sleep(pause);
    }
}

/// Returns a process and its running descendants.
///
/// Only the process itself on systems without `/proc`.
fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut visited = 0;
    while let Some(process) = family.get(visited) {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<u32> = lists
            .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>())
            .collect();
        family.extend(children);
        visited += 1;
    }
    family
}

/// Stops the descendants of a stopped process.
fn stop(processes: &[u32]) {
    if !processes.is_empty() {
        // `kill` fails for processes that have ended in the meantime.
        let _ =
            Command::new("kill").args(processes.iter().map(u32::to_string)).stderr(Stdio::null()).status();
    }
}

/// Returns the current memory of a process in kilobytes, on systems with `/proc`.
fn memory_now(process: u32) -> Option<u64> {
    in_status(&process.to_string(), "VmRSS:")
}

/// Returns the peak memory of a process in kilobytes, on systems with `/proc`.
///
/// `process` is an id or `self`.
pub fn peak_memory(process: &str) -> Option<u64> {
    in_status(process, "VmHWM:")
}

/// Reads a number of kilobytes from the `status` file of a process.
fn in_status(process: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_shell(script: &str, milliseconds: u64, memory: u64) -> Ended {
        let limits = Limits { time: Duration::from_millis(milliseconds), memory };
        let log = std::env::temp_dir().join(format!("child-{}-{milliseconds}-{memory}", std::process::id()));
        run(Command::new("sh").args(["-c", script]), &log, limits).unwrap()
    }

    #[test]
    fn output_and_errors_are_kept() {
        let ended = run_shell("echo one; echo two >&2; exit 3", 60_000, u64::MAX);
        assert!(matches!(ended.exit, Exit::Exited(status) if status.code() == Some(3)), "{:?}", ended.exit);
        assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("one\n", "two\n"));
    }

    #[test]
    fn a_process_that_takes_too_much_is_stopped() {
        assert!(matches!(run_shell("exec sleep 60", 50, u64::MAX).exit, Exit::TimedOut));
        assert!(matches!(run_shell("exec sleep 60", 60_000, 1).exit, Exit::OutOfMemory));
        assert!(matches!(run_shell("sleep 61 & wait", 50, u64::MAX).exit, Exit::TimedOut));
    }
}

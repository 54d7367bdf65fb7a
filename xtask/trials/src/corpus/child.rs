//! Another process, whose time and memory are bounded and measured.

use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// What a process may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So long.
    pub time: Duration,
    /// So many kilobytes.
    pub memory: u64,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub how: How,
    /// What it wrote to its standard output.
    pub output: String,
    /// What it wrote to its standard error.
    pub errors: String,
    /// How long it ran.
    pub time: Duration,
    /// The most memory seen, in kilobytes, of the process and those that it started; the last moments may be missing.
    pub memory: u64,
}

/// How a process ended.
#[derive(Debug)]
pub enum How {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long.
    TimedOut,
    /// It took too much memory.
    RanAway,
}

/// Runs a command to its end, or until it takes too much. What it writes is kept in files of this name for as long.
pub fn run(command: &mut Command, log: &Path, limits: Limits) -> Result<Ended> {
    let (output, errors) = (log.with_extension("out"), log.with_extension("err"));
    let open = |path: &Path| File::create(path).with_context(|| format!("{} can't be made", path.display()));
    command.stdin(Stdio::null()).stdout(open(&output)?).stderr(open(&errors)?);
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{:?} can't be run", command.get_program()))?;
    let (how, memory) = watch(&mut child, started, limits)?;
    let time = started.elapsed();
    let take = |path: &Path| {
        let text = fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
        fs::remove_file(path).with_context(|| format!("{} can't be removed", path.display()))?;
        anyhow::Ok(String::from_utf8_lossy(&text).into_owned())
    };
    Ok(Ended { how, output: take(&output)?, errors: take(&errors)?, time, memory })
}

fn watch(child: &mut Child, started: Instant, limits: Limits) -> Result<(How, u64)> {
    let mut memory = 0;
    loop {
        if let Some(status) = child.try_wait().context("a process can't be waited for")? {
            return Ok((How::Exited(status), memory));
        }
        let family = family(child.id());
        let together = family.iter().filter_map(|process| memory_now(*process)).sum();
        memory = memory.max(peak_memory(&child.id().to_string()).unwrap_or_default()).max(together);
        let excess = if memory > limits.memory {
            Some(How::RanAway)
        } else if started.elapsed() > limits.time {
            Some(How::TimedOut)
        } else {
            None
        };
        if let Some(how) = excess {
            child.kill().context("a process can't be stopped")?;
            child.wait().context("a process can't be waited for")?;
            stop(family.get(1..).unwrap_or_default());
            return Ok((how, memory));
        }
        // Precise for what is brief, and seldom for what is long.
        let pause = (started.elapsed() / 500).max(Duration::from_millis(2)).min(Duration::from_millis(50));
        thread::sleep(pause);
    }
}

/// A process, and those that it and its own have started and that still run, where the system tells them.
fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut asked = 0;
    while let Some(process) = family.get(asked) {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<u32> = lists
            .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>())
            .collect();
        family.extend(children);
        asked += 1;
    }
    family
}

/// Stops processes that whoever started them no longer can.
fn stop(processes: &[u32]) {
    if !processes.is_empty() {
        // Those that have ended meanwhile are no reason to complain.
        let _ =
            Command::new("kill").args(processes.iter().map(u32::to_string)).stderr(Stdio::null()).status();
    }
}

/// The memory of a process now, in kilobytes, where the system tells it.
fn memory_now(process: u32) -> Option<u64> {
    in_status(&process.to_string(), "VmRSS:")
}

/// The most memory that a process (its id, or `self`) had at a time, in kilobytes, where the system tells it.
pub fn peak_memory(process: &str) -> Option<u64> {
    in_status(process, "VmHWM:")
}

/// A number of kilobytes that the system tells of a process.
fn in_status(process: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// How long a process (its id, or `self`) has had the processor, where the system tells it.
pub fn processor_time(process: &str) -> Option<Duration> {
    in_stat(process, 11)
}

/// How long processes that this one has started, and that have ended, had the processors, with those that they started.
pub fn children_processor_time() -> Option<Duration> {
    in_stat("self", 13)
}

/// The time at this place of what the system tells of a process, for itself and in the system.
fn in_stat(process: &str, place: usize) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the program's name, which is in parentheses; in hundredths of a second.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 =
        fields.split_whitespace().skip(place).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
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
    fn what_a_process_says_is_kept() {
        let ended = run_shell("echo one; echo two >&2; exit 3", 60_000, u64::MAX);
        assert!(matches!(ended.how, How::Exited(status) if status.code() == Some(3)), "{:?}", ended.how);
        assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("one\n", "two\n"));
    }

    #[test]
    fn a_process_that_takes_too_much_is_stopped() {
        assert!(matches!(run_shell("exec sleep 60", 50, u64::MAX).how, How::TimedOut));
        assert!(matches!(run_shell("exec sleep 60", 60_000, 1).how, How::RanAway));
        assert!(matches!(run_shell("sleep 61 & wait", 50, u64::MAX).how, How::TimedOut));
    }
}

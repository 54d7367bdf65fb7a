//! Watches a worker process: its messages, its time and its memory.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use xtask::processor;

use crate::corpus::child;

/// The limits for one document, which is generated twice and parsed in this time.
///
/// The time is processor time, because other programs may be running.
const LIMITS: child::Limits = child::Limits { time: Duration::from_secs(20), memory: 1 << 20 };

/// The start of the fault message for a document that exceeds a limit.
pub const TAKES: &str = "takes more than";

/// The result for a mutant.
pub enum Seen {
    /// The document has fatal errors, so nothing was generated.
    Refused,
    /// Crates were generated.
    Generated { lines: usize, time: Duration },
    /// The generator has a fault.
    Fault(String),
}

/// Runs the process until it ends, exceeds a limit, or `see` returns `false`.
///
/// Returns its peak memory.
pub fn watch(command: &mut Command, see: &mut dyn FnMut(u64, Seen) -> bool) -> Result<u64> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let output = child.stdout.take().context("the process has no stdout")?;
    let (sender, lines) = channel();
    // The thread ends when the process closes its output.
    thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.map(|line| sender.send(line)).take_while(Result::is_ok).count();
    });
    let mut memory = 0;
    let last = listen(&child, &lines, &mut memory, see);
    // The process may have ended already.
    let _ = child.kill();
    let status = child.wait().context("cannot wait for a process")?;
    match last {
        End::Enough => {}
        End::TooMuch(seed, what) => {
            see(seed, Seen::Fault(format!("{TAKES} {what}")));
        }
        End::Silence(None) => {}
        End::Silence(Some(seed)) => {
            see(seed, Seen::Fault(format!("the process died: {status}")));
        }
    }
    Ok(memory)
}

enum End {
    Enough,
    TooMuch(u64, String),
    /// The process ended. Holds the seed of the mutant it was working on, if any.
    Silence(Option<u64>),
}

fn listen(
    child: &Child,
    lines: &Receiver<String>,
    memory: &mut u64,
    see: &mut dyn FnMut(u64, Seen) -> bool,
) -> End {
    let process = child.id().to_string();
    let mut at_work: Option<(u64, Duration)> = None;
    loop {
        match lines.recv_timeout(Duration::from_millis(20)) {
            Ok(line) => match Progress::parse(&line) {
                Some(Progress::Start(seed)) => {
                    at_work = Some((seed, processor::of_process(&process).unwrap_or_default()));
                }
                Some(Progress::Seen(seed, seen)) => {
                    at_work = None;
                    if !see(seed, seen) {
                        return End::Enough;
                    }
                }
                None => {}
            },
            Err(RecvTimeoutError::Disconnected) => return End::Silence(at_work.map(|(seed, _)| seed)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        *memory = (*memory).max(child::peak_memory(&process).unwrap_or_default());
        let Some((seed, since)) = at_work else { continue };
        let time = processor::of_process(&process).unwrap_or_default().saturating_sub(since);
        if time > LIMITS.time {
            return End::TooMuch(seed, format!("{} s", LIMITS.time.as_secs()));
        }
        if *memory > LIMITS.memory {
            return End::TooMuch(seed, format!("{} MB", LIMITS.memory / 1024));
        }
    }
}

enum Progress {
    Start(u64),
    Seen(u64, Seen),
}

impl Progress {
    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let (seed, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let seed = seed.parse().ok()?;
        Some(match word {
            "start" => Self::Start(seed),
            "refused" => Self::Seen(seed, Seen::Refused),
            "generated" => {
                let (lines, seconds) = rest.split_once(' ')?;
                let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
                Self::Seen(seed, Seen::Generated { lines: lines.parse().ok()?, time })
            }
            "fault" => Self::Seen(seed, Seen::Fault(rest.to_owned())),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Watches a shell script in place of the worker.
    fn seen(script: &str) -> Vec<String> {
        let mut all = Vec::new();
        watch(Command::new("sh").args(["-c", script]), &mut |seed, seen| {
            all.push(match seen {
                Seen::Refused => format!("{seed} refused"),
                Seen::Generated { lines, .. } => format!("{seed} {lines} lines"),
                Seen::Fault(fault) => format!("{seed} {fault}"),
            });
            all.len() < 3
        })
        .unwrap();
        all
    }

    #[test]
    fn messages_are_parsed() {
        let all = seen("echo start 1; echo generated 1 20 0.5; echo start 2; echo fault 2 a b; echo start 3");
        assert_eq!(all, ["1 20 lines", "2 a b", "3 the process died: exit status: 0"]);
        assert_eq!(seen("echo start 1; echo refused 1"), ["1 refused"]);
    }

    #[test]
    fn the_end_of_the_process_is_reported() {
        assert_eq!(seen("echo start 7; kill -ABRT $$"), ["7 the process died: signal: 6 (SIGABRT)"]);
    }
}

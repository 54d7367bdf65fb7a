//! Compares what the processes of a program use with its limits.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process_group, waitpid};

use super::plan::{Outcome, Totals};
use super::tree::{self, Process};

/// The time between two looks at the number of all processes, which cost little.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The time between two looks at the processes of the program, at least. A look takes at most a 20th of the time.
const PAUSE: Duration = Duration::from_millis(250);

/// The files that a private folder may have.
const FILES: u64 = 10_000;

const MIB: u64 = 1024 * 1024;

/// Watches the descendants of this process.
pub(super) struct Watch<'p> {
    limits: Totals,
    folder: &'p Path,
    /// The program, which somebody else waits for.
    child: Option<Pid>,
    /// The bytes in the folder at the beginning.
    given: u64,
    next: Instant,
    /// The number of the machine's threads at the last look.
    threads: u64,
}

impl<'p> Watch<'p> {
    pub(super) fn new(limits: Totals, folder: &'p Path, child: Option<Pid>) -> Self {
        let given = size(folder).unwrap_or_default();
        Self { limits, folder, child, given, next: Instant::now(), threads: threads_of_machine() }
    }

    /// Returns which limit the program has exceeded.
    ///
    /// Between two full looks, the number of the machine's threads shows whether the program may have started too many. Then
    /// it pauses during the look: thousands of processes would leave little time to this one.
    pub(super) fn look(&mut self) -> Option<Outcome> {
        let (now, threads) = (Instant::now(), threads_of_machine());
        let are_many = threads > self.threads.saturating_add(self.limits.processes / 2);
        if now < self.next && !are_many {
            return None;
        }
        if are_many {
            self.signal(Signal::STOP);
        }
        self.threads = threads;
        let exceeded = self.exceeded();
        if are_many && exceeded.is_none() {
            self.signal(Signal::CONT);
        }
        self.next = Instant::now() + PAUSE.max(now.elapsed() * 20);
        exceeded.map(|(setting, limit)| Outcome::Exceeded { setting: setting.to_owned(), limit })
    }

    /// Sends a signal to all processes of the program.
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.child {
            // The program has no group before it starts.
            let _ = kill_process_group(leader, signal);
        }
    }

    fn exceeded(&self) -> Option<(&'static str, u64)> {
        let descendants = tree::descendants();
        descendants.iter().for_each(|process| self.reap(process));
        let limits = &self.limits;
        if descendants.iter().map(|process| process.threads.max(1)).sum::<u64>() > limits.processes {
            return Some(("processes", limits.processes));
        }
        // This process has the time and the bytes of those that it has waited for.
        let own = Process::read(getpid());
        let ticks: u64 = own.iter().chain(&descendants).map(|process| process.ticks).sum();
        if ticks / rustix::param::clock_ticks_per_second().max(1) > limits.processor_seconds {
            return Some(("processor-seconds", limits.processor_seconds));
        }
        if descendants.iter().map(memory).sum::<u64>() > limits.memory_mib.saturating_mul(MIB) {
            return Some(("memory-mib", limits.memory_mib));
        }
        let Some(stored) = size(self.folder) else { return Some(("files", FILES)) };
        let written: u64 = own.iter().chain(&descendants).map(written).sum();
        let most = limits.written_mib.saturating_mul(MIB);
        let is_too_much = stored.saturating_sub(self.given).max(written) > most;
        is_too_much.then_some(("written-mib", limits.written_mib))
    }

    /// Waits for a process that has ended, and that no one else waits for.
    fn reap(&self, process: &Process) {
        if process.has_ended && process.is_child() && Some(process.id) != self.child {
            let _ = waitpid(Some(process.id), WaitOptions::NOHANG);
        }
    }
}

/// Returns the number of all threads of the machine.
pub(super) fn threads_of_machine() -> u64 {
    let loads = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let threads =
        loads.split_ascii_whitespace().nth(3).and_then(|field| field.split_once('/')?.1.parse().ok());
    threads.unwrap_or(u64::MAX)
}

/// Returns the memory that no file holds, in bytes.
fn memory(process: &Process) -> u64 {
    sum(process, "status", &["RssAnon:", "RssShmem:", "VmSwap:"]).saturating_mul(1024)
}

/// Returns the bytes that a process has written to disks.
fn written(process: &Process) -> u64 {
    sum(process, "io", &["write_bytes:"]).saturating_sub(sum(process, "io", &["cancelled_write_bytes:"]))
}

/// Returns the sum of these lines of a file of the process.
fn sum(process: &Process, file: &str, names: &[&str]) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/{file}", process.id.as_raw_pid())).unwrap_or_default();
    let value = |line: &str| {
        let (name, value) = line.split_once(char::is_whitespace)?;
        names.contains(&name).then(|| value.split_ascii_whitespace().next()?.parse::<u64>().ok())?
    };
    text.lines().filter_map(value).sum()
}

/// Returns the bytes of all files in a folder; `None` if there are too many files, or folders nested too deeply.
fn size(folder: &Path) -> Option<u64> {
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidFilename => return None,
            // The program may remove its folders, and forbid to read them.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            files += 1;
            if files > FILES {
                return None;
            }
            // Symbolic links are not followed.
            let Ok(metadata) = entry.metadata() else { continue };
            match metadata.is_dir() {
                true => folders.push(entry.path()),
                false => bytes = bytes.saturating_add(metadata.len()),
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_process_uses_is_read() {
        let own = Process::read(getpid()).unwrap();
        assert!(memory(&own) > MIB && memory(&own) < 64 * 1024 * MIB, "{}", memory(&own));
        assert!(threads_of_machine() > 1 && threads_of_machine() < u64::MAX);
    }

    #[test]
    fn a_folder_has_a_size_and_a_maximum() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(folder.path().join("inner/a"), [0; 100]).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
        assert!((100..200).contains(&size(folder.path()).unwrap()));
        for number in 0..FILES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(size(folder.path()), None);
    }
}

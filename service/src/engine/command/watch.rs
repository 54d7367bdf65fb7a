//! Compares the usage of a program's processes with its limits.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, getppid, kill_process_group, waitpid};

use super::plan::{Outcome, Totals};
use super::runs::open_up;
use super::tree::{self, Process};

/// The interval of counting all processes, which is cheap.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The minimum interval of scans of the program's processes. Scans take at most a 20th of the time.
const PAUSE: Duration = Duration::from_millis(250);

/// The maximum number of files in a private folder.
const FILES: u64 = 10_000;

const MIB: u64 = 1024 * 1024;

/// The unit of [`blocks`](std::os::unix::fs::MetadataExt::blocks), in bytes.
const BLOCK: u64 = 512;

/// Watches the descendants of this process.
pub(super) struct Watch<'p> {
    limits: Totals,
    folder: &'p Path,
    /// The program. Its caller waits for it.
    child: Option<Pid>,
    /// The bytes in the folder at the beginning.
    given: u64,
    disk: Disk,
    next: Instant,
    /// The number of the machine's threads at the last scan.
    threads: u64,
}

impl<'p> Watch<'p> {
    pub(super) fn new(limits: Totals, folder: &'p Path, child: Option<Pid>) -> Self {
        let given = size(folder).unwrap_or_default();
        let disk = Disk::read(folder, &tree::descendants());
        Self { limits, folder, child, given, disk, next: Instant::now(), threads: threads_of_machine() }
    }

    /// Returns which limit the program has exceeded.
    ///
    /// Between two full scans, the number of the machine's threads shows whether the program may have started too many. Then
    /// it pauses during the scan: thousands of processes would leave little time to this one.
    pub(super) fn scan(&mut self) -> Option<Outcome> {
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
        let is_too_much = stored.saturating_sub(self.given).max(written) > most
            || (self.disk.loss(free(self.folder)) > most && self.lost(&descendants) > most);
        is_too_much.then_some(("written-mib", limits.written_mib))
    }

    /// Returns how much space the disk has lost, without what others have written.
    fn lost(&self, descendants: &[Process]) -> u64 {
        let now = Disk::read(self.folder, descendants);
        let by_others = now.written.saturating_sub(self.disk.written);
        self.disk.loss(now.free).saturating_sub(by_others)
    }

    /// Waits for a process that has ended, and that no one else waits for.
    fn reap(&self, process: &Process) {
        if process.has_ended && process.is_child() && Some(process.id) != self.child {
            let _ = waitpid(Some(process.id), WaitOptions::NOHANG);
        }
    }
}

/// The disk of the private folder.
///
/// Its free space shows what no process and no folder does: files that are open and have no name, and what processes
/// wrote that no process has waited for.
struct Disk {
    /// `None` if the file system does not say it.
    free: Option<u64>,
    /// The bytes that the service and its other programs have written.
    written: u64,
}

impl Disk {
    fn read(folder: &Path, descendants: &[Process]) -> Self {
        let (own, service) = (getpid(), getppid());
        let is_own = |id: Pid| id == own || descendants.iter().any(|process| process.id == id);
        let others = service
            .into_iter()
            .flat_map(|service| Process::read(service).into_iter().chain(tree::descendants_of(service)));
        let written = others.filter(|process| !is_own(process.id)).map(|process| written(&process)).sum();
        Self { free: free(folder), written }
    }

    /// Returns by how much the free space has fallen.
    fn loss(&self, free: Option<u64>) -> u64 {
        self.free.zip(free).map_or(0, |(before, now)| before.saturating_sub(now))
    }
}

/// Returns the free space of a folder's disk, in bytes.
fn free(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bfree.saturating_mul(disk.f_frsize))
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
        let read = fs::read_dir(&folder).or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied => {
                open_up(&folder);
                fs::read_dir(&folder)
            }
            _ => Err(error),
        });
        let entries = match read {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::InvalidFilename => return None,
            // The program may remove its folders.
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
                false => bytes = bytes.saturating_add(taken(&metadata)),
            }
        }
    }
    Some(bytes)
}

/// Returns the space that a file takes: blocks beyond its end are its own, too.
fn taken(metadata: &fs::Metadata) -> u64 {
    metadata.len().max(metadata.blocks().saturating_mul(BLOCK))
}

#[cfg(test)]
mod tests {
    use rustix::fs::{FallocateFlags, fallocate};

    use super::*;

    #[test]
    fn the_usage_of_this_process_is_read() {
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
        let sparse = fs::File::create(folder.path().join("sparse")).unwrap();
        sparse.set_len(MIB).unwrap();
        let before = size(folder.path()).unwrap();
        assert!((MIB + 100..MIB + 20_000).contains(&before), "{before}");
        let reserved = fs::File::create(folder.path().join("reserved")).unwrap();
        if fallocate(&reserved, FallocateFlags::KEEP_SIZE, 0, MIB).is_ok() {
            assert_eq!(reserved.metadata().unwrap().len(), 0);
            assert!(size(folder.path()).unwrap() >= before + MIB);
        }
        fs::remove_file(folder.path().join("reserved")).unwrap();
        for number in 0..FILES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(size(folder.path()), None);
    }
}

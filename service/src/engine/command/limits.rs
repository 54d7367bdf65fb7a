//! The resource limits of a program.

use std::path::Path;
use std::time::Duration;

use super::plan::Totals;
use super::settings::EngineTable;
use super::watch::threads_of_machine;
use crate::config::{Checked, at_least};
use crate::machine::processors;
use crate::process_limits::ProcessLimits;

/// The default limit of processes and threads: this many for each processor, but at least [`MIN_PROCESSES`].
///
/// Programs start threads by the number of processors. Many more than that would take the time of everything else.
const PROCESSES: u64 = 64;

/// The minimum of that default, for machines with few processors.
const MIN_PROCESSES: u64 = 256;

/// The default limit of processors that a program may use all the time: this many, or half of them if that is more.
const PROCESSORS: usize = 4;

/// The default limit of what a program may write, in MiB: this many, or four times the largest result if that is more.
const WRITTEN_MIB: u64 = 4096;

/// The maximum number of open files of each process.
const OPEN_FILES: u64 = 4096;

/// The processor time that the kernel allows beyond the supervisor's limit, in seconds.
const KERNEL_EXTRA_SECONDS: u64 = 10;

/// The folder of control groups, version 2. A container has its own group there.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";

const MIB: u64 = 1024 * 1024;

impl EngineTable {
    /// Checks that no limit is 0.
    pub(super) fn check_limits(&self, engine: &str) -> Checked {
        let limits = [
            ("timeout-seconds", self.timeout_seconds),
            ("memory-mib", self.memory_mib),
            ("processes", self.processes),
            ("processor-seconds", self.processor_seconds),
            ("written-mib", self.written_mib),
        ];
        limits
            .into_iter()
            .try_for_each(|(name, limit)| at_least(&format!("engines.{engine}.{name}"), limit, 1))
    }

    /// Returns the limits of each process, which the kernel enforces.
    pub(super) fn each(&self, time: Duration, most_bytes: u64) -> ProcessLimits {
        ProcessLimits {
            address_space: self.memory_mib.map(|mib| mib.saturating_mul(MIB)),
            data: None,
            file_size: Some(most_bytes),
            // The supervisor normally ends the program earlier, and reports the limit.
            processor_seconds: Some(self.processor_seconds(time).saturating_add(KERNEL_EXTRA_SECONDS)),
            open_files: Some(OPEN_FILES),
            // Only the supervisor knows which threads are the program's.
            threads_of_user: Some(threads_of_machine().saturating_add(self.processes().saturating_mul(2))),
        }
    }

    /// Returns the limits of all processes, which the supervisor enforces.
    pub(super) fn all(&self, time: Duration, most_bytes: u64) -> Totals {
        Totals {
            processes: self.processes(),
            processor_seconds: self.processor_seconds(time),
            memory_mib: self.memory_mib.unwrap_or_else(|| memory_mib() / 2),
            written_mib: self
                .written_mib
                .unwrap_or_else(|| WRITTEN_MIB.max(most_bytes.saturating_mul(4) / MIB)),
        }
    }

    fn processes(&self) -> u64 {
        self.processes.unwrap_or_else(|| MIN_PROCESSES.max(PROCESSES * processors() as u64))
    }

    fn processor_seconds(&self, time: Duration) -> u64 {
        let most = PROCESSORS.max(processors() / 2) as u64;
        self.processor_seconds.unwrap_or_else(|| time.as_secs().saturating_add(1).saturating_mul(most))
    }
}

/// Returns the memory that this process may use, in MiB: the limit of its control group, or the machine's memory if that is less.
fn memory_mib() -> u64 {
    memory_of_machine().min(memory_of_group())
}

/// Returns the lowest limit of the control group and of those around it, in MiB.
fn memory_of_group() -> u64 {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    lowest_limit(&Path::new(CONTROL_GROUPS).join(group))
}

fn lowest_limit(group: &Path) -> u64 {
    let limits = group.ancestors().filter_map(|group| {
        std::fs::read_to_string(group.join("memory.max")).ok()?.trim().parse::<u64>().ok()
    });
    limits.min().map_or(u64::MAX, |bytes| bytes / MIB)
}

fn memory_of_machine() -> u64 {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    total.map_or(u64::MAX, |kib: u64| kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_group_is_the_lowest_around_it() {
        let groups = tempfile::tempdir().unwrap();
        let inner = groups.path().join("outer/inner");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(lowest_limit(&inner), u64::MAX);
        std::fs::write(inner.join("memory.max"), "max\n").unwrap();
        std::fs::write(inner.parent().unwrap().join("memory.max"), format!("{}\n", 64 * MIB)).unwrap();
        assert_eq!(lowest_limit(&inner), 64);
    }

    #[test]
    fn defaults_follow_the_run() {
        let table = |text: &str| toml::from_str::<EngineTable>(text).unwrap();
        let all = table("program = 'p'").all(Duration::from_secs(99), 2048 * MIB);
        assert_eq!((all.processes, all.written_mib), (256.max(64 * processors() as u64), 8192));
        assert!(all.processor_seconds >= 400 && all.memory_mib > 100 && all.memory_mib < u64::MAX / 2);
        let given = table("program = 'p'\nmemory-mib = 2\nprocessor-seconds = 3");
        let each = given.each(Duration::ZERO, 5);
        assert_eq!(
            (each.address_space, each.processor_seconds, each.file_size),
            (Some(2 * MIB), Some(13), Some(5))
        );
    }
}

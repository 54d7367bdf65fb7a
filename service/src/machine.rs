//! Asks the machine for processors, a priority and open files.

use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit};

/// The running program, also after its file was replaced by another version.
pub const SELF: &str = "/proc/self/exe";

/// The maximum number of open files that the process asks for.
const FILES: u64 = 65_536;

/// Returns the number of processors that this process may use.
#[must_use]
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The priority of long work: its nice value.
const LOW: i32 = 10;

/// Lowers the priority of this process, for long work while the service runs.
///
/// Threads and processes that the thread starts later inherit the priority. Existing threads keep theirs. One of them writes
/// the database, and other threads must not wait longer for it.
pub fn lower_priority() {
    let lowered = getpriority_process(None).and_then(|nice| setpriority_process(None, nice.max(LOW)));
    if let Err(error) = lowered {
        tracing::debug!(%error, "can't lower the priority of the process");
    }
}

/// Lowers the priority of the session whose leader this process has just become.
///
/// The kernel may schedule each session as a group, in which the priority of a process counts among those of its own
/// session only. So the group gets a lower priority too, however many processes the program starts.
pub fn lower_session_priority() {
    lower_priority();
    #[cfg(target_os = "linux")]
    for _ in 0..3 {
        match std::fs::write("/proc/self/autogroup", LOW.to_string()) {
            // The kernel accepts one such change in a tenth of a second.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            // A kernel without such groups has no such file.
            _ => break,
        }
    }
}

/// Returns whether the process ignores SIGHUP. A parent such as `nohup` sets this, so that it survives its terminal.
#[must_use]
pub fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The resources that this process uses of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Used {
    /// Processor time, in seconds.
    pub processor_seconds: f64,
    /// Resident memory, in bytes.
    pub memory: u64,
    /// Open files and connections.
    pub files: usize,
    /// The maximum number of open files and connections.
    pub most_files: u64,
}

/// Returns what this process uses of the machine; `None` if the kernel has no `/proc`.
#[must_use]
pub fn used() -> Option<Used> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name of the program, which may contain spaces.
    let fields: Vec<u64> =
        stat.rsplit_once(')')?.1.split_whitespace().map(|field| field.parse().unwrap_or_default()).collect();
    let ticks = fields.get(11)?.saturating_add(*fields.get(12)?);
    Some(Used {
        processor_seconds: ticks as f64 / rustix::param::clock_ticks_per_second() as f64,
        memory: fields.get(21)?.saturating_mul(rustix::param::page_size() as u64),
        files: std::fs::read_dir("/proc/self/fd").ok()?.count(),
        most_files: getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
    })
}

/// Raises the limit of open files and connections; shells often set 1,024.
pub fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(FILES).min(FILES);
    if limit.current.is_some_and(|current| current < most) {
        let raised = Rlimit { current: Some(most), ..limit };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "can't raise the limit of open files above {:?}", limit.current);
        }
    }
}

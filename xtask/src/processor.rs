//! Processor time, on systems with `/proc`.

use std::{fs, time::Duration};

/// Returns the processor time of all ended descendants of this process.
pub fn of_children() -> Option<Duration> {
    in_stat("self", 13)
}

/// Returns the processor time of a process.
pub fn of_process(process: &str) -> Option<Duration> {
    in_stat(process, 11)
}

/// Returns user time plus system time, which start at this field of `stat`.
fn in_stat(process: &str, field: usize) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The fields follow the program's name in parentheses. The unit is a hundredth of a second.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 =
        fields.split_whitespace().skip(field).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

//! The processes of a program: all descendants of its supervisor, which is the subreaper of those whose parent has ended.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};

/// A process, as `/proc/<id>/stat` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: Pid,
    parent: i32,
    group: i32,
    pub(super) has_ended: bool,
    /// The processor time of the process and of the children that it has waited for, in clock ticks.
    pub(super) ticks: u64,
    pub(super) threads: u64,
}

impl Process {
    /// Reads the line of a process; `None` if it has ended meanwhile.
    pub(super) fn read(id: Pid) -> Option<Self> {
        let line = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_pid())).ok()?;
        Self::of(id, &line)
    }

    fn of(id: Pid, line: &str) -> Option<Self> {
        // The name in parentheses may hold spaces and parentheses.
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Self {
            id,
            has_ended: matches!(fields.first()?, &"Z" | &"X"),
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            ticks: (11..=14).filter_map(number).sum(),
            threads: number(17)?,
        })
    }

    /// Returns whether the process is a child of this one.
    pub(super) fn is_child(&self) -> bool {
        self.parent == getpid().as_raw_pid()
    }
}

/// The pauses between two signals to processes that have not ended yet.
///
/// A process that waits for a disk may take hours to end, and each scan of all processes costs time.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// Returns all descendants of this process.
pub(super) fn descendants() -> Vec<Process> {
    descendants_of(getpid())
}

/// Returns all descendants of a process.
pub(super) fn descendants_of(root: Pid) -> Vec<Process> {
    let ids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    let mut others: Vec<Process> = ids.filter_map(Process::read).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = BTreeSet::from([root.as_raw_pid()]);
    loop {
        let (children, rest): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|process| parents.contains(&process.parent));
        if children.is_empty() {
            return found;
        }
        parents = children.iter().map(|process| process.id.as_raw_pid()).collect();
        found.extend(children);
        others = rest;
    }
}

/// Kills all descendants, and returns when the kernel knows of none any more.
///
/// `leader` is the program, unless it has ended. In the sandbox, all its processes are in its group.
pub(super) fn end(leader: Option<Pid>) {
    if let Some(leader) = leader {
        let _ = kill_process_group(leader, Signal::KILL);
    }
    let mut pause = FIRST_PAUSE;
    while !reap_all() {
        let descendants = descendants();
        // A signal to a group reaches all its processes at once, so that none can fork meanwhile. Programs have a session
        // of their own, so that no other process is in these groups.
        let groups: BTreeSet<i32> = descendants.iter().map(|process| process.group).collect();
        let own = getpid().as_raw_pid();
        for group in groups.into_iter().filter(|group| *group != own).filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        for process in descendants {
            let _ = kill_process(process.id, Signal::KILL);
        }
        std::thread::sleep(pause);
        pause = MAX_PAUSE.min(pause * 2);
    }
}

/// Waits for all children that have ended; returns whether there are no other ones.
fn reap_all() -> bool {
    loop {
        // `waitpid(None)` would wait for those of this process group only.
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => return error == rustix::io::Errno::CHILD,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_behind_the_name() {
        let line = "12 (a) b) (c) S 7 8 9 0 -1 4194560 1 0 0 0 100 20 3 4 20 0 5 0 99 1 2 3";
        let id = Pid::from_raw(12).unwrap();
        let process = Process::of(id, line).unwrap();
        let expected = Process { id, parent: 7, group: 8, has_ended: false, ticks: 127, threads: 5 };
        assert_eq!(process, expected);
        assert!(Process::of(id, &line.replace(") S", ") Z")).unwrap().has_ended);
        assert_eq!(Process::of(id, "12 (a"), None);
    }

    #[test]
    fn a_grandchild_is_found() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let of_child = |process: &Process| process.parent == child.id().cast_signed();
        let grandchild = loop {
            if let Some(found) = descendants().into_iter().find(of_child) {
                break found;
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();
        kill_process(grandchild.id, Signal::KILL).unwrap();
    }
}

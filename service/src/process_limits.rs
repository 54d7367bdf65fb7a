//! Limits of the kernel on the own process, for the hidden commands that work on untrusted bytes.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// What a process may use at most; `None` keeps the limit that it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLimits {
    /// The address space, in bytes.
    pub address_space: Option<u64>,
    /// The size of each file that it writes, in bytes.
    pub file_size: Option<u64>,
    /// The processor time of all its threads, in seconds.
    pub processor_seconds: Option<u64>,
    /// The number of open files.
    pub open_files: Option<u64>,
    /// The threads of all processes of the user. It does not hold for root.
    pub threads_of_user: Option<u64>,
}

impl ProcessLimits {
    /// Limits this process and all that it will start. It also writes no core dump, which would hold users' data.
    ///
    /// A lower limit that the process has already stays.
    ///
    /// # Errors
    /// The kernel refuses a limit.
    pub fn apply(&self) -> io::Result<()> {
        let limits = [
            (Resource::As, self.address_space),
            (Resource::Fsize, self.file_size),
            (Resource::Cpu, self.processor_seconds),
            (Resource::Nofile, self.open_files),
            (Resource::Nproc, self.threads_of_user),
            (Resource::Core, Some(0)),
        ];
        for (resource, limit) in limits {
            if let Some(limit) = limit {
                let most = getrlimit(resource).maximum.map_or(limit, |most| most.min(limit));
                setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
            }
        }
        Ok(())
    }
}

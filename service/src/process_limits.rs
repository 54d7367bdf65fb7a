//! Limits of the kernel on this process, for the hidden commands that work on untrusted bytes.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The resource limits of a process; `None` leaves a limit unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLimits {
    /// The address space, in bytes.
    pub address_space: Option<u64>,
    /// The memory that it allocates, in bytes.
    pub data: Option<u64>,
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
    /// Limits this process and all that it will start, permanently. It also disables core dumps, which would hold user data.
    ///
    /// A lower limit that the process has already stays.
    ///
    /// # Errors
    /// The kernel refuses a limit.
    pub fn apply(&self) -> io::Result<()> {
        self.set(|wanted, _| Rlimit { current: Some(wanted), maximum: Some(wanted) })
    }

    /// Sets only soft limits, so that the process can raise them again, up to its hard limits. It writes no core dump meanwhile.
    ///
    /// # Errors
    /// The kernel refuses a limit.
    pub fn apply_for_now(&self) -> io::Result<()> {
        self.set(|wanted, maximum| Rlimit { current: Some(wanted), maximum })
    }

    /// Sets each limit to what `limit` makes of the wanted value and of the hard limit.
    fn set(&self, limit: impl Fn(u64, Option<u64>) -> Rlimit) -> io::Result<()> {
        let limits = [
            (Resource::As, self.address_space),
            (Resource::Data, self.data),
            (Resource::Fsize, self.file_size),
            (Resource::Cpu, self.processor_seconds),
            (Resource::Nofile, self.open_files),
            (Resource::Nproc, self.threads_of_user),
            (Resource::Core, Some(0)),
        ];
        for (resource, wanted) in limits {
            if let Some(wanted) = wanted {
                // Only root may raise a hard limit.
                let maximum = getrlimit(resource).maximum;
                let wanted = maximum.map_or(wanted, |maximum| maximum.min(wanted));
                setrlimit(resource, limit(wanted, maximum))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_limits_stay() {
        let lowered = Rlimit { current: Some(0), maximum: Some(0) };
        setrlimit(Resource::Core, lowered).unwrap();
        let hard = getrlimit(Resource::Cpu).maximum;
        let limits = ProcessLimits { processor_seconds: Some(1 << 40), ..ProcessLimits::default() };
        limits.apply_for_now().unwrap();
        assert_eq!(getrlimit(Resource::Core), lowered);
        assert_eq!(getrlimit(Resource::Cpu).maximum, hard);
        ProcessLimits { processor_seconds: Some(1 << 41), ..limits }.apply_for_now().unwrap();
        assert_eq!(getrlimit(Resource::Cpu).current, Some(1 << 41).min(hard.or(Some(1 << 41))));
    }
}

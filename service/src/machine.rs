//! What the machine gives to the process. Where it is no Unix, nothing is asked for.

/// How many files a process with many connections has open at most.
#[cfg(unix)]
const FILES: u64 = 65_536;

/// Lets this process have as many files and connections open as it may have: shells mostly begin with 1,024.
pub fn allow_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.unwrap_or(FILES).min(FILES);
        if limit.current.is_some_and(|current| current < most) {
            let raised = Rlimit { current: Some(most), ..limit };
            if let Err(error) = setrlimit(Resource::Nofile, raised) {
                tracing::warn!(%error, "the process may not have more files open than {:?}", limit.current);
            }
        }
    }
}

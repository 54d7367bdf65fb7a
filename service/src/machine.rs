//! What the machine gives to the process. Where it is no Unix, nothing is asked for.

/// How many files a process with many connections has open at most.
#[cfg(unix)]
const FILES: u64 = 65_536;

/// Lets other processes go first: work that takes long and can wait, beside a service that is asked for answers. Threads that
/// are there already stay as they are, such as the one that writes the database: whoever waits for it shall not wait longer.
pub fn give_way() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "the process can't be made nice");
    }
}

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

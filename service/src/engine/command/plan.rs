//! The messages between the service and the supervisor of a program.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::sandbox::{Access, Sandbox};
use crate::process_limits::ProcessLimits;

/// How a program runs. The supervisor gets it as an argument, in JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The limits of each of its processes.
    pub(super) each: ProcessLimits,
    /// The limits of all its processes together.
    pub(super) all: Totals,
    /// Its access; `None` runs it without a sandbox.
    pub(super) access: Option<Access>,
    /// The restrictions that the sandbox must have.
    pub(super) least: Sandbox,
    /// The private folder.
    pub(super) folder: PathBuf,
    /// The process id of the supervisor, which the service does not know yet: 0.
    pub(super) supervisor: u32,
    /// The file that is the standard input.
    pub(super) stdin: Option<PathBuf>,
}

/// The limits of all processes of a program together.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Totals {
    /// Processes and threads.
    pub(super) processes: u64,
    /// Processor time.
    pub(super) processor_seconds: u64,
    /// Memory, without mapped files.
    pub(super) memory_mib: u64,
    /// The maximum of: bytes in the private folder, bytes written, and the space that the disk loses meanwhile.
    pub(super) written_mib: u64,
}

/// How a run has ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Outcome {
    /// The program has ended with this wait status.
    Ended(i32),
    /// The program has exceeded this setting.
    Exceeded { setting: String, limit: u64 },
    /// The supervisor could not start it.
    NotStarted(String),
}

//! The limits on the disk. The settings of the [worker](super::worker::Settings) and of the [sweep](super::sweep::Settings) are in
//! their modules.

use serde::{Deserialize, Serialize};

/// Limits on the disk of the data folder.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Disk {
    /// Free space in MiB under which no task is accepted. Default: 512.
    pub low_water_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_water_mib: 512 }
    }
}

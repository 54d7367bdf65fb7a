//! The sandbox of programs: Landlock for files, TCP and signals, seccomp for all other sockets.
//!
//! A process restricts itself, and the restrictions hold for all that it starts. They need no privilege. Both parts are
//! applied as far as the kernel has them, and [`Sandbox`] says how far that is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use serde::{Deserialize, Serialize};

/// The newest version of Landlock whose restrictions are used.
const NEWEST: ABI = ABI::V6;

/// The paths that every program may read and run.
const READABLE: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/timezone",
    "/var/cache/fontconfig",
    "/dev/random",
    "/dev/urandom",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
];

/// Devices without contents, which every program may write.
const WRITABLE: &[&str] = &["/dev/full", "/dev/null", "/dev/zero"];

/// Further readable paths of programs with `network = true`.
const NAMES_OF_HOSTS: &[&str] = &[
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/pki",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/run/systemd/resolve",
];

/// Marks the calls of the ABI x32, which a filter for `x86_64` sees as well.
const X32: libc::c_long = 0x4000_0000;

/// The access of a program beyond the folders of the system and its private folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Access {
    /// Files and folders that it may read and run.
    pub(super) read: Vec<PathBuf>,
    /// Files, folders and devices that it may write, too.
    pub(super) write: Vec<PathBuf>,
    /// Whether it may open sockets.
    pub(super) network: bool,
}

/// Which parts of the sandbox hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Other files can be neither read nor changed.
    pub files: bool,
    /// No sockets can be opened.
    pub sockets: bool,
    /// Processes outside can't be signalled.
    pub signals: bool,
}

impl Sandbox {
    /// Returns the sandbox that holds on this machine for a service with this data folder.
    ///
    /// A thread that ends afterwards tries it, so that the result is what programs really get.
    #[must_use]
    pub fn here(data_dir: &Path) -> Self {
        static KERNEL: OnceLock<Sandbox> = OnceLock::new();
        let kernel = KERNEL.get_or_init(|| {
            let tried = std::thread::Builder::new().spawn(|| confine(&Access::default(), Path::new("")));
            tried.ok().and_then(|thread| thread.join().ok()?.ok()).unwrap_or_default()
        });
        let data_dir = data_dir.canonicalize().unwrap_or_else(|_| data_dir.to_owned());
        let is_readable = READABLE.iter().any(|folder| data_dir.starts_with(folder));
        Self { files: kernel.files && !is_readable, ..*kernel }
    }

    /// Returns whether a hostile program can neither read nor send what others have stored.
    #[must_use]
    pub const fn protects(self) -> bool {
        self.files && self.sockets
    }

    /// Returns whether each part that holds in `other` holds here, too.
    pub(super) const fn has(self, other: Self) -> bool {
        (self.files || !other.files) && (self.sockets || !other.sockets) && (self.signals || !other.signals)
    }
}

/// Shows `full`, `none`, or the missing restrictions.
impl std::fmt::Display for Sandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            (
                self.files,
                "access to files (Linux 6.2 with Landlock, and a data folder outside of system folders)",
            ),
            (self.sockets, "sockets (seccomp)"),
            (self.signals, "signals to other processes (Linux 6.12 with Landlock)"),
        ];
        let lacking: Vec<&str> =
            parts.into_iter().filter(|(holds, _)| !holds).map(|(_, part)| part).collect();
        match lacking.len() {
            0 => formatter.write_str("full"),
            3 => formatter.write_str("none: this kernel, or a filter of the service's system calls, offers neither Landlock nor seccomp"),
            _ => write!(formatter, "partial: it does not restrict {}", lacking.join(", nor ")),
        }
    }
}

/// Why a process can't be confined.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfineError {
    #[error("Landlock refuses the rules of the sandbox: {0}")]
    Landlock(#[from] RulesetError),
    #[error("the thread's sandbox has less than the service announced: {0}")]
    Less(Sandbox),
}

/// Confines this thread and all that it will start: they may write only in `folder` and what `access` names.
///
/// Returns what of the sandbox holds.
///
/// # Errors
/// Landlock refuses a rule.
pub(super) fn confine(access: &Access, folder: &Path) -> Result<Sandbox, ConfineError> {
    let status = restrict(access, folder)?;
    let (files, signals) = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            (effective_abi >= ABI::V3, effective_abi >= ABI::V6)
        }
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => (false, false),
    };
    // Landlock knows TCP only. A datagram reaches a name server as well, and a Unix socket a database.
    let sockets = filters(access.network)
        .is_some_and(|filters| filters.iter().all(|filter| seccompiler::apply_filter(filter).is_ok()));
    Ok(Sandbox { files, sockets, signals })
}

fn restrict(access: &Access, folder: &Path) -> Result<RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    let own: BitFlags<AccessFs> = all & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let hosts = if access.network { NAMES_OF_HOSTS } else { &[] };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?;
    if !access.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    ruleset
        .create()?
        .add_rules(path_beneath_rules(READABLE.iter().chain(hosts), read))?
        .add_rules(path_beneath_rules(WRITABLE, all))?
        .add_rules(path_beneath_rules(&access.read, read))?
        .add_rules(path_beneath_rules(access.write.iter().map(PathBuf::as_path).chain([folder]), own))?
        .restrict_self()
}

/// Returns the filters of system calls, unless this processor has none.
///
/// Besides sockets, one refuses memory and keys that outlive their process, and `io_uring`, which opens sockets as well. The
/// second makes `setsid` and `setpgid` no-ops: one signal to their group then ends all processes of a program. The third
/// refuses `fallocate`, which takes space of the disk without a byte written. Programs write zeros then, as they do on disks
/// without that call.
fn filters(network: bool) -> Option<[BpfProgram; 3]> {
    let lasting =
        [libc::SYS_shmget, libc::SYS_msgget, libc::SYS_semget, libc::SYS_add_key, libc::SYS_request_key];
    let others = [libc::SYS_io_uring_setup, libc::SYS_keyctl];
    let sockets = (!network).then_some(libc::SYS_socket);
    let refused = lasting.into_iter().chain(others).chain(sockets);
    let refusal = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    let groups = [libc::SYS_setsid, libc::SYS_setpgid].into_iter();
    let unsupported = SeccompAction::Errno(libc::EOPNOTSUPP.unsigned_abs());
    Some([
        filter(refused, refusal)?,
        filter(groups, SeccompAction::Errno(0))?,
        filter([libc::SYS_fallocate].into_iter(), unsupported)?,
    ])
}

/// Returns a filter that applies an action to these calls.
fn filter(calls: impl Iterator<Item = libc::c_long>, action: SeccompAction) -> Option<BpfProgram> {
    let rules: BTreeMap<_, _> =
        calls.flat_map(|call| [call, call | X32]).map(|call| (call, Vec::new())).collect();
    let processor = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, processor).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use rustix::fs::{FallocateFlags, fallocate};

    use super::*;

    /// Returns what a confined thread sees.
    fn confined<T: Send + 'static>(folder: &Path, act: impl FnOnce() -> T + Send + 'static) -> (Sandbox, T) {
        let folder = folder.to_owned();
        let thread = std::thread::spawn(move || (confine(&Access::default(), &folder).unwrap(), act()));
        thread.join().unwrap()
    }

    #[test]
    fn a_confined_thread_has_its_folder_only() {
        let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mine, secret) = (own.path().join("mine"), other.path().join("secret"));
        std::fs::write(&secret, "hush").unwrap();
        let (sandbox, (wrote, read, bound, allocated)) = confined(own.path(), move || {
            let file = std::fs::File::create(mine.with_extension("allocated"));
            let allocated = fallocate(file.unwrap(), FallocateFlags::KEEP_SIZE, 0, 4096);
            let bound = std::net::UdpSocket::bind("127.0.0.1:0");
            (std::fs::write(mine, "text"), std::fs::read(secret), bound, allocated)
        });
        assert!(wrote.is_ok(), "{wrote:?}");
        assert_eq!(sandbox.files, read.is_err());
        assert_eq!(sandbox.sockets, bound.is_err());
        assert!(!sandbox.sockets || allocated == Err(rustix::io::Errno::OPNOTSUPP), "{allocated:?}");
        assert_eq!(Sandbox::here(other.path()), sandbox);
        assert!(!Sandbox::here(Path::new("/usr/lib")).files);
    }

    #[test]
    fn a_sandbox_reports_missing_features() {
        let full = Sandbox { files: true, sockets: true, signals: true };
        assert_eq!(full.to_string(), "full");
        assert!(Sandbox::default().to_string().starts_with("none"));
        let partial = Sandbox { signals: false, ..full };
        assert!(partial.to_string().starts_with("partial: it does not restrict signals"), "{partial}");
        assert!(full.has(partial) && !partial.has(full) && partial.protects());
    }
}

//! The access of a program beyond the folders of the system, from the settings of its engine.

use std::collections::BTreeSet;
use std::fs::{DirEntry, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::runs::RUNS;
use super::sandbox::{Access, Sandbox};
use super::settings::EngineTable;
use crate::config::InvalidSetting;
use crate::engine::settings::Attachment;

/// Folders of the data folder that no program may use, because they hold files of all keys.
const PRIVATE: &[&str] = &["files", RUNS];

/// Further readable paths of a program with `gpu = true`.
const OF_GPUS_TO_READ: &[&str] = &[
    "/sys",
    "/proc/devices",
    "/proc/driver",
    "/etc/OpenCL",
    "/etc/vulkan",
    "/etc/glvnd",
    "/run/opengl-driver",
];

/// The devices of GPUs.
const OF_GPUS: &[&str] = &["/dev/dri", "/dev/kfd", "/dev/accel", "/dev/nvidia-caps", "/dev/shm"];

/// The beginning of the names of further devices.
const NVIDIA: &str = "nvidia";

impl EngineTable {
    /// Returns the program's access, and the sandbox that enforces it; no access without a sandbox.
    ///
    /// The program may read what `arguments` name by absolute paths: the operator has written them.
    ///
    /// # Errors
    /// A path is missing, or the program could read files of the service in it.
    pub(super) fn access<'v>(
        &self,
        attachment: &Attachment<'_>,
        program: &Path,
        arguments: impl Iterator<Item = &'v str>,
        voices: impl Iterator<Item = &'v String>,
    ) -> Result<(Option<Access>, Sandbox), InvalidSetting> {
        let data_dir = &attachment.environment.path("");
        let mut access = Access {
            read: paths("read", &self.read, attachment)?,
            write: paths("write", &self.write, attachment)?,
            network: self.network,
        };
        let voices =
            voices.filter(|voice| voice.starts_with('/')).flat_map(|voice| beside_voice(voice, data_dir));
        access.read.extend(voices.collect::<BTreeSet<_>>());
        let arguments = arguments.filter(|argument| argument.starts_with('/')).map(PathBuf::from);
        access.read.extend(arguments.filter(|path| !exposes(path, data_dir)));
        access.read.extend(own(program).into_iter().filter(|path| !exposes(path, data_dir)));
        access.read.push(program.to_owned());
        if self.gpu {
            access.read.extend(OF_GPUS_TO_READ.iter().map(PathBuf::from));
            access.write.extend(OF_GPUS.iter().map(PathBuf::from));
            let devices = std::fs::read_dir("/dev").into_iter().flatten().flatten();
            let of_nvidia = |device: &DirEntry| device.file_name().as_bytes().starts_with(NVIDIA.as_bytes());
            access.write.extend(devices.filter(of_nvidia).map(|device| device.path()));
        }
        if !self.sandbox {
            return Ok((None, Sandbox::default()));
        }
        let here = Sandbox::here(data_dir);
        Ok((Some(access), Sandbox { sockets: here.sockets && !self.network, ..here }))
    }
}

/// Returns the paths that a setting names.
fn paths(
    setting: &str,
    names: &[String],
    attachment: &Attachment<'_>,
) -> Result<Vec<PathBuf>, InvalidSetting> {
    let data_dir = attachment.environment.path("");
    let path = |(index, name): (usize, &String)| {
        let setting_path = || format!("engines.{}.{setting}[{index}]", attachment.name);
        let path = attachment.environment.path(name);
        if !path.exists() {
            let why = format!("`{}` does not exist", path.display());
            return Err(InvalidSetting::because(setting_path(), why));
        }
        if exposes(&path, &data_dir) {
            let expected = "a path that holds neither the data folder nor files of the service";
            return Err(InvalidSetting::must_be(setting_path(), expected));
        }
        Ok(path)
    };
    names.iter().enumerate().map(path).collect()
}

/// Returns whether a program that may read this path could read private files of the service.
fn exposes(path: &Path, data_dir: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (path, data_dir) = (real(path), real(data_dir));
    data_dir.starts_with(&path)
        || PRIVATE.iter().any(|folder| {
            // It may be a link to another disk.
            let folder = real(&data_dir.join(folder));
            path.starts_with(&folder) || folder.starts_with(&path)
        })
        || (path.parent() == Some(&data_dir) && !path.is_dir())
}

/// Returns the folder of a voice; if the service keeps other files there, the voice and its settings.
fn beside_voice(voice: &str, data_dir: &Path) -> Vec<PathBuf> {
    match Path::new(voice).parent().filter(|folder| !exposes(folder, data_dir)) {
        Some(folder) => vec![folder.to_owned()],
        None => vec![PathBuf::from(voice), PathBuf::from(format!("{voice}.json"))],
    }
}

/// Returns the folders with the program's own files, and with its interpreter's if it is a script.
fn own(program: &Path) -> Vec<PathBuf> {
    let interpreter = interpreter(program);
    // A virtual environment finds its files from the link to the interpreter.
    let named = interpreter.iter().cloned();
    let real = [Some(program.to_owned()), interpreter.clone()].into_iter().flatten();
    let real = real.filter_map(|path| path.canonicalize().ok());
    let home = std::env::var_os("HOME").map(PathBuf::from);
    named
        .chain(real)
        .flat_map(|program| beside(&program))
        .filter(|path| Some(path) != home.as_ref())
        .collect()
}

/// Returns the folder of a program; if that is `bin`, with the folders of libraries next to it.
fn beside(program: &Path) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    let parts: &[&str] =
        if folder.ends_with("bin") { &["lib", "lib64", "libexec", "pyvenv.cfg"] } else { &[] };
    let besides = parts.iter().filter_map(|part| Some(folder.parent()?.join(part)));
    [folder.to_owned()].into_iter().chain(besides).collect()
}

/// Returns the interpreter that the first line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    File::open(script).ok()?.take(256).read_to_end(&mut line).ok()?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    Some(PathBuf::from(line.lines().next()?.split_ascii_whitespace().next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_keeps_its_files() {
        let temporary = tempfile::tempdir().unwrap();
        let data = temporary.path().join("data");
        std::fs::create_dir_all(data.join("voices")).unwrap();
        std::fs::create_dir_all(data.join("files/results")).unwrap();
        std::fs::write(data.join("service.db"), "").unwrap();
        for name in ["", "..", "files", "files/results", "service.db", "../data", "voices/.."] {
            assert!(exposes(&data.join(name), &data), "{name}");
        }
        assert!(exposes(Path::new("/"), &data));
        let disk = temporary.path().join("disk");
        std::fs::create_dir_all(disk.join("programs/inner")).unwrap();
        std::os::unix::fs::symlink(disk.join("programs"), data.join(RUNS)).unwrap();
        for path in ["", "programs", "programs/inner"] {
            assert!(exposes(&disk.join(path), &data), "{path}");
        }
        for name in ["voices", "../other", "/usr"] {
            assert!(!exposes(&data.join(name), &data), "{name}");
        }
    }

    #[test]
    fn a_script_in_a_virtual_environment_has_its_interpreter() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let script = root.join("venv/bin/piper");
        std::fs::create_dir_all(root.join("venv/bin")).unwrap();
        std::fs::write(&script, "#!/opt/python/bin/python3 -I\nimport piper\n").unwrap();
        let own = own(&script);
        for path in ["/opt/python/bin", "/opt/python/lib"] {
            assert!(own.contains(&PathBuf::from(path)), "{own:?}");
        }
        assert!(own.contains(&root.join("venv/pyvenv.cfg")) && !own.contains(&root.join("venv")), "{own:?}");
        assert_eq!(beside(Path::new("/opt/espeak/espeak-ng")), [PathBuf::from("/opt/espeak")]);
    }
}

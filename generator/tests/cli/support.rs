//! Runs the command in a folder of its own.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

/// A small document.
pub const PETS: &str = include_str!("pets.yaml");

/// A folder that is gone when the test is over.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// A folder that holds `pets.yaml`.
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("openapi-crates-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test can be made");
        let scratch = Self(folder.canonicalize().expect("it was just made"));
        scratch.put("pets.yaml", PETS);
        scratch
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Every file below a folder, by path and text.
    pub fn files(&self, folder: &str) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read_to_string(path).expect("it is text")));
                }
            }
        }
        files.sort();
        files
    }

    /// Runs the command here.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Runs the command here, with this on standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        run(&self.0, arguments, input)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a command ended, and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Fails unless the command ended like this.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Fails unless standard error says this.
    #[track_caller]
    pub fn tells(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not in:\n{}", self.err);
        self
    }
}

fn run(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_openapi-crates"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be run");
    // A command that reads nothing may have closed its end already.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    Ran {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("it writes text"),
        err: String::from_utf8(output.stderr).expect("it writes text"),
    }
}

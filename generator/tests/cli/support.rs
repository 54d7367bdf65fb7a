//! Runs the command line in a temporary folder.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

/// A small document.
pub const PETS: &str = include_str!("pets.yaml");

/// A temporary folder, removed on drop.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// Creates a folder with `pets.yaml`.
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("openapi-crates-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("cannot create a temporary folder");
        let scratch = Self(folder.canonicalize().expect("cannot canonicalize the temporary folder"));
        scratch.put("pets.yaml", PETS);
        scratch
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("the path has no parent")).expect("cannot create the folder");
        fs::write(path, text).expect("cannot write the file");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns every file below a folder as path and text, sorted by path.
    pub fn files(&self, folder: &str) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read_to_string(path).expect("cannot read the file")));
                }
            }
        }
        files.sort();
        files
    }

    /// Makes the folder a git repository with its files in the first commit, on the branch `main`.
    pub fn init(&self) {
        self.git(&["init", "--quiet", "--initial-branch", "main"]);
        self.commit("start");
    }

    /// Commits all files.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// Runs git in this folder and returns what it prints.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().expect("cannot run git");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("git prints UTF-8");
        assert!(output.status.success(), "git {arguments:?}: {text}");
        text
    }

    /// Returns a command in this folder, for which git has no settings but the repository's own.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.0).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Test");
            command.env(format!("GIT_{role}_EMAIL"), "test@example.com");
        }
        command
    }

    /// Runs the command in this folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Runs the command in this folder, with this standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        run(&self.0, arguments, input)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The exit code and the output of a command.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Asserts that standard output contains this text.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "{text:?} is not in:\n{}", self.out);
        self
    }

    /// Asserts that standard error contains this text.
    #[track_caller]
    pub fn reports(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not in:\n{}", self.err);
        self
    }

    /// Asserts that neither output contains this text.
    #[track_caller]
    pub fn omits(self, text: &str) -> Self {
        assert!(!self.err.contains(text) && !self.out.contains(text), "{text:?} is in:\n{self:#?}");
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
        .expect("cannot run the command");
    // Writing fails if the command has ended without reading its input.
    let _ = child.stdin.take().expect("standard input is not piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("cannot wait for the command");
    Ran {
        code: output.status.code().expect("the command was killed by a signal"),
        out: String::from_utf8(output.stdout).expect("standard output is not UTF-8"),
        err: String::from_utf8(output.stderr).expect("standard error is not UTF-8"),
    }
}

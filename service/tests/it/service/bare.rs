//! A service as an operator starts it, with access to its data folder and log.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// A service that is not running yet.
pub struct Bare {
    folder: TempDir,
}

/// A running service, stopped on drop.
pub struct Started {
    child: Child,
    /// Its first line on stdout.
    pub first_line: String,
}

impl Started {
    /// Returns the URL that it listens on.
    pub fn url(&self) -> String {
        super::running::address(&self.first_line).unwrap_or_default()
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name]).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// Returns whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Stops it as Ctrl-C does, and waits until it has ended, so that its log is complete.
    pub fn stop(mut self) {
        let signalled = Command::new("kill").arg("-INT").arg(self.child.id().to_string()).status().unwrap();
        assert!(signalled.success() && self.child.wait().unwrap().success());
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Bare {
    /// Creates a service with these settings.
    pub fn new(settings: &str) -> Self {
        let bare = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(bare.data()).unwrap();
        std::fs::write(bare.data().join("asset-service.toml"), settings).unwrap();
        bare
    }

    /// Returns the data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Returns a command that is not running yet.
    pub fn binary(&self, arguments: &[&str]) -> Command {
        let mut command = super::running::binary();
        command.args(arguments).arg("--data-dir").arg(self.data());
        command
    }

    /// Runs a command to its end.
    pub fn command(&self, arguments: &[&str]) -> Output {
        self.binary(arguments).output().unwrap()
    }

    /// Creates a key and returns it.
    pub fn key(&self, arguments: &[&str]) -> String {
        let created = self.command(&[&["keys", "create", "--name", "test"], arguments].concat());
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        String::from_utf8(created.stdout).unwrap().lines().next().unwrap().to_owned()
    }

    /// Starts `serve` with these arguments and this log level.
    pub fn serve(&self, log: &str, arguments: &[&str]) -> Started {
        let file = std::fs::File::create(self.folder.path().join("log")).unwrap();
        self.serve_into(log, arguments, file.into())
    }

    /// Starts `serve` with its log written to `stderr`.
    pub fn serve_into(&self, log: &str, arguments: &[&str], stderr: Stdio) -> Started {
        let mut child = self
            .binary(&[&["serve"], arguments].concat())
            .env("RUST_LOG", log)
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        out.read_line(&mut first_line).unwrap();
        std::thread::spawn(move || out.lines().for_each(drop));
        Started { child, first_line }
    }
}

//! A server with the API of S3, which a program of the machine runs.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use asset_service::files::{Area, Files};
use futures_util::TryStreamExt as _;

use super::{EVERY, signal};
use crate::files::in_bucket;

/// How long a killed server is away.
const AWAY: Duration = Duration::from_secs(5);

/// How long a suspended server is away: longer than a request waits for a byte.
const SILENT: Duration = Duration::from_secs(20);

/// How long a slow server runs and waits in turns.
const TURN: Duration = Duration::from_millis(10);

/// A server. It is killed when this is dropped.
pub struct Server {
    command: String,
    process: Child,
    /// The URL of the bucket, in which nobody else writes.
    pub bucket: String,
    /// The files in it.
    pub files: Files,
}

impl Server {
    /// Starts the server of `cargo xtask soak --bucket`; `None` if the soak has no bucket.
    ///
    /// The environment has its address and the credentials, for the service as well.
    pub fn start() -> Option<Self> {
        let variable = |name: &str| std::env::var(format!("ASSET_SERVICE_SOAK_{name}")).ok();
        let (bucket, command) = (variable("BUCKET")?, variable("SERVER")?);
        let environment: Vec<_> = std::env::vars().collect();
        let environment = environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let files = in_bucket(&bucket, environment, false);
        Some(Self { process: spawn(&command), command, bucket, files })
    }

    pub async fn kill_and_restart(&mut self) {
        self.kill();
        tokio::time::sleep(AWAY).await;
        self.process = spawn(&self.command);
    }

    pub async fn stop(&self) {
        signal(self.process.id(), "-STOP");
        tokio::time::sleep(SILENT).await;
        signal(self.process.id(), "-CONT");
    }

    /// Lets the server run for a tenth of the time.
    pub async fn slow_down(&self) {
        let begun = Instant::now();
        while begun.elapsed() < EVERY / 2 {
            signal(self.process.id(), "-STOP");
            tokio::time::sleep(9 * TURN).await;
            signal(self.process.id(), "-CONT");
            tokio::time::sleep(TURN).await;
        }
    }

    /// Returns the number of files in an area of the bucket.
    pub async fn count(&self, area: Area) -> usize {
        let mut count = 0;
        for shard in 0..=u8::MAX {
            let pages: Vec<_> = self.files.shard(area, shard).try_collect().await.unwrap();
            count += pages.iter().map(Vec::len).sum::<usize>();
        }
        count
    }

    fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(command: &str) -> Child {
    let mut shell = Command::new("/bin/sh");
    // A group of its own: Ctrl-C is for the test.
    shell.arg("-c").arg(format!("exec {command}")).process_group(0).spawn().unwrap()
}

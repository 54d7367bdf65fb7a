//! Programs that run in the background of xtask.

use std::{
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// A program in the background. It is stopped on drop.
pub struct Background {
    name: &'static str,
    process: Child,
}

impl Background {
    /// Starts a program.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let program = command.get_program().display().to_string();
        let process = command.spawn().with_context(|| format!("cannot run {program}"))?;
        Ok(Self { name, process })
    }

    /// Returns the process, for its pipes.
    pub fn process(&mut self) -> &mut Child {
        &mut self.process
    }

    /// Returns an error if the program has ended.
    pub fn is_running(&mut self) -> Result<()> {
        match self.status()? {
            None => Ok(()),
            Some(status) => bail!("{} ended with {status}", self.name),
        }
    }

    /// Waits until the program ends, at most for a time.
    pub fn wait(mut self, limit: Duration) -> Result<ExitStatus> {
        let started = Instant::now();
        while started.elapsed() < limit {
            if let Some(status) = self.status()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(50));
        }
        bail!("{} has not ended within {limit:?}, and was stopped", self.name)
    }

    fn status(&mut self) -> Result<Option<ExitStatus>> {
        self.process.try_wait().with_context(|| format!("cannot get the status of {}", self.name))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // It may have ended already; `is_running` has reported that.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! The time, processor time and memory of a command.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Result, bail};

use xtask::processor;

use crate::corpus::{Ended, Exit, Limits, run_child};

/// The resources used by a command and the processes that it started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// The wall-clock time.
    pub time: Duration,
    /// The processor time, which is more reliable on a busy machine.
    pub processor: Duration,
    /// The peak memory in kilobytes.
    pub memory: u64,
}

impl Spent {
    /// Runs a command and measures it. No other child process may run at the same time.
    pub fn on(command: &mut Command, log: &Path, limits: Limits) -> Result<(Self, Ended)> {
        let before = processor::of_children().unwrap_or_default();
        let ended = run_child(command, log, limits)?;
        let processor = processor::of_children().unwrap_or_default().saturating_sub(before);
        let spent = Self { time: ended.time, processor, memory: ended.memory };
        let (seconds, megabytes) = (spent.time.as_secs(), spent.megabytes());
        match ended.exit {
            Exit::Exited(_) => Ok((spent, ended)),
            Exit::TimedOut => bail!("stopped after {seconds} s (peak memory {megabytes:.0} MB)"),
            Exit::OutOfMemory => bail!("stopped at {megabytes:.0} MB, after {seconds} s"),
        }
    }

    /// Returns the cells of a table row, also as multiples of `other` if given.
    pub fn cells(&self, other: Option<&Self>) -> [String; 3] {
        let ratio = |own: f64, other: Option<f64>| match other {
            Some(other) if other > 0.0 => format!(" ({:.1}×)", own / other),
            _ => String::new(),
        };
        let seconds = |of: fn(&Self) -> Duration| {
            let own = of(self).as_secs_f64();
            format!("{own:.2} s{}", ratio(own, other.map(|other| of(other).as_secs_f64())))
        };
        let memory =
            format!("{:.0} MB{}", self.megabytes(), ratio(self.megabytes(), other.map(Self::megabytes)));
        [seconds(|spent| spent.time), seconds(|spent| spent.processor), memory]
    }

    #[expect(clippy::cast_precision_loss, reason = "the number is only shown")]
    fn megabytes(&self) -> f64 {
        self.memory as f64 / 1024.0
    }
}

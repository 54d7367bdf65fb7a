//! What a command took.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Result, bail};

use crate::corpus::{Ended, How, Limits, children_processor_time, run_child};

/// What a command took, with all processes that it started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// From its beginning to its end.
    pub time: Duration,
    /// Of the processors: what tells more on a machine with other work to do.
    pub processor: Duration,
    /// The most memory at a time, in kilobytes.
    pub memory: u64,
}

impl Spent {
    /// Runs a command, and says what it took. Nothing else may be run meanwhile.
    pub fn on(command: &mut Command, log: &Path, limits: Limits) -> Result<(Self, Ended)> {
        let before = children_processor_time().unwrap_or_default();
        let ended = run_child(command, log, limits)?;
        let processor = children_processor_time().unwrap_or_default().saturating_sub(before);
        let spent = Self { time: ended.time, processor, memory: ended.memory };
        let (seconds, megabytes) = (spent.time.as_secs(), spent.megabytes());
        match ended.how {
            How::Exited(_) => Ok((spent, ended)),
            How::TimedOut => bail!("not done after {seconds} s, with {megabytes:.0} MB at most until then"),
            How::RanAway => bail!("not done after {seconds} s, when it had {megabytes:.0} MB"),
        }
    }

    /// The cells of a table, as multiples of another's where there is one.
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

    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    fn megabytes(&self) -> f64 {
        self.memory as f64 / 1024.0
    }
}

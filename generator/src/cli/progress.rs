//! A progress line on the terminal, for documents that take long.

use std::{
    io::{self, IsTerminal, Write},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use openapi_crates::{Stage, internals::escape_lines};

/// The time before the line appears. Most documents are done earlier.
const DELAY: Duration = Duration::from_millis(500);

/// The interval between updates.
const PACE: Duration = Duration::from_millis(100);

/// The progress line, removed on drop.
pub struct Progress(Option<(Sender<Stage>, JoinHandle<()>)>);

impl Progress {
    /// Starts the progress line for this document.
    ///
    /// Does nothing if standard error is not a terminal.
    pub fn start(name: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (sender, stages) = mpsc::channel();
        let name = escape_lines(name).into_owned();
        let started = Instant::now();
        let shower = thread::spawn(move || {
            let (mut stage, mut shown) = (Stage::Reading, false);
            loop {
                match stages.recv_timeout(PACE) {
                    Ok(next) => stage = next,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if started.elapsed() > DELAY {
                    shown = true;
                    show(&format!("{name}: {stage} … {:.1} s", started.elapsed().as_secs_f64()));
                }
            }
            if shown {
                show("");
            }
        });
        Self(Some((sender, shower)))
    }

    /// Shows this stage from now on.
    pub fn enter(&self, stage: Stage) {
        if let Some((sender, _)) = &self.0 {
            // Sending fails only if the thread has ended. Progress is not worth an error.
            let _ = sender.send(stage);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, shower)) = self.0.take() {
            drop(sender);
            let _ = shower.join();
        }
    }
}

fn show(line: &str) {
    let mut stderr = io::stderr();
    // Progress is not worth an error.
    let _ = write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush());
}

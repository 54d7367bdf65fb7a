//! A line on the terminal that says what is being done, if it takes long and someone is watching.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use openapi_crates::Stage;

/// Whoever waits no longer than this need not be told anything.
const PATIENCE: Duration = Duration::from_millis(500);

const PACE: Duration = Duration::from_millis(100);

/// The line; it goes away when this is dropped.
pub struct Progress(Option<(Mutex<Sender<Stage>>, JoinHandle<()>)>);

impl Progress {
    /// Begins to watch over the work on this document.
    pub fn start(name: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (sender, stages) = mpsc::channel();
        let name = name.to_owned();
        let started = Instant::now();
        let shower = thread::spawn(move || {
            let (mut stage, mut shown) = (Stage::Reading, false);
            loop {
                match stages.recv_timeout(PACE) {
                    Ok(next) => stage = next,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if started.elapsed() > PATIENCE {
                    shown = true;
                    show(&format!("{name}: {} … {:.1} s", doing(stage), started.elapsed().as_secs_f64()));
                }
            }
            if shown {
                show("");
            }
        });
        Self(Some((Mutex::new(sender), shower)))
    }

    /// Says what is done now.
    pub fn enter(&self, stage: Stage) {
        if let Some((sender, _)) = &self.0 {
            // If the line is gone, there is nobody to tell.
            let _ = sender.lock().unwrap_or_else(PoisonError::into_inner).send(stage);
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

fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Reading => "reading",
        Stage::Lowering => "understanding",
        Stage::Writing => "writing code",
    }
}

fn show(line: &str) {
    let mut stderr = io::stderr();
    // A line that can't be shown is no reason to stop.
    let _ = write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush());
}

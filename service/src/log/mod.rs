//! The log: lines on stderr, filtered by `RUST_LOG`.
//!
//! Logging never blocks. A line is put into a buffer with a fixed bound, and a thread of its own writes the
//! buffer every ten milliseconds. When stderr is not read, the thread waits, the buffer fills, and further
//! lines are dropped. They are counted in `log_lines_dropped_total`. A warning reports their number as soon
//! as writing works again.
//!
//! No other code of a running service writes to stderr. No line at `info` or above holds texts of
//! users: see [`redact`]. At `debug`, failures of engines may.

pub mod redact;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::io::{self, IsTerminal as _, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

/// How long lines are gathered. Warnings and errors are written without this delay.
const PAUSE: Duration = Duration::from_millis(10);

/// The bound of the buffer in bytes: more than a thousand lines.
const MAX_BUFFER_BYTES: usize = 256 * 1024;

/// How many bytes POSIX guarantees to write to a pipe in one piece.
const PIECE: usize = 4096;

/// How long the end of the process waits for the last lines to be written.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The name of the counter of dropped lines.
pub const DROPPED: &str = "log_lines_dropped_total";

/// The running log. Dropping it writes the remaining lines and ends the log.
#[must_use]
pub struct Log(Arc<Lines>);

/// Starts the log. With `json`, each line is a JSON object.
///
/// # Errors
/// Returns an error if the writer thread cannot be started.
pub fn start(json: bool) -> io::Result<Log> {
    let lines = Arc::new(Lines::default());
    let writer = Arc::clone(&lines);
    std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run(io::stderr(), report))?;
    let (layer, output) = (fmt::layer(), Output(Arc::clone(&lines)));
    let layer = if json {
        layer.json().with_writer(output).boxed()
    } else {
        layer.with_ansi(io::stderr().is_terminal()).with_writer(output).boxed()
    };
    let (filter, invalid) = filter();
    registry().with(layer).with(filter).init();
    if let Some(error) = invalid {
        tracing::warn!("the filter in RUST_LOG is invalid; using `info`: {error}");
    }
    // The default hook writes to stderr itself, which blocks when it is not read.
    panic::set_hook(Box::new(log_panic));
    Ok(Log(lines))
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.end(LAST_WAIT);
    }
}

/// Returns the filter of `RUST_LOG`, `info` by default, and why `RUST_LOG` is not used.
///
/// A filter by targets alone, the usual case, is evaluated once for each call site. One that names spans is evaluated on each
/// event.
fn filter<S>() -> (Box<dyn Layer<S> + Send + Sync>, Option<ParseError>)
where
    S: Subscriber + for<'a> registry::LookupSpan<'a>,
{
    let directives = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_else(|_| "info".to_owned());
    let by_targets = !directives.is_empty() && !directives.contains('[');
    match directives.parse::<Targets>() {
        Ok(targets) if by_targets => (targets.boxed(), None),
        _ => match EnvFilter::try_new(&directives) {
            Ok(filter) => (filter.boxed(), None),
            Err(error) => (EnvFilter::new("info").boxed(), Some(error)),
        },
    }
}

/// Logs how many lines were dropped.
fn report(lines: u64) {
    tracing::warn!(lines, "log lines were dropped because stderr was not read in time");
}

/// Logs a panic, with a backtrace if `RUST_BACKTRACE` asks for one.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = redact::panic_text(panic.payload());
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        tracing::error!(thread, location, %backtrace, "panicked: {message}");
    } else {
        tracing::error!(thread, location, "panicked: {message}");
    }
}

/// The lines between those who log and the thread that writes.
#[derive(Default)]
struct Lines {
    waiting: Mutex<Waiting>,
    /// Signals the writer that there is work, and [`Lines::end`] that the writer is done.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Lines that were dropped since the writer last took the buffer.
    dropped: u64,
    /// Lines that were dropped since the start.
    dropped_in_all: u64,
    /// A warning or an error waits.
    urgent: bool,
    /// No more lines are taken.
    ended: bool,
    /// The writer has written everything and is gone.
    done: bool,
}

impl Waiting {
    fn is_idle(&self) -> bool {
        self.bytes.is_empty() && self.dropped == 0 && !self.ended
    }

    fn lose(&mut self, lines: u64) -> u64 {
        self.dropped_in_all += lines;
        self.dropped_in_all
    }
}

thread_local! {
    /// Whether this thread is the writer, which needs room for its own warning.
    static IS_WRITER: Cell<bool> = const { Cell::new(false) };
}

impl Lines {
    /// Takes a line, or drops and counts it if there is no room. Never blocks on stderr.
    fn add(&self, line: &[u8], urgent: bool) {
        let mut waiting = self.waiting.lock();
        let was_empty = waiting.bytes.is_empty();
        let is_full = waiting.bytes.len() + line.len() > MAX_BUFFER_BYTES && !was_empty;
        // After a dropped line, all further lines are dropped until the writer takes the buffer. The warning
        // then appears where they are missing.
        if waiting.ended || ((is_full || waiting.dropped > 0) && !IS_WRITER.get()) {
            waiting.dropped += 1;
            let total = waiting.lose(1);
            drop(waiting);
            metrics::counter!(DROPPED).absolute(total);
            return;
        }
        waiting.bytes.extend_from_slice(line);
        let must_wake = was_empty || (urgent && !waiting.urgent);
        waiting.urgent |= urgent;
        drop(waiting);
        if must_wake {
            self.changed.notify_all();
        }
    }

    /// Writes lines to `out` until the end. `report` logs how many lines were lost.
    fn run(&self, mut out: impl Write, report: impl Fn(u64)) {
        IS_WRITER.set(true);
        let mut batch = Vec::new();
        let mut lost = 0;
        loop {
            let (dropped, ended) = self.take(&mut batch);
            lost += dropped;
            match write_lines(&mut out, &batch) {
                Ok(()) if lost > 0 && !ended => report(std::mem::take(&mut lost)),
                Ok(()) => {}
                Err(_) => {
                    let lines = batch.iter().filter(|byte| **byte == b'\n').count() as u64;
                    lost += lines;
                    let total = self.waiting.lock().lose(lines);
                    metrics::counter!(DROPPED).absolute(total);
                }
            }
            batch.clear();
            if ended {
                break;
            }
        }
        self.waiting.lock().done = true;
        self.changed.notify_all();
    }

    /// Waits for lines and moves them into `batch`. Returns how many were dropped since the last call, and whether these are
    /// the last ones.
    fn take(&self, batch: &mut Vec<u8>) -> (u64, bool) {
        let mut waiting = self.waiting.lock();
        self.changed.wait_while(&mut waiting, |waiting| waiting.is_idle());
        let gathering = |waiting: &mut Waiting| !waiting.urgent && !waiting.ended;
        self.changed.wait_while_for(&mut waiting, gathering, PAUSE);
        std::mem::swap(batch, &mut waiting.bytes);
        waiting.urgent = false;
        (std::mem::take(&mut waiting.dropped), waiting.ended)
    }

    /// Ends the log, and waits at most this long until the remaining lines are written.
    fn end(&self, patience: Duration) {
        let mut waiting = self.waiting.lock();
        waiting.ended = true;
        self.changed.notify_all();
        self.changed.wait_while_for(&mut waiting, |waiting| !waiting.done, patience);
    }
}

/// Writes lines in pieces that a pipe takes whole, because several processes may share it.
fn write_lines(out: &mut impl Write, mut lines: &[u8]) -> io::Result<()> {
    while !lines.is_empty() {
        let (piece, rest) = lines.split_at_checked(whole_lines(lines)).unwrap_or((lines, &[]));
        write(out, piece)?;
        lines = rest;
    }
    Ok(())
}

/// Returns the length of the lines that fit into a piece. A line that is too long becomes one piece.
fn whole_lines(lines: &[u8]) -> usize {
    if lines.len() <= PIECE {
        return lines.len();
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let fitting = lines.iter().take(PIECE).rposition(is_end);
    fitting.or_else(|| lines.iter().position(is_end)).map_or(lines.len(), |end| end + 1)
}

/// Writes all bytes, even if `out` is set to non-blocking.
fn write(out: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match out.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes a writer for each event.
struct Output(Arc<Lines>);

/// The writer of one event, which arrives as one whole line.
struct Line<'a> {
    lines: &'a Lines,
    urgent: bool,
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: &self.0, urgent: true }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line<'a> {
        Line { lines: &self.0, urgent: *metadata.level() <= Level::WARN }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line, self.urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

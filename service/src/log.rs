//! The log: to stderr, as much as `RUST_LOG` says.
//!
//! Lines are gathered for a moment and written together by a thread of their own: a write for each of them would make
//! requests wait for each other. Warnings and errors are written at once, with all that came before them.

use std::io::{self, IsTerminal as _, Write};
use std::panic;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

/// How long lines are gathered.
const PAUSE: Duration = Duration::from_millis(10);

/// With so many bytes, who has the next line writes them all, and waits until they are taken: memory has a bound.
const MOST: usize = 64 * 1024;

/// What POSIX promises that a pipe takes in one go.
const PIECE: usize = 4096;

/// The log, until it is dropped: then all lines are written, and later ones at once.
#[must_use]
pub struct Log(Arc<Lines<io::Stderr>>);

/// Starts the log; `json`: each line is an object.
///
/// # Errors
/// There can be no thread for it.
pub fn start(json: bool) -> io::Result<Log> {
    let lines = Arc::new(Lines::new(io::stderr()));
    let writer = Arc::clone(&lines);
    std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run())?;
    let (layer, output) = (fmt::layer(), Output(Arc::clone(&lines)));
    let layer = if json {
        layer.json().with_writer(output).boxed()
    } else {
        // Colours are for people.
        layer.with_ansi(io::stderr().is_terminal()).with_writer(output).boxed()
    };
    registry().with(layer).with(filter()).init();
    let (log, told) = (Log(Arc::clone(&lines)), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        lines.write();
        told(panic);
    }));
    Ok(log)
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What `RUST_LOG` says. By targets alone, as mostly, is judged once for each place in the code; what speaks of spans is
/// judged at each of their turns.
fn filter<S>() -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> registry::LookupSpan<'a>,
{
    let said = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_else(|_| "info".to_owned());
    let by_targets = !said.is_empty() && !said.contains('[');
    match said.parse::<Targets>() {
        Ok(targets) if by_targets => targets.boxed(),
        _ => EnvFilter::try_new(said).unwrap_or_else(|_| EnvFilter::new("info")).boxed(),
    }
}

/// Lines on their way.
struct Lines<W> {
    gathered: Mutex<Gathered>,
    /// Something was gathered.
    came: Condvar,
    /// Where they go, and an empty buffer to gather the next ones in.
    out: Mutex<(W, Vec<u8>)>,
}

#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    /// Nobody is there to write later.
    ended: bool,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Self { gathered: Mutex::default(), came: Condvar::new(), out: Mutex::new((out, Vec::new())) }
    }

    fn add(&self, line: &[u8], at_once: bool) {
        let mut gathered = lock(&self.gathered);
        let is_first = gathered.bytes.is_empty();
        gathered.bytes.extend_from_slice(line);
        let is_now = at_once || gathered.ended || gathered.bytes.len() >= MOST;
        drop(gathered);
        if is_now {
            self.write();
        } else if is_first {
            self.came.notify_one();
        }
    }

    /// Writes what was gathered. Nobody reads of a log that can't be written.
    fn write(&self) {
        // Kept until they are written: what is gathered next must not overtake.
        let mut out = lock(&self.out);
        let (out, bytes) = &mut *out;
        std::mem::swap(bytes, &mut lock(&self.gathered).bytes);
        let _ = write_lines(out, bytes);
        bytes.clear();
    }

    /// Writes now and then, until the end.
    fn run(&self) {
        let mut gathered = lock(&self.gathered);
        while !gathered.ended {
            if gathered.bytes.is_empty() {
                gathered = self.came.wait(gathered).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            drop(gathered);
            std::thread::sleep(PAUSE);
            self.write();
            gathered = lock(&self.gathered);
        }
    }

    fn end(&self) {
        lock(&self.gathered).ended = true;
        self.came.notify_one();
        self.write();
    }
}

/// Writes lines in pieces that a pipe takes whole: several processes may share it.
fn write_lines(out: &mut impl Write, mut lines: &[u8]) -> io::Result<()> {
    while !lines.is_empty() {
        let (piece, rest) = lines.split_at_checked(whole_lines(lines)).unwrap_or((lines, &[]));
        write(out, piece)?;
        lines = rest;
    }
    Ok(())
}

/// How many bytes the lines have that fit into a piece; a line that is too long is one by itself.
fn whole_lines(lines: &[u8]) -> usize {
    if lines.len() <= PIECE {
        return lines.len();
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let fitting = lines.iter().take(PIECE).rposition(is_end);
    fitting.or_else(|| lines.iter().position(is_end)).map_or(lines.len(), |end| end + 1)
}

/// Writes all of it, also to what is set not to wait.
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the lines of this process go.
struct Output(Arc<Lines<io::Stderr>>);

/// The way of one line: it comes whole.
struct Line<'a> {
    lines: &'a Lines<io::Stderr>,
    at_once: bool,
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: &self.0, at_once: true }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line<'a> {
        Line { lines: &self.0, at_once: *metadata.level() <= Level::WARN }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line, self.at_once);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each write by itself.
    #[derive(Default)]
    struct Writes(Vec<String>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !bytes.is_empty() {
                self.0.push(String::from_utf8_lossy(bytes).into_owned());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(lines: &Lines<Writes>) -> Vec<String> {
        lock(&lines.out).0.0.clone()
    }

    #[test]
    fn lines_are_gathered_and_urgent_ones_take_them_along() {
        let lines = Lines::new(Writes::default());
        lines.add(b"a\n", false);
        lines.add(b"b\n", false);
        assert!(written(&lines).is_empty());
        lines.add(b"c!\n", true);
        lines.add(b"d\n", false);
        lines.write();
        assert_eq!(written(&lines), ["a\nb\nc!\n", "d\n"]);
    }

    #[test]
    fn memory_has_a_bound() {
        let lines = Lines::new(Writes::default());
        let line = [b'x'; 1000];
        for _ in 0..1000 {
            lines.add(&line, false);
        }
        assert!(lock(&lines.gathered).bytes.len() < MOST);
        lines.write();
        assert_eq!(written(&lines).iter().map(String::len).sum::<usize>(), 1_000_000);
    }

    #[test]
    fn the_thread_writes_by_itself_and_nothing_is_lost_at_the_end() {
        let lines = Lines::new(Writes::default());
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| lines.run());
            lines.add(b"a\n", false);
            while written(&lines).is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
            lines.add(b"b\n", false);
            lines.end();
            assert_eq!(written(&lines), ["a\n", "b\n"]);
            thread.join().unwrap();
            lines.add(b"c\n", false);
        });
        assert_eq!(written(&lines), ["a\n", "b\n", "c\n"]);
    }

    #[test]
    fn pieces_are_whole_lines_that_a_pipe_takes_in_one_go() {
        let short = format!("{}\n", "s".repeat(999));
        let long = format!("{}\n", "l".repeat(2 * PIECE));
        let lines = [short.repeat(9), long.clone(), short.repeat(2)].concat();
        let mut out = Writes::default();
        write_lines(&mut out, lines.as_bytes()).unwrap();
        assert_eq!(out.0.concat(), lines);
        let sizes: Vec<usize> = out.0.iter().map(String::len).collect();
        assert_eq!(sizes, [4000, 4000, 1000, long.len(), 2000]);
    }

    /// Takes a byte at a time, when it takes any.
    #[derive(Default)]
    struct Reluctant(Vec<u8>, u8);

    impl Write for Reluctant {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = (self.1 + 1) % 3;
            match self.1 {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                1 => Err(io::ErrorKind::Interrupted.into()),
                _ => {
                    self.0.extend(bytes.first());
                    Ok(1)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_not_taken_at_once_is_offered_again() {
        let mut out = Reluctant::default();
        write_lines(&mut out, b"ab\n").unwrap();
        assert_eq!(out.0, b"ab\n");
    }
}

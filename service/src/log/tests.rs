use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// A stderr that passes each write to a test, and waits while the test holds it.
struct Stderr {
    written: Sender<String>,
    /// One message for each write that may continue.
    allowed: Option<Receiver<()>>,
}

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(allowed) = &self.allowed {
            allowed.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        self.written.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a log during a test, which gets the log, what is written, and what allows writes if they wait.
fn logging(waits: bool, test: impl FnOnce(&Lines, &Receiver<String>, Sender<()>)) {
    let lines = Lines::default();
    let (written, seen) = channel();
    let (allow, allowed) = channel();
    let out = Stderr { written, allowed: waits.then_some(allowed) };
    let report = |count| lines.add(format!("lost {count}\n").as_bytes(), true);
    std::thread::scope(|scope| {
        scope.spawn(|| lines.run(out, report));
        test(&lines, &seen, allow);
        lines.end(Duration::from_secs(10));
    });
}

fn all(seen: &Receiver<String>) -> String {
    seen.try_iter().collect()
}

#[test]
fn lines_are_written_together_and_nothing_is_lost_at_the_end() {
    logging(false, |lines, seen, _| {
        lines.add(b"a\n", false);
        lines.add(b"b\n", false);
        lines.add(b"c!\n", true);
        assert_eq!(seen.recv().unwrap(), "a\nb\nc!\n");
        lines.add(b"d\n", false);
        lines.end(Duration::from_secs(10));
        assert_eq!(all(seen), "d\n");
    });
}

#[test]
fn a_stalled_reader_loses_lines_but_delays_nothing() {
    logging(true, |lines, seen, allow| {
        lines.add(b"first\n", true);
        // The writer has taken this line and waits for its reader.
        while !lines.waiting.lock().bytes.is_empty() {
            std::thread::yield_now();
        }
        let line = [&[b'x'; 999][..], b"\n"].concat();
        for _ in 0..1000 {
            lines.add(&line, false);
        }
        let retained = MAX_BUFFER_BYTES / line.len();
        assert_eq!(lines.waiting.lock().bytes.len(), retained * line.len());
        assert_eq!(lines.waiting.lock().dropped, (1000 - retained) as u64);
        allow.send(()).unwrap();
        assert_eq!(seen.recv().unwrap(), "first\n");
        let report = format!("lost {}\n", 1000 - retained);
        let mut rest = String::new();
        while !rest.contains("lost") {
            allow.send(()).unwrap();
            rest.push_str(&seen.recv().unwrap());
        }
        assert!(rest.ends_with(&report), "the report stands where the lines are missing");
        assert_eq!(rest.len(), retained * line.len() + report.len());
        allow.send(()).unwrap();
        lines.add(b"again\n", true);
        assert_eq!(seen.recv().unwrap(), "again\n");
        drop(allow);
    });
}

#[test]
fn the_end_does_not_wait_for_a_stalled_reader() {
    logging(true, |lines, _, allow| {
        lines.add(b"never read\n", true);
        let begun = std::time::Instant::now();
        lines.end(Duration::from_millis(50));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert!(!lines.waiting.lock().done);
        drop(allow);
    });
}

#[test]
fn lines_that_cannot_be_written_are_counted() {
    logging(true, |lines, seen, allow| {
        drop(allow);
        lines.add(b"a\nb\n", true);
        while lines.waiting.lock().dropped_in_all < 2 {
            std::thread::yield_now();
        }
        assert_eq!(all(seen), "");
    });
}

#[test]
fn a_line_larger_than_the_buffer_is_written() {
    let line = "l".repeat(2 * MAX_BUFFER_BYTES);
    logging(false, |lines, seen, _| {
        lines.add(line.as_bytes(), false);
        lines.end(Duration::from_secs(10));
        assert_eq!(all(seen), line);
    });
}

/// Each write alone.
#[derive(Default)]
struct Writes(Vec<String>);

impl Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
struct SlowWriter(Vec<u8>, u8);

impl Write for SlowWriter {
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
fn bytes_that_are_not_taken_at_once_are_offered_again() {
    let mut out = SlowWriter::default();
    write_lines(&mut out, b"ab\n").unwrap();
    assert_eq!(out.0, b"ab\n");
}

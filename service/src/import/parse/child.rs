//! The child process: reads files from its standard input, and writes their facts to its standard output.

use std::ffi::OsStr;
use std::io::{self, Read, Write, stdin, stdout};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::{Facts, Job, frame, lengths_of};
use crate::import::{audio, measure, pictures, read_one};
use crate::process_limits::ProcessLimits;

/// Parses files until the standard input ends.
#[must_use]
pub(crate) fn run() -> ExitCode {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut busy = Duration::ZERO;
    while let Ok((job, payload)) = read(&mut input) {
        let begun = Instant::now();
        let (facts, bytes) = match limit(job, busy) {
            Ok(()) => work(job, &payload),
            Err(error) => (Err(format!("can't limit a parser: {error}")), Vec::new()),
        };
        busy += begun.elapsed();
        let written = frame(&facts, &bytes).and_then(|frame| output.write_all(&frame));
        if written.and_then(|()| output.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn read(input: &mut impl Read) -> io::Result<(Job, Vec<u8>)> {
    let mut lengths = [0; 8];
    input.read_exact(&mut lengths)?;
    // The parent bounds the size of its input.
    let (job, payload) = lengths_of(lengths, usize::MAX)?;
    let mut content = vec![0; job + payload];
    input.read_exact(&mut content)?;
    let payload = content.split_off(job);
    Ok((serde_json::from_slice(&content)?, payload))
}

/// Sets the limits for the next file, after this time of work.
fn limit(job: Job, busy: Duration) -> io::Result<()> {
    let (memory, seconds) = job.limits();
    let limits = ProcessLimits {
        data: Some(memory),
        // The limit is on all processor time so far, which is at most the time of work. The signal ends the process.
        processor_seconds: Some(busy.as_secs() + 1 + seconds),
        ..ProcessLimits::default()
    };
    limits.apply_for_now()
}

fn work(job: Job, payload: &[u8]) -> (Facts, Vec<u8>) {
    let path = Path::new(OsStr::from_bytes(payload));
    let done = match job {
        Job::Draw(side) => draw(payload, side).map(|png| (Value::Null, png)),
        Job::MeasureSvg => read_one(path, pictures::MAX_BYTES)
            .and_then(|svg| draw(&svg, pictures::SVG_SIDE))
            .and_then(|png| measured(&png)),
        Job::MeasurePicture => read_one(path, pictures::MAX_BYTES).and_then(|bytes| measured(&bytes)),
        Job::ReadTags => audio::read_tags(path).and_then(|tags| Ok((value(&tags)?, Vec::new()))),
    };
    match done {
        Ok((facts, bytes)) => (Ok(facts), bytes),
        Err(why) => (Err(why), Vec::new()),
    }
}

fn draw(svg: &[u8], side: u32) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(svg).map_err(|_| "the SVG is not UTF-8".to_owned())?;
    asset_engines::svg::png(text, side).map_err(|error| error.to_string())
}

fn measured(picture: &[u8]) -> Result<(Value, Vec<u8>), String> {
    let (measured, preview) = measure::measure(picture)?;
    Ok((value(&measured)?, preview))
}

fn value(facts: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(facts).map_err(|error| error.to_string())
}

//! Parses files of an import in child processes with limits.
//!
//! The files come from others, and libraries for SVG, tags and pictures have no bounds of their own. A child reads one
//! file at a time, under limits on memory and processor time, and ends with the file that exceeds them.

mod child;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;

use super::audio::Tags;
use super::measure::Measured;
use crate::machine::SELF;

pub(crate) use child::run;

/// The hidden command of a child process.
pub(crate) const PARSE: &str = "parse-files";

/// The time limit of a file.
///
/// It ends a child process that waits without computing. The limit of processor time ends all others.
const DEADLINE: Duration = Duration::from_secs(600);

/// The largest result, in bytes.
const MAX_RESULT: usize = 16 * 1024 * 1024;

/// The number of files after which a child is replaced, because allocators keep some memory.
const MAX_FILES: usize = 1000;

const MIB: u64 = 1024 * 1024;

/// The work on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Job {
    /// Draws SVG text as a PNG with sides of this length.
    Draw(u32),
    /// Measures the SVG picture at a path.
    MeasureSvg,
    /// Measures the JPEG, PNG or WebP picture at a path.
    MeasurePicture,
    /// Reads the tags of the sound at a path.
    ReadTags,
}

impl Job {
    /// Returns the limits on memory in bytes and on processor time in seconds.
    const fn limits(self) -> (u64, u64) {
        match self {
            Self::Draw(_) | Self::MeasureSvg => (512 * MIB, 10),
            // Its largest pictures have 200 million pixels.
            Self::MeasurePicture => (2048 * MIB, 60),
            Self::ReadTags => (256 * MIB, 10),
        }
    }

    /// Returns why a file has no result after its child ended in this way.
    fn exceeded(self, ended: Option<ExitStatus>) -> String {
        let (memory, seconds) = self.limits();
        match ended.and_then(|status| status.signal()) {
            Some(signal) if signal == Signal::XCPU.as_raw() => {
                format!("parsing needs more than {seconds} s of processor time")
            }
            _ => format!("parsing failed, or needs more than {} MiB of memory", memory / MIB),
        }
    }
}

/// The facts of a file, or why it is left out.
type Facts = Result<Value, String>;

/// The child processes of an import. They end with this value.
pub struct Parsers {
    idle: Mutex<Vec<Parser>>,
    turns: Semaphore,
}

impl Default for Parsers {
    /// Allows as many children as there are processors. Each starts when it is needed.
    fn default() -> Self {
        Self { idle: Mutex::default(), turns: Semaphore::new(crate::machine::processors()) }
    }
}

impl Parsers {
    /// Draws SVG text as a square PNG.
    pub(super) async fn draw(&self, svg: &str, side: u32) -> Result<Vec<u8>, String> {
        self.parse(Job::Draw(side), svg.as_bytes()).await.map(|(_, png)| png)
    }

    /// Measures a picture; returns a JPEG preview with it.
    pub(super) async fn measure(&self, path: &Path, is_svg: bool) -> Result<(Measured, Vec<u8>), String> {
        let job = if is_svg { Job::MeasureSvg } else { Job::MeasurePicture };
        let (facts, preview) = self.parse(job, path.as_os_str().as_bytes()).await?;
        Ok((typed(facts)?, preview))
    }

    /// Reads the tags and the length of a sound.
    pub(super) async fn read_tags(&self, path: &Path) -> Result<Tags, String> {
        let (facts, _) = self.parse(Job::ReadTags, path.as_os_str().as_bytes()).await?;
        typed(facts)
    }

    async fn parse(&self, job: Job, payload: &[u8]) -> Result<(Value, Vec<u8>), String> {
        // The semaphore is never closed.
        let _turn = self.turns.acquire().await;
        let idle = self.idle.lock().pop();
        let mut parser = match idle {
            Some(parser) => parser,
            None => Parser::start().map_err(|error| format!("can't start a parser: {error}"))?,
        };
        let (facts, bytes) = match tokio::time::timeout(DEADLINE, parser.ask(job, payload)).await {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(_)) => return Err(job.exceeded(parser.end().await)),
            // Dropping the child kills it.
            Err(_) => return Err(format!("parsing takes longer than {} s", DEADLINE.as_secs())),
        };
        if parser.files < MAX_FILES {
            self.idle.lock().push(parser);
        }
        facts.map(|facts| (facts, bytes))
    }
}

fn typed<T: DeserializeOwned>(facts: Value) -> Result<T, String> {
    serde_json::from_value(facts).map_err(|error| format!("a parser returned invalid facts: {error}"))
}

/// A child process.
struct Parser {
    /// Killed when this is dropped.
    process: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// The number of files so far.
    files: usize,
}

impl Parser {
    fn start() -> io::Result<Self> {
        let mut process = Command::new(SELF)
            .arg(PARSE)
            .env_clear()
            // The allocator must not reserve memory beyond the limit in advance.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { process, stdin, stdout, files: 0 })
    }

    /// Ends the child if it has not ended, and returns how it ended.
    async fn end(mut self) -> Option<ExitStatus> {
        let _ = self.process.start_kill();
        self.process.wait().await.ok()
    }

    /// Sends a file, and returns its facts and the bytes made from it.
    async fn ask(&mut self, job: Job, payload: &[u8]) -> io::Result<(Facts, Vec<u8>)> {
        self.files += 1;
        self.stdin.write_all(&frame(&job, payload)?).await?;
        let mut lengths = [0; 8];
        self.stdout.read_exact(&mut lengths).await?;
        let (facts, bytes) = lengths_of(lengths, MAX_RESULT)?;
        let mut content = vec![0; facts + bytes];
        self.stdout.read_exact(&mut content).await?;
        let bytes = content.split_off(facts);
        Ok((serde_json::from_slice(&content)?, bytes))
    }
}

/// Returns a message: the lengths of its parts, a part in JSON, and a part of bytes.
fn frame(facts: &impl Serialize, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let facts = serde_json::to_vec(facts)?;
    let mut frame = Vec::with_capacity(8 + facts.len() + bytes.len());
    for part in [facts.len(), bytes.len()] {
        let length = u32::try_from(part).map_err(|_| io::ErrorKind::FileTooLarge)?;
        frame.extend(length.to_le_bytes());
    }
    frame.extend(facts);
    frame.extend_from_slice(bytes);
    Ok(frame)
}

/// Returns the lengths of the two parts of a message.
fn lengths_of([a, b, c, d, e, f, g, h]: [u8; 8], most: usize) -> io::Result<(usize, usize)> {
    let [facts, bytes] = [[a, b, c, d], [e, f, g, h]].map(|length| u32::from_le_bytes(length) as usize);
    if facts.max(bytes) > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((facts, bytes))
}

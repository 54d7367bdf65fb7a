//! The service's side of a run: it starts the [supervisor](super::supervisor), follows the program, and learns how it ended.

use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::time::Instant;

use super::folder::Folder;
use super::plan::{Outcome, Plan};
use super::settings::{Command, ProgressFormat, Target};
use super::supervisor::SUPERVISE;
use crate::engine::Failure;
use crate::engine::context::{CancelReason, Context};
use crate::engine::failure::quoted;
use crate::machine::SELF;
use crate::trace;

/// The length of the last part of the standard error that is stored, in bytes.
const MAX_STDERR: usize = 2048;

/// The maximum number of lines of the standard error in a failure, and of their characters.
const LINES: usize = 5;
const CHARACTERS: usize = 1000;

/// The shortest value of the program's environment that may be a key, in bytes.
const MIN_KEY_BYTES: usize = 8;

/// The longest line of progress, in bytes.
const MAX_LINE_BYTES: u64 = 4096;

/// How long the processes of a program may take to end after they were signalled.
const GRACE: Duration = Duration::from_secs(5);

/// The longest outcome that is read, in bytes.
const MAX_OUTCOME_BYTES: u64 = 64 * 1024;

/// The inputs of one run of a program.
pub(super) struct Work {
    pub(super) arguments: Vec<String>,
    pub(super) stdin: Option<String>,
    /// The length of the output, if it is known.
    pub(super) seconds: Option<f64>,
}

/// Runs a program to its end. Afterwards none of its processes is left.
///
/// # Errors
/// It can't be started, takes too long, exceeds a limit, or ends without success.
pub(super) async fn run(
    command: &Command,
    folder: &Folder,
    work: &Work,
    context: &Context,
) -> Result<(), Failure> {
    let limit = command.engine.timeout_seconds;
    let own = own_deadline(limit, context.deadline);
    let deadline = own.unwrap_or(context.deadline);
    let (mut child, mut control) = start(command, folder, work, context, deadline).await?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reply = async {
        if let Some(stdout) = stdout {
            follow(stdout, work.seconds, context).await;
        }
    };
    let mut errors = Vec::new();
    let reports_progress = command.family.progress == Some(ProgressFormat::Percent);
    let read = read_errors(stderr, &mut errors, reports_progress, context);
    let ended = async {
        let (mut streams, mut outcome) =
            (pin!(async { tokio::join!(reply, read) }), pin!(outcome(&mut control)));
        tokio::select! {
            outcome = &mut outcome => {
                // Processes that a killed supervisor has left may keep the streams open.
                let _ = tokio::time::timeout(GRACE, streams).await;
                outcome
            }
            _ = &mut streams => outcome.await,
        }
    };
    let ended = tokio::select! {
        ended = tokio::time::timeout_at(deadline, ended) => Some(ended),
        CancelReason::TaskEnded | CancelReason::Interrupted = context.cancellation.cancelled() => None,
    };
    // The supervisor ends all processes when the socket closes, even if this future is dropped instead.
    drop(control);
    let _ = tokio::time::timeout(GRACE, child.wait()).await;
    let (name, said) = (&command.name, quoted(&last_lines(&errors, command.engine.env.values())));
    match ended {
        None => Err(Failure::Cancelled),
        Some(Err(_)) => {
            let limit = own.and(limit).map(|limit| format!("within timeout-seconds = {limit}"));
            let limit = limit.unwrap_or_else(|| "before the deadline of the task".to_owned());
            Err(Failure::Timeout(format!("program {name} did not end {limit}{said}")))
        }
        Some(Ok(Some(Outcome::Ended(status)))) => match ExitStatus::from_raw(status) {
            status if status.success() => Ok(()),
            status => Err(Failure::Internal(format!("program {name} ended with {status}{said}"))),
        },
        Some(Ok(Some(Outcome::Exceeded { setting, limit }))) => {
            let why = format!("program {name} was ended because it exceeded {setting} = {limit}{said}");
            Err(Failure::Internal(why))
        }
        Some(Ok(Some(Outcome::NotStarted(why)))) => {
            Err(Failure::Unavailable(format!("can't start program {name}: {why}")))
        }
        Some(Ok(None)) => {
            Err(Failure::Internal(format!("the supervisor of program {name} was killed{said}")))
        }
    }
}

/// Returns the deadline by `timeout-seconds`, if it is before that of the task.
fn own_deadline(limit: Option<u64>, deadline: Instant) -> Option<Instant> {
    let own = Instant::now().checked_add(Duration::from_secs(limit?))?;
    Some(own).filter(|own| *own < deadline)
}

/// Returns the outcome that the supervisor reports at its end; `None` if it reports none.
async fn outcome(control: &mut UnixStream) -> Option<Outcome> {
    let mut reply = Vec::new();
    control.take(MAX_OUTCOME_BYTES).read_to_end(&mut reply).await.ok()?;
    serde_json::from_slice(&reply).ok()
}

/// Returns the last lines of a standard error in one line.
///
/// Control characters are left out: the text may come from a client, and goes to terminals and logs. So are the values
/// of the program's environment, which may be keys.
fn last_lines<'v>(errors: &[u8], environment: impl Iterator<Item = &'v String>) -> String {
    let mut text = String::from_utf8_lossy(errors).into_owned();
    for value in environment.filter(|value| value.len() >= MIN_KEY_BYTES) {
        text = text.replace(value.as_str(), "[value of env]");
    }
    let clean = |line: &str| line.chars().filter(|one| !one.is_control()).collect::<String>();
    let lines: Vec<String> = text.split(['\n', '\r']).map(clean).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join(" | ");
    last.chars().skip(last.chars().count().saturating_sub(CHARACTERS)).collect()
}

/// Starts the supervisor; returns the socket whose end makes it end the program.
async fn start(
    command: &Command,
    folder: &Folder,
    work: &Work,
    context: &Context,
    deadline: Instant,
) -> Result<(Child, UnixStream), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Unavailable(format!("can't start program {}: {error}", command.name))
    };
    let stdin = match &work.stdin {
        Some(text) => folder.write(vec![(".stdin".to_owned(), text.clone())]).await?,
        None => None,
    };
    let stdout = match &command.output {
        Target::Stdout => Stdio::from(folder.create(".stdout").await?),
        Target::File(_) if command.family.progress == Some(ProgressFormat::Ffmpeg) => Stdio::piped(),
        Target::File(_) => Stdio::null(),
    };
    let time = deadline.saturating_duration_since(Instant::now());
    let plan = Plan {
        each: command.engine.each(time, context.most_bytes),
        all: command.engine.all(time, context.most_bytes),
        access: command.access.clone(),
        least: command.sandbox,
        folder: folder.path().to_owned(),
        supervisor: 0,
        stdin,
    };
    let plan = serde_json::to_string(&plan).map_err(|error| failed(error.into()))?;
    let (control, other) = UnixStream::pair().map_err(failed)?;
    let other = other.into_std().map_err(failed)?;
    let child = tokio::process::Command::new(SELF)
        .arg(SUPERVISE)
        .arg(plan)
        .arg(&command.program)
        .args(&work.arguments)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", folder.path())
        .env("TMPDIR", folder.path())
        .env("LANG", "C.UTF-8")
        .envs(trace::current().map(|context| (trace::VARIABLE, context.to_string())))
        .envs(&command.engine.env)
        .current_dir(folder.path())
        .stdin(Stdio::from(OwnedFd::from(other)))
        .stdout(stdout)
        .stderr(Stdio::piped())
        // Ctrl-C in a terminal is for the service.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    Ok((child, control))
}

/// Reports the progress that `ffmpeg -progress` writes: how much it has encoded, of the seconds of the output if they are known.
async fn follow(stdout: impl AsyncRead + Unpin, of: Option<f64>, context: &Context) {
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    while let Ok(1..) = (&mut lines).take(MAX_LINE_BYTES).read_line(&mut line).await {
        if let Some(encoded) =
            line.trim().strip_prefix("out_time_us=").and_then(|time| time.parse::<u64>().ok())
        {
            let seconds = encoded / 1_000_000;
            // The conversion saturates, and the report has 100 at most.
            let percent = of.filter(|of| *of > 0.0).map(|of| (encoded as f64 / 1e4 / of) as u8);
            context.report(percent, format!("{seconds} seconds done"));
        }
        line.clear();
    }
}

/// Reads the standard error to its end, and keeps the last part of it.
async fn read_errors(
    stderr: Option<impl AsyncRead + Unpin>,
    last: &mut Vec<u8>,
    reports_progress: bool,
    context: &Context,
) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let part = buffer.get(..read).unwrap_or_default();
        if reports_progress && let Some(percent) = percent(part) {
            context.report(Some(percent), "running");
        }
        last.extend_from_slice(part);
        last.drain(..last.len().saturating_sub(MAX_STDERR));
    }
}

/// Returns the last number before a percent sign.
fn percent(text: &[u8]) -> Option<u8> {
    let text = String::from_utf8_lossy(text);
    let (before, _) = text.rsplit_once('%')?;
    let is_digit = |character: char| character.is_ascii_digit() || character == '.';
    let number = before.rsplit(|character| !is_digit(character)).next()?.parse::<f64>().ok()?;
    (0.0..=100.0).contains(&number).then_some(number as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_in_one_line_without_control_characters() {
        let long = "x".repeat(1500);
        for (errors, expected) in [
            ("", String::new()),
            ("\n \r\n", String::new()),
            ("no such voice\n", "no such voice".to_owned()),
            ("1\n2\n3\n\n4\n5\n6\n", "2 | 3 | 4 | 5 | 6".to_owned()),
            ("a\u{1b}[31mb\0\u{9b}c\rd", "a[31mbc | d".to_owned()),
            (long.as_str(), "x".repeat(1000)),
        ] {
            assert_eq!(last_lines(errors.as_bytes(), std::iter::empty()), expected);
        }
        assert_eq!(last_lines(b"\xff", std::iter::empty()), "\u{fffd}");
        let environment = ["hf_1234567".to_owned(), "1".to_owned()];
        assert_eq!(last_lines(b"1 GET /?t=hf_1234567", environment.iter()), "1 GET /?t=[value of env]");
    }

    #[test]
    fn a_limit_beyond_the_deadline_of_the_task_is_none() {
        let deadline = Instant::now() + Duration::from_secs(60);
        for (limit, is_own) in [(None, false), (Some(1), true), (Some(100), false), (Some(u64::MAX), false)] {
            assert_eq!(own_deadline(limit, deadline).is_some(), is_own, "{limit:?}");
        }
    }

    #[test]
    fn the_last_percentage_counts() {
        for (text, expected) in
            [("12.50%\n99.9%", Some(99)), ("a 7 % b", None), ("101%", None), ("%", None), ("x3%", Some(3))]
        {
            assert_eq!(percent(text.as_bytes()), expected, "{text}");
        }
    }
}

//! The process of a run.
//!
//! The service starts itself under a hidden command that limits its own process and then becomes the program.
//! So the limits hold from the first instruction, and the kernel ends the program with the service.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::process::{ExitCode, Stdio};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, kill_process_group, set_parent_process_death_signal, setrlimit,
};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::Child;

use super::folder::Folder;
use super::settings::{Command, ProgressFormat, Target};
use crate::engine::Failure;
use crate::engine::context::Context;

/// The hidden command that becomes the program.
pub(crate) const SUPERVISE: &str = "run-program";

/// The last part of the standard error that is kept, in bytes.
const KEPT: usize = 2048;

/// How many lines of it a failure has, and how many characters.
const LINES: usize = 5;
const CHARACTERS: usize = 1000;

/// The shortest value of the program's environment that may be a key, in bytes.
const SHORTEST_KEY: usize = 8;

/// The longest line of progress, in bytes.
const LONGEST_LINE: u64 = 4096;

/// The process group of a program; it ends with this value.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // It fails only if all processes of the group have ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// What a program gets for one run.
pub(super) struct Work {
    pub(super) arguments: Vec<String>,
    pub(super) stdin: Option<String>,
    /// The length of the output, if it is known.
    pub(super) seconds: Option<f64>,
}

/// Runs a program to its end.
///
/// # Errors
/// It can't be started, takes too long, or ends without success.
pub(super) async fn run(
    command: &Command,
    folder: &Folder,
    work: &Work,
    context: &Context,
) -> Result<(), Failure> {
    let mut child = start(command, folder, work, context)?;
    let group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let told = async {
        if let Some(stdout) = stdout {
            follow(stdout, work.seconds, context).await;
        }
    };
    let mut errors = Vec::new();
    let tells_progress = command.progress == Some(ProgressFormat::Percent);
    let read = read_errors(stderr, &mut errors, tells_progress, context);
    let ended = async { tokio::join!(child.wait(), told, read).0 };
    let own = command.timeout.map(|timeout| tokio::time::Instant::now() + timeout);
    let own = own.filter(|own| *own < context.deadline);
    let ended = tokio::time::timeout_at(own.unwrap_or(context.deadline), ended).await;
    drop(group);
    let (name, told) = (&command.name, told_by(&errors, command.environment.values()));
    match ended {
        Err(_) => {
            let limit = own.and(command.timeout);
            let limit = limit.map(|limit| format!("within timeout-seconds = {}", limit.as_secs()));
            let limit = limit.unwrap_or_else(|| "before the deadline of the task".to_owned());
            Err(Failure::Timeout(format!("`{name}` did not end {limit}{told}")))
        }
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(Failure::Internal(format!("`{name}` ended with {status}{told}"))),
        Ok(Err(error)) => Err(Failure::Internal(format!("can't wait for `{name}`: {error}"))),
    }
}

/// Returns the last lines of a standard error in one line, as words that follow what happened.
///
/// Control characters are left out: the text may come from a client, and goes to terminals and logs. So are the values
/// of the program's environment, which may be keys.
fn told_by<'v>(errors: &[u8], environment: impl Iterator<Item = &'v String>) -> String {
    let mut text = String::from_utf8_lossy(errors).into_owned();
    for value in environment.filter(|value| value.len() >= SHORTEST_KEY) {
        text = text.replace(value.as_str(), "[value of env]");
    }
    let clean = |line: &str| line.chars().filter(|one| !one.is_control()).collect::<String>();
    let lines: Vec<String> = text.split(['\n', '\r']).map(clean).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join(" | ");
    match last.chars().count() {
        0 => String::new(),
        length => format!(": {}", last.chars().skip(length.saturating_sub(CHARACTERS)).collect::<String>()),
    }
}

fn start(command: &Command, folder: &Folder, work: &Work, context: &Context) -> Result<Child, Failure> {
    let failed =
        |error: std::io::Error| Failure::Unavailable(format!("can't start `{}`: {error}", command.name));
    let stdin = match &work.stdin {
        Some(text) => {
            folder.write(".stdin", text)?;
            Stdio::from(File::open(folder.file(".stdin")).map_err(failed)?)
        }
        None => Stdio::null(),
    };
    let stdout = match &command.output {
        Target::Stdout => Stdio::from(folder.create(".stdout")?),
        Target::File(_) if command.progress == Some(ProgressFormat::Ffmpeg) => Stdio::piped(),
        Target::File(_) => Stdio::null(),
    };
    let limit = |limit: Option<u64>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    tokio::process::Command::new(std::env::current_exe().map_err(failed)?)
        .arg(SUPERVISE)
        .args([limit(command.memory), limit(Some(context.most_bytes))])
        .arg(&command.program)
        .args(&work.arguments)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", folder.path())
        .env("TMPDIR", folder.path())
        .env("LANG", "C.UTF-8")
        .envs(&command.environment)
        .current_dir(folder.path())
        .stdin(stdin)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)
}

/// Becomes a program under limits: the memory and the size of files in bytes, `-` for none, then the program and
/// its arguments. Returns only if the program can't be started.
#[must_use]
pub(crate) fn supervise(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut limit = |resource| {
        let limit = arguments.next()?.into_string().ok()?;
        let Ok(limit) = limit.parse() else { return Some(()) };
        setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) }).ok()
    };
    let is_limited = limit(Resource::As).is_some()
        && limit(Resource::Fsize).is_some()
        && set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    if let Some(program) = arguments.next().filter(|_| is_limited) {
        let error = std::process::Command::new(program).args(arguments).exec();
        crate::cli::out::aside(format_args!("can't start the program: {error}"));
    }
    ExitCode::from(127)
}

/// Reports the progress that `ffmpeg -progress` writes: how much it has made, of the seconds of the output if they are known.
async fn follow(stdout: impl AsyncRead + Unpin, of: Option<f64>, context: &Context) {
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    while let Ok(1..) = (&mut lines).take(LONGEST_LINE).read_line(&mut line).await {
        if let Some(made) = line.trim().strip_prefix("out_time_us=").and_then(|time| time.parse::<u64>().ok())
        {
            let seconds = made / 1_000_000;
            // The conversion saturates, and the report has 100 at most.
            let percent = of.filter(|of| *of > 0.0).map(|of| (made as f64 / 1e4 / of) as u8);
            context.report(percent, format!("{seconds} seconds made"));
        }
        line.clear();
    }
}

/// Reads the standard error to its end, and keeps the last part of it.
async fn read_errors(
    stderr: Option<impl AsyncRead + Unpin>,
    last: &mut Vec<u8>,
    tells_progress: bool,
    context: &Context,
) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let part = buffer.get(..read).unwrap_or_default();
        if tells_progress && let Some(percent) = percent(part) {
            context.report(Some(percent), "running");
        }
        last.extend_from_slice(part);
        last.drain(..last.len().saturating_sub(KEPT));
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
    fn the_last_lines_are_told_in_one_line_without_control_characters() {
        let long = "x".repeat(1500);
        for (errors, expected) in [
            ("", String::new()),
            ("\n \r\n", String::new()),
            ("no such voice\n", ": no such voice".to_owned()),
            ("1\n2\n3\n\n4\n5\n6\n", ": 2 | 3 | 4 | 5 | 6".to_owned()),
            ("a\u{1b}[31mb\0\u{9b}c\rd", ": a[31mbc | d".to_owned()),
            (long.as_str(), format!(": {}", "x".repeat(1000))),
        ] {
            assert_eq!(told_by(errors.as_bytes(), std::iter::empty()), expected);
        }
        assert_eq!(told_by(b"\xff", std::iter::empty()), ": \u{fffd}");
        let environment = ["hf_1234567".to_owned(), "1".to_owned()];
        assert_eq!(told_by(b"1 GET /?t=hf_1234567", environment.iter()), ": 1 GET /?t=[value of env]");
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

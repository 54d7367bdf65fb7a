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

/// The part of the standard error that the log holds, in bytes.
const LOGGED: usize = 2048;

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
    let logged = read_errors(stderr, command.progress == Some(ProgressFormat::Percent), context);
    let ended = async {
        let (ended, (), logged) = tokio::join!(child.wait(), told, logged);
        (ended, logged)
    };
    let deadline = command
        .timeout
        .map_or(context.deadline, |timeout| context.deadline.min(tokio::time::Instant::now() + timeout));
    let ended = tokio::time::timeout_at(deadline, ended).await;
    drop(group);
    match ended {
        Err(_) => Err(Failure::Timeout(format!("`{}` took too long", command.name))),
        Ok((Ok(status), _)) if status.success() => Ok(()),
        Ok((Ok(status), logged)) => {
            tracing::warn!(engine = command.name, %status, stderr = logged, "a program failed");
            Err(Failure::Internal(format!("`{}` ended with {status}", command.name)))
        }
        Ok((Err(error), _)) => Err(Failure::Internal(format!("can't wait for `{}`: {error}", command.name))),
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

/// Reads the standard error to its end; returns the last part of it.
async fn read_errors(
    stderr: Option<impl AsyncRead + Unpin>,
    tells_progress: bool,
    context: &Context,
) -> String {
    let Some(mut stderr) = stderr else { return String::new() };
    let (mut last, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let part = buffer.get(..read).unwrap_or_default();
        if tells_progress && let Some(percent) = percent(part) {
            context.report(Some(percent), "running");
        }
        last.extend_from_slice(part);
        last.drain(..last.len().saturating_sub(LOGGED));
    }
    String::from_utf8_lossy(&last).into_owned()
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
    fn the_last_percentage_counts() {
        for (text, expected) in
            [("12.50%\n99.9%", Some(99)), ("a 7 % b", None), ("101%", None), ("%", None), ("x3%", Some(3))]
        {
            assert_eq!(percent(text.as_bytes()), expected, "{text}");
        }
    }
}

//! The supervisor of a program, a process between the service and the program.
//!
//! The service runs its own executable with the hidden command [`SUPERVISE`]: the supervisor. The supervisor runs it again
//! with [`BECOME`]. That process limits and confines itself, and then executes the program. The supervisor is outside of
//! the sandbox and survives the service, so that it can end all processes of the program and remove its private folder. Its
//! standard input is a socket to the service, which closes when the service ends the run or dies.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{ExitCode, Stdio};

use rustix::process::{
    Pid, Signal, getpid, getppid, set_child_subreaper, set_parent_process_death_signal, setsid,
};
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};

use super::plan::{Outcome, Plan};
use super::sandbox::{ConfineError, confine};
use super::watch::{TICK, Watch};
use super::{runs, tree};
use crate::machine::SELF;

/// The hidden command of the supervisor.
pub(super) const SUPERVISE: &str = "run-program";

/// The hidden command that executes the program.
const BECOME: &str = "become-program";

/// The `oom_score_adj` of a program, from 0 to 1000. When memory runs out, the kernel ends programs before the service.
const OOM_SCORE_ADJ: &str = "500";

/// The exit code if the program could not be started, as shells have it.
const NOT_STARTED: u8 = 127;

/// The exit code of a hidden command, and its output on stderr.
pub(crate) type Ended = (ExitCode, Option<String>);

/// Runs a hidden command if the arguments name one.
#[must_use]
pub(crate) fn hidden(mut arguments: impl Iterator<Item = OsString>) -> Option<Ended> {
    let command = arguments.next()?;
    let is_supervisor = command == SUPERVISE;
    if !is_supervisor && command != BECOME {
        return None;
    }
    let plan = arguments.next().and_then(|plan| serde_json::from_str::<Plan>(plan.to_str()?).ok());
    let Some((plan, program)) = plan.zip(arguments.next()) else { return Some((ExitCode::from(2), None)) };
    Some(if is_supervisor {
        (supervise(&plan, &program, arguments), None)
    } else {
        become_program(&plan, &program, arguments)
    })
}

/// Runs the program, and ends the processes that it leaves.
fn supervise(plan: &Plan, program: &OsString, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // A sweep removes the folder once its lock is free.
    let _lock = runs::lock(&plan.folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match (runtime, control()) {
        (Ok(runtime), Ok(mut control)) => {
            runtime.block_on(run(plan, program, arguments, &mut control)).map(|outcome| (outcome, control))
        }
        _ => None,
    };
    tree::end(None);
    let Some((outcome, mut control)) = outcome else {
        // No other process can remove the program's files any more.
        let _ = runs::remove(&plan.folder);
        return ExitCode::SUCCESS;
    };
    let sent = serde_json::to_vec(&outcome)
        .map_err(std::io::Error::other)
        .and_then(|outcome| control.write_all(&outcome));
    ExitCode::from(u8::from(sent.is_err()))
}

/// Returns the socket to the service.
fn control() -> std::io::Result<UnixStream> {
    Ok(std::io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Returns how the program has ended; `None` if the service has ended the run, or has died.
async fn run(
    plan: &Plan,
    program: &OsString,
    arguments: impl Iterator<Item = OsString>,
    control: &mut UnixStream,
) -> Option<Outcome> {
    // These signals would end only the supervisor. While the service drains, its programs must be able to finish.
    let ignored =
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()];
    let _ignored: Vec<_> = ignored.into_iter().map(signal).collect();
    let started = start(plan, program, arguments, control);
    let (mut child, mut socket) = match started {
        Ok(started) => started,
        Err(error) => return Some(Outcome::NotStarted(error.to_string())),
    };
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let mut watch = Watch::new(plan.all, &plan.folder, id);
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut byte = [0];
    loop {
        tokio::select! {
            ended = child.wait() => return Some(match ended {
                Ok(status) => Outcome::Ended(status.into_raw()),
                Err(error) => Outcome::NotStarted(error.to_string()),
            }),
            // The service writes nothing, so the socket has closed.
            _ = socket.read(&mut byte) => {
                tree::end(id);
                return None;
            }
            _ = ticks.tick() => if let Some(exceeded) = watch.scan() {
                tree::end(id);
                return Some(exceeded);
            },
        }
    }
}

/// Starts the program, and makes this process the parent of the program's orphaned descendants.
fn start(
    plan: &Plan,
    program: &OsString,
    arguments: impl Iterator<Item = OsString>,
    control: &UnixStream,
) -> std::io::Result<(tokio::process::Child, tokio::net::UnixStream)> {
    set_child_subreaper(Some(getpid()))?;
    let stdin = match &plan.stdin {
        Some(file) => Stdio::from(File::open(file)?),
        None => Stdio::null(),
    };
    let socket = control.try_clone()?;
    socket.set_nonblocking(true)?;
    let plan = serde_json::to_string(&Plan { supervisor: std::process::id(), ..plan.clone() })?;
    let child = tokio::process::Command::new(SELF)
        .arg(BECOME)
        .arg(plan)
        .arg(program)
        .args(arguments)
        .stdin(stdin)
        .spawn()?;
    Ok((child, tokio::net::UnixStream::from_std(socket)?))
}

/// Limits and confines this process, and executes the program. Returns only if that fails.
fn become_program(plan: &Plan, program: &OsString, arguments: impl Iterator<Item = OsString>) -> Ended {
    let failed = |why: &dyn std::fmt::Display| {
        (ExitCode::from(NOT_STARTED), Some(format!("can't start the program: {why}")))
    };
    // The supervisor may be killed before it can end the program, even before this call.
    let prepared = set_parent_process_death_signal(Some(Signal::KILL)).and_then(|()| setsid());
    if getppid().map(|parent| parent.as_raw_pid().cast_unsigned()) != Some(plan.supervisor) {
        return failed(&"its supervisor was killed");
    }
    if let Err(error) = prepared {
        return failed(&error);
    }
    // The service has to respond, and the supervisor has to scan, also while the program runs very many processes.
    crate::machine::lower_session_priority();
    // The value is only a hint to the kernel, so errors are ignored.
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE_ADJ);
    if let Err(error) = plan.each.apply() {
        return failed(&error);
    }
    if let Err(error) = confined(plan) {
        return failed(&error);
    }
    failed(&std::process::Command::new(Path::new(program)).args(arguments).exec())
}

fn confined(plan: &Plan) -> Result<(), ConfineError> {
    let Some(access) = &plan.access else { return Ok(()) };
    let sandbox = confine(access, &plan.folder)?;
    if sandbox.has(plan.least) { Ok(()) } else { Err(ConfineError::Less(sandbox)) }
}

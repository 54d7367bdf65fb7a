//! A compromised program, and attacks that must not end the programs of other keys.

use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use serde_json::json;
use uuid::Uuid;

use crate::service::http_client;
use crate::service::programs::{Program, code, ended, ends, is_running, sandbox, speak};
use crate::service::running::Running;
use crate::service::victim::{GROWTH, Percentiles, Victim, hurts_nobody, peak};
use crate::service::waiting::eventually;

/// The actions of a compromised program, by the text of the request. Success would complete the task.
pub const HOSTILE: &str = r#"
    act() {
        case "$(cat "$3")" in
            database) cat ../../service.db ;;
            truncate) : > ../../service.db ;;
            settings) cat ../../asset-service.toml ;;
            files) ls ../../files ;;
            neighbours) ls .. ;;
            outside) echo text > "$OUTSIDE" ;;
            link) ln ../../service.db stolen ;;
            environment) cat "/proc/$SERVICE/environ" ;;
            connect) bash -c 'exec 3<>/dev/tcp/127.0.0.1/$TCP' ;;
            datagram) bash -c 'echo text >/dev/udp/127.0.0.1/$UDP' ;;
            supervisor) kill -9 "$PPID" ;;
            service) kill -9 "$(cat "$1/service")" ;;
            *) return 0 ;;
        esac
    }
    act "$@" && cp "$1/sound.wav" "$4"
"#;

/// Starts 10,000 processes, half of them in sessions of their own.
pub const FORKS: &str = r#"
    if [ "$(cat "$3")" = fork ]; then
        number=0; while [ $number -lt 5000 ]; do sleep 600 & setsid sleep 600 & number=$((number + 1)); done
        wait
    fi
    cp "$1/sound.wav" "$4"
"#;

/// Returns settings under which a task that fails for any reason fails at once, and only for a reason of its program.
pub fn settings_without_retries(program: &Program, more: &str) -> String {
    // The lease must not expire on a busy machine.
    let settings = program.settings(more).replace("lease-seconds = 1", "lease-seconds = 60");
    settings + "max-attempts = 1\n[tiers.default]\nburst = 10000\nper-second = 10000.0\n"
}

/// Runs the program [`HOSTILE`] with each of these texts, which select attacks. Each task must fail.
pub async fn take_over(running: &Running, texts: &[&str]) {
    for text in texts {
        let task = ended(running, speak(running, text).await).await;
        assert_eq!((&task.status, code(&task)), (&TaskStatus::Failed, Some("attempts_exhausted")), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compromised_program_can_use_only_its_folder() {
    hurts_nobody(async || Vec::from_iter(taken_over().await)).await;
}

/// Returns `None` without a sandbox.
async fn taken_over() -> Option<Percentiles> {
    let program = Program::new(HOSTILE);
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().join("file");
    let more = format!(
        "env = {{ OUTSIDE = {outside:?}, TCP = \"{}\", UDP = \"{}\", SERVICE = \"{}\" }}",
        tcp.local_addr().unwrap().port(),
        udp.local_addr().unwrap().port(),
        std::process::id(),
    );
    // Only this level has the standard error of programs.
    let level = ("RUST_LOG", "warn,asset_service::engine=debug");
    let running = Running::start_with(&settings_without_retries(&program, &more), &[], &[level]);
    std::fs::write(program.path("service"), running.id().to_string()).unwrap();
    let sandbox = sandbox(&running);
    if sandbox.contains("access to files") || sandbox.contains("sockets") || sandbox.starts_with("none") {
        assert!(std::env::var_os("CI").is_none(), "CI must run the test of the sandbox: {sandbox}");
        eprintln!("SKIPPED: the test of programs that are taken over, because the sandbox is {sandbox}");
        return None;
    }
    let victim = Victim::start(&running).await;
    let mut texts = vec![
        "database",
        "truncate",
        "settings",
        "files",
        "neighbours",
        "outside",
        "link",
        "environment",
        "connect",
        "datagram",
    ];
    if !sandbox.contains("signals") {
        texts.extend(["supervisor", "service"]);
    }
    let before = peak(running.id());
    let (percentiles, ()) = victim.measure_during(take_over(&running, &texts)).await;
    assert!(peak(running.id()) < before + GROWTH, "{before} MiB before, {} MiB after", peak(running.id()));
    let log = running.log();
    let reasons = log.matches("Permission denied").count() + log.matches("not permitted").count();
    assert!(reasons >= texts.len(), "{reasons} of {}: {log}", texts.len());
    assert!(!outside.exists());
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 8]).is_err(), "a packet has left the sandbox");
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    Some(percentiles)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_forks_end_one_program() {
    hurts_nobody(async || vec![forks().await]).await;
}

async fn forks() -> Percentiles {
    let program = Program::new(FORKS);
    let running = Running::start_with(&settings_without_retries(&program, ""), &[], &[]);
    let victim = Victim::start(&running).await;
    let before = peak(running.id());
    let (percentiles, ()) = victim.measure_during(take_over(&running, &["fork"])).await;
    assert!(peak(running.id()) < before + GROWTH, "{before} MiB before, {} MiB after", peak(running.id()));
    let log = running.log();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let ended_for =
        format!("program speaker was ended because it exceeded processes = {}", 256.max(64 * processors));
    assert!(log.contains(&ended_for), "{log}");
    assert!(log.len() < 10_000, "{log}");
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    percentiles
}

/// Uploads large bodies with a key of its own, while `goes_on` returns true.
pub async fn upload(running: &Running, goes_on: impl Fn() -> bool) -> usize {
    let (client, key, url) =
        (http_client::new(), running.new_key(&[]), format!("{}/v1/ai/image-to-prompt", running.url));
    let body = json!({"image": "A".repeat(512 * 1024)}).to_string();
    let mut uploads = 0;
    while goes_on() {
        let send = || {
            let request = client.post(&url).header("x-service-api-key", &key);
            request.header("content-type", "application/json").body(body.clone()).send()
        };
        let responses = futures_util::future::join_all((0..8).map(|_| send())).await;
        uploads += responses.into_iter().filter(|response| response.is_ok()).count();
    }
    uploads
}

/// Threads that do blocking work end after ten seconds without any; the program must not end with them.
///
/// `cargo xtask bench fairness` measures the memory of such uploads: their peak depends on other work of the machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_end_no_program_of_another_key() {
    hurts_nobody(async || vec![uploads_beside_programs().await]).await;
}

async fn uploads_beside_programs() -> Percentiles {
    /// As many as the engine runs at once.
    const PROGRAMS: usize = 4;
    let program = Program::new(r#"echo run >> "$1/runs"; sleep 30; cp "$1/sound.wav" "$4""#);
    let running = Running::start_with(&settings_without_retries(&program, ""), &[], &[]);
    // Any thread may have started one of them.
    let mut ids = Vec::new();
    for _ in 0..PROGRAMS {
        ids.push(speak(&running, "Hello.").await);
    }
    let begun = async || (program.read("runs").lines().count() == PROGRAMS).then_some(());
    eventually("the programs have not begun", begun).await;
    let victim = Victim::start(&running).await;
    let begun = Instant::now();
    let (percentiles, uploads) =
        victim.measure_during(upload(&running, || begun.elapsed() < Duration::from_secs(5))).await;
    assert!(uploads > 4, "{uploads}");
    for id in ids {
        let task = ended(&running, id).await;
        assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    }
    assert_eq!(program.read("runs").lines().count(), PROGRAMS);
    percentiles
}

/// Leaves processes of each kind behind: in the background, in another session, and orphans of both.
const SPREADING: &str = r#"
    sleep 600 & echo $! >> "$1/ids"
    (setsid sh -c 'echo $$ >> "$1/ids"; trap "" TERM HUP; sleep 600; true' sh "$1" &)
    (setsid setsid sh -c 'sleep 600 & echo $! >> "$1/ids"' sh "$1" &)
    case "$(cat "$3")" in
        end) while [ "$(wc -l < "$1/ids")" -lt 3 ]; do sleep 0.1; done; cp "$1/sound.wav" "$4" ;;
        *) while [ "$(wc -l < "$1/ids")" -lt 3 ]; do sleep 0.1; done; echo $$ > "$1/leader"; wait ;;
    esac
"#;

fn runs(running: &Running) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(running.data().join("programs")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Waits until the program has started all processes; returns their ids.
async fn spread(program: &Program) -> Vec<String> {
    program.waits_for("leader").await;
    let ids = program.read("ids") + &program.read("leader");
    let ids: Vec<String> = ids.lines().map(ToOwned::to_owned).collect();
    assert!(ids.len() == 4 && ids.iter().all(|id| is_running(id)), "{ids:?}");
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_processes_end_with_their_program_and_with_the_service() {
    let program = Program::new(SPREADING);
    let mut running = Running::start_with(&program.settings(""), &[], &[]);
    let task = ended(&running, speak(&running, "end").await).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    for id in program.read("ids").lines() {
        assert!(!is_running(id), "{id} outlived its program");
    }
    std::fs::remove_file(program.path("ids")).unwrap();
    let id = speak(&running, "stay").await;
    let ids = spread(&program).await;
    std::fs::write(program.path("speak"), "#!/bin/sh\ncp \"$1/sound.wav\" \"$4\"\n").unwrap();
    running.kill();
    for id in &ids {
        ends(id).await;
    }
    eventually("the private folder stays", async || runs(&running).is_empty().then_some(())).await;
    running.kill_and_restart(&[]);
    assert_eq!(ended(&running, id).await.status, TaskStatus::Completed, "{}", running.log());
}

/// Returns the processes whose parent has this id.
pub fn children(parent: u32) -> Vec<u32> {
    let is_child = |id: &u32| {
        let stat =
            std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(&parent.to_string())
    };
    let ids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    ids.filter(is_child).collect()
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

/// As after a power cut, no process is left that removes the folders of a program.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_folder_is_swept_and_never_backed_up() {
    let program = Program::new(r#"echo $$ > "$1/leader"; sleep 600"#);
    let mut running = Running::start_with(&program.settings(""), &[], &[]);
    let id: Uuid = speak(&running, "a private prompt").await;
    program.waits_for("leader").await;
    // The service must not see that the supervisor has ended.
    signal("-STOP", running.id());
    for supervisor in children(running.id()) {
        signal("-KILL", supervisor);
    }
    ends(&program.read("leader")).await;
    running.kill();
    let left = runs(&running);
    let folder = left.iter().find(|path| path.is_dir()).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("text.txt")).unwrap(), "a private prompt");

    let backup = tempfile::tempdir().unwrap();
    let backup = backup.path().join("backup");
    assert!(running.command(&["backup", backup.to_str().unwrap()]).status.success());
    let found =
        Command::new("grep").args(["-r", "a private prompt"]).arg(backup.join("files")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    assert!(!backup.join("programs").exists());

    running.kill_and_restart(&["--threads", "0"]);
    eventually("a folder of a killed process stays", async || runs(&running).is_empty().then_some(())).await;
    assert_eq!(running.client().get_voiceover(id).await.unwrap().data.status, TaskStatus::InProgress);
}

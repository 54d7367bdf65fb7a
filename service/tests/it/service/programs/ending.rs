//! How a program ends.

use asset_api_client::models::common::TaskStatus;

use super::{Program, code, ended, ends, is_running, speak};
use crate::service::running::Running;
use crate::service::waiting::eventually;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn success_is_an_output_that_is_complete() {
    let script = r#"echo once >> "$1/runs"; head -c 400 "$1/sound.wav" > "$4"; echo 'no model' >&2"#;
    let program = Program::new(script);
    let running = Running::start_with(&program.settings(""), &[], &[]);
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"));
    assert_eq!(program.read("runs").lines().count(), 3);
    assert!(running.log().contains("incomplete audio"), "{}", running.log());

    let program = Program::new(r#"cp "$1/sound.wav" "$4"; cat "$3" >&2; exit 3"#);
    let running = Running::start_with(&program.settings(""), &[], &[]);
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"));
    let log = running.log();
    assert!(log.contains("program speaker ended with exit status: 3"), "{log}");
    assert!(!log.contains("Hello."), "the standard error has a text of a user: {log}");

    let program = Program::new(r#"head -c 300000000 /dev/zero > "$4" && cp "$1/sound.wav" "$4""#);
    let settings = program.settings("memory-mib = 64") + "[tiers.default]\nresult-mib = 1\n";
    let running = Running::start_with(&settings, &[], &[]);
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"), "the size of files must be limited");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_ends_with_its_task() {
    let script =
        r#"echo 'loaded 42.5% of it' >&2; sleep 600 & echo $! > "$1/child"; echo $$ > "$1/leader"; wait"#;
    let program = Program::new(script);
    let mut running = Running::start_with(&program.settings(""), &[], &[]);
    let id = speak(&running, "Hello.").await;
    program.waits_for("leader").await;
    let (leader, child) = (program.read("leader"), program.read("child"));
    assert!(is_running(&leader) && is_running(&child));
    let progress = async || running.client().get_voiceover(id).await.unwrap().data.progress;
    let progress = eventually("no progress is shown", progress).await;
    assert_eq!((progress.percent, progress.stage.as_deref()), (Some(42), Some("running")));
    assert!(running.command(&["tasks", "cancel", &id.to_string()]).status.success());
    ends(&leader).await;
    ends(&child).await;
    assert_eq!(code(&ended(&running, id).await), Some("cancelled"));
    let listed = String::from_utf8(running.command(&["tasks", "list", "--status", "failed"]).stdout).unwrap();
    let line = listed.lines().find(|line| line.starts_with(&id.to_string())).unwrap_or_default();
    assert!(line.contains(" speaker ") && line.ends_with(" cancelled"), "{listed}");
    let counted = async || running.metrics().await.contains("outcome=\"cancelled\"").then_some(());
    eventually("the attempt does not end as cancelled", counted).await;
    let log = running.log();
    // The tests log warnings only.
    assert!(!log.contains("lease") && !log.contains("cancelled"), "a cancellation is not a fault: {log}");

    // Only the kernel can notify the program that the service was killed.
    std::fs::remove_file(program.path("leader")).unwrap();
    let id = speak(&running, "Hello.").await;
    program.waits_for("leader").await;
    let leader = program.read("leader");
    std::fs::write(program.path("speak"), "#!/bin/sh\ncp \"$1/sound.wav\" \"$4\"\n").unwrap();
    running.kill_and_restart(&[]);
    ends(&leader).await;
    assert_eq!(ended(&running, id).await.status, TaskStatus::Completed, "another attempt runs the program");
}

//! Which process runs a program, and for which requests.

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::voiceover::VoiceoverRequest;

use super::{Program, ended, speak, wav};
use crate::service::http_client;
use crate::service::running::{Database, Running, on_both_databases};

/// Returns the settings of a program that speaks the texts of requests with a speed.
fn with_speed(program: &Program) -> String {
    let settings = program.settings("");
    settings.replace(r#"engine = "speaker""#, "engine = \"speaker\"\nwith = [\"speed\"]")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_process_with_the_program_takes_its_requests() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let program = Program::new(r#"cp "$1/sound.wav" "$4""#);
    let settings = database.clone() + &with_speed(&program);
    let running = Running::start_with(&settings, &["--threads", "0"], &[]);
    let without = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(without.path(), format!("local-programs = false\n{database}")).unwrap();
    let _without = running.start_beside(&["--config", without.path().to_str().unwrap()], &[]);

    let mut request = VoiceoverRequest::new("Quickly.", "narrator");
    request.speed = Some(1.1);
    let quick = running.client().create_voiceover(request).await.unwrap().data.task_id;
    let plain = speak(&running, "Slowly.").await;
    assert_eq!(ended(&running, plain).await.status, TaskStatus::Completed);
    let waits = running.client().get_voiceover(quick).await.unwrap().data;
    assert_eq!(waits.status, TaskStatus::Created, "a process without the program has claimed it");

    let _with = running.start_beside(&[], &[]);
    let task = ended(&running, quick).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    assert_eq!(http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap(), wav());
}

on_both_databases! { a_task_keeps_the_engine_that_it_was_accepted_for }

async fn a_task_keeps_the_engine_that_it_was_accepted_for(database: Database) {
    let program = Program::new(r#"cp "$1/sound.wav" "$4""#);
    let Some(setting) = database.setting().await else { return };
    let mut running =
        Running::start_with(&(setting.clone() + &program.settings("")), &["--threads", "0"], &[]);
    let settings = running.data().join("asset-service.toml");
    let (attached, none) =
        (std::fs::read_to_string(&settings).unwrap(), format!("local-programs = false\n{setting}"));
    let of_program = speak(&running, "Hello.").await;
    std::fs::write(&settings, &none).unwrap();
    running.kill_and_restart(&["--threads", "0"]);
    let built_in = speak(&running, "Hello.").await;
    running.kill_and_restart(&["--threads", "1"]);
    assert_eq!(ended(&running, built_in).await.status, TaskStatus::Completed);
    let waits = running.client().get_voiceover(of_program).await.unwrap().data;
    assert_eq!(waits.status, TaskStatus::Created, "the built-in engine has claimed it");

    running.kill_and_restart(&["--threads", "0"]);
    let left = speak(&running, "Hello.").await;
    std::fs::write(&settings, &attached).unwrap();
    running.kill_and_restart(&["--threads", "1"]);
    for (id, is_of_program) in [(of_program, true), (left, false)] {
        let task = ended(&running, id).await;
        assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
        let spoken = http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap();
        assert_eq!(spoken == wav(), is_of_program, "{:?}", task.engine);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_tests_supported_requests_and_reports_skipped_ones() {
    let program = Program::new(r#"cp "$1/sound.wav" "$4""#);
    let settings = with_speed(&program)
        + r#"
        [engines.copier]
        kind = "command"
        program = "cp"
        [families.image-to-video]
        engine = "copier"
        with = ["video_url"]
        args = ["{{ media.video_url.path }}", "{{ output }}"]
        output = "film.mp4"
        limits.start_image_url.supported = false
        [families.sound-effects]
        engine = "copier"
        args = ["/nowhere", "{{ output }}"]
        output = "sound.wav"
        limits.text.supported = false
        "#;
    let running = Running::start_with(&settings, &[], &[]);
    let checked = String::from_utf8(running.command(&["engines", "check"]).stdout).unwrap();
    let line = |name: &str| checked.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("speaker").contains("works") && line("speaker").contains("`create_voiceover`"), "{checked}");
    let film = checked.lines().find(|line| line.contains("image-to-video")).unwrap_or_default();
    assert!(film.contains("`create_image_to_video` with `video_url` without `start_image_url`"), "{checked}");
    assert!(film.contains("works") && film.contains(": video/mp4, "), "{checked}");
    let sound = checked.lines().find(|line| line.contains("sound-effects")).unwrap_or_default();
    assert!(sound.contains("skipped") && sound.contains("`text` is not supported"), "{checked}");
    assert!(checked.contains("warning: nothing of `copier` could be tried for sound-effects"), "{checked}");
    let ended = running.command(&["engines", "check", "copier"]);
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(running.command(&["engines", "check", "speaker"]).status.code(), Some(0));

    // The template fails only when it is rendered.
    let broken = settings.replace("media.video_url.path", "media.video_url.path|int");
    std::fs::write(running.data().join("asset-service.toml"), broken).unwrap();
    let refused = String::from_utf8(running.command(&["engines", "list"]).stderr).unwrap();
    assert!(refused.contains("`families.image-to-video.args[0]`"), "{refused}");
    assert!(refused.contains("the example of `create_image_to_video` with `video_url`"), "{refused}");
}

//! Engines that are programs on this machine.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use asset_api_client::models::common::{ReferenceImage, Task, TaskStatus};
use asset_api_client::models::image_preview::{
    CreateImagePreviewInput, GetImagePreviewInput, ImagePreviewRequest,
};
use asset_api_client::models::voiceover::VoiceoverRequest;
use base64::Engine as _;
use serde_json::{Value, json};
use sqlx::Connection as _;
use tempfile::TempDir;
use uuid::Uuid;

use super::outside::{Outside, PICTURE};
use super::running::{Database, Running, on_both_databases};
use super::waiting::{self, eventually};

/// A folder with a program that serves voiceovers.
struct Program {
    folder: TempDir,
}

impl Program {
    /// Creates a program from a shell script. `$1` is the folder, `$2` the voice, `$3` the text's file, `$4` the
    /// output's.
    fn new(script: &str) -> Self {
        let program = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(program.path("sound.wav"), wav()).unwrap();
        std::fs::write(program.path("speak"), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(program.path("speak"), PermissionsExt::from_mode(0o700)).unwrap();
        program
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the settings of the engine and of the family.
    fn settings(&self, more: &str) -> String {
        let (program, folder) = (self.path("speak"), self.folder.path());
        format!(
            r#"
            [engines.speaker]
            kind = "command"
            program = {program:?}
            {more}
            [families.voiceover]
            engine = "speaker"
            args = [{folder:?}, "{{{{ voice }}}}", "{{{{ files['text.txt'] }}}}", "{{{{ output }}}}"]
            files = {{ "text.txt" = "{{{{ request.text }}}}" }}
            output = "speech.wav"
            progress = "percent"
            voices = {{ narrator = "af_sky" }}
            cost = {{ per-1000-characters = 0.5, currency = "EUR", source = "our meter", as-of = 2026-11-01 }}
            limits = {{ text = {{ max-length = 100 }}, speed = {{ maximum = 1.15 }} }}
            [worker]
            backoff-seconds = 0
            lease-seconds = 1
            "#
        )
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    async fn waits_for(&self, name: &str) {
        eventually(name, async || (!self.read(name).is_empty()).then_some(())).await;
    }
}

/// Returns a WAV file of a tenth of a second.
fn wav() -> Vec<u8> {
    let mut file =
        b"RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0"
            .to_vec();
    file.resize(file.len() + 800, 128);
    file
}

async fn speak(running: &Running, text: &str) -> Uuid {
    running.client().create_voiceover(VoiceoverRequest::new(text, "narrator")).await.unwrap().data.task_id
}

/// Creates a program in a folder that writes its arguments and its text there, and the sound to the file after `-f`
/// or `-w`.
fn speaker(folder: &Path, name: &str, text: &str, output: &str) {
    std::fs::write(folder.join("sound.wav"), wav()).unwrap();
    let folder_name = folder.display();
    let script = format!(
        r#"#!/bin/sh
        echo "$@" > {folder_name}/{name}.arguments
        while [ $# -gt 0 ]; do
            if [ "$1" = {text} ]; then cat "$2" > {folder_name}/{name}.text; fi
            if [ "$1" = {output} ]; then cp {folder_name}/sound.wav "$2"; fi
            shift
        done
        "#
    );
    std::fs::write(folder.join(name), script).unwrap();
    std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o700)).unwrap();
}

async fn ended(running: &Running, id: Uuid) -> Task {
    waiting::ended(async || running.client().get_voiceover(id).await.unwrap().data).await
}

fn code(task: &Task) -> Option<&str> {
    Some(task.error.as_ref()?.code.as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_reads_and_writes_the_standard_streams_in_its_time() {
    let script = r#"folder=$1; case "$(cat)" in slow) sleep 600 ;; *) cat "$folder/sound.wav" ;; esac"#;
    let program = Program::new(script);
    let settings = program.settings("timeout-seconds = 300").replace(
        r#"files = { "text.txt" = "{{ request.text }}" }
            output = "speech.wav""#,
        r#"stdin = "{{ request.text }}"
            output = "stdout""#,
    );
    let settings = settings.replace(r#""{{ files['text.txt'] }}", "#, "") + "max-attempts = 1\n";
    let mut running = Running::start_with(&settings, &[], &[]);
    let task = ended(&running, speak(&running, "-f /etc/passwd; `id`").await).await;
    assert_eq!((&task.status, code(&task)), (&TaskStatus::Completed, None), "{}", running.log());
    let file = reqwest::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.bytes().await.unwrap(), wav());

    // Only a program that must not end in time has little of it.
    let settings = settings.replace("timeout-seconds = 300", "timeout-seconds = 1");
    let settings = format!("local-programs = false\n{settings}");
    std::fs::write(running.data().join("asset-service.toml"), settings).unwrap();
    running.kill_and_restart(&[]);
    let task = ended(&running, speak(&running, "slow").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"), "{}", running.log());
    assert!(running.log().contains("`speaker` did not end within timeout-seconds = 1"), "{}", running.log());
}

/// Queues a voiceover that only the program speaks, as if another process had queued it with this demand.
async fn queued(running: &Running, database_url: Option<&str>, demand: &str) -> Uuid {
    let mut request = VoiceoverRequest::new("Quickly.", "narrator");
    request.speed = Some(1.1);
    let id = running.client().create_voiceover(request).await.unwrap().data.task_id;
    let update = "UPDATE tasks SET families = $1 WHERE families = 'voiceover:with'";
    let updated = match database_url {
        Some(url) => {
            let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
            sqlx::query(update).bind(demand).execute(&mut connection).await.unwrap().rows_affected()
        }
        None => {
            let url = format!("sqlite://{}", running.data().join("service.db").display());
            let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
            sqlx::query(update).bind(demand).execute(&mut connection).await.unwrap().rows_affected()
        }
    };
    assert_eq!(updated, 1);
    id
}

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
    let _without = running.beside(&["--config", without.path().to_str().unwrap()], &[]);

    let mut request = VoiceoverRequest::new("Quickly.", "narrator");
    request.speed = Some(1.1);
    let quick = running.client().create_voiceover(request).await.unwrap().data.task_id;
    let plain = speak(&running, "Slowly.").await;
    assert_eq!(ended(&running, plain).await.status, TaskStatus::Completed);
    let waits = running.client().get_voiceover(quick).await.unwrap().data;
    assert_eq!(waits.status, TaskStatus::Created, "a process without the program has claimed it");

    let _with = running.beside(&[], &[]);
    let task = ended(&running, quick).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    assert_eq!(reqwest::get(&task.generated[0]).await.unwrap().bytes().await.unwrap(), wav());
}

on_both_databases! { a_task_with_another_demand_finds_its_engine }

async fn a_task_with_another_demand_finds_its_engine(database: Database) {
    // An older process queues by the family, or by nothing.
    for demand in ["voiceover", ""] {
        let program = Program::new(r#"cp "$1/sound.wav" "$4""#);
        let Some(setting) = database.setting().await else { return };
        let settings = setting.clone() + &with_speed(&program);
        let mut running = Running::start_with(&settings, &["--threads", "0"], &[]);
        let id = queued(&running, setting.split('"').nth(1), demand).await;
        running.kill_and_restart(&["--threads", "1"]);
        let task = ended(&running, id).await;
        assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
        assert_eq!(reqwest::get(&task.generated[0]).await.unwrap().bytes().await.unwrap(), wav());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_tries_what_the_engine_takes_and_says_what_it_skips() {
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

/// Returns whether a process lives. One that has ended and is not yet waited for does not.
fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

async fn ends(id: &str) {
    eventually("a program outlived its task", async || (!lives(id)).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_serves_a_family() {
    let script =
        r#"env > "$1/environment"; cat "$3" > "$1/text"; echo "$2" > "$1/voice"; cp "$1/sound.wav" "$4""#;
    let program = Program::new(script);
    let environment = [("ASSET_SERVICE_SECRET_OF_SOMEONE", "hush")];
    let running =
        Running::start_with(&program.settings("env = { OMP_NUM_THREADS = '1' }"), &[], &environment);

    // A text that a shell, an option parser or a template would take for something else.
    let text = "--model=x; $(touch /tmp/pwned) {{ seed }} `id` '../../etc/passwd'";
    let task = ended(&running, speak(&running, text).await).await;
    assert_eq!((&task.status, code(&task)), (&TaskStatus::Completed, None), "{}", running.log());
    assert_eq!(task.engine.as_deref(), Some("speaker"));
    let file = reqwest::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/wav");
    assert_eq!(file.bytes().await.unwrap(), wav());
    assert_eq!((program.read("text").as_str(), program.read("voice").trim()), (text, "af_sky"));
    let seen = program.read("environment");
    assert!(seen.contains("OMP_NUM_THREADS=1") && !seen.contains("hush") && !seen.contains("ASSET_SERVICE"));
    assert!(running.files("scratch").is_empty(), "the private folder must be removed");

    // What the engine can't do is known at submission.
    let refused = |request: Value| {
        let url = format!("{}/v1/ai/voiceover", running.url);
        let request =
            reqwest::Client::new().post(url).header("x-service-api-key", &running.key).json(&request);
        async move { request.send().await.unwrap() }
    };
    for (request, field, reason) in [
        (json!({"text": "a", "voice_id": "../../x"}), "voice_id", "must be one of narrator"),
        (json!({"text": "a".repeat(101), "voice_id": "narrator"}), "text", "at most 100 characters"),
        (json!({"text": "a", "voice_id": "narrator", "speed": 1.2}), "speed", "at most 1.15"),
    ] {
        let response = refused(request).await;
        assert_eq!(response.status(), 400, "{field}");
        let told = response.text().await.unwrap();
        assert!(told.contains(field) && told.contains(reason), "{told}");
    }
    // The finished task is counted at its price.
    let usage = String::from_utf8(running.command(&["keys", "usage", "--calls"]).stdout).unwrap();
    let line = usage.lines().find(|line| line.starts_with(running.key_id())).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    assert_eq!(words[..3], ["speaker", "voiceover", "1"], "{usage}");
    assert!(line.contains("x 1000 characters") && line.contains("0.5 EUR"), "{usage}");
    assert!(line.ends_with("our meter, 2026-11-01"), "{usage}");
    let metrics = running.metrics().await;
    assert!(metrics.contains("engine_calls_total{engine=\"speaker\",priced=\"yes\"} 1"), "{metrics}");
    assert!(
        metrics.contains("engine_cost_millionths_total{engine=\"speaker\",currency=\"EUR\"}"),
        "{metrics}"
    );
    assert!(!metrics.contains(running.key_id()));

    let ignoring = refused(json!({"text": "a", "voice_id": "narrator", "stability": 0.4})).await;
    let id: Value = ignoring.json().await.unwrap();
    let id = id["data"]["task_id"].as_str().unwrap().parse().unwrap();
    let task = ended(&running, id).await;
    assert_eq!(task.ignored, Some(vec!["stability".to_owned()]));

    // Commands show who serves what, and try it.
    let told = |arguments: &[&str]| String::from_utf8(running.command(arguments).stdout).unwrap();
    let list = told(&["engines", "list"]);
    let line = |path: &str| list.lines().find(|line| line.ends_with(path)).unwrap_or_default().to_owned();
    assert!(line("POST /v1/ai/voiceover").contains("speaker"), "{list}");
    assert!(line("POST /v1/ai/skin-enhancer/creative").contains("tone-retoucher"), "{list}");
    assert!(line("POST /v1/ai/lip-sync/{model}").contains("none"), "{list}");
    let checked = told(&["engines", "check"]);
    assert!(checked.contains("works") && checked.contains("audio/wav, 844 bytes"), "{checked}");
    std::fs::write(program.path("speak"), "#!/bin/sh\necho no such voice >&2; exit 3\n").unwrap();
    let checked = running.command(&["engines", "check", "speaker"]);
    assert_eq!(checked.status.code(), Some(1));
    let checked = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.contains("FAILED"), "{checked}");
    assert!(
        checked.contains("`create_voiceover`: `speaker` ended with exit status: 3: no such voice"),
        "{checked}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_are_installed_speak_without_settings() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    speaker(folder.path(), "espeak-ng", "-f", "-w");
    speaker(folder.path(), "piper", "-i", "-f");
    let asked = |running: &Running, voice: &str| {
        let mut request = VoiceoverRequest::new("-m [[[h@l'oU]] <audio src='x'/>", voice);
        request.speed = Some(1.2);
        let client = running.client();
        async move { client.create_voiceover(request).await }
    };

    // Piper has no voice, so espeak-ng serves.
    let running = Running::start_among(folder.path(), &[]);
    let id = asked(&running, "en-gb").await.unwrap().data.task_id;
    let task = ended(&running, id).await;
    assert_eq!(
        (&task.status, task.engine.as_deref()),
        (&TaskStatus::Completed, Some("espeak-ng")),
        "{task:?}"
    );
    assert_eq!(task.ignored, None);
    let arguments = read("espeak-ng.arguments");
    assert!(arguments.starts_with("-v en-gb -s 210 -b 1 -f /"), "{arguments}");
    assert_eq!(read("espeak-ng.text"), "-m [ [ [ h@l'oU]] <audio src='x'/>");
    let refused = asked(&running, "../x").await.unwrap_err().to_string();
    assert!(refused.contains("400"), "{refused}");
    assert_eq!(read("piper.arguments"), "");
    drop(running);

    let running = Running::start_among(folder.path(), &["voices/joe.onnx", "voices/joe.onnx.json"]);
    let id = asked(&running, "joe").await.unwrap().data.task_id;
    let task = ended(&running, id).await;
    assert_eq!((&task.status, task.engine.as_deref()), (&TaskStatus::Completed, Some("piper")), "{task:?}");
    let arguments = read("piper.arguments");
    assert!(arguments.starts_with("-m /") && arguments.contains("/voices/joe.onnx -i /"), "{arguments}");
    assert!(arguments.trim().ends_with("--length-scale 0.8333333333333334"), "{arguments}");
    assert_eq!(read("piper.text"), "-m [[[h@l'oU]] <audio src='x'/>");
    assert!(asked(&running, "en-gb").await.unwrap_err().to_string().contains("400"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loras_are_listed_checked_and_applied() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"#!/bin/sh
        shift; cp "$1" "$2"; echo "$3" "$4" >> "$5"
        "#;
    std::fs::write(folder.path().join("paint"), script).unwrap();
    std::fs::set_permissions(folder.path().join("paint"), PermissionsExt::from_mode(0o700)).unwrap();
    std::fs::write(folder.path().join("a.jpg"), PICTURE).unwrap();
    let (program, picture) = (folder.path().join("paint"), folder.path().join("a.jpg"));
    let log = folder.path().join("log");
    let settings = |loras: &str| {
        format!(
            r#"
            [engines.painter]
            kind = "command"
            program = {program:?}
            [families.imagegen]
            engine = "painter"
            args = ["{{{{ files['prompt'] }}}}", {picture:?}, "{{{{ output }}}}", {loras}, {log:?}]
            files = {{ prompt = "{{{{ request.prompt }}}}" }}
            output = "out.jpg"
            [[families.imagegen.loras]]
            id = 7
            name = "watercolor"
            type = "style"
            preview = "https://example.com/watercolor.png"
            trigger = "wtrclr"
            file = "wc.safetensors"
            "#
        )
    };
    let applied = r#""{{ request.loras[0].file if request.loras else 'none' }}", "{{ request.loras[0].strength or 0 }}""#;
    let running = Running::start_with(&settings(applied), &[], &[]);
    let client = running.client();
    let listed = client.list_loras().await.unwrap().data;
    let names: Vec<_> = listed[0].default.iter().map(|lora| (lora.id, lora.name.as_str())).collect();
    assert_eq!((names, listed[0].customs.len()), (vec![(7, "watercolor")], 0));

    let create = |body: Value| {
        let url = format!("{}/v1/ai/imagegen", running.url);
        let request = reqwest::Client::new().post(url).header("x-service-api-key", &running.key).json(&body);
        async move {
            let response = request.send().await.unwrap();
            (response.status().as_u16(), response.json::<Value>().await.unwrap())
        }
    };
    let styled = |style: Value| json!({"prompt": "a fox", "styling": {"styles": [style]}});
    let (status, refused) = create(styled(json!({"name": "oil"}))).await;
    assert_eq!(status, 400);
    assert!(refused.to_string().contains("must be one of watercolor"), "{refused}");
    let (status, refused) = create(json!({"prompt": "a fox", "styling": {"characters": [{"id": 7}]}})).await;
    assert_eq!(status, 400);
    assert!(refused.to_string().contains("has no such LoRA"), "{refused}");

    let (status, created) = create(styled(json!({"name": "watercolor", "strength": 50}))).await;
    assert_eq!(status, 200, "{created}");
    let id: Uuid = created["data"]["task_id"].as_str().unwrap().parse().unwrap();
    let task = waiting::ended(async || client.get_imagegen(id).await.unwrap().data).await;
    assert_eq!((task.status, task.ignored), (TaskStatus::Completed, None), "{}", running.log());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "wc.safetensors 0.5\n");

    // Settings that list LoRAs which nothing applies are refused at start.
    std::fs::write(running.data().join("asset-service.toml"), settings(r#""none", "0""#)).unwrap();
    let told = running.command(&["engines", "list"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("`families.imagegen.loras`") && told.contains("request.loras"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn success_is_an_output_that_is_complete() {
    let script = r#"echo once >> "$1/runs"; head -c 400 "$1/sound.wav" > "$4"; echo 'no model' >&2"#;
    let program = Program::new(script);
    let running = Running::start_with(&program.settings(""), &[], &[]);
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"));
    assert_eq!(program.read("runs").lines().count(), 3);
    assert!(running.log().contains("incomplete audio"), "{}", running.log());

    let program = Program::new(r#"cp "$1/sound.wav" "$4"; echo 'no such voice' >&2; exit 3"#);
    let running = Running::start_with(&program.settings(""), &[], &[]);
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"));
    assert!(running.log().contains("no such voice"), "{}", running.log());

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
    assert!(lives(&leader) && lives(&child));
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
    assert!(!log.contains("lease") && !log.contains("cancelled"), "a cancellation is no fault: {log}");

    // Nothing can tell the program that the service was killed, except the kernel.
    std::fs::remove_file(program.path("leader")).unwrap();
    let id = speak(&running, "Hello.").await;
    program.waits_for("leader").await;
    let leader = program.read("leader");
    std::fs::write(program.path("speak"), "#!/bin/sh\ncp \"$1/sound.wav\" \"$4\"\n").unwrap();
    running.kill_and_restart(&[]);
    ends(&leader).await;
    assert_eq!(ended(&running, id).await.status, TaskStatus::Completed, "another attempt runs the program");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_serves_a_family_without_a_built_in_engine() {
    let outside = Outside::start().await;
    let settings = r#"
        [engines.copier]
        kind = "command"
        program = "cp"
        [families.image-preview]
        engine = "copier"
        args = ["{{ media.reference_images[1].path }}", "{{ output }}"]
        output = "out.jpg"
        "#;
    let running = Running::start_with(settings, &[], &[]);
    let client = running.client();
    let mut request = ImagePreviewRequest::new("A cup of tea.");
    let other = base64::engine::general_purpose::STANDARD.encode(PICTURE);
    request.reference_images = Some(vec![ReferenceImage::new(other), ReferenceImage::new(outside.picture())]);
    let created =
        client.create_image_preview(CreateImagePreviewInput::new("standard", request)).await.unwrap();
    let id = created.data.task_id;
    let get =
        async || client.get_image_preview(GetImagePreviewInput::new("standard", id)).await.unwrap().data;
    let task = waiting::ended(get).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?} {}", running.log());
    assert_eq!(task.ignored, Some(vec!["prompt".to_owned()]));
    let file = reqwest::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.headers()["content-type"], "image/jpeg");
    assert_eq!(file.bytes().await.unwrap(), PICTURE);
}

//! The input of a program, and how its output becomes a result.

use asset_api_client::models::common::{ReferenceImage, TaskStatus};
use asset_api_client::models::image_preview::{
    CreateImagePreviewInput, GetImagePreviewInput, ImagePreviewRequest,
};
use asset_api_client::models::voiceover::VoiceoverRequest;
use base64::Engine as _;
use serde_json::{Value, json};

use super::{Program, code, ended, speak, speaker, spoken, wav};
use crate::service::http_client;
use crate::service::outside::{Outside, PICTURE};
use crate::service::running::{Running, client_of};
use crate::service::traces::PARENT;
use crate::service::waiting::{self, eventually};

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
    let file = http_client::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.bytes().await.unwrap(), wav());

    // Only a program that must not end in time has little of it.
    let settings = settings.replace("timeout-seconds = 300", "timeout-seconds = 1");
    let settings = format!("local-programs = false\n{settings}");
    std::fs::write(running.data().join("asset-service.toml"), settings).unwrap();
    running.kill_and_restart(&[]);
    let task = ended(&running, speak(&running, "slow").await).await;
    assert_eq!(code(&task), Some("attempts_exhausted"), "{}", running.log());
    assert!(
        running.log().contains("program speaker did not end within timeout-seconds = 1"),
        "{}",
        running.log()
    );
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
    let client = client_of(&running.url, &running.key).header("traceparent", PARENT).build().unwrap();
    let created = client.create_voiceover(VoiceoverRequest::new(text, "narrator")).await.unwrap();
    let task = ended(&running, created.data.task_id).await;
    assert_eq!((&task.status, code(&task)), (&TaskStatus::Completed, None), "{}", running.log());
    assert_eq!(task.engine.as_deref(), Some("speaker"));
    let file = http_client::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/wav");
    assert_eq!(file.bytes().await.unwrap(), wav());
    assert_eq!((program.read("text").as_str(), program.read("voice").trim()), (text, "af_sky"));
    let seen = program.read("environment");
    assert!(seen.contains(&format!("TRACEPARENT={PARENT}\n")), "{seen}");
    assert!(seen.contains("OMP_NUM_THREADS=1") && !seen.contains("hush") && !seen.contains("ASSET_SERVICE"));
    let runs = || std::fs::read_dir(running.data().join("programs")).unwrap().count();
    eventually("the private folder must be removed", async || (runs() == 0).then_some(())).await;

    // Unsupported parameters are refused at submission.
    let refused = |request: Value| {
        let request = running.post("/v1/ai/voiceover", &request);
        async move { request.send().await.unwrap() }
    };
    for (request, field, reason) in [
        (json!({"text": "a", "voice_id": "../../x"}), "voice_id", "must be one of narrator"),
        (json!({"text": "a".repeat(101), "voice_id": "narrator"}), "text", "at most 100 characters"),
        (json!({"text": "a", "voice_id": "narrator", "speed": 1.2}), "speed", "at most 1.15"),
    ] {
        let response = refused(request).await;
        assert_eq!(response.status(), 400, "{field}");
        let printed = response.text().await.unwrap();
        assert!(printed.contains(field) && printed.contains(reason), "{printed}");
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
    let mut of_engines = metrics.lines().filter(|line| line.starts_with("engine_"));
    assert!(of_engines.all(|line| !line.contains(running.key_id())), "{metrics}");

    let ignoring = refused(json!({"text": "a", "voice_id": "narrator", "stability": 0.4})).await;
    let id: Value = ignoring.json().await.unwrap();
    let id = id["data"]["task_id"].as_str().unwrap().parse().unwrap();
    let task = ended(&running, id).await;
    assert_eq!(task.ignored, Some(vec!["stability".to_owned()]));

    // Commands show which engine serves each operation, and try it.
    let printed = |arguments: &[&str]| String::from_utf8(running.command(arguments).stdout).unwrap();
    let list = printed(&["engines", "list"]);
    let line = |path: &str| list.lines().find(|line| line.ends_with(path)).unwrap_or_default().to_owned();
    assert!(line("POST /v1/ai/voiceover").contains("speaker"), "{list}");
    assert!(line("POST /v1/ai/skin-enhancer/creative").contains("tone-retoucher"), "{list}");
    assert!(line("POST /v1/ai/lip-sync/{model}").contains("none"), "{list}");
    let checked = printed(&["engines", "check"]);
    assert!(checked.contains("works") && checked.contains("audio/wav, 844 bytes"), "{checked}");
    std::fs::write(program.path("speak"), "#!/bin/sh\necho no such voice >&2; exit 3\n").unwrap();
    let checked = running.command(&["engines", "check", "speaker"]);
    assert_eq!(checked.status.code(), Some(1));
    let checked = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.contains("FAILED"), "{checked}");
    assert!(
        checked.contains("`create_voiceover`: program speaker ended with exit status: 3: \"no such voice\""),
        "{checked}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_are_installed_speak_without_settings() {
    let folder = tempfile::tempdir().unwrap();
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
    let (arguments, text) = spoken(&task).await;
    assert!(arguments.starts_with("-v en-gb -s 210 -b 1 -f /"), "{arguments}");
    assert_eq!(text, "-m [ [ [ h@l'oU]] <audio src='x'/>");
    let refused = asked(&running, "../x").await.unwrap_err().to_string();
    assert!(refused.contains("400"), "{refused}");
    drop(running);

    let running = Running::start_among(folder.path(), &["voices/joe.onnx", "voices/joe.onnx.json"]);
    let id = asked(&running, "joe").await.unwrap().data.task_id;
    let task = ended(&running, id).await;
    assert_eq!((&task.status, task.engine.as_deref()), (&TaskStatus::Completed, Some("piper")), "{task:?}");
    let (arguments, text) = spoken(&task).await;
    assert!(arguments.starts_with("-m /") && arguments.contains("/voices/joe.onnx -i /"), "{arguments}");
    assert!(arguments.trim().ends_with("--length-scale 0.8333333333333334"), "{arguments}");
    assert_eq!(text, "-m [[[h@l'oU]] <audio src='x'/>");
    assert!(asked(&running, "en-gb").await.unwrap_err().to_string().contains("400"));
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
    let file = http_client::get(&task.generated[0]).await.unwrap();
    assert_eq!(file.headers()["content-type"], "image/jpeg");
    assert_eq!(file.bytes().await.unwrap(), PICTURE);
}

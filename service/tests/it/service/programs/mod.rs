//! Engines that are programs on this machine.

mod confined;
mod demands;
mod ending;
mod loras;
mod serving;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use asset_api_client::models::common::Task;
use asset_api_client::models::voiceover::VoiceoverRequest;
use tempfile::TempDir;
use uuid::Uuid;

use super::running::Running;
use super::waiting::{self, eventually};
use crate::service::http_client;

/// A folder with a program that serves voiceovers.
pub struct Program {
    folder: TempDir,
}

impl Program {
    /// Creates a program from a shell script. `$1` is the folder, `$2` the voice, `$3` the text's file, `$4` the
    /// output's.
    pub fn new(script: &str) -> Self {
        let program = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(program.path("sound.wav"), wav()).unwrap();
        std::fs::write(program.path("speak"), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(program.path("speak"), PermissionsExt::from_mode(0o700)).unwrap();
        program
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the settings of the engine and of the family.
    pub fn settings(&self, more: &str) -> String {
        let (program, folder) = (self.path("speak"), self.folder.path());
        format!(
            r#"
            [engines.speaker]
            kind = "command"
            program = {program:?}
            write = [{folder:?}]
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

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub async fn waits_for(&self, name: &str) {
        eventually(name, async || (!self.read(name).is_empty()).then_some(())).await;
    }
}

/// Returns a WAV file of a tenth of a second.
pub fn wav() -> Vec<u8> {
    let mut file =
        b"RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0"
            .to_vec();
    file.resize(file.len() + 800, 128);
    file
}

pub async fn speak(running: &Running, text: &str) -> Uuid {
    running.client().create_voiceover(VoiceoverRequest::new(text, "narrator")).await.unwrap().data.task_id
}

/// Creates a program in a folder that writes a sound to the file after `-f` or `-w`. Its samples are its arguments, a line
/// feed, and its text.
pub fn speaker(folder: &Path, name: &str, text: &str, output: &str) {
    std::fs::write(folder.join("sound.wav"), wav()).unwrap();
    let folder_name = folder.display();
    let script = format!(
        r#"#!/bin/sh
        said="$*"
        while [ $# -gt 0 ]; do
            if [ "$1" = {text} ]; then text=$2; fi
            if [ "$1" = {output} ]; then output=$2; fi
            shift
        done
        samples() {{ echo "$said"; cat "$text"; head -c 800 /dev/zero; }}
        {{ head -c 44 {folder_name}/sound.wav; samples | head -c 800; }} > "$output"
        "#
    );
    std::fs::write(folder.join(name), script).unwrap();
    std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o700)).unwrap();
}

/// Returns the arguments and the text that a [`speaker`] has put into the result of a task.
pub async fn spoken(task: &Task) -> (String, String) {
    let sound = http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap();
    let said = String::from_utf8(sound[44..].to_vec()).unwrap();
    let (arguments, text) = said.trim_end_matches('\0').split_once('\n').unwrap();
    (arguments.to_owned(), text.to_owned())
}

pub async fn ended(running: &Running, id: Uuid) -> Task {
    waiting::ended(async || running.client().get_voiceover(id).await.unwrap().data).await
}

/// Returns what `engines list` says of the sandbox: `full`, or what it lacks.
pub fn sandbox(running: &Running) -> String {
    let listed = String::from_utf8(running.command(&["engines", "list"]).stdout).unwrap();
    let line = listed.lines().find_map(|line| line.strip_prefix("sandbox of speaker: "));
    line.unwrap_or_else(|| panic!("{listed}")).to_owned()
}

pub fn code(task: &Task) -> Option<&str> {
    Some(task.error.as_ref()?.code.as_str())
}

/// Returns whether a process lives. One that has ended and is not yet waited for does not.
pub fn is_running(id: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

pub async fn ends(id: &str) {
    eventually("a program outlived its task", async || (!is_running(id)).then_some(())).await;
}

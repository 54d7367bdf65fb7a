//! The limits of programs.

use super::{Program, code, ended, sandbox, speak};
use crate::service::running::Running;
use crate::service::waiting::eventually;

/// Exceeds the limit that the text names.
const GREEDY: &str = r#"
    case "$(cat "$3")" in
        memory-mib) for _ in 1 2 3; do (head -c 60000000 /dev/zero; sleep 600) | tail -c 60000000 & done ;;
        processes) while :; do sleep 600 & done ;;
        processor-seconds) for _ in 1 2 3; do (while :; do :; done) & done ;;
        written) for number in 1 2 3 4; do head -c 700000 /dev/zero > "$number"; done ;;
        reserved) fallocate --keep-size --length 64MiB file ;;
        unlinked) exec 9> file; rm file; fallocate --keep-size --length 64MiB /proc/self/fd/9 ;;
        files) number=0; while [ $number -lt 20000 ]; do : > $number; number=$((number + 1)); done ;;
        nested) while mkdir folder-with-a-long-name && cd folder-with-a-long-name; do :; done ;;
        *) cp "$1/sound.wav" "$4"; exit ;;
    esac
    sleep 600
"#;

const LIMITS: &str = "
    memory-mib = 128
    processes = 100
    processor-seconds = 5
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_exceeds_a_limit_is_ended() {
    let program = Program::new(GREEDY);
    // The lease must not expire on a busy machine.
    let settings = program.settings(LIMITS).replace("lease-seconds = 1", "lease-seconds = 60");
    let settings = settings + "max-attempts = 1\n";
    let running = Running::start_with(&settings, &[], &[]);
    for (text, limit) in [
        ("memory-mib", "memory-mib = 128"),
        ("processes", "processes = 100"),
        ("processor-seconds", "processor-seconds = 5"),
        ("files", "files = 10000"),
        ("nested", "files = 10000"),
    ] {
        let task = ended(&running, speak(&running, text).await).await;
        assert_eq!(code(&task), Some("attempts_exhausted"), "{text}");
        let expected = format!("program speaker was ended because it exceeded {limit}");
        assert!(running.log().contains(&expected), "{text}: {}", running.log());
    }
    let task = ended(&running, speak(&running, "Hello.").await).await;
    assert_eq!(code(&task), None, "{}", running.log());
    let runs = || std::fs::read_dir(running.data().join("programs")).unwrap().count();
    eventually("the private folders are removed", async || (runs() == 0).then_some(())).await;
}

/// A disk loses space by written bytes, by blocks beyond the end of a file, and by files without a name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_takes_too_much_of_the_disk_is_ended() {
    let program = Program::new(GREEDY);
    for (text, more) in [
        ("written", ""),
        // The sandbox refuses the system call.
        ("reserved", "sandbox = false"),
        ("unlinked", "sandbox = false"),
    ] {
        let settings = program.settings(&format!("written-mib = 2\n{more}"));
        let settings = settings.replace("lease-seconds = 1", "lease-seconds = 60") + "max-attempts = 1\n";
        let running = Running::start_with(&settings, &[], &[]);
        let task = ended(&running, speak(&running, text).await).await;
        assert_eq!(code(&task), Some("attempts_exhausted"), "{text}");
        let expected = "program speaker was ended because it exceeded written-mib = 2";
        assert!(running.log().contains(expected), "{text}: {}", running.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_settings_keep_the_files_of_the_service_from_programs() {
    let program = Program::new(r#"cp "$1/sound.wav" "$4""#);
    let running = Running::start_with(&program.settings(""), &[], &[]);
    let confinement = sandbox(&running);
    let shown = String::from_utf8(running.command(&["engines", "show", "ffmpeg"]).stdout).unwrap();
    assert!(shown.starts_with(&format!("# Sandbox of programs on this machine: {confinement}\n")), "{shown}");
    for (more, expected) in [
        ("read = ['files']", "`engines.speaker.read[0]`"),
        ("read = ['/']", "neither the data folder nor files of the service"),
        ("read = ['/nowhere']", "`/nowhere` does not exist"),
        ("processes = 0", "`engines.speaker.processes`"),
    ] {
        std::fs::write(running.data().join("asset-service.toml"), program.settings(more)).unwrap();
        let message = String::from_utf8(running.command(&["engines", "list"]).stderr).unwrap();
        assert!(message.contains(expected), "{more}: {message}");
    }
    for (more, expected) in [
        ("sandbox = false", "off: the settings say `sandbox = false`"),
        ("network = true", "with sockets: the settings say `network = true`"),
    ] {
        std::fs::write(running.data().join("asset-service.toml"), program.settings(more)).unwrap();
        assert!(sandbox(&running).ends_with(expected), "{more}: {}", sandbox(&running));
    }
}

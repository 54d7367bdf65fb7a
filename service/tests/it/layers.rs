//! Holds the layers of the service: a room imports only from itself and from the rooms before it.

use std::path::Path;

/// The layers from the ground up, each with its rooms in order: modules by their path, of which the longest counts.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "ground: the machine, time, the log; how settings are read",
        &["crash", "time", "process_limits", "private", "machine", "blocking", "log", "config", "document"],
    ),
    (
        "domain: what tasks, keys, records and events are, as plain data and rules",
        &["files", "net", "domain", "catalogue", "keys", "webhooks", "media"],
    ),
    (
        "store: both databases, and what reads and writes them directly",
        &[
            "store",
            "webhooks/sign",
            "webhooks/schedule",
            "keys/issue",
            "keys/verify",
            "media/load",
            "quiesce",
            "telemetry",
            "import",
        ],
    ),
    (
        "engines: what an engine is, what it may be asked, the kinds, and which engine serves a request",
        &[
            "families",
            "engine",
            "engine/schema",
            "engine/media_fields",
            "engine/result",
            "engine/template",
            "engine/limits",
            "engine/settings",
            "engine/builtin",
            "engine/command",
            "engine/http",
            "engine/openai",
            "engine/registry",
            "apps",
            "capabilities",
        ],
    ),
    ("work: tasks and deliveries", &["tasks", "webhooks/deliver", "webhooks/dispatcher"]),
    ("front: the operations, and HTTP around them", &["api", "http"]),
    ("program: all settings, and the commands", &["settings", "backup", "demo", "cli", ""]),
];

/// Returns the position of a file's room.
fn position(file: &str) -> usize {
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let module = if ["lib", "main"].contains(&module) { "" } else { module };
    let holds =
        |room: &str| module == room || module.strip_prefix(room).is_some_and(|rest| rest.starts_with('/'));
    let rooms = LAYERS.iter().flat_map(|(_, rooms)| *rooms).enumerate();
    let mine = rooms.filter(|(_, room)| holds(room)).max_by_key(|(_, room)| room.len());
    mine.unwrap_or_else(|| panic!("{file} is in no room: add it to `LAYERS`")).0
}

#[test]
fn rooms_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let upward = imports::upward(&sources, &[], |to, from| position(to) > position(from));
    assert_eq!(upward, [""; 0], "imports from a higher room");
}

//! Checks the layers of the service: a module imports only from itself and from the modules before it.

use std::path::Path;

/// The layers, the lowest first, each with its modules in order. The longest path that matches a file counts.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "ground: the machine, time, the log; how settings are read",
        &[
            "crash",
            "time",
            "process_limits",
            "private",
            "machine",
            "blocking",
            "log",
            "trace",
            "config",
            "document",
        ],
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
            "keys/together",
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
    (
        "work: tasks and deliveries, and their administration",
        &["tasks", "webhooks/deliver", "webhooks/dispatcher", "admin"],
    ),
    ("front: the operations, and HTTP around them", &["api", "http"]),
    ("program: all settings, and the commands", &["settings", "backup", "demo", "cli", ""]),
];

#[test]
fn modules_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules: Vec<&str> = LAYERS.iter().flat_map(|(_, modules)| *modules).copied().collect();
    assert_eq!(
        support::imports::to_later_modules(&sources, &modules),
        [""; 0],
        "imports from a later module"
    );
}

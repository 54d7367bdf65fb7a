//! Checks the layers of the generator: a module imports only from itself and from the modules before it.

use std::path::Path;

/// The modules at the root of the crate, the lowest layer first.
#[rustfmt::skip]
const MODULES: &[&str] = &[
    // The root is first, because emitted code contains paths of generated crates, such as `crate::Client`.
    "",
    // Texts, and diagnostics about them.
    "calendar", "escape", "graph", "tree", "diagnostics", "options",
    // The intermediate representation, and the semantics of its parts.
    "patterns", "ir", "formats", "names",
    // The document.
    "document", "report", "selection", "renames",
    // From the document to the intermediate representation, and to Rust.
    "lower", "emit", "file_tree", "render", "module",
    // Commands, and the options of programs.
    "lints", "settings", "outline", "diff", "upgrade", "typed", "recorded", "internals", "cli", "layers",
];

#[test]
fn modules_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(support::imports::to_later_modules(&sources, MODULES), [""; 0], "imports from a later module");
}

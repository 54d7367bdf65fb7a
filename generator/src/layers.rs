//! Holds the layers of the generator: a room imports only from itself and from the rooms before it.

use std::path::Path;

/// The rooms from the ground up: modules at the crate's root.
#[rustfmt::skip]
const ROOMS: &[&str] = &[
    // The text, and what is said about it.
    "calendar", "direction", "tree", "diagnostics", "options",
    // The intermediate representation, and what its parts mean.
    "patterns", "ir", "formats", "names",
    // The document.
    "document", "report", "selection", "renames",
    // From the document to the intermediate representation, and to Rust.
    "lower", "emit", "outline", "file_tree", "render", "module",
    // What a command or a program asks for.
    "portable", "settings", "outline", "upgrade", "typed", "recorded", "internals", "cli", "lib", "main", "layers",
];

/// Returns the position of a file's room.
fn position(file: &str) -> usize {
    let room = file.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    let found = ROOMS.iter().position(|name| *name == room);
    found.unwrap_or_else(|| panic!("{file} is in no room: add it to `ROOMS`"))
}

#[test]
fn rooms_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // Code that is emitted names the root of generated crates: `quote!(crate::Client)`.
    let is_above = |to: &str, from: &str| to != "lib.rs" && position(to) > position(from);
    let upward = imports::upward(&sources, &[], is_above);
    assert_eq!(upward, [""; 0], "imports from a higher room");
}

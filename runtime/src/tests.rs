//! Holds the layers of the runtime: a room imports only from itself and from the rooms before it.

use std::path::Path;

/// The rooms from the ground up: modules at the crate's root. `docs/design/codec-and-validation.md` draws them.
#[rustfmt::skip]
const ROOMS: &[&str] = &[
    // The root: macros name items by `$crate::model`.
    "",
    // Values of any format, and the types that hold them.
    "codec", "stream", "types", "formats",
    // What the document says, and whether a value is as it says.
    "tags", "table", "validation", "samples",
    // The formats of HTTP.
    "text", "xml", "parameters",
    // Programs.
    "server", "client", "sources",
];

#[test]
fn rooms_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(support::imports::to_later_rooms(&sources, ROOMS), [""; 0], "imports from a higher room");
}

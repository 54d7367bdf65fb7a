//! Checks the layers of the runtime: a module imports only from itself and from the modules before it.

use std::path::Path;

/// The modules at the root of the crate, the lowest layer first. `docs/design/codec-and-validation.md` draws them.
#[rustfmt::skip]
const MODULES: &[&str] = &[
    // The root: macros name items by `$crate::model`.
    "",
    // Values of any format, and the types that hold them.
    "codec", "stream", "types", "formats",
    // What the document says, and whether a value is as it says.
    "tags", "table", "validation", "samples",
    // The formats of HTTP.
    "text", "xml", "parameters",
    // Programs.
    "server", "client", "webhooks", "sources",
];

#[test]
fn modules_import_downwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(support::imports::to_later_modules(&sources, MODULES), [""; 0], "imports from a later module");
}

//! The crates that are checked in as examples.

use crate::support::Scratch;

#[test]
fn the_petstore_is_up_to_date() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/petstore/openapi.yaml");
    let ran = Scratch::new().run(&["generate", document, "--check", "--strict"]);
    assert_eq!(
        ran.code, 0,
        "{}{}to update: cargo run -p openapi-crates -- generate examples/petstore/openapi.yaml",
        ran.out, ran.err
    );
}

//! The crates that are checked in, and that the command line has written.

use crate::support::Scratch;

#[test]
fn the_crates_of_examples_and_clients_are_up_to_date() {
    for document in [
        "examples/petstore/openapi.yaml",
        "clients/openai/openapi.yaml",
        "tests/providers/openapi.yaml",
        "service/admin/openapi.yaml",
    ] {
        let path = format!("{}/../{document}", env!("CARGO_MANIFEST_DIR"));
        let ran = Scratch::new().run(&["generate", &path, "--check", "--strict"]);
        assert_eq!(
            ran.code, 0,
            "{}{}to update: cargo run -p openapi-crates -- generate {document}",
            ran.out, ran.err
        );
    }
}

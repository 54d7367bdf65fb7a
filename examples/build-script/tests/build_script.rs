//! The build script made types that read and write JSON, and refuses a wrong document.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use std::{
    io::Write,
    process::{Command, Stdio},
};

use build_script_example::{
    petstore::common::{NewPet, PetKind},
    summary,
};

#[allow(dead_code, reason = "Cargo calls the rest when it builds the crate")]
#[path = "../build.rs"]
mod build;

const PAGE: &str = r#"{
    "pets": [
        {"id": 1, "name": "Rex", "kind": "dog", "tags": [], "addedAt": "2025-03-01T09:30:00Z"},
        {"id": 2, "name": "Tweety", "kind": "bird", "tags": ["loud"], "addedAt": "2025-03-02T10:00:00Z"},
        {"id": 3, "name": "Laika", "kind": "dog", "tags": [], "addedAt": "2025-03-02T11:00:00Z"}
    ],
    "next": 3
}"#;

#[test]
fn types_read_json() {
    assert_eq!(summary(PAGE).expect("it is a page"), "bird: 1, dog: 2");
    let error = summary(r#"{"pets": [{"id": "one"}]}"#).expect_err("the id is not an integer");
    assert!(error.to_string().contains("pets[0].id"), "{error}");
}

#[test]
fn the_program_counts_the_pets_of_a_page() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_build-script-example"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    program.stdin.take().expect("it has a stdin").write_all(PAGE.as_bytes()).expect("it reads the page");
    let output = program.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "bird: 1, dog: 2\n");
}

#[test]
fn types_write_json() {
    let pet = NewPet::new("Rex", PetKind::Dog);
    let json = serde_json::to_string(&pet).expect("a pet can be written");
    assert_eq!(json, r#"{"name":"Rex","kind":"dog"}"#);
}

#[test]
fn a_wrong_document_fails_the_build_and_names_the_line() {
    let document = include_str!("../../petstore/openapi.yaml");
    let wrong = document.replacen("schemas/PetKind", "schemas/PetKnd", 1);
    assert_ne!(wrong, document);
    let error = build::types("openapi.yaml", &wrong).expect_err("the reference leads nowhere").to_string();
    let line = 1 + wrong.lines().position(|line| line.contains("PetKnd")).expect("it was put there");
    assert!(error.contains(&format!("openapi.yaml:{line}:")), "{error}");
    assert!(error.contains("PetKnd"), "{error}");
}

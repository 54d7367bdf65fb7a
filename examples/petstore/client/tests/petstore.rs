//! The client's command calls the server over HTTP.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use std::process::Command;

use tokio::{net::TcpListener, runtime::Runtime};

/// A server on a free port. It ends when this is dropped.
struct Petstore {
    url: String,
    _runtime: Runtime,
}

impl Petstore {
    fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime can be started");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("the listener is bound"));
        let app = petstore_example_server::app("test-key").expect("the operations can be routed");
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, _runtime: runtime }
    }

    /// Runs the client and returns what it prints: `Err` for its errors.
    fn run(&self, key: &str, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new(env!("CARGO_BIN_EXE_petstore-example-client"))
            .args(arguments)
            .env("PETSTORE_URL", &self.url)
            .env("PETSTORE_KEY", key)
            .output()
            .expect("the client can be run");
        let text =
            |bytes: Vec<u8>| String::from_utf8(bytes).expect("the client prints UTF-8").trim_end().to_owned();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    fn call(&self, arguments: &[&str]) -> Result<String, String> {
        self.run("test-key", arguments)
    }
}

fn ok(output: &str) -> Result<String, String> {
    Ok(output.to_owned())
}

fn refused(message: &str) -> Result<String, String> {
    Err(message.to_owned())
}

#[test]
fn pets_are_added_and_removed() {
    let petstore = Petstore::start();
    assert_eq!(petstore.call(&["list"]), ok(""));
    assert_eq!(petstore.call(&["add", "Rex", "dog", "3"]), ok("1\tRex (dog, 3 years)"));
    assert_eq!(petstore.call(&["add", "Tweety", "bird"]), ok("2\tTweety (bird)"));
    assert_eq!(petstore.call(&["show", "1"]), ok("1\tRex (dog, 3 years)"));
    assert_eq!(petstore.call(&["list"]), ok("1\tRex (dog, 3 years)\n2\tTweety (bird)"));
    assert_eq!(petstore.call(&["delete", "1"]), ok("deleted 1"));
    assert_eq!(petstore.call(&["show", "1"]), refused("the shop has no pet with the id 1"));
    assert_eq!(petstore.call(&["delete", "1"]), refused("the shop has no pet with the id 1"));
    assert_eq!(petstore.call(&["list"]), ok("2\tTweety (bird)"));
}

#[test]
fn the_list_has_every_page() {
    let petstore = Petstore::start();
    let lines: Vec<String> = (1..=41)
        .map(|id| {
            let name = format!("Goldie {id}");
            petstore.call(&["add", &name, "fish"]).expect("the pet is added")
        })
        .collect();
    assert_eq!(petstore.call(&["list"]), Ok(lines.join("\n"))); // three pages of at most 20 pets
}

#[test]
fn a_refusal_names_every_violation() {
    let petstore = Petstore::start();
    let refusal = petstore.call(&["add", "smaug", "dragon", "171"]).expect_err("nothing about it is valid");
    let lines: Vec<&str> = refusal.lines().collect();
    let [name, kind, age] = lines.as_slice() else { panic!("three violations, not: {refusal}") };
    assert!(name.contains("`name`") && kind.contains("`kind`") && age.contains("`age`"), "{refusal}");
    assert!(petstore.call(&["show", "0"]).expect_err("ids begin with 1").contains("`petId`"));
    assert_eq!(petstore.call(&["list"]), ok(""));
}

#[test]
fn the_readme_shows_the_real_output() {
    const RUN: &str = "$ cargo run -q -p petstore-example-client -- ";
    let petstore = Petstore::start();
    let commands: Vec<&str> = include_str!("../../README.md").split(RUN).skip(1).collect();
    assert_eq!(commands.len(), 3);
    for shown in commands {
        let (command, output) = shown.split_once('\n').expect("a command is a line");
        let output = output.split("```").next().expect("a block has an end").trim_end();
        let arguments: Vec<&str> = command.split(' ').collect();
        let (Ok(printed) | Err(printed)) = petstore.call(&arguments);
        assert_eq!(printed, output, "{command}");
    }
}

#[test]
fn other_errors_are_explained() {
    let petstore = Petstore::start();
    petstore.call(&["add", "Rex", "dog"]).expect("the pet is added");
    assert_eq!(petstore.call(&["add", "Rex", "cat"]), refused("another pet has the name `Rex`"));
    assert_eq!(petstore.run("wrong-key", &["list"]), refused("401: The API key is missing or wrong"));
    let usage = petstore.call(&["buy"]).expect_err("there is no such command");
    assert!(usage.starts_with("Usage: "), "{usage}");
}

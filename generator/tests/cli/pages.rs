//! The commands that README.md and `docs/` show, with what they print.

use std::{fs, path::Path};

use crate::support::Scratch;

/// A command of a page, and the lines that the page shows below it.
struct Shown {
    page: String,
    command: String,
    output: String,
}

/// Returns the commands `openapi-crates …` of all pages.
fn commands() -> Vec<Shown> {
    let mut commands = Vec::new();
    for (page, text) in pages() {
        for block in text.split("\n```console\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            let mut shown = block.split("\n$ ");
            let first = shown.next().and_then(|first| first.strip_prefix("$ "));
            for one in first.into_iter().chain(shown) {
                let (command, output) = one.split_once('\n').unwrap_or((one, ""));
                if command.starts_with("openapi-crates ") {
                    let (command, output) = (command.to_owned(), output.to_owned());
                    commands.push(Shown { page: page.clone(), command, output });
                }
            }
        }
    }
    commands
}

/// Returns README.md and the pages of `docs/`: name and text.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the project");
    let docs = fs::read_dir(root.join("docs")).expect("there are pages").flatten().map(|entry| entry.path());
    docs.filter(|path| path.is_file())
        .chain([root.join("README.md")])
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a page is text"))
        })
        .collect()
}

/// Returns the text of a page.
pub fn page(page: &str) -> String {
    pages().into_iter().find(|(name, _)| name == page).expect("there is such a page").1
}

/// Returns the document that a page shows.
pub fn document(page: &str, beginning: &str) -> String {
    let text = self::page(page);
    let blocks = ["\n```yaml\n", "\n```json\n"].into_iter().flat_map(|start| text.split(start).skip(1));
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    blocks.map(str::to_owned).find(|block| block.starts_with(beginning)).expect("it shows a document")
}

/// Numbers of lines and seconds change with every emitter and machine.
fn without_numbers(line: &str) -> String {
    let Some((before, after)) = line.split_once(" lines, ") else { return line.to_owned() };
    let before = before.trim_end_matches(|char: char| char.is_ascii_digit() || char == ',');
    let after = after.rsplit_once(" in ").map_or(after, |(after, _)| after);
    format!("{before} … lines, {after}")
}

#[test]
fn commands_print_what_the_pages_show() {
    let commands = commands();
    assert!(commands.len() > 5, "the pages show commands");
    for Shown { page, command, output } in commands {
        let scratch = Scratch::new();
        let petstore = document("getting-started.md", "openapi:");
        scratch.put("petstore.yaml", &petstore);
        scratch.put("gallery.yaml", &document("from-openapi-to-rust.md", "openapi:"));
        scratch.put("trains.yaml", &document("any-openapi-document.md", "openapi:"));
        scratch.put("trains.overlay.yaml", &document("any-openapi-document.md", "overlay:"));
        scratch.put("stations.json", &document("any-openapi-document.md", "[{"));
        scratch.put("runtime/Cargo.toml", "[package]\nname = \"openapi-crates-runtime\"\n");
        if page == "settings.md" {
            scratch.put("openapi-crates.toml", "name = \"petstore\"\nout = \"petstore\"\n");
        }
        if output.contains("Pett") {
            let wrong = petstore.replacen("schemas/Pet'", "schemas/Pett'", 1);
            scratch.put("petstore.yaml", &wrong);
        }
        // The change that the page names.
        let (before, after) = match page.as_str() {
            "README.md" => ("enum: [cat, dog]", "enum: [cat]"),
            _ => ("required: [name, kind]", "required: [name, kind, age]"),
        };
        scratch.put("new.yaml", &petstore.replacen(before, after, 1));
        let words = command.split(" #").next().unwrap_or_default().split_whitespace().skip(1);
        let ran = scratch
            .run(&words.collect::<Vec<_>>())
            .exits(i32::from(output.contains(": error[") || output.starts_with("breaking ")));
        if output.is_empty() {
            continue;
        }
        let printed = ran.err + &ran.out;
        let lines = |text: &str| text.trim_end().lines().map(without_numbers).collect::<Vec<_>>();
        assert_eq!(lines(&printed), lines(&output), "{page}: {command}");
    }
}

/// The settings that docs/settings.md shows have an effect on a document that contains the parts that they name.
#[test]
fn settings_of_the_page_are_accepted() {
    let (_, page) =
        pages().into_iter().find(|(name, _)| name == "settings.md").expect("there is such a page");
    let settings = page.split("\n```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let scratch = Scratch::new();
    scratch.put("openapi-crates.toml", settings.expect("the page shows settings"));
    let overlay =
        "overlay: 1.1.0\ninfo: {title: Fix, version: '1'}\nactions: [{target: $.info.title, update: Pets}]\n";
    scratch.put("fix.overlay.yaml", overlay);
    let health =
        "  /internal/health:\n    get: {responses: {'204': {description: Alive.}}, operationId: health}\n";
    let stores = "  /stores:\n    get: {responses: {'204': {description: None.}}, operationId: listStores}\n";
    let delete = "    delete: {responses: {'204': {description: Gone.}}, operationId: deletePet}\n";
    let document = document("getting-started.md", "openapi:")
        .replacen("paths:\n", &format!("paths:\n{health}{stores}"), 1)
        .replacen("  /pets/{name}:\n", "  /pets/{name}:\n@", 1)
        .replacen("age: {type: integer, minimum: 0}", "age: {type: integer}\n        born: {type: string, format: date-time}\n        home: {type: string, format: ipv4}", 1)
        .replacen("@", &delete.replace("{responses", "{parameters: [{name: name, in: path, required: true, schema: {type: string}}], responses"), 1);
    scratch.put("petstore.yaml", &document);
    let ran = scratch.run(&["generate", "petstore.yaml", "--strict"]).exits(0);
    assert!(ran.out.contains(" 3 operations, 0 warnings in "), "{ran:?}");
    assert!(scratch.read("petstore/models/src/common.rs").contains("pub born: Option<acme_time::Moment>"));
    assert!(
        scratch.path("petstore/client/src/pets.rs").exists() && !scratch.path("petstore/Cargo.toml").exists()
    );
}

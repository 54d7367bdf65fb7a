//! What the README shows: its code, its example family, its rules.

use std::collections::BTreeSet;

use openapi_crates::Generated;
use serde_json::Value;

use crate::support::{generate_project, project_files, read, root, spec, text_files};

/// A section of the README, from its heading to the next of the same level or above.
pub fn section(heading: &str) -> String {
    let readme = readme();
    let level = heading.bytes().take_while(|byte| *byte == b'#').count();
    let mut lines = readme.lines().skip_while(|line| *line != heading);
    let first = lines.next().unwrap_or_else(|| panic!("the README has no section `{heading}`"));
    let mut in_block = false;
    let rest = lines.take_while(|line| {
        in_block ^= line.starts_with("```");
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        in_block || hashes == 0 || hashes > level
    });
    std::iter::once(first).chain(rest).flat_map(|line| [line, "\n"]).collect()
}

/// The code blocks of a kind (what stands behind the backticks).
pub fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let start = format!("\n```{kind}\n");
    let blocks = text.split(start.as_str()).skip(1);
    // The last line of a block ends with the line break before the backticks.
    blocks.map(|rest| &rest[..rest.find("\n```").expect("the block has an end") + 1]).collect()
}

/// The one block of a kind.
pub fn only_block<'a>(text: &'a str, kind: &str) -> &'a str {
    let blocks = blocks(text, kind);
    let [block] = blocks.as_slice() else { panic!("one `{kind}` block, not {}", blocks.len()) };
    block
}

fn readme() -> String {
    read(&root().join("README.md"))
}

#[test]
fn code_is_that_of_the_files() {
    for name in ["server", "client"] {
        let file = read(&root().join(format!("tests/it/consumer/{name}.rs")));
        let (_, shown) = file.split_once("// README:begin\n").expect("a beginning");
        let (shown, _) = shown.split_once("// README:end\n").expect("an end");
        assert!(blocks(&readme(), "rust").contains(&shown), "README.md doesn't hold {name}.rs word for word");
    }
}

/// The page's document is a fixture, and its code is compiled and run beside the fixture's crates.
#[test]
fn page_shows_what_is_tried() {
    let page = read(&root().join("docs/from-openapi-to-rust.md"));
    let document = read(&root().join("tests/fixtures/shown/gallery.yaml"));
    let (_, document) = document.split_once('\n').expect("a line that says what it is for");
    assert!(blocks(&page, "yaml").contains(&document), "the page doesn't hold the document word for word");
    for name in ["server", "client"] {
        let file = read(&root().join(format!("tests/behaviour/gallery_{name}.rs")));
        let (_, shown) = file.split_once("// page:begin\n").expect("a beginning");
        let (shown, _) = shown.split_once("// page:end\n").expect("an end");
        let shown = shown.replace("fixture_gallery", "gallery");
        assert_eq!(only_block(&page, &format!("rust {name}")), shown, "the page's {name}");
    }
    let tried = read(&root().join("tests/behaviour/gallery.rs"));
    assert!(tried.contains(only_block(&page, "json")), "the page's refusal is not the one that is tried");
}

/// The README's family, put where the README says.
#[test]
fn family_can_be_added_as_told() {
    let walk = section("## Add an endpoint family");
    let blocks = blocks(&walk, "yaml");
    let [tag, paths, schemas] = blocks.as_slice() else { panic!("three blocks, not {}", blocks.len()) };
    let before = spec();
    assert!(
        !before.contains(*tag),
        "spec/openapi.yaml has the README's example family already, so adding it shows nothing. If you are trying the \
         walk, this failure is right: all other tests tell whether it leads anywhere. If the family is to stay, let \
         the README add another one."
    );
    let mut after = before.clone();
    for (block, next) in [(tag, Some("\npaths:\n")), (paths, Some("\ncomponents:\n")), (schemas, None)] {
        let place = next.map_or(after.len(), |next| after.find(next).expect("the spec has this section"));
        after.insert_str(place, block);
    }

    let Generated { files, report, .. } = generate_project(&after);
    assert_eq!(report.to_string(), "", "the family has no findings");
    let after = text_files(&files.expect("files without errors"));
    let before = text_files(&project_files(&before));
    let differing = after.iter().filter(|(path, text)| before.get(*path) != Some(*text));
    let differing: BTreeSet<String> = differing.map(|(path, _)| format!("generated/{path}")).collect();

    let printed = only_block(&walk, "console");
    let told = printed.lines().filter_map(|line| line.split_once(": ")).map(|(path, _)| path.to_owned());
    let told: BTreeSet<String> = told.filter(|path| path.starts_with("generated/")).collect();
    assert_eq!(told, differing, "the files that `cargo xtask regen` names");
}

#[test]
fn rules_are_those_of_the_file() {
    let shown: Value = serde_json::from_str(only_block(&section("## The rules as data"), "json"))
        .expect("the README's rules are JSON");
    let rules: Value = serde_json::from_str(&read(&root().join("generated/validation/rules.json")))
        .expect("the rules are JSON");
    assert_eq!(rules["voiceover"]["schemas"]["VoiceoverRequest"]["properties"]["text"], shown["text"]);
    assert_eq!(rules["voiceover"]["schemas"]["VoiceoverRequest"]["properties"]["speed"], shown["speed"]);
}

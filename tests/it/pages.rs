//! Tests README, `docs/` and the other pages: code compiles, documents are fixtures, links have a target.
//!
//! Tests of the generator, the service and xtask check the commands that the pages show.

use std::{collections::BTreeSet, fs, path::Path};

use openapi_crates::{Options, Runtime, Strictness, generate, lint};
use serde_json::Value;

use crate::support::{OVERLAYS, fixtures, read, root, text_files};

/// Folders with pages, and with sources of the code that pages show.
const PAGES: [&str; 8] = [
    "",
    "docs",
    "docs/design",
    "tests",
    "generator",
    "examples/petstore",
    "examples/build-script",
    "examples/downstream",
];
const SOURCES: [&str; 4] =
    ["tests/it/consumer", "tests/behaviour", "generator/tests/cli", "examples/downstream/src"];

/// A block of code in a page.
pub struct Block {
    /// The text after the backticks: `rust`, `json request`.
    pub kind: String,
    /// The code, with the line break before the closing backticks.
    pub text: String,
}

/// Returns the text of a page: `docs/settings.md`.
pub fn page(path: &str) -> String {
    read(&root().join(path))
}

/// Returns a section of a page, from its heading to the next heading of the same or a higher level.
pub fn section(page: &str, heading: &str) -> String {
    let level = heading.bytes().take_while(|byte| *byte == b'#').count();
    let mut lines = page.lines().skip_while(|line| *line != heading);
    let first = lines.next().unwrap_or_else(|| panic!("the page has no section `{heading}`"));
    let mut in_block = false;
    let others = lines.take_while(|line| {
        in_block ^= line.starts_with("```");
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        in_block || hashes == 0 || hashes > level
    });
    std::iter::once(first).chain(others).flat_map(|line| [line, "\n"]).collect()
}

/// Returns the blocks of code of a page or section.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(kind) => {
                in_block = !in_block;
                if in_block {
                    blocks.push(Block { kind: kind.to_owned(), text: String::new() });
                }
            }
            None if in_block => {
                let block = blocks.last_mut().expect("it was opened");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!in_block, "a block of code is not closed");
    blocks
}

/// Returns the only block of a kind.
pub fn only_block(text: &str, kind: &str) -> String {
    let mut found = blocks(text).into_iter().filter(|block| block.kind == kind).map(|block| block.text);
    let (Some(block), None) = (found.next(), found.next()) else { panic!("not exactly one `{kind}` block") };
    block
}

/// Returns the paths of all pages, relative to the root.
fn pages() -> Vec<String> {
    files(&PAGES, "md")
}

fn files(folders: &[&str], extension: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).expect("there is such a folder").flatten() {
            let path = Path::new(folder).join(entry.file_name());
            if path.extension().is_some_and(|found| found == extension) {
                paths.push(path.display().to_string());
            }
        }
    }
    paths.sort();
    paths
}

/// Returns the code that sources mark for a page, as the page shows it.
///
/// It has no indentation, and the crate names of a user.
fn marked_for(shown_in: &str) -> Vec<String> {
    let (begin, end) = (format!("// BEGIN {shown_in}"), format!("// END {shown_in}"));
    let mut found = Vec::new();
    for source in files(&SOURCES, "rs") {
        let text = page(&source);
        let mut lines = text.lines();
        while let Some(first) = lines.by_ref().find(|line| line.trim() == begin) {
            let indentation = first.len() - first.trim_start().len();
            let mut code = String::new();
            loop {
                let line = lines.next().unwrap_or_else(|| panic!("{source}: `{begin}` without `{end}`"));
                if line.trim() == end {
                    break;
                }
                code.push_str(line.get(indentation..).unwrap_or_default());
                code.push('\n');
            }
            found.push(code.replace("fixture_", ""));
        }
    }
    found
}

#[test]
fn rust_of_the_pages_is_compiled() {
    let mut wrong = Vec::new();
    for path in pages() {
        let marked = marked_for(&path);
        let shown = blocks(&page(&path)).into_iter();
        let shown: Vec<String> = shown.filter(|block| block.kind == "rust").map(|block| block.text).collect();
        for block in shown.iter().filter(|block| !marked.contains(block)) {
            wrong.push(format!("{path} shows Rust that no test compiles:\n{block}"));
        }
        for code in marked.iter().filter(|code| !shown.contains(code)) {
            wrong.push(format!("{path} does not show the code that is marked for it:\n{code}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_kinds_of_blocks_are_known() {
    let known = [
        "",
        "console",
        "dockerfile",
        "ini",
        "json",
        "json request",
        "python",
        "rust",
        "rust generated",
        "sh",
        "text",
        "toml",
        "xml",
        "yaml",
    ];
    for path in pages() {
        for block in blocks(&page(&path)) {
            assert!(known.contains(&&*block.kind), "{path}: no test knows blocks of `{}`", block.kind);
        }
    }
}

#[test]
fn documents_of_the_pages_are_fixtures() {
    let fixtures: BTreeSet<String> = fixtures("shown")
        .into_iter()
        .map(|fixture| fixture.text.split_once('\n').expect("a line that says what it is for").1.to_owned())
        .collect();
    let overlays: Vec<String> = files(&[OVERLAYS], "yaml").iter().map(|path| page(path)).collect();
    let mut shown = BTreeSet::new();
    for path in pages() {
        for block in blocks(&page(&path)).into_iter().filter(|block| block.kind == "yaml") {
            // A part of the spec refers to anchors of other parts.
            serde_yaml::from_str::<serde_yaml::Value>(&block.text.replace("<<: *", "<<: "))
                .unwrap_or_else(|error| panic!("{path}: {error}:\n{}", block.text));
            if block.text.starts_with("openapi:") {
                assert!(fixtures.contains(&block.text), "{path} shows a document that is not a fixture");
                shown.insert(block.text);
            } else if block.text.starts_with("overlay:") {
                assert!(overlays.contains(&block.text), "{path} shows an overlay that is none of a fixture");
            }
        }
    }
    assert_eq!(shown, fixtures, "each document of tests/fixtures/shown is shown");
}

/// Tests that README.md shows types as the generator writes them, without their docs.
#[test]
fn generated_types_of_the_readme_are_generated() {
    let shown = only_block(&page("README.md"), "rust generated");
    let document = only_block(&page("README.md"), "yaml");
    let runtime = Runtime::Copy { package: "petstore-runtime".to_owned(), path: "../runtime".to_owned() };
    let options = Options::new("petstore", "petstore.yaml").runtime(runtime);
    let generated = generate("petstore.yaml", &document, &options).expect("the generator emits Rust");
    let files = text_files(&generated.files.expect("files without errors"));
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let code = |text: &str| text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let written = code(&files["models/src/common.rs"]);
    for item in shown.split("\n\n").map(code) {
        assert!(written.contains(&item), "README.md shows this, which is not generated:\n{item}");
    }
}

#[test]
fn examples_of_extensions_are_accepted() {
    const HEAD: &str = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths: {}\n";
    const SCHEMA: &str = "components:
  schemas:
    A:
      type: object
      properties:
        kind: {type: string, enum: [print, screen]}
        paper: {type: string, enum: [matt, gloss]}
        size: {type: integer}
        scale: {type: integer}
        tags: {type: array, items: {type: string}}
        labels: {type: array, items: {type: string}}
";
    let page = page("docs/extensions.md");
    for block in blocks(&page).into_iter().filter(|block| block.kind == "yaml") {
        let is_part_of = |fixture: &str| {
            let text = self::page(&format!("tests/fixtures/valid/{fixture}.yaml"));
            block.text.lines().all(|line| text.lines().any(|other| other.trim() == line.trim()))
        };
        let of_fixtures = [
            ("tasks", "x-task:"),
            ("pagination", "x-pagination:"),
            ("long-running", "x-ms-long-running-operation:"),
            ("idempotency", "x-fern-idempotency-headers:"),
        ];
        if let Some((fixture, _)) = of_fixtures.iter().find(|(_, begin)| block.text.starts_with(begin)) {
            assert!(is_part_of(fixture), "docs/extensions.md: not in the fixture {fixture}:\n{}", block.text);
            continue;
        }
        let document = if block.text.starts_with("x-rejections:") {
            format!("{HEAD}{}", block.text)
        } else {
            let lines = block.text.lines().map(|line| format!("      {line}\n"));
            format!("{HEAD}{SCHEMA}{}", lines.collect::<String>())
        };
        let report = lint("example.yaml", &document).with_strictness(Strictness::Strict);
        assert_eq!(report.to_string(), "", "docs/extensions.md:\n{document}");
    }
}

#[test]
fn errors_of_the_pages_are_real() {
    for (path, test) in [
        ("docs/from-openapi-to-rust.md", "tests/behaviour/gallery.rs"),
        ("docs/getting-started.md", "tests/behaviour/petstore.rs"),
    ] {
        let test_text = page(test);
        assert!(
            test_text.contains(&only_block(&page(path), "json")),
            "{path}: {test} tests another response"
        );
    }
    let (shown, tested) = (page("docs/getting-started.md"), page("tests/behaviour/petstore.rs"));
    let request = tested.split("const REQUEST: &str = r#\"").nth(1).and_then(|text| text.split("\"#").next());
    assert!(shown.contains(request.expect("the test has a request")), "docs/getting-started.md: {request:?}");
}

#[test]
fn rules_of_the_page_are_those_of_the_file() {
    let shown = only_block(&page("docs/rules-as-data.md"), "json");
    let shown: Value = serde_json::from_str(&shown).expect("the page shows JSON");
    let rules: Value =
        serde_json::from_str(&page("generated/validation/rules.json")).expect("the rules are JSON");
    let properties = &rules["voiceover"]["schemas"]["VoiceoverRequest"]["properties"];
    for (name, property) in shown.as_object().expect("an object") {
        assert_eq!(&properties[name], property, "{name}");
    }
}

#[test]
fn readme_is_short_and_shows_two_commands() {
    let readme = page("README.md");
    assert!(readme.lines().count() <= 150, "README.md has more than 150 lines");
    let commands = blocks(&readme).into_iter().filter(|block| block.kind == "console");
    let first: Vec<String> =
        commands.map(|block| block.text.lines().next().unwrap_or_default().to_owned()).collect();
    assert_eq!(
        first,
        [
            "$ openapi-crates diff petstore.yaml new.yaml",
            "$ cargo run -p asset-service -- serve --demo",
            "$ cargo xtask ci",
        ]
    );
}

/// The program that the page of the client shows first has the number of lines that the page says.
#[test]
fn first_program_is_short() {
    let page = page("docs/use-the-client.md");
    let program = blocks(&page).into_iter().find(|block| block.kind == "rust").expect("a program").text;
    let (_, body) = program.split_once("\n\nstruct").expect("the imports come first");
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let count = body.lines().filter(is_code).count();
    assert!(count <= 25 && page.contains(&format!("has {count} lines")), "{count} lines");
}

#[test]
fn architecture_is_short() {
    let lines = page("ARCHITECTURE.md").lines().count();
    assert!(lines <= 200, "ARCHITECTURE.md has {lines} lines; reasons belong to docs/design");
}

#[test]
fn book_lists_every_page() {
    let index: BTreeSet<String> = links(&page("docs/README.md")).into_iter().collect();
    for path in files(&["docs", "docs/design"], "md") {
        let link = path.trim_start_matches("docs/");
        assert!(link == "README.md" || index.contains(link), "docs/README.md does not list {path}");
    }
}

/// Tests that ARCHITECTURE.md and the design pages name files that exist, by their path or the end of it.
#[test]
fn files_that_the_design_names_exist() {
    let sources = ["generator", "runtime", "service", "engines", "spec", "tests", "xtask/src"];
    let mut known = Vec::new();
    let mut open: Vec<_> = sources.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("there is such a folder").flatten() {
            let path = entry.path();
            if !path.is_dir() {
                known.push(path);
            } else if path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            }
        }
    }
    let mut wrong = Vec::new();
    for path in files(&["docs/design"], "md").into_iter().chain(["ARCHITECTURE.md".to_owned()]) {
        let text = page(&path);
        let named = text.split('`').skip(1).step_by(2).filter(|code| code.ends_with(".rs"));
        let gone = named.filter(|code| !known.iter().any(|path| path.ends_with(code)));
        wrong.extend(gone.map(|code| format!("{path}: {code}")));
    }
    assert!(wrong.is_empty(), "these files do not exist:\n{}", wrong.join("\n"));
}

#[test]
fn links_have_targets() {
    let mut wrong = Vec::new();
    for path in pages() {
        let folder = Path::new(&path).parent().expect("a page is in a folder");
        for link in links(&page(&path)) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { root().join(&path) } else { root().join(folder).join(file) };
            let leads = target.exists()
                && (anchor.is_empty() || target.is_file() && anchors(&read(&target)).contains(anchor));
            if !leads {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these links lead nowhere:\n{}", wrong.join("\n"));
}

/// Returns the targets of the links in a page, outside of code.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    for (number, part) in page.split("```").enumerate() {
        if number % 2 == 0 {
            let targets = part.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            links.extend(targets.map(|(target, _)| target.to_owned()));
        }
    }
    links
}

/// Returns the anchors of a page's headings, as GitHub makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut in_block = false;
    let headings = page.lines().filter(|line| {
        in_block ^= line.starts_with("```");
        !in_block && line.starts_with('#')
    });
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|char| char.is_alphanumeric() || matches!(char, '-' | '_')).collect()
    };
    headings.map(anchor).collect()
}

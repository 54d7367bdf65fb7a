//! Outlines show everything: a change of a document that changes the generated code changes its outline.
//! And `diff` is not silent: it reports each change of an outline.
//!
//! The tests change each node of each fixture, one at a time. Where the outline stays the same, they generate the crates
//! and compare them: without comments, they must be the same too. CI tries a part of the changes; with
//! `OUTLINES_MUTANTS=all`, the test tries all of them, which takes some minutes.

use std::env;

use openapi_crates::{
    FileTree, Input, Options, Source, Strictness, diff, generate_from, internals::Document, outline,
};
use openapi_crates_outlines::{
    documents::{Fixture, fixtures, in_parallel},
    mutants,
};
use serde_json::Value;

/// CI tries one change of a fixture out of this number.
const STRIDE: usize = 76;

/// Changes of an outline that don't affect users: a fixture, or any, and a part of the change.
const SAME: &[(&str, &str)] = &[
    // No security, and only the alternative without any.
    ("", "has security [{}]"),
    // A static that no table refers to: the values of responses are not checked.
    ("swagger-2", "/responses/200/schema has not"),
    // A query has no null, and with `nulls = "absent"` the type is that of a value that is never null.
    ("settings", "/parameters/2/schema/anyOf/1 is gone"),
];

#[test]
fn change_the_outline_if_they_change_the_code() {
    let stride = if env::var("OUTLINES_MUTANTS").is_ok_and(|which| which == "all") { 1 } else { STRIDE };
    let results = in_parallel(&fixtures("valid"), |fixture| check(fixture, stride));
    let tried: usize = results.iter().map(|(tried, _)| tried).sum();
    let hidden: Vec<String> = results.into_iter().flat_map(|(_, hidden)| hidden).collect();
    assert!(hidden.is_empty(), "{} of {tried} changes are not shown:\n{}", hidden.len(), hidden.join("\n"));
    assert!(tried > 10_000 / stride, "only {tried} changes were tried");
    println!("{tried} changes were tried");
}

/// A fixture, as it is read.
struct Read<'f> {
    fixture: &'f Fixture,
    overlays: Vec<Source>,
    options: Options,
}

/// Tries changes of a fixture, and returns their number and those that are hidden.
fn check(fixture: &Fixture, stride: usize) -> (usize, Vec<String>) {
    let document = Document::parse(&fixture.source, &fixture.text).document.expect("a fixture can be read");
    let root = document.written_root().to_json();
    let options = fixture.options().strictness(Strictness::Lenient);
    let read = Read { fixture, overlays: fixture.overlays(), options };
    let before = read.outline(&root).expect("a fixture has an outline");
    let code = read.code(&root).expect("a fixture has crates");
    let (mut tried, mut hidden) = (0, Vec::new());
    for change in mutants::of(&root).into_iter().skip(fixture.name.len() % stride).step_by(stride) {
        let mut mutant = root.clone();
        let what = change.apply(&mut mutant);
        // A change that the generator refuses is none.
        let Some(after) = read.outline(&mutant) else { continue };
        tried += 1;
        // The order of a text makes no difference.
        let is_excepted =
            SAME.iter().any(|(name, part)| (name.is_empty() || fixture.name == *name) && what.contains(part));
        if !is_excepted && words(&after) != words(&before) && read.has_no_difference(&root, &mutant) {
            hidden.push(format!(
                "{}: {what}: no change in `diff`: {}",
                fixture.name,
                first_difference(&before, &after)
            ));
        }
        if after == before
            && let Some(other) = read.code(&mutant)
            && other != code
        {
            hidden.push(format!("{}: {what}: {}", fixture.name, first_difference(&code, &other)));
        }
    }
    (tried, hidden)
}

impl Read<'_> {
    fn outline(&self, root: &Value) -> Option<String> {
        let text = root.to_string();
        let outlined = outline(&self.input(&text), &self.options);
        outlined.outline.map(|outline| outline.to_string())
    }

    /// Returns whether `diff` finds no change between two documents.
    fn has_no_difference(&self, old: &Value, new: &Value) -> bool {
        let (old, new) = (old.to_string(), new.to_string());
        let compared = diff((&self.input(&old), &self.options), (&self.input(&new), &self.options));
        compared.diff.is_some_and(|diff| diff.changes.is_empty())
    }

    /// Returns the generated crates without comments.
    fn code(&self, root: &Value) -> Option<String> {
        let text = root.to_string();
        let generated = generate_from(&self.input(&text), &self.options, &|_| {}).expect("it is Rust");
        Some(code_of(&generated.files?))
    }

    fn input<'i>(&'i self, text: &'i str) -> Input<'i> {
        Input::new(&self.fixture.source, text).overlays(&self.overlays)
    }
}

/// Returns the words of a text in alphabetical order, without `exploded`.
fn words(text: &str) -> Vec<&str> {
    let is_end = |c: char| c.is_whitespace() || "(){}[],".contains(c);
    let mut words: Vec<&str> =
        text.split(is_end).filter(|word| !word.is_empty() && *word != "exploded").collect();
    words.sort_unstable();
    words
}

/// Returns the code of files without what no user sees: comments, line breaks, fingerprints and names of patterns.
fn code_of(files: &FileTree) -> String {
    let mut code = String::new();
    for (path, text) in files.iter() {
        code.push_str(path);
        let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("FINGERPRINT");
        for line in text.lines().filter(is_code) {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            for word in line.trim().split_inclusive(|c| !is_name(c)) {
                // A line break comes with a comma.
                if word.starts_with([')', ']', '}']) && code.ends_with(',') {
                    code.pop();
                }
                code.push_str(match word.trim_end_matches(|c| !is_name(c)).ends_with("_PATTERN") {
                    true => "PATTERN",
                    false => word.trim(),
                });
            }
        }
    }
    code
}

/// Returns the first parts that differ.
fn first_difference(before: &str, after: &str) -> String {
    let offset = before.bytes().zip(after.bytes()).take_while(|(before, after)| before == after).count();
    let part = |text: &str| {
        let part = text.as_bytes().get(offset.saturating_sub(60)..).unwrap_or_default();
        String::from_utf8_lossy(part.get(..120).unwrap_or(part)).into_owned()
    };
    format!("`{}` became `{}`", part(before), part(after))
}

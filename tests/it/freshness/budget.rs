//! The diff budget: the allowed changes when a tag is added or removed.

use std::collections::BTreeSet;

use serde_yaml::{Mapping, Value};
use similar::{ChangeTag, TextDiff};

use crate::support::{Files, project_files, spec, text_files};

/// A new tag for the document: two paths and schemas of its own.
const FAMILY: &str = "
tag: { name: zebra-crossing, description: Crossings. }
paths:
  /v1/ai/zebra-crossing:
    post:
      operationId: create_zebra_crossing
      tags: [zebra-crossing]
      summary: Paint a crossing
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/ZebraCrossingRequest' }
            example: { stripes: 7, colour: white }
      responses:
        '200':
          description: The crossing.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/ZebraCrossing' }
              example: { id: 1, colour: white }
        '400': { $ref: '#/components/responses/BadRequest' }
  /v1/ai/zebra-crossing/{task-id}:
    get:
      operationId: get_zebra_crossing
      tags: [zebra-crossing]
      summary: Get a crossing
      parameters:
        - { $ref: '#/components/parameters/TaskId' }
      responses:
        '200':
          description: The crossing.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/ZebraCrossing' }
        '404': { $ref: '#/components/responses/NotFound' }
schemas:
  ZebraCrossingRequest:
    x-family: zebra-crossing
    type: object
    required: [stripes]
    additionalProperties: false
    properties:
      stripes: { type: integer, minimum: 3 }
      colour: { $ref: '#/components/schemas/ZebraColour' }
  ZebraColour:
    x-family: zebra-crossing
    type: string
    enum: [white, yellow]
  ZebraCrossing:
    x-family: zebra-crossing
    type: object
    required: [id]
    properties:
      id: { type: integer }
      code: { type: string, pattern: '^[A-Z]{3}$' }
      colour: { $ref: '#/components/schemas/ZebraColour' }
";

/// The files that list the tags, with the lines that a new tag may add to each.
///
/// The lines of a file must be in one block.
const INDEXES: [(&str, Option<usize>); 9] = [
    ("client/Cargo.toml", Some(1)),
    ("client/src/lib.rs", Some(1)),
    ("models/Cargo.toml", Some(1)),
    ("models/src/lib.rs", Some(1)),
    ("server/Cargo.toml", Some(1)),
    ("server/src/lib.rs", Some(1)),
    ("validation/Cargo.toml", Some(1)),
    ("validation/rules.json", None),
    ("validation/src/lib.rs", Some(1)),
];

#[derive(Debug, Clone, Copy)]
enum Position {
    First,
    Middle,
    Last,
}

#[test]
fn adding_a_family_first_changes_only_its_files() {
    check_added_family(Position::First);
}

#[test]
fn adding_a_family_in_the_middle_changes_only_its_files() {
    check_added_family(Position::Middle);
}

#[test]
fn adding_a_family_last_changes_only_its_files() {
    check_added_family(Position::Last);
}

#[test]
fn removing_a_family_changes_only_its_files() {
    let spec = document(&spec());
    let tags: Vec<String> = sequence(&spec, "tags").iter().map(|tag| text(&tag["name"])).collect();
    let with = generate(&spec);
    for index in [0, tags.len() / 2, tags.len() - 1] {
        let tag = &tags[index];
        let rest = without_family(&spec, tag);
        let without = generate(&rest);
        // Removing a tag is checked as the reverse of adding it.
        check_budget(&without, &with, &module_of(tag), has_error_of_its_own(&spec, &rest));
    }
}

#[test]
fn files_of_a_family_that_is_gone_are_removed() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("family");
    let spec = document(&spec());
    let with = with_family(&spec, Position::Middle);
    let [with, without] =
        [&with, &spec].map(|spec| project_files(&serde_yaml::to_string(spec).expect("it came from YAML")));
    let own = folder.join("models/src/zebra_crossing.rs");
    with.write_to(&folder).expect("the files can be written");
    assert!(own.exists());
    without.write_to(&folder).expect("the files can be written");
    assert!(!own.exists(), "the files of a removed tag are removed");
}

fn check_added_family(position: Position) {
    let spec = document(&spec());
    let before = generate(&spec);
    let after = generate(&with_family(&spec, position));
    check_budget(&before, &after, "zebra_crossing", false);
}

/// The files that list the errors that operations share.
const ERRORS: [&str; 2] = ["models/src/responses.rs", "validation/src/responses.rs"];

/// Returns whether the spec shares fewer errors without a tag, because no other tag refers to one of them.
fn has_error_of_its_own(with: &Value, without: &Value) -> bool {
    let referred = |spec: &Value| {
        let paths = serde_yaml::to_string(&spec["paths"]).expect("it came from YAML");
        let names = spec["components"]["responses"].as_mapping().expect("the spec has responses").keys();
        names.filter(|name| paths.contains(&format!("#/components/responses/{}'", text(name)))).count()
    };
    referred(with) > referred(without)
}

/// The file that lists the events of callbacks.
const RECEIVER: &str = "client/src/receiver.rs";

/// Checks that only the tag's files and one block per index are added.
///
/// A tag with an error or a callback of its own also adds to the files of shared errors or to the receiver.
fn check_budget(without: &Files, with: &Files, module: &str, has_error: bool) {
    let own: BTreeSet<String> = ["models", "validation", "server", "client"]
        .map(|folder| format!("{folder}/src/{module}.rs"))
        .into_iter()
        .collect();
    let new: BTreeSet<String> = with.keys().filter(|path| !without.contains_key(*path)).cloned().collect();
    assert_eq!(new, own, "only the files of the tag are new");
    let gone: Vec<&String> = without.keys().filter(|path| !with.contains_key(*path)).collect();
    assert!(gone.is_empty(), "adding a tag must not remove files: {gone:?}");

    let changed: Vec<String> =
        differing(without, with).into_iter().filter(|path| !own.contains(path)).collect();
    let (errors, changed): (Vec<String>, Vec<String>) =
        changed.into_iter().partition(|path| has_error && ERRORS.contains(&path.as_str()));
    assert_eq!(errors.is_empty(), !has_error, "a tag with an error of its own changes the files of errors");
    let has_event = with[RECEIVER].contains(&format!("feature = \"{module}\""));
    let (receiver, changed): (Vec<String>, Vec<String>) =
        changed.into_iter().partition(|path| has_event && path == RECEIVER);
    assert_eq!(receiver.is_empty(), !has_event, "a tag with a callback of its own changes the receiver");
    for path in errors.into_iter().chain(receiver) {
        added_blocks(&without_fingerprint(&without[&path]), &without_fingerprint(&with[&path]));
    }
    assert_eq!(changed, INDEXES.map(|(path, _)| path.to_owned()), "only the indexes may change");
    for (path, allowed) in INDEXES {
        let blocks = added_blocks(&without[path], &with[path]);
        let [block] = blocks.as_slice() else {
            panic!("{path}: expected one added block, found {blocks:#?}")
        };
        if let Some(allowed) = allowed {
            assert_eq!(block.len(), allowed, "{path}: {block:#?}");
        }
    }
}

/// Returns a text without the module's fingerprint, which changes with the shared error type.
fn without_fingerprint(text: &str) -> String {
    let is_other = |line: &&str| !line.contains("FINGERPRINT") && !line.trim_start().starts_with("0x");
    text.split_inclusive('\n').filter(is_other).collect()
}

/// Returns the blocks of added lines.
///
/// # Panics
/// If a line is removed.
fn added_blocks(before: &str, after: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut adding = false;
    for change in TextDiff::from_lines(before, after).iter_all_changes() {
        let line = change.value().to_owned();
        match change.tag() {
            ChangeTag::Delete => panic!("adding a tag must not remove a line: {line}"),
            ChangeTag::Equal => adding = false,
            ChangeTag::Insert if adding => {
                let last: &mut Vec<String> = blocks.last_mut().expect("a block was begun");
                last.push(line);
            }
            ChangeTag::Insert => {
                blocks.push(vec![line]);
                adding = true;
            }
        }
    }
    blocks
}

fn with_family(spec: &Value, position: Position) -> Value {
    let family = document(FAMILY);
    let mut spec = spec.clone();
    let tags = spec["tags"].as_sequence_mut().expect("the spec has tags");
    let index = index_in(tags.len(), position);
    tags.insert(index, family["tag"].clone());
    insert(&mut spec["paths"], &family["paths"], position);
    insert(&mut spec["components"]["schemas"], &family["schemas"], position);
    spec
}

fn insert(target: &mut Value, entries: &Value, position: Position) {
    let target = target.as_mapping_mut().expect("it is an object");
    let mut all: Vec<(Value, Value)> = std::mem::take(target).into_iter().collect();
    let index = index_in(all.len(), position);
    let entries = entries.as_mapping().expect("it is an object").clone();
    all.splice(index..index, entries);
    *target = all.into_iter().collect();
}

fn index_in(length: usize, position: Position) -> usize {
    match position {
        Position::First => 0,
        Position::Middle => length / 2,
        Position::Last => length,
    }
}

fn without_family(spec: &Value, tag: &str) -> Value {
    let mut spec = spec.clone();
    spec["tags"].as_sequence_mut().expect("the spec has tags").retain(|entry| text(&entry["name"]) != tag);
    keep(&mut spec["paths"], |item| {
        let operations = item.as_mapping().expect("a path item is an object").values();
        !operations.filter_map(|operation| operation.get("tags")).any(|tags| text(&tags[0]) == tag)
    });
    keep(&mut spec["components"]["schemas"], |schema| {
        schema.get("x-family").and_then(Value::as_str) != Some(tag)
    });
    spec
}

fn keep(target: &mut Value, wanted: impl Fn(&Value) -> bool) {
    let target = target.as_mapping_mut().expect("it is an object");
    let kept: Mapping = std::mem::take(target).into_iter().filter(|(_, value)| wanted(value)).collect();
    *target = kept;
}

fn generate(spec: &Value) -> Files {
    text_files(&project_files(&serde_yaml::to_string(spec).expect("it came from YAML")))
}

fn document(text: &str) -> Value {
    serde_yaml::from_str(text).expect("it is YAML")
}

fn sequence<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_sequence().expect("it is an array")
}

fn text(value: &Value) -> String {
    value.as_str().expect("it is a string").to_owned()
}

/// Returns the module of a tag. The spec's tags are plain words with dashes.
fn module_of(tag: &str) -> String {
    tag.replace('-', "_")
}

/// Returns the paths with different texts, or with a text in only one of the two.
fn differing(before: &Files, after: &Files) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

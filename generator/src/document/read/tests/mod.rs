//! Compares the readers with yaml_serde and serde_json.

mod generated;
mod oracle;

use std::{fs, path::PathBuf};

use super::*;

fn read_as(name: &str, text: &str) -> Result<Node, ReadError> {
    read(&Source { name: name.to_owned(), text: text.to_owned() }, 0, NodeId::default())
}

/// Returns the documents below a folder.
fn documents(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(documents(path));
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "json") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compares the readers on each document of a folder. Returns the number of documents.
fn compare(folder: &str) -> usize {
    let documents = documents(PathBuf::from(folder));
    for path in &documents {
        let text = fs::read_to_string(path).unwrap();
        let name = path.display().to_string();
        let expected = if name.ends_with("json") { oracle::json(&text) } else { oracle::yaml(&text) };
        let usual = |node: Option<Node>| node.map(oracle::with_usual_names);
        assert_eq!(usual(read_as(&name, &text).ok()), usual(expected.ok()), "{name}");
        assert_eq!(usual(read_as("a.yaml", &text).ok()), usual(oracle::yaml(&text).ok()), "{name} as YAML");
    }
    documents.len()
}

#[test]
fn the_documents_of_this_repository_have_the_same_values() {
    assert!(compare(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures")) > 50);
    assert!(compare(concat!(env!("CARGO_MANIFEST_DIR"), "/../spec")) > 0);
}

/// Reads the documents of the folder in `CORPUS`.
#[test]
#[ignore = "it needs a folder of documents: `cargo xtask corpus --readers`"]
fn a_corpus_has_the_same_values() {
    let count = compare(&std::env::var("CORPUS").unwrap());
    println!("{count} documents");
}

#[test]
fn both_readers_find_the_same_locations() {
    let text = r#"{
  "ä\"b": [1, -2.5e+3, true, null, "x:, {}[]\\", []],
  "c": {"d": {}, "é": "ö", "e": {"f": "\u00e4"}}, "g": [{"h": 1}, [[]]]
}
"#;
    let locations = |name| {
        let root = read_as(name, text).unwrap();
        let mut locations = Vec::new();
        root.walk(&mut |node| locations.push((node.id(), node.location())));
        locations
    };
    assert_eq!(locations("a.json").len(), 18);
    assert_eq!(locations("a.json"), locations("a.yaml"));
}

#[test]
fn integers_beyond_64_bits_are_numbers_as_in_json() {
    for number in ["-9223372036854776000", "18446744073709551616", "0xffffffffffffffffff"] {
        let yaml = read_as("a.yaml", number).unwrap().as_f64();
        let expected = match number.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).unwrap() as f64,
            None => read_as("a.json", number).unwrap().as_f64().unwrap(),
        };
        assert_eq!(yaml, Some(expected), "{number}");
    }
}

#[test]
fn whole_numbers_keep_every_digit() {
    for (number, expected) in [
        ("1.0", 1),
        ("1e3", 1000),
        ("3.326998846366565e16", 33_269_988_463_665_650),
        ("-3.326998846366565E+16", -33_269_988_463_665_650),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("90071992547409930e-1", 9_007_199_254_740_993),
        ("18446744073709551615.000", u64::MAX.into()),
        // The nearest `f64` is 99999999999999991611392.
        ("1e23", 100_000_000_000_000_000_000_000),
    ] {
        for name in ["a.json", "a.yaml"] {
            assert_eq!(read_as(name, number).unwrap().as_i128(), Some(expected), "{number} in {name}");
        }
    }
    for number in ["9007199254740993.5e-1", "1e-400", "0.5", "1e99", "-1.034E-20"] {
        for name in ["a.json", "a.yaml"] {
            let expected: f64 = number.parse().unwrap();
            let found = read_as(name, number).unwrap();
            assert_eq!(found.as_f64(), Some(expected), "{number} in {name}");
        }
    }
}

#[test]
fn nodes_are_numbered_in_the_order_of_the_text() {
    let source = Source { name: "a.yaml".to_owned(), text: "a: &a [1, {b: 2}]\nc: *a\nd: 3\n".to_owned() };
    let root = read(&source, 0, NodeId(7)).unwrap();
    let mut ids = Vec::new();
    root.walk(&mut |node| ids.push(node.id().0));
    assert_eq!(ids, (7..17).collect::<Vec<_>>());
    assert_eq!(root.last_id(), NodeId(16));
    root.walk(&mut |node| assert!(std::ptr::eq(root.find(node.id()).unwrap(), node)));
    assert_eq!(root.find(NodeId(17)), None);
}

#[test]
fn aliases_stand_for_names_and_values() {
    let text = "&name 200: &value {a: 1}\nb: *name\n*name : *value\nc: &scalar x\n*scalar : 2\n";
    let expected = serde_json::json!({"200": {"a": 1}, "b": 200, "c": "x", "x": 2});
    assert_eq!(read_as("a.yaml", text).unwrap().to_json(), expected);
}

#[test]
fn merge_keys_are_replaced_by_the_fields_of_their_objects() {
    for (text, expected) in [
        ("a: &a {x: 1, y: 2}\nb: {x: 0, <<: *a, z: 3}", r#"{"a":{"x":1,"y":2},"b":{"x":0,"y":2,"z":3}}"#),
        ("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  x: 0", r#"{"a":{"x":1,"y":2},"b":{"y":2,"x":0}}"#),
        ("a: &a {x: 1}\nb: {<<: [*a, {x: 2, y: 3}]}", r#"{"a":{"x":1},"b":{"x":1,"y":3}}"#),
        (
            "a: &a {x: {y: 1}}\nb: &b {<<: *a}\nc: {<<: *b}",
            r#"{"a":{"x":{"y":1}},"b":{"x":{"y":1}},"c":{"x":{"y":1}}}"#,
        ),
        ("<<: {x: 1}\n<<: {x: 2, y: 3}", r#"{"x":1,"y":3}"#),
        ("<<: {}\nx: [<<, '<<']", r#"{"x":["<<","<<"]}"#),
        ("'<<': {x: 1}", r#"{"<<":{"x":1}}"#),
        ("!!str <<: {x: 1}", r#"{"<<":{"x":1}}"#),
        ("a: &a {x: &x 1}\n<<: *a\nb: *x", r#"{"a":{"x":1},"x":1,"b":1}"#),
    ] {
        assert_eq!(read_as("a.yaml", text).unwrap().to_json().to_string(), expected, "{text}");
    }
    let root = read_as("a.yaml", "a: &a {x: 1}\n<<: {y: 2}\nb: {c: 3, <<: [*a, *a]}\nd: 4").unwrap();
    root.walk(&mut |node| assert!(std::ptr::eq(root.find(node.id()).unwrap(), node)));
    assert_eq!(
        read_as("a.json", r#"{"<<": {"x": 1}}"#).unwrap().to_json(),
        serde_json::json!({"<<": {"x": 1}})
    );
}

#[test]
fn unreadable_text_is_reported_at_its_position() {
    let nested = |levels: usize| format!("a: {}1{}", "[".repeat(levels), "]".repeat(levels));
    let aliases = |levels: usize| -> String {
        let level = |level: usize| format!("x{}: &x{} [*x{level}]\n", level + 1, level + 1);
        "x0: &x0 1\n".to_owned() + &(0..levels).map(level).collect::<String>()
    };
    for (name, text, position, message) in [
        ("a.yaml", "a: &a [1, *a]".to_owned(), (1, 11), "an alias is part of the value that it stands for"),
        ("a.yaml", "a: *b".to_owned(), (1, 4), "while parsing node, found unknown anchor"),
        (
            "a.yaml",
            "a: {<<: &a {x: 1}}\nb: *a".to_owned(),
            (2, 4),
            "an alias stands for the value of a merge key (`<<`); put the anchor on another field",
        ),
        (
            "a.yaml",
            "a: 1\n<<: [{}, 2]".to_owned(),
            (2, 11),
            "the value of a merge key (`<<`) must be an object or a list of objects",
        ),
        (
            "a.yaml",
            "? [a]\n: 1".to_owned(),
            (1, 3),
            "a field name must be a string, not an array or an object",
        ),
        ("a.yaml", "a: 1\n---\nb: 1".to_owned(), (2, 1), "the file contains more than one document"),
        ("a.yaml", "a: !!int b".to_owned(), (1, 10), "`b` is not an integer"),
        ("a.yaml", nested(127), (1, 130), "the document is nested too deeply"),
        ("a.yaml", nested(300_000), (1, 131), "the document is nested too deeply"),
        ("a.yaml", "- ".repeat(300_000), (1, 255), "the document is nested too deeply"),
        ("a.yaml", "{\"a\":".repeat(300_000), (1, 636), "the document is nested too deeply"),
        ("a.yaml", aliases(127), (128, 14), "the document is nested too deeply"),
        ("a.json", nested(128).replace("a: ", ""), (1, 128), "recursion limit exceeded"),
        ("a.json", "{\"a\": 1,}".to_owned(), (1, 9), "trailing comma"),
    ] {
        let (found, error) = read_as(name, &text).unwrap_err();
        let start: String = text.chars().take(20).collect();
        assert!(error.ends_with(&format!(": {message}")), "{start}: {error}");
        assert_eq!(found.map(|found| (found.line, found.column)), Some(position), "{start}: {error}");
    }
    assert!(read_as("a.yaml", &nested(126)).is_ok());
    assert!(read_as("a.yaml", &aliases(126)).is_ok());
    assert!(read_as("a.json", &nested(127).replace("a: ", "")).is_ok());
}

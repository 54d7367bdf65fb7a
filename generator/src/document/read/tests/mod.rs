//! Compares the readers with yaml_serde and serde_json.

mod oracle;

use std::{fs, path::PathBuf};

use super::*;

fn read_as(name: &str, text: &str) -> Result<Node, ReadError> {
    read(&Source { name: name.to_owned(), text: text.to_owned() }, NodeId::default())
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
        assert_eq!(read_as(&name, &text).ok(), expected.ok(), "{name}");
        assert_eq!(read_as("a.yaml", &text).ok(), oracle::yaml(&text).ok(), "{name} as YAML");
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
#[ignore = "needs a folder of documents"]
fn a_corpus_has_the_same_values() {
    let count = compare(&std::env::var("CORPUS").unwrap());
    println!("{count} documents");
}

//! Checks which file of `lower` imports which: stages import from earlier ones, and there are no import cycles.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use support::imports::Imports;

/// The stages of `lower`. Each imports only from itself and from those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The files of the folder itself, which all stages share.
    Shared,
    /// The schema resolver.
    Resolver,
    /// Types of schemas.
    Schema,
    /// Paths and operations.
    Operation,
    /// Passes over all types.
    Finish,
    /// `mod.rs`, which runs the others.
    Entry,
}

impl Stage {
    /// Returns the stage of a file.
    fn of(file: &str) -> Self {
        match file.split_once('/').map(|(folder, _)| folder) {
            Some("resolver") => Self::Resolver,
            Some("schema") => Self::Schema,
            Some("operation") => Self::Operation,
            Some("finish") => Self::Finish,
            Some(folder) => panic!("`{folder}` is not a stage"),
            None if file == "mod.rs" => Self::Entry,
            None => Self::Shared,
        }
    }
}

#[test]
fn modules_import_downwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower");
    let upward = support::imports::upward(&root, &["lower"], |to, from| Stage::of(to) > Stage::of(from));
    assert_eq!(upward, [""; 0], "files of `lower` that import from a later stage");
}

#[test]
fn no_file_imports_itself_through_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower");
    let imports = support::imports::below(&root, &["lower"]);
    assert!(imports.len() > 50, "the sources of `lower` are found");
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reachable(&imports, file))).collect();
    let mut cycles = BTreeSet::new();
    for (file, targets) in &reached {
        let cycle: Vec<&str> =
            targets.iter().copied().filter(|other| reached[other].contains(file)).collect();
        if !cycle.is_empty() {
            cycles.insert(cycle);
        }
    }
    assert_eq!(cycles, BTreeSet::new(), "cycles of imports within `lower`");
}

/// Returns the files that a file imports, also through other files.
fn reachable<'i>(imports: &'i Imports, from: &'i str) -> BTreeSet<&'i str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(imports[file].iter().map(String::as_str).filter(|target| reached.insert(*target)));
    }
    reached
}

//! Tests that output is reproducible, and that drift is found. The step `fresh` compares generated/ with the spec.
//!
//! They also check that adding or removing a tag changes only the files of that tag and the indexes.

mod budget;

use std::{fs, path::Path, thread};

use crate::support::{Files, Fixture, fixtures, project_files, spec, text_files};

#[test]
fn drift_is_named_and_repaired() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drift");
    let tree = project_files(&spec());
    tree.write_to(&folder).expect("the files can be written");
    fs::write(folder.join("models/src/lib.rs"), "// touched\n").expect("a file can be touched");
    fs::write(folder.join("server/Cargo.toml"), "broken").expect("a manifest can be broken");
    fs::remove_file(folder.join("validation/rules.json")).expect("a file can be removed");

    let drifts = tree.compare_with(&folder).expect("the files can be compared");
    let reported: Vec<String> = drifts.iter().map(ToString::to_string).collect();
    for path in ["models/src/lib.rs", "server/Cargo.toml", "validation/rules.json"] {
        assert!(reported.iter().any(|drift| drift.contains(path)), "{path} is missing in {reported:?}");
    }

    tree.write_to(&folder).expect("the files can be written again");
    assert!(
        tree.compare_with(&folder).expect("the files can be compared").is_empty(),
        "writing again fixes all differences"
    );
}

// Each `HashMap` has its own random seed, and each thread starts with another one. Output that depends on a
// map's order would differ between these runs. The spec is generated again by the step `fresh`.
#[test]
fn same_text_gives_same_bytes() {
    for fixture in fixtures("valid") {
        let again = thread::scope(|scope| {
            scope.spawn(|| files_of(&fixture)).join().expect("the thread does not panic")
        });
        assert_eq!(files_of(&fixture), again);
    }
}

#[test]
fn reports_are_the_same_in_each_run() {
    for fixture in fixtures("invalid") {
        let first = fixture.generate().report.to_string();
        assert_eq!(first, fixture.generate().report.to_string());
    }
}

fn files_of(fixture: &Fixture) -> Files {
    let generated = fixture.generate();
    let tree = generated.files.unwrap_or_else(|| panic!("{}: {}", fixture.source, generated.report));
    text_files(&tree)
}

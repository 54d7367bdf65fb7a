//! The generated crates are what the spec gives; the same spec always gives the same; and a family touches nothing but
//! itself.

mod budget;

use std::{fs, path::Path, thread};

use crate::support::{Files, Fixture, fixtures, project_files, root, spec, text_files};

#[test]
fn generated_crates_are_up_to_date() {
    let drifts = project_files(&spec())
        .compare_with(&root().join("generated"))
        .expect("the generated files can be compared");
    let told: Vec<String> = drifts.iter().map(|drift| format!("generated/{drift}")).collect();
    assert!(told.is_empty(), "{}\nto mend it: cargo xtask regen", told.join("\n"));
}

#[test]
fn drift_is_named_and_mended() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drift");
    let tree = project_files(&spec());
    tree.write_to(&folder).expect("the files can be written");
    fs::write(folder.join("models/src/lib.rs"), "// touched\n").expect("a file can be touched");
    fs::write(folder.join("server/Cargo.toml"), "broken").expect("a manifest can be broken");
    fs::remove_file(folder.join("validation/rules.json")).expect("a file can be removed");

    let drifts = tree.compare_with(&folder).expect("the files can be compared");
    let told: Vec<String> = drifts.iter().map(ToString::to_string).collect();
    for path in ["models/src/lib.rs", "server/Cargo.toml", "validation/rules.json"] {
        assert!(told.iter().any(|drift| drift.contains(path)), "{path} is not among {told:?}");
    }

    tree.write_to(&folder).expect("the files can be written again");
    assert!(
        tree.compare_with(&folder).expect("the files can be compared").is_empty(),
        "what was wrong is mended"
    );
}

// Each `HashMap` shuffles with a seed of its own, and each thread begins with another: what depended on a map's order
// would differ between these runs.
#[test]
fn same_text_gives_same_bytes() {
    let documents: Vec<_> = fixtures("valid").into_iter().map(|fixture| move || files_of(&fixture)).collect();
    for document in documents {
        let (first, second) = (document(), document());
        let third = thread::scope(|scope| scope.spawn(&document).join().expect("it doesn't panic"));
        assert_eq!(first, second);
        assert_eq!(first, third);
    }
    let spec = spec();
    let first = text_files(&project_files(&spec));
    for _ in 0..3 {
        let again = thread::scope(|scope| {
            scope.spawn(|| text_files(&project_files(&spec))).join().expect("it doesn't panic")
        });
        assert!(first == again, "two runs differ: {:?}", differing(&first, &again));
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

/// The paths whose text differs, or that only one of the two has.
fn differing(before: &Files, after: &Files) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

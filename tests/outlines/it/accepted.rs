//! Every snapshot equals the accepted one.
//!
//! insta compares and writes them. With `INSTA_UPDATE=always` these tests accept what differs.

use std::{
    collections::BTreeSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::LazyLock,
};

use insta::{Settings, assert_snapshot};
use openapi_crates::{CrateKind, Outline};
use openapi_crates_outlines::{
    ACCEPTED, CURRENT,
    documents::{fixtures, project_outline, read, root, spec},
    keep,
    snapshots::{FIXTURES, FOLDER, Kind, Texts},
};

/// The outline of this project's crates.
static API: LazyLock<Outline> = LazyLock::new(|| project_outline(&spec()));

#[test]
fn outlines_of_the_api() {
    check(Kind::Api);
}

#[test]
fn outlines_of_fixtures() {
    check(Kind::Fixtures);
}

#[test]
fn full_texts() {
    check(Kind::Texts);
}

#[test]
fn reports() {
    check(Kind::Reports);
}

#[test]
fn every_byte() {
    let differing = differing(Kind::Digests);
    let accepted = read(&folder(Kind::Digests).join("fixtures.snap"));
    keep(&FIXTURES, &accepted).expect("the target folder can be written");
    assert!(
        differing.is_empty(),
        "the generated crates of fixtures differ from the accepted ones: `git diff --no-index {ACCEPTED} {CURRENT}` \
         shows how, if the tests have run here before; to accept them: cargo xtask outlines --accept"
    );
}

#[test]
fn valid_fixtures_give_crates_and_invalid_ones_a_report() {
    let refused = FIXTURES.iter().filter(|made| made.files.is_empty());
    let refused: Vec<String> = refused.map(|made| format!("{}:\n{}", made.name, made.report)).collect();
    assert!(refused.is_empty(), "nothing was generated of {}", refused.join("\n"));
    let folders: Vec<String> = CrateKind::ALL.iter().map(|kind| format!("{}/", kind.folder())).collect();
    for made in FIXTURES.iter() {
        for path in made.files.keys() {
            let has_crate = folders.iter().any(|folder| path.starts_with(folder));
            assert!(has_crate, "{}: {path} belongs to no crate, so no digest covers it", made.name);
        }
    }
    for fixture in fixtures("invalid") {
        let report = fixture.generate().report;
        assert!(!report.diagnostics.is_empty(), "{}: the mistake is not found", fixture.source);
    }
}

#[test]
fn reviewers_can_read_the_snapshots() {
    let files = Kind::ALL.iter().flat_map(|kind| fs::read_dir(folder(*kind)).expect("there is a folder"));
    let lines: usize = files.map(|file| read(&file.expect("it can be listed").path()).lines().count()).sum();
    assert!(lines <= 24_000, "{lines} lines of snapshots are more than reviewers can read");
}

/// Fails if a snapshot of this kind differs.
fn check(kind: Kind) {
    let differing = differing(kind);
    assert!(
        differing.is_empty(),
        "{} snapshots in {FOLDER}/{} differ: {}; to accept them: cargo xtask outlines --accept",
        differing.len(),
        kind.folder(),
        differing.join(", ")
    );
}

/// Compares the snapshots of a kind, and returns the names of those that differ or are obsolete.
///
/// insta prints a diff of each that differs.
fn differing(kind: Kind) -> Vec<String> {
    let texts = kind.texts(&API);
    assert!(!texts.is_empty(), "there are texts of the kind {kind:?}");
    let mut settings = Settings::new();
    settings.set_snapshot_path(folder(kind));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let differs = |(name, text): &(&String, &String)| {
        let assertion = AssertUnwindSafe(|| assert_snapshot!(name.as_str(), text.as_str()));
        settings.bind(|| catch_unwind(assertion)).is_err()
    };
    let differing = texts.iter().filter(differs).map(|(name, _)| name.clone());
    differing.chain(obsolete(kind, &texts)).collect()
}

/// Returns the names of the snapshots of a kind without a text. Removes them if snapshots are being accepted.
fn obsolete(kind: Kind, texts: &Texts) -> BTreeSet<String> {
    let entries = fs::read_dir(folder(kind)).expect("there is a folder of snapshots");
    let names = entries.filter_map(|entry| {
        let name = entry.expect("the folder can be listed").file_name();
        name.to_string_lossy().strip_suffix(".snap").map(str::to_owned)
    });
    let mut obsolete: BTreeSet<String> = names.filter(|name| !texts.contains_key(name)).collect();
    if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        for name in &obsolete {
            let path = folder(kind).join(format!("{name}.snap"));
            fs::remove_file(&path).expect("an obsolete snapshot can be removed");
        }
        obsolete.clear();
    }
    obsolete
}

fn folder(kind: Kind) -> PathBuf {
    root().join(FOLDER).join(kind.folder())
}

//! Every snapshot equals the accepted one.

use std::sync::LazyLock;

use openapi_crates::CrateKind;
use openapi_crates_outlines::{
    ACCEPTED, CURRENT,
    documents::{Files, fixtures, project_files, spec, text_files},
    snapshots::{FIXTURES, Kind},
};

/// The files of this project's crates.
static API: LazyLock<Files> = LazyLock::new(|| text_files(&project_files(&spec())));

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
    let texts = Kind::Digests.texts(&Files::new()).expect("digests can be made");
    let changes = Kind::Digests.compare(&texts).expect("snapshots can be read");
    assert!(
        changes.is_empty(),
        "the generated crates of fixtures differ from the accepted ones: `git diff --no-index {ACCEPTED} {CURRENT}` \
         shows how, if the tests have run here before; to accept them: cargo xtask outlines --accept"
    );
}

#[test]
fn valid_fixtures_give_crates_and_invalid_ones_a_report() {
    let refused = FIXTURES.iter().filter(|made| made.files.is_empty());
    let refused: Vec<String> = refused.map(|made| format!("{}:\n{}", made.name, made.report)).collect();
    assert!(refused.is_empty(), "nothing was generated of {}", refused.join("\n"));
    let folders = CrateKind::ALL.map(|kind| format!("{}/", kind.folder()));
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

/// Compares the snapshots of a kind.
fn check(kind: Kind) {
    let texts = kind.texts(&API).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(!texts.is_empty(), "there are texts of the kind {kind:?}");
    let changes = kind.compare(&texts).unwrap_or_else(|failure| panic!("{failure}"));
    let diffs: Vec<String> = changes.iter().map(|change| change.diff()).collect();
    assert!(
        diffs.is_empty(),
        "{}\n{} snapshots differ; to accept them: cargo xtask outlines --accept",
        diffs.join("\n"),
        diffs.len()
    );
}

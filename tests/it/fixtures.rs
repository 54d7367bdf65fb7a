//! Each fixture beside what the generator makes of it: the crates of a valid one, the report on an invalid one.

use std::fmt::Write;

use openapi_crates::CrateKind;

use crate::support::{Fixture, Snapshots, fixtures, text_files};

#[test]
fn valid() {
    for_each("valid", |fixture, snapshots| {
        let generated = fixture.generate();
        let report = generated.report.to_string();
        let Some(tree) = generated.files else {
            snapshots.fail(format!("{}: nothing was generated:\n{report}", fixture.source));
            return;
        };
        if !report.is_empty() {
            snapshots.compare(&format!("{}.warnings", fixture.name), &report);
        }
        let files = text_files(&tree);
        let mut shown = 0;
        for kind in CrateKind::ALL {
            let folder = format!("{}/", kind.folder());
            let mut text = String::new();
            for (path, content) in files.iter().filter(|(path, _)| path.starts_with(&folder)) {
                shown += 1;
                writeln!(text, "// file: {path}\n{content}").expect("a string takes all text");
            }
            snapshots.compare(&format!("{}.{}", fixture.name, kind.folder()), &text);
        }
        assert_eq!(shown, files.len(), "{}: every file belongs to a crate", fixture.name);
    });
}

#[test]
fn invalid() {
    for_each("invalid", |fixture, snapshots| {
        let report = fixture.generate().report;
        if report.findings.is_empty() {
            snapshots.fail(format!("{}: the mistake is not found", fixture.source));
        }
        snapshots.compare(&fixture.name, &format!("{report}{}\n", report.summary()));
    });
}

/// Visits the fixtures of a folder; with the environment's `FIXTURE`, those whose name contains it.
fn for_each(folder: &'static str, visit: impl Fn(&Fixture, &mut Snapshots)) {
    let mut snapshots = Snapshots::of(folder);
    let filter = std::env::var("FIXTURE").ok();
    for fixture in fixtures(folder) {
        if filter.as_ref().is_none_or(|filter| fixture.name.contains(filter)) {
            visit(&fixture, &mut snapshots);
        }
    }
    snapshots.finish(filter.is_none());
}

//! Both paths of validation and the crate `jsonschema` agree on samples of the fixtures.

#![cfg(test)]

use std::{fs, path::Path};

use openapi_crates_agreement::{Settings, Source, run, workspace};

#[test]
fn verdicts_on_the_fixtures_agree() {
    let folder = workspace::root().join("tests/fixtures/valid");
    let mut sources: Vec<Source> = fs::read_dir(folder)
        .expect("there are fixtures")
        .map(|entry| entry.expect("the folder can be listed"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| Source {
            name: entry.file_name().to_string_lossy().into_owned(),
            text: fs::read_to_string(entry.path()).expect("a fixture can be read"),
        })
        .collect();
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    let settings = Settings {
        seed: 1,
        count: 10,
        mark: "agreed-",
        folder: workspace::root().join("target/agreed"),
        target: target.to_owned(),
        batch: usize::MAX,
        keep: true,
    };
    let report = run(&sources, &settings, &mut |_| {}).expect("the fixtures can be compared");
    println!("{report}");
    assert!(report.failures.is_empty() && report.disagreements() == 0, "{report}");
}

//! Both paths of validation and the crate `jsonschema` agree on samples of the fixtures.

use openapi_crates_outlines::documents::{Fixture, fixtures};
use openapi_crates_suite::{Settings, Source, run, workspace};

use crate::target;

/// The fixtures without a schema that can be compared.
const WITHOUT_SCHEMAS: &[&str] = &[
    "content-parameter.yaml",
    "headers-and-cookies.yaml",
    "idempotency.yaml",
    "long-running.yaml",
    "naming-methods.yaml",
    "path-templates.yaml",
    "rejections.yaml",
    "response-headers.yaml",
    "security.yaml",
    "untagged.yaml",
    "urlencoded-form.yaml",
];

/// The schemas that can't be read by `jsonschema`, or that have no samples of one kind.
const APART: &[&str] = &[
    "aliases.yaml: schema `Anything`, invalid",
    "all-of.yaml: POST /employees, application/json, valid",
    "all-of.yaml: POST /employees, application/json, invalid",
    "dynamic-references.yaml: schema `NamedTree`, unread",
    "json-schema.yaml: schema `Lists`, valid",
    "json-schema.yaml: schema `Lists`, invalid",
    "patterns.yaml: schema `Password`, unread",
];

#[test]
fn verdicts_on_the_fixtures_agree() {
    let name = |fixture: &Fixture| fixture.source.rsplit('/').next().unwrap_or_default().to_owned();
    let sources: Vec<Source> = fixtures("valid")
        .into_iter()
        .map(|fixture| Source { name: name(&fixture), text: fixture.text })
        .collect();
    let settings = Settings {
        seed: 1,
        count: 10,
        mark: "agreed-",
        folder: workspace::root().join("target/agreed"),
        target: target(),
        batch: usize::MAX,
        keep: true,
    };
    let report = run(&sources, &settings, &mut |_| {}).expect("the fixtures can be compared");
    println!("{report}");
    assert!(report.failures.is_empty() && report.disagreements() == 0, "{report}");
    let mut apart = Vec::new();
    for row in &report.rows {
        let name = &row.name;
        apart.extend(row.unread.iter().map(|(schema, _)| format!("{name}: {schema}, unread")));
        apart.extend(row.empty.iter().map(|(schema, kind)| format!("{name}: {schema}, {kind}")));
        let is_listed = WITHOUT_SCHEMAS.contains(&name.as_str());
        assert_eq!(row.schemas == 0, is_listed, "{name}\n{report}");
        // There are three kinds of samples, and a schema may lack one.
        assert!(row.instances >= 20 * row.schemas, "{name}\n{report}");
        assert!(4 * row.valid >= row.instances && 4 * row.valid <= 3 * row.instances, "{name}\n{report}");
    }
    assert_eq!(apart, APART);
    assert_eq!(report.rows.len(), sources.len());
}

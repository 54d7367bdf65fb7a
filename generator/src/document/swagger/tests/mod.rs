//! Tests of the rewrite.

mod diagnostics;
mod files;
mod operations;
mod schemas;

use crate::{
    Input,
    diagnostics::Diagnostics,
    document::{Document, DocumentFormat},
};

/// Returns the document of Swagger 2.0 with these fields beside `swagger`, `info` and `paths`.
fn swagger(fields: &str) -> String {
    let paths = if fields.contains("paths:") { "" } else { "paths: {}\n" };
    format!("swagger: '2.0'\ninfo: {{title: T, version: '1'}}\n{paths}{fields}")
}

fn parse(text: &str) -> (Document, Diagnostics) {
    let parsed = Document::parse("api.yaml", text);
    (parsed.document.unwrap_or_else(|| panic!("{text} can't be read")), parsed.diagnostics)
}

/// Returns the fields of the rewritten document, as YAML, without `openapi`, `info` and empty `paths`.
fn rewritten(fields: &str) -> String {
    let (document, _) = parse(&swagger(fields));
    let mut value = document.bundle();
    if let Some(fields) = value.as_object_mut() {
        assert_eq!(fields.shift_remove("openapi"), Some("3.1.0".into()));
        fields.shift_remove("info");
        if fields.get("paths").and_then(|paths| paths.as_object()).is_some_and(serde_json::Map::is_empty) {
            fields.shift_remove("paths");
        }
    }
    DocumentFormat::Yaml.write(&value)
}

/// Compares the rewritten documents of fields with the expected ones, which can be in any notation of YAML.
fn check(cases: &[(&str, &str)]) {
    for (fields, expected) in cases {
        let found = rewritten(fields);
        let expected: serde_json::Value =
            serde_yaml::from_str(expected).unwrap_or_else(|error| panic!("{error}: {expected}"));
        let expected = DocumentFormat::Yaml.write(&expected);
        assert_eq!(found, expected, "\n{fields}\nbecomes\n{found}");
    }
}

/// Returns the report on a document: the first line of each diagnostic, without the name of the file.
fn report(text: &str) -> Vec<String> {
    let report = crate::lint_from(&Input::new("api.yaml", text)).to_string();
    report.lines().filter_map(|line| line.strip_prefix("api.yaml:")).map(str::to_owned).collect()
}

//! The text form of diagnostics.

use super::*;

#[test]
fn a_diagnostic_has_its_location_its_line_and_a_help() {
    let text = "openapi: 3.0.3\npaths:\n  /a:\n    $ref: '#/b'\nc: 1\n";
    let parsed = Document::parse("spec/a.yaml", text);
    let document = parsed.document.unwrap();
    let mut diagnostics = Diagnostics::default();
    let node = document.lookup("#/paths/~1a/$ref").unwrap();
    diagnostics
        .error(Code::UnknownRef, node, "unknown reference `#/b`")
        .note("the document has no field `b`")
        .help("a field with a similar name exists: `c`")
        .label(document.lookup("#/c").unwrap(), "this is `c`");
    diagnostics.warning(Code::UnknownField, document.lookup("#/paths").unwrap(), "odd");
    let report = diagnostics.report(&document);
    assert_eq!(
        report.to_string(),
        "\
spec/a.yaml:2:1: warning[unknown-field]: odd
  |
2 | paths:
  | ^^^^^
  = at: #/paths

spec/a.yaml:4:11: error[unknown-ref]: unknown reference `#/b`
  |
4 |     $ref: '#/b'
  |           ^^^^^
  …
5 | c: 1
  |    - this is `c`
  = at: #/paths/~1a/$ref
  = note: the document has no field `b`
  = help: a field with a similar name exists: `c`

"
    );
    assert_eq!(report.summary().to_string(), "1 error, 1 warning");
}

#[test]
fn a_diagnostic_names_its_operation() {
    let text = "
openapi: 3.2.0
paths:
  /a~b:
    parameters: [1]
    get: {operationId: listAs, tags: [2]}
    additionalOperations:
      COPY: {tags: [3]}
webhooks:
  changed: {post: {operationId: onChange, tags: [4]}}
components:
  pathItems:
    C: {get: {operationId: listCs, tags: [5]}}
";
    let document = Document::parse("a.yaml", text).document.unwrap();
    let mut diagnostics = Diagnostics::default();
    for pointer in [
        "#/paths/~1a~0b/parameters/0",
        "#/paths/~1a~0b/get/tags/0",
        "#/paths/~1a~0b/additionalOperations/COPY",
        "#/webhooks/changed/post/tags",
        "#/components/pathItems/C/get/tags/0",
    ] {
        diagnostics.warning(Code::UnknownField, document.lookup(pointer).unwrap(), "odd");
    }
    let report = diagnostics.report(&document);
    let found = report.diagnostics.iter().map(|found| (found.pointer.as_deref(), found.operation.as_deref()));
    let expected = [
        (Some("/paths/~1a~0b/parameters/0"), None),
        (Some("/paths/~1a~0b/get/tags/0"), Some("listAs (GET /a~b)")),
        (Some("/paths/~1a~0b/additionalOperations/COPY"), Some("COPY /a~b")),
        (Some("/webhooks/changed/post/tags"), Some("onChange (POST changed)")),
        (Some("/components/pathItems/C/get/tags/0"), None),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn long_lines_are_shown_around_the_position() {
    let text = format!(
        "{{\"openapi\": \"3.0.3\", \"x\": \"{}\", \"y\": 1, \"z\": \"{}\"}}",
        "a".repeat(300),
        "b".repeat(300)
    );
    let document = Document::parse("a.json", &text).document.unwrap();
    let mut diagnostics = Diagnostics::default();
    diagnostics.warning(Code::UnknownField, document.lookup("#/y").unwrap(), "odd");
    let report = diagnostics.report(&document).to_string();
    let lines: Vec<&str> = report.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 130), "{report}");
    let index = lines[3].chars().position(|char| char == '^').unwrap();
    assert_eq!(lines[2].chars().nth(index), Some('1'), "{report}");
}

#[test]
fn codes_are_kebab_case_unique_and_explained() {
    let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
    for code in Code::ALL {
        assert!(code.name().chars().all(|char| char.is_ascii_lowercase() || char == '-'), "{code}");
        assert!(code.explanation().len() > 40, "{code}");
        assert_eq!(Code::from_name(code.name()), Some(*code));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
}

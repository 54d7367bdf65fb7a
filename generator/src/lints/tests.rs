//! `x-lint-allow` in a document.

use crate::{Code, Input, LintGroup, Lints, Source, lint_with};

/// Returns a document with two parameters and a schema, and these fields at the root, the operation and the parameter.
fn document(root: &str, operation: &str, parameter: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: t, version: '1'}}\n{root}\npaths:\n  /a:\n    get:\n      operationId: a\n      {operation}\n      parameters:\n        - {{name: a, in: query, schema: {{type: string}}{parameter}}}\n        - {{name: b, in: query, schema: {{type: integer}}}}\n      responses: {{'204': {{description: None.}}, '400': {{description: Bad.}}}}\n"
    )
}

/// Returns the codes and messages of all diagnostics, with both groups on.
fn found(text: &str) -> Vec<(Code, String)> {
    let lints = Lints::default().groups(LintGroup::ALL.iter().copied());
    let report = lint_with(&Input::new("test.yaml", text), &lints);
    report.diagnostics.into_iter().map(|one| (one.code, one.message)).collect()
}

fn codes(text: &str) -> Vec<Code> {
    found(text).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn an_entry_holds_for_its_object_and_everything_in_it() {
    use Code::{PortableIntegerWidth as Width, QualityNoBounds as Bounds, QualityNoExample as Example};
    let bounds = "x-lint-allow: {quality-no-bounds: The URL is limited.}";
    for (text, expected) in [
        (document("", "", ""), vec![Example, Bounds, Width, Bounds]),
        (document(bounds, "", ""), vec![Example, Width]),
        (document("", bounds, ""), vec![Example, Width]),
        (document("", "", &format!(", {bounds}")), vec![Example, Width, Bounds]),
        (document("", bounds, &format!(", {bounds}")), vec![Example, Width]),
        (
            document("", "x-lint-allow: {quality-no-bounds: Why., portable-integer-width: Why.}", ""),
            vec![Example],
        ),
    ] {
        assert_eq!(codes(&text), expected, "{text}");
    }
}

#[test]
fn entries_without_effect_are_reported() {
    for (entries, message) in [
        ("{quality-no-bound: Why.}", "`x-lint-allow` names an unknown lint `quality-no-bound`"),
        ("{unknown-ref: Why.}", "`x-lint-allow` names an unknown lint `unknown-ref`"),
        ("{quality-no-bounds: ' '}", "`x-lint-allow` has no reason for `quality-no-bounds`"),
        ("{quality-no-bounds: }", "`x-lint-allow` has no reason for `quality-no-bounds`"),
        ("[quality-no-bounds]", "`x-lint-allow` must be an object with a reason for each lint"),
        ("{quality-paging: Why.}", "`x-lint-allow` allows `quality-paging`, which finds nothing here"),
    ] {
        let text = document("", &format!("x-lint-allow: {entries}"), "");
        let wrong = found(&text).into_iter().filter(|(code, _)| *code == Code::BadExtension);
        assert_eq!(wrong.map(|(_, message)| message).collect::<Vec<_>>(), [message]);
    }
    let near = document("", "x-lint-allow: {quality-no-bound: Why.}", "");
    let lints = Lints::default().groups([LintGroup::Quality]);
    let report = lint_with(&Input::new("test.yaml", &near), &lints).to_string();
    assert!(report.contains("a lint with a similar name exists: `quality-no-bounds`"), "{report}");
}

#[test]
fn entries_of_lints_that_are_off_are_not_reported() {
    let text = document("", "x-lint-allow: {quality-paging: Why.}", "");
    let portable = Lints::default().groups([LintGroup::Portable]);
    let report = lint_with(&Input::new("test.yaml", &text), &portable).to_string();
    assert!(!report.contains("bad-extension"), "{report}");
    assert_eq!(crate::lint("test.yaml", &text).to_string(), "");
}

#[test]
fn an_overlay_can_allow_a_lint() {
    let overlay = "overlay: 1.1.0\ninfo: {title: t, version: '1'}\nactions:\n  - target: $.paths['/a'].get\n    update: {x-lint-allow: {quality-no-bounds: It is not ours.}}\n";
    let overlays = [Source::new("a.overlay.yaml", overlay)];
    let text = document("", "", "");
    let input = Input::new("test.yaml", &text).overlays(&overlays);
    let report = lint_with(&input, &Lints::default().groups([LintGroup::Quality]));
    let codes: Vec<Code> = report.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::QualityNoExample]);
}

#[test]
fn documents_of_swagger_allow_lints() {
    let text = "swagger: '2.0'\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: a\n      parameters:\n        - {name: a, in: query, type: string, x-lint-allow: {quality-no-bounds: Why., quality-no-example: Why.}}\n      responses: {'204': {description: None.}, '400': {description: Bad.}}\n";
    assert_eq!(found(text), []);
}

//! Reports of changes that real documents have.

mod affected;

use crate::{Diff, Input, Options, diff};

fn compared(old: &str, new: &str) -> Diff {
    let text =
        |rest: &str| format!("openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\n{}", rest.trim_start());
    let (old, new) = (text(old), text(new));
    let options = Options::new("t", "t.yaml");
    let compared = diff((&Input::new("old.yaml", &old), &options), (&Input::new("new.yaml", &new), &options));
    compared.diff.unwrap_or_else(|| panic!("{}{}", compared.old, compared.new))
}

/// Compares documents, and checks that the report has these texts and not those.
#[track_caller]
fn report(old: &str, new: &str, has: &[&str], has_not: &[&str]) {
    let report = compared(old, new).to_string();
    for text in has {
        assert!(report.contains(text), "{text:?} is not in\n{report}");
    }
    for text in has_not {
        assert!(!report.contains(text), "{text:?} is in\n{report}");
    }
}

/// Returns a document with two operations.
fn two(a: &str, b: &str, rest: &str) -> String {
    format!(
        "paths:\n  /a: {{post: {{operationId: makeA, tags: [t], {a}}}}}\n  /b: {{post: {{operationId: makeB, tags: [t], {b}}}}}\n{rest}"
    )
}

const NONE: &str = "responses: {'204': {description: n}}";

fn body(schema: &str) -> String {
    format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}, {NONE}")
}

#[test]
fn values_of_an_enum_are_one_line() {
    let with = |values: &str| two(NONE, &body(&format!("{{type: object, properties: {{v: {values}}}}}")), "");
    report(
        &with("{type: string, enum: [a, b, c]}"),
        &with("{type: string, enum: [a, d, e]}"),
        &[
            "POST /b body.v: values `b`, `c` are removed\n",
            "POST /b body.v: values `d`, `e` are new\n",
            "variants `D`, `E` are new, so a `match` without `_` lacks them",
        ],
        &[],
    );
}

#[test]
fn rules_of_a_line_are_named_once() {
    let with = |names: &str| {
        two(NONE, &body(&format!("{{type: object, properties: {{z: {{type: string}}, {names}}}}}")), "")
    };
    report(
        &with("a: {type: string}, b: {type: string}"),
        &with("c: {type: string}"),
        &[
            "fields `a`, `b` are removed; no `with_a`, `with_b`",
            "[rust-field-removed, rust-setter-removed]\n",
        ],
        &[],
    );
}

#[test]
fn operations_that_changed_alike_are_one_line() {
    let with = |responses: &str, version: &str| {
        let operation = format!(
            "parameters: [{{name: V, in: header, schema: {{type: string, default: '{version}'}}}}], {responses}"
        );
        two(&operation, &operation, "components: {responses: {E: {description: e}}}")
    };
    report(
        &with(NONE, "1"),
        &with("responses: {'204': {description: n}, '429': {$ref: '#/components/responses/E'}}", ""),
        &[
            "header `V`: default 1 → \"\"  (makeA, makeB)",
            "`make_a`, `make_b` fail with responses::ApiError, was types::NoError  (makeA, makeB)",
        ],
        &[],
    );
}

#[test]
fn a_shared_inline_type_is_named_by_the_position_that_changed() {
    let with = |b: &str| {
        let schema = format!(
            "{{type: object, properties: {{a: {{enum: [r, w]}}, b: {{enum: {b}}}, c: {{enum: [r]}}}}}}"
        );
        two(NONE, &body(&schema), "")
    };
    report(
        &with("[r, w]"),
        &with("[r]"),
        &["POST /b body.b: value `w` is removed", "new.yaml:5:"],
        &["body.a: value", "body.c: value"],
    );
}

#[test]
fn all_operations_of_a_shared_inline_type_are_listed() {
    let with = |value: &str| two(&body(value), &body(value), "");
    report(
        &with("{type: object, properties: {v: {enum: [r, w]}}}"),
        &with("{type: object, properties: {v: {enum: [r]}}}"),
        &["value `w` is removed  (makeA, makeB)"],
        &[],
    );
}

#[test]
fn a_removed_response_has_the_position_of_its_operation() {
    let response = |status: &str| {
        format!(
            "'{status}': {{description: r, headers: {{x: {{schema: {{type: string}}}}}}, content: {{application/json: {{schema: {{type: string}}}}}}}}"
        )
    };
    let with = |responses: &str| two(NONE, &format!("responses: {{{responses}}}"), "");
    report(
        &with(&format!("{}, {}", response("200"), response("202"))),
        &with(&response("200")),
        &["MakeBAcceptedResponse: is removed  (makeB)\n"],
        &["old.yaml:1:1"],
    );
}

#[test]
fn a_type_that_takes_the_name_of_its_alias_has_moved() {
    let body = body("{$ref: '#/components/schemas/S'}");
    let with = |a: &str| {
        let rest = format!(
            "components: {{schemas: {{S: {{type: object, properties: {{{a}b: {{enum: [r, w]}}, c: {{enum: [r, w]}}}}}}}}}}"
        );
        two(NONE, &body, &rest)
    };
    report(
        &with("a: {enum: [r, w]}, "),
        &with(""),
        &["common::SB: was `common::SA`"],
        &["rust-alias-changed", "rust-field-type-changed"],
    );
}

#[test]
fn the_change_of_an_unused_schema_has_its_name_once() {
    let with = |more: &str| {
        two(
            NONE,
            NONE,
            &format!("components: {{schemas: {{S: {{type: object, properties: {{a: {{}}{more}}}}}}}}}"),
        )
    };
    report(&with(""), &with(", b: {}, c: {}"), &[" S: b: is new, optional, and another change\n"], &[]);
}

#[test]
fn a_property_that_types_have_by_all_of_is_one_change() {
    let with = |more: &str| {
        let child = |name: &str| {
            format!(
                "{name}: {{allOf: [{{$ref: '#/components/schemas/Base'}}], properties: {{{name}: {{}}}}}}"
            )
        };
        let rest = format!(
            "components:\n  schemas:\n    {}\n    {}\n    Base: {{type: object, properties: {{x: {{}}{more}}}}}",
            child("A"),
            child("B"),
        );
        two(&body("{$ref: '#/components/schemas/A'}"), &body("{$ref: '#/components/schemas/B'}"), &rest)
    };
    let more = ", y: {type: string}";
    let has = ["risky     deployed servers, server code  Base.y: is new, optional  (makeA, makeB)\n"];
    report(&with(""), &with(more), &has, &["A.y", "B.y", "unused-schema-changed"]);
    report(
        &with(more),
        &with(""),
        &["Base.y: is removed  (makeA, makeB)\n"],
        &["A.y:", "unused-schema-changed"],
    );
    let [old, new] = [", y: {maxLength: 9}", ", y: {maxLength: 8}"];
    report(
        &with(old),
        &with(new),
        &["Base.y: maxLength 9 → 8  (makeA, makeB)\n"],
        &["unused-schema-changed"],
    );
}

/// Returns a document with two operations that share an error.
fn with_shared_error(name: &str, header: &str) -> String {
    let schema = format!("{{type: {header}}}");
    let error =
        format!("{{description: e, headers: {{x: {{schema: {schema}}}}}, content: {{text/plain: {{}}}}}}");
    let responses = format!("responses: {{'412': {{$ref: '#/components/responses/{name}'}}}}");
    two(&responses, &responses, &format!("components:\n  responses:\n    {name}: {error}"))
}

#[test]
fn a_shared_response_with_another_name_has_moved() {
    report(
        &with_shared_error("Failed", "string"),
        &with_shared_error("ProjectFailed", "string"),
        &[
            "responses::ProjectFailedResponse: was `responses::FailedResponse`  (makeA, makeB)\n",
            "old.yaml:8:5 → new.yaml:8:5 [rust-type-moved]",
        ],
        &["responses::FailedResponse: is removed"],
    );
}

#[test]
fn a_change_of_a_shared_response_is_one_of_all_operations() {
    let [old, new] = ["string", "integer"].map(|header| with_shared_error("Failed", header));
    let diff = compared(&old, &new);
    assert_eq!(diff.changes.len(), 2, "{diff}");
    report(
        &old,
        &new,
        &[
            "response 412 header `x`: type string → integer  (makeA, makeB)\n",
            "responses::FailedResponse: x: Option<String> → Option<i64>  (makeA, makeB)",
        ],
        &[],
    );
    for change in &diff.changes {
        assert_eq!(change.operations.iter().collect::<Vec<_>>(), ["makeA", "makeB"], "{change:?}");
    }
}

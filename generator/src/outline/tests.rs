//! Tests of what fixtures don't show. `tests/outlines` compares the outlines of all fixtures.

use super::*;
use crate::{CrateKind, Exhaustive, Formats, NaiveDateTimes, RustPath};

const DOCUMENT: &str = "
openapi: 3.1.0
info: {title: Settings, version: '1'}
paths:
  /b/{at}:
    get:
      operationId: getB
      parameters: [{name: at, in: path, required: true, schema: {type: string, format: date-time}}]
      responses:
        '200': {description: B., content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}}
components:
  schemas:
    A: {type: string, enum: [x]}
    B:
      type: object
      properties:
        a: {$ref: '#/components/schemas/A'}
        size: {type: number}
        home: {type: string, format: uri, pattern: \"^a\\nb\"}
";

fn outlined(options: Options) -> Outlined {
    outline(&Input::new("settings.yaml", DOCUMENT), &options)
}

fn section(outlined: &Outlined, name: &str) -> String {
    let mut sections = outlined.outline.as_ref().expect("there is an outline").sections();
    sections.find(|(own, _)| *own == name).expect("there is such a section").1.to_owned()
}

#[test]
fn types_and_derives_of_the_user_are_shown() {
    let path = |path: &str| RustPath::parse(path).expect("it is a path");
    let options = Options::new("a", "settings.yaml")
        .types([("date-time", path("acme::Moment"))])
        .derives([path("schemars::JsonSchema"), path("Eq")]);
    let outlined = outlined(options);
    let lib = section(&outlined, "lib");
    assert!(lib.contains("derive schemars::JsonSchema\nderive Eq not for B\n"), "{lib}");
    let operations = section(&outlined, "operations");
    assert!(
        operations.contains("path at: acme::Moment required format date-time (simple)\n"),
        "{operations}"
    );
}

#[test]
fn options_are_shown_if_users_notice_them() {
    let options = Options::new("a", "settings.yaml")
        .crates([CrateKind::Client])
        .naive_date_times(NaiveDateTimes::Utc)
        .exhaustive(Exhaustive::Requests)
        .formats(Formats::Assert);
    let outlined = outlined(options);
    let lib = section(&outlined, "lib");
    let expected = "crates models, validation, client\ndate-times without an offset are UTC\nstructs of requests are exhaustive\nfeatures of the runtime formats\n";
    assert!(lib.contains(expected), "{lib}");
    assert!(section(&outlined, "common").contains("format strict uri"), "{outlined:?}");
}

#[test]
fn a_text_of_the_document_stays_on_its_line() {
    let common = section(&outlined(Options::new("a", "settings.yaml")), "common");
    assert!(common.contains("    home: Option<String> pattern /^a\\nb/ format uri\n"), "{common}");
}

#[test]
fn an_operation_that_does_not_exist_gives_no_outline() {
    let outlined = outlined(Options::new("a", "settings.yaml").only(["getC"]));
    assert!(outlined.outline.is_none() && outlined.unused.len() == 1, "{outlined:?}");
}

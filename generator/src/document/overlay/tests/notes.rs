//! Tests that diagnostics about nodes from overlays show both locations.

use super::overlaid;
use crate::{Input, document::Source, lint_from};

const DOCUMENT: &str = "\
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /a:
    get: {operationId: a, responses: {'204': {description: D}}}
  /b:
    get: {operationId: b, responses: {'204': {description: D}}}
components:
  schemas:
    A: {type: strin}
    B: {}
";

fn report(actions: &str) -> String {
    let text = format!("overlay: 1.1.0\ninfo: {{title: T, version: '1'}}\nactions:\n{actions}");
    let overlays = [Source::new("fix.yaml", &text)];
    lint_from(&Input { overlays: &overlays, ..Input::new("a.yaml", DOCUMENT) }).to_string()
}

#[test]
fn an_added_node_is_shown_with_its_action_and_the_document() {
    let report = report(
        "  - target: $.components.schemas.A.type\n    update: string\n  - target: $.components.schemas.B\n    update:\n      type: strng\n",
    );
    assert_eq!(
        report,
        "\
fix.yaml:8:13: error[wrong-type]: `type` must be `boolean`, `integer`, `number`, `string`, `array` or `object`, not `strng`
  |
8 |       type: strng
  |             ^^^^^
  …
6 |   - target: $.components.schemas.B
  |             ---------------------- added by this action
  = at: #/components/schemas/B/type
  = note: a.yaml:11:5: the action was applied to this node

"
    );
}

#[test]
fn an_error_in_an_addition_to_many_nodes_is_reported_once() {
    let report = report(
        "  - target: $.components.schemas.A.type\n    update: string\n  - target: $.paths.*.get\n    update:\n      parameters: [{name: x, in: qury, schema: {}}]\n",
    );
    assert_eq!(report.matches("error[").count(), 1, "{report}");
    assert!(report.contains("fix.yaml:8:34: error[bad-parameter]"), "{report}");
    assert!(report.contains("= note: a.yaml:5:5: the action was applied to this node\n"), "{report}");
    assert!(report.contains("= at: #/paths/~1a/get/parameters/0/in, in a (GET /a)\n"), "{report}");
    assert!(report.contains("= note: the overlay adds the same to 1 other node\n"), "{report}");
}

#[test]
fn a_copied_node_is_shown_where_it_was() {
    let report = report("  - target: $.components.schemas.B\n    copy: $.components.schemas.A\n");
    assert_eq!(report.matches("a.yaml:10:15: error[wrong-type]").count(), 2, "{report}");
    assert!(
        report.contains(
            "\
11 |     B: {}
   |     - the action was applied to this node
   = at: #/components/schemas/B/type
   = note: fix.yaml:4:13: copied by this action
"
        ),
        "{report}"
    );
}

#[test]
fn duplicates_of_an_overlay_are_reported_once() {
    let overlay = "overlay: 1.1.0\ninfo: {title: T, version: '1'}\nactions:\n  - target: $.paths.*\n    update: {x-a: 1, x-a: {}}\n";
    let parsed = overlaid(DOCUMENT, &[overlay]);
    let report = parsed.report().to_string();
    assert_eq!(report.matches("error[duplicate-key]: duplicate field `x-a`").count(), 1, "{report}");
    let root = parsed.document.as_ref().unwrap().root();
    assert_eq!(root.get("paths").unwrap().get("/b").unwrap().get("x-a").unwrap().as_u64(), Some(1));
}

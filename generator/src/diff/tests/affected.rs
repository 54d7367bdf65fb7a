//! Whom a change affects, where it is, and what was renamed.

use super::{NONE, body, compared, report, two};

/// Returns a document with two lists, and how they continue. The response has the cursor at `next`.
fn lists(parameter: &str, next: &str, pages: &str) -> String {
    let content = format!(
        "{{application/json: {{schema: {{type: object, properties: {{data: {{type: array, items: {{type: string}}}}, {next}: {{type: string}}}}}}}}}}"
    );
    let list = format!(
        "x-pagination: true, parameters: [{{name: {parameter}, in: query, schema: {{type: string}}}}], responses: {{'200': {{description: l, content: {content}}}}}"
    );
    format!("x-pagination: {{items: /data, {pages}}}\n{}", two(&list, &list, ""))
}

#[test]
fn pages_that_clients_no_longer_get_are_breaking() {
    let old = lists("after", "next", "cursor: after, next: /next");
    report(
        &old,
        &lists("cursor", "next", "cursor: cursor, next: /next"),
        &[
            "breaking  deployed clients and servers  pages: by query after as cursor → query cursor as cursor  (makeA, makeB)\n",
            "old.yaml:3:30 → new.yaml:3:30 [paging-breaks-both]",
            "query `after`: is removed (renamed to `cursor`?)  (makeA, makeB)\n",
            "query `cursor`: is new, optional (was `after`?)  (makeA, makeB)\n",
            "field `after` is removed (renamed to `cursor`?)",
        ],
        &["GET /a: describes"],
    );
    report(
        &old,
        &lists("after", "more", "cursor: after, next: /more"),
        &["pages: next /next → /more  (makeA, makeB)\n", "[paging-breaks-both]"],
        &["paging-changed"],
    );
    // The same parameter has another meaning.
    report(
        &old,
        &lists("after", "next", "page: after"),
        &["by query after as cursor → query after from 1"],
        &[],
    );
    let without = lists("after", "next", "cursor: after, next: /next").replace("x-pagination: true, ", "");
    report(&old, &without, &["[paging-removed]"], &["paging-breaks"]);
    let gone = without.replace("name: after", "name: other");
    report(&old, &gone, &["pages: by query after as cursor → none", "[paging-breaks-clients]"], &[]);
}

#[test]
fn a_value_that_is_always_sent_has_no_default() {
    let with = |required: &str| {
        two(
            NONE,
            &body(&format!("{{type: object, {required}properties: {{a: {{type: integer, default: 1}}}}}}")),
            "",
        )
    };
    let (optional, required) = (with(""), with("required: [a], "));
    report(&optional, &required, &["a: is now required"], &["default 1"]);
    report(&required, &optional, &["a: is now optional"], &["default none"]);
}

#[test]
fn changes_that_only_webhooks_reach_name_them() {
    let with = |id: &str, schema: &str| {
        let hook = |name: &str, id: &str| {
            let body =
                "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/E'}}}}";
            format!("{name}: {{post: {{{id}{body}, {NONE}}}}}")
        };
        let hooks = [hook("done", ""), hook("failed", id)].join(", ");
        let schemas =
            format!("components: {{schemas: {{E: {{type: object, properties: {{a: {schema}}}}}}}}}");
        two(NONE, NONE, &format!("webhooks: {{{hooks}}}\n{schemas}"))
    };
    let id = "operationId: onFailed, ";
    let (old, new) = (with(id, "{maxLength: 9}"), with(id, "{maxLength: 8}"));
    report(&old, &new, &["E.a: maxLength 9 → 8  (webhook `done`, onFailed)\n"], &[]);
    let change = &compared(&old, &new).changes[0];
    assert_eq!(change.operations.iter().collect::<Vec<_>>(), ["webhook `done`", "onFailed"]);
    report(
        &with("", "{}"),
        &with(id, "{}"),
        &["webhook `failed` (`POST`): operationId none → onFailed\n"],
        &[],
    );
}

#[test]
fn security_is_located_where_it_is_written() {
    let schemes = "components: {securitySchemes: {k: {type: apiKey, in: header, name: k}, t: {type: http, scheme: bearer}}}";
    let of_document = |security: &str| format!("security: {security}\n{}", two(NONE, NONE, schemes));
    let (old, new) = (of_document("[{k: []}, {t: []}]"), of_document("[{k: []}]"));
    report(
        &old,
        &new,
        &[
            "breaking  deployed clients  security: no longer accepts bearer token  (makeA, makeB)\n",
            "old.yaml:3:1 → new.yaml:3:1 [security-alternative-removed]",
        ],
        &[],
    );
    let verdicts = compared(&old, &new).changes[0].verdicts;
    assert_eq!(verdicts.client_users, crate::Verdict::Risky);
    let own = two(&format!("security: [{{k: []}}], {NONE}"), NONE, schemes);
    let column = own.lines().nth(1).and_then(|line| line.find("security")).unwrap() + 1;
    report(
        &two(NONE, NONE, schemes),
        &own,
        &["POST /a security: requires", &format!(" new.yaml:4:{column} (new) [security-added]")],
        &[],
    );
}

#[test]
fn an_error_that_operations_share_is_one_of_all_of_them() {
    let errors = |codes: &[&str]| {
        let of = |code: &&str| format!("'{code}': {{$ref: '#/components/responses/E{code}'}}");
        let responses = format!("responses: {{{}}}", codes.iter().map(of).collect::<Vec<_>>().join(", "));
        let shared = |code: &&str| {
            format!(
                "E{code}: {{description: e, content: {{application/json: {{schema: {{type: string}}}}}}}}"
            )
        };
        let shared = ["404", "409"].iter().map(shared).collect::<Vec<_>>().join(", ");
        two(&responses, &responses, &format!("components: {{responses: {{{shared}}}}}"))
    };
    report(
        &errors(&["404", "409"]),
        &errors(&["404"]),
        &["responses::ApiError: variant `E409` is removed  (makeA, makeB)\n"],
        &[],
    );
}

#[test]
fn parts_that_differ_in_their_names_are_probably_renamed() {
    let with =
        |properties: &str| two(NONE, &body(&format!("{{type: object, properties: {{{properties}}}}}")), "");
    let old = with("a: {type: string, maxLength: 3}, b: {type: integer}");
    report(
        &old,
        &with("c: {type: string, maxLength: 3}, b: {type: integer}"),
        &[
            "body.a: is removed (renamed to `c`?)\n",
            "body.c: is new, optional (was `a`?)\n",
            "field `a` is removed (renamed to `c`?)",
        ],
        &[],
    );
    // They differ, or there are two.
    report(
        &old,
        &with("c: {type: string, maxLength: 4}, b: {type: integer}"),
        &["body.a: is removed\n"],
        &[],
    );
    let two_of_them =
        with("c: {type: string, maxLength: 3}, d: {type: string, maxLength: 3}, b: {type: integer}");
    report(&old, &two_of_them, &["body.a: is removed\n"], &[]);
    let (here, there) = (two(NONE, NONE, ""), two(NONE, NONE, "").replace("/b:", "/c:"));
    report(
        &here,
        &there,
        &["POST /b: is removed (now `POST /c`?)\n", "POST /c: is new (was `POST /b`?)\n"],
        &[],
    );
}

#[test]
fn a_removed_method_breaks_the_programs_that_have_it() {
    let kept = format!("paths:\n  /a: {{get: {{operationId: a, tags: [t], {NONE}}}}}\n");
    let verdicts = |path: &str, tag: &str, fields: &str| {
        let old = format!("{kept}  '{path}': {{get: {{operationId: b, tags: [{tag}], {fields}{NONE}}}}}\n");
        let changes = compared(&old, &kept).changes;
        let removed = changes.iter().find(|change| change.message == "method `b` is removed")?;
        Some([removed.verdicts.client_users, removed.verdicts.implementors])
    };
    let (fine, breaking) = (crate::Verdict::Fine, crate::Verdict::Breaking);
    assert_eq!(verdicts("/b", "t", ""), Some([breaking, breaking]));
    // A server trait has no method for a path that can't be routed.
    assert_eq!(verdicts("/b?x=1", "t", ""), Some([breaking, fine]));
    // The trait is removed with its module, which callers of the client do not name.
    assert_eq!(verdicts("/b", "u", ""), Some([breaking, fine]));
    // The module has a type, so its removal breaks all programs.
    let parameter = "parameters: [{name: v, in: query, schema: {type: string}}], ";
    assert_eq!(verdicts("/b", "u", parameter), None);
}

#[test]
fn a_keyword_of_a_parent_is_one_change() {
    let with = |keywords: &str| {
        let child = |name: &str| {
            format!(
                "{name}: {{allOf: [{{$ref: '#/components/schemas/Base'}}], properties: {{{name}: {{}}}}}}"
            )
        };
        let base = format!("Base: {{type: object, properties: {{x: {{}}, y: {{}}}}, {keywords}}}");
        let schemas = [child("A"), child("B"), base].map(|schema| format!("\n    {schema}")).concat();
        let of = |name: &str| body(&format!("{{$ref: '#/components/schemas/{name}'}}"));
        two(&of("A"), &of("B"), &format!("components:\n  schemas:{schemas}"))
    };
    for (old, new, text) in [
        ("minProperties: 1", "minProperties: 2", "Base: minProperties 1 → 2"),
        ("", "maxProperties: 9", "Base: maxProperties none → 9"),
        ("", "x-rules: [{name: x, not_together: [x, y]}]", "Base: x-rules none → not together: x, y"),
        ("x-rules: [{name: x, not_together: [x, y]}]", "", "Base: x-rules not together: x, y → none"),
        (
            "additionalProperties: {type: string}",
            "additionalProperties: {type: integer}",
            "Base.*: type string → integer",
        ),
        ("", "not: {required: [x, y]}", "Base: other keywords are stricter: not"),
        ("not: {required: [x, y]}", "", "Base: other keywords are less strict: not"),
        (
            "if: {required: [x]}, then: {required: [y]}",
            "if: {required: [y]}, then: {required: [x]}",
            "Base: other keywords are different: if",
        ),
    ] {
        let (old, new) = (with(old), with(new));
        report(
            &old,
            &new,
            &[&format!("{text}  (makeA, makeB)\n")],
            &[" A: ", " B: ", "unused-schema-changed"],
        );
    }
}

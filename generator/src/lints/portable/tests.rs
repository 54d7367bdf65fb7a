//! Each lint with documents that it reports and documents that it does not.

use std::collections::BTreeSet;

use super::LINTS;
use crate::{Code, Input, LintGroup, Lints, document::Load, lint_with};

/// Returns a document in this version with paths and components (in YAML's flow style).
fn document(version: &str, paths: &str, components: &str) -> String {
    format!(
        "openapi: {version}\ninfo: {{title: t, version: '1'}}\npaths: {paths}\ncomponents: {components}\n"
    )
}

/// Returns a document with this component schema, next to `A` (an object) and `Id` (an integer).
fn with_schema(version: &str, schema: &str) -> String {
    let others = "A: {type: object, properties: {id: {type: string}}}, Id: {type: integer, format: int64}";
    document(version, "{}", &format!("{{schemas: {{{others}, S: {schema}}}}}"))
}

/// Returns the diagnostics of a lint, each with the text that it underlines: `integer: an integer …`.
fn found(code: Code, text: &str) -> Vec<String> {
    let input = Input::new("test.yaml", text);
    let lints = Lints::default().groups([LintGroup::Portable]);
    let report = lint_with(&input, &lints);
    let found: Vec<String> = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code == code)
        .map(|one| {
            one.range.map_or_else(String::new, |range| format!("{}: {}", text_at(text, range), one.message))
        })
        .collect();
    let off = Lints::default().groups([LintGroup::Portable]).allow([code]);
    assert!(lint_with(&input, &off).diagnostics.iter().all(|one| one.code != code), "{code} is off");
    found
}

/// Returns the text that a diagnostic underlines.
fn text_at(text: &str, range: crate::Range) -> String {
    let line = text.lines().nth(range.start.line - 1).unwrap_or_default();
    line.chars().skip(range.start.column - 1).take(range.length).collect()
}

/// Checks schemas in OpenAPI 3.0, each with the beginnings of the expected messages.
fn check_schemas(code: Code, cases: &[(&str, &[&str])]) {
    for (schema, expected) in cases {
        let found = found(code, &with_schema("3.0.3", schema));
        assert_eq!(found.len(), expected.len(), "{schema}: {found:?}");
        for (one, start) in found.iter().zip(*expected) {
            assert!(one.starts_with(start), "{schema}: {one}");
        }
    }
}

#[test]
fn every_lint_of_the_group_has_a_check() {
    let checked: BTreeSet<Code> = LINTS.iter().map(|lint| lint.code).collect();
    assert_eq!(checked, LintGroup::Portable.codes().collect());
    for code in LintGroup::Portable.codes() {
        assert!(code.name().starts_with("portable-"), "{code}");
    }
}

#[test]
fn the_group_is_off_by_default() {
    let text = with_schema("3.0.3", "{type: integer}");
    assert_eq!(crate::lint("test.yaml", &text).to_string(), "");
    let report = lint_with(&Input::new("test.yaml", &text), &Lints::default().groups([LintGroup::Portable]));
    assert!(report.to_string().contains("warning[portable-integer-width]"), "{report}");
    let options = crate::Options::new("t", "test.yaml").strictness(crate::Strictness::Strict);
    assert!(crate::generate("test.yaml", &text, &options).unwrap().files.is_some());
}

#[test]
fn references_to_callbacks() {
    let callback = "{'{$request.body#/url}': {post: {responses: {'204': {description: None.}}}}}";
    let paths = |callbacks: &str| {
        format!(
            "{{/a: {{post: {{operationId: a, callbacks: {callbacks}, responses: {{'204': {{description: None.}}}}}}}}}}"
        )
    };
    let components = format!("{{callbacks: {{C: {callback}, D: {{$ref: '#/components/callbacks/C'}}}}}}");
    let found = |callbacks: &str| {
        found(Code::PortableCallbackRef, &document("3.0.3", &paths(callbacks), &components))
    };
    let reported = found("{c: {$ref: '#/components/callbacks/C'}, d: {$ref: '#/components/callbacks/D'}}");
    let message = "several tools refuse a document with a reference to a callback";
    let at = |name: &str| format!("'#/components/callbacks/{name}': {message}");
    assert_eq!(reported, [at("C"), at("D")]);
    assert_eq!(found(&format!("{{c: {callback}}}")), [""; 0]);
    // Only an example contains this reference.
    assert_eq!(found("{}"), [""; 0]);
}

#[test]
fn callbacks_in_other_files() {
    let text = document("3.0.3", "{/a: {$ref: 'more.yaml#/item'}}", "{}");
    let more = "item: {post: {operationId: a, callbacks: {c: {$ref: '#/c'}}, responses: {'204': {description: \
                None.}}}}\nc: {'{$request.body#/url}': {post: {requestBody: {content: {application/json: {schema: \
                {type: integer}}}}, responses: {'204': {description: None.}}}}}\n";
    let load: &Load<'_> = &|_| Ok(more.to_owned());
    let input = Input::new("test.yaml", &text).load(load);
    let report = lint_with(&input, &Lints::default().groups([LintGroup::Portable]));
    let codes: Vec<(Code, &str)> =
        report.diagnostics.iter().map(|one| (one.code, one.path.as_str())).collect();
    let expected = [Code::PortableCallbackRef, Code::PortableIntegerWidth].map(|code| (code, "more.yaml"));
    assert_eq!(
        codes.iter().filter(|(code, _)| code.group().is_some()).copied().collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn nullable_without_type() {
    let reported: &[&str] = &["nullable: `nullable` has no effect without `type`"];
    check_schemas(
        Code::PortableNullable,
        &[
            ("{nullable: true}", reported),
            ("{nullable: true, description: Any value.}", reported),
            ("{nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}", reported),
            ("{nullable: true, anyOf: [{$ref: '#/components/schemas/A'}]}", reported),
            ("{nullable: true, $ref: '#/components/schemas/A'}", reported),
            ("{nullable: true, properties: {a: {type: string}}}", reported),
            ("{type: object, properties: {a: {nullable: true, enum: [a, null]}}}", reported),
            ("{type: string, nullable: true}", &[]),
            ("{type: object, nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}", &[]),
            ("{nullable: false, allOf: [{$ref: '#/components/schemas/A'}]}", &[]),
            // A property and an example of this name.
            ("{type: object, properties: {nullable: {type: boolean}}, example: {nullable: true}}", &[]),
            ("{not: {nullable: true}}", &[]),
        ],
    );
    let later = with_schema("3.1.0", "{nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}");
    assert_eq!(found(Code::PortableNullable, &later), [""; 0]);
}

#[test]
fn the_alternative_to_nullable_depends_on_the_schema() {
    for (schema, alternative) in [
        ("{nullable: true}", "remove it, because"),
        ("{nullable: true, enum: [a, null]}", "add the `type`"),
        ("{nullable: true, $ref: '#/components/schemas/A'}", "a reference ignores the fields beside it"),
        ("{nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}", "null has to match each member"),
        ("{nullable: true, oneOf: [{$ref: '#/components/schemas/A'}]}", "beside the `type` of one branch"),
    ] {
        let text = with_schema("3.0.3", schema);
        let lints = Lints::default().groups([LintGroup::Portable]);
        let report = lint_with(&Input::new("test.yaml", &text), &lints).to_string();
        assert!(report.contains("= help: ") && report.contains(alternative), "{report}");
    }
}

#[test]
fn enum_values_with_one_identifier() {
    check_schemas(
        Code::PortableEnumCase,
        &[
            ("{type: string, enum: [720P, 720p]}", &["720p: `720P` and `720p` become the same identifier"]),
            ("{type: string, enum: [a-b, c, a_b]}", &["a_b: `a-b` and `a_b`"]),
            ("{type: string, enum: ['+1', '-1']}", &["'-1': `+1` and `-1`"]),
            ("{enum: [A, 1, null, a]}", &["a: `A` and `a`"]),
            ("{type: array, items: {type: string, enum: [É, é]}}", &["é: `É` and `é`"]),
            ("{type: string, enum: [a, A], x-enum-varnames: [a]}", &["A: `a` and `A`"]),
            ("{type: string, enum: [x, y], x-enum-varnames: [one, ONE]}", &["y: `one` and `ONE`"]),
            ("{type: string, enum: [720P, 720p], x-enum-varnames: [upper, lower]}", &[]),
            ("{type: string, enum: [fooBar, foo_bar]}", &["foo_bar: `fooBar` and `foo_bar`"]),
            ("{type: string, enum: [FooBar, foobar]}", &["foobar: `FooBar` and `foobar`"]),
            ("{type: string, enum: [a - b, a-b]}", &["a-b: `a - b` and `a-b`"]),
            ("{type: string, enum: [name, -name, names, na-me]}", &[]),
            ("{type: string, enum: ['<', '>', '=']}", &[]),
            ("{type: integer, format: int32, enum: [1, -1]}", &[]),
            // The same value twice is `bad-enum`.
            ("{type: string, enum: [a, a]}", &[]),
        ],
    );
    let text = with_schema("3.0.3", "{type: string, enum: [a, b, A, B]}");
    let lints = Lints::default().groups([LintGroup::Portable]);
    let report = lint_with(&Input::new("test.yaml", &text), &lints).to_string();
    assert!(report.contains("= note: so do `b` and `B`\n"), "{report}");
}

#[test]
fn integers_without_width() {
    let reported: &[&str] = &["integer: an integer without `format` has 32 bits in several tools"];
    check_schemas(
        Code::PortableIntegerWidth,
        &[
            ("{type: integer}", reported),
            ("{type: integer, minimum: 1}", reported),
            ("{type: integer, maximum: 2147483648}", reported),
            (
                "{type: integer, minimum: -2147483649, maximum: 9}",
                &[
                    "integer: an integer without `format` has 32 bits in several tools, and this one can be smaller",
                ],
            ),
            ("{type: integer, oneOf: [{const: 1}, {const: 4294967296}]}", reported),
            ("{type: integer, oneOf: [{const: 1}, {const: 2}]}", &[]),
            ("{type: integer, maximum: 1099511627776, exclusiveMaximum: true}", reported),
            ("{type: integer, enum: [1, 4294967296]}", reported),
            ("{type: array, items: {type: integer}}", reported),
            ("{type: object, additionalProperties: {type: integer}}", reported),
            ("{allOf: [{type: integer}]}", reported),
            ("{allOf: [{type: integer}, {minimum: 1}]}", reported),
            ("{anyOf: [{type: integer}, {type: string}]}", reported),
            (
                "{type: integer, format: unix-time}",
                &["integer: an integer with the format `unix-time` has 32 bits"],
            ),
            (
                "{type: integer, format: uint32, minimum: 0}",
                &["integer: an integer with the format `uint32`"],
            ),
            ("{type: integer, format: int64}", &[]),
            ("{type: integer, format: int32}", &[]),
            ("{type: integer, format: uint8}", &[]),
            ("{type: integer, format: uint64, maximum: 100}", &[]),
            ("{type: integer, maximum: 2147483647}", &[]),
            ("{type: integer, minimum: 1, maximum: 100}", &[]),
            ("{type: integer, enum: [1, 2]}", &[]),
            ("{allOf: [{type: integer}, {maximum: 100}]}", &[]),
            ("{type: integer, allOf: [{format: int64}]}", &[]),
            ("{allOf: [{$ref: '#/components/schemas/Id'}], minimum: 1}", &[]),
            ("{type: number}", &[]),
            ("{not: {type: integer}}", &[]),
            ("{type: object, example: {type: integer}}", &[]),
        ],
    );
    for (schema, count) in [
        ("{type: [integer, 'null']}", 1),
        ("{type: integer, exclusiveMaximum: 4294967296}", 1),
        ("{type: integer, exclusiveMaximum: 2147483648}", 0),
        ("{const: 1, type: integer}", 0),
        ("{type: [integer, string]}", 0),
    ] {
        assert_eq!(found(Code::PortableIntegerWidth, &with_schema("3.1.0", schema)).len(), count, "{schema}");
    }
}

#[test]
fn an_integer_of_several_schemas_is_reported_once() {
    let schemas = "{schemas: {Id: {type: integer}, A: {allOf: [{$ref: '#/components/schemas/Id'}]}, \
                   B: {$ref: '#/components/schemas/Id'}}}";
    assert_eq!(found(Code::PortableIntegerWidth, &document("3.0.3", "{}", schemas)).len(), 1);
}

#[test]
fn deep_objects_with_inner_objects() {
    let components = "{schemas: {Range: {type: object, properties: {from: {type: string}}}, \
                      Filter: {type: object, properties: {range: {$ref: '#/components/schemas/Range'}}}, \
                      Loop: {type: object, properties: {loop: {$ref: '#/components/schemas/Loop'}}}}}";
    for (schema, expected) in [
        ("{type: object, properties: {a: {type: object}}}", Some("`a`, which is an object")),
        (
            "{type: object, properties: {b: {type: string}, a: {type: array, items: {type: string}}}}",
            Some("`a`, which is an array"),
        ),
        ("{type: object, properties: {a: {items: {type: string}}}}", Some("`a`, which is an array")),
        (
            "{type: object, properties: {a: {additionalProperties: {type: string}}}}",
            Some("`a`, which is an object"),
        ),
        (
            "{type: object, additionalProperties: {type: object}}",
            Some("`additionalProperties`, which is an object"),
        ),
        ("{$ref: '#/components/schemas/Filter'}", Some("`range`, which is an object")),
        ("{allOf: [{$ref: '#/components/schemas/Filter'}]}", Some("`range`, which is an object")),
        (
            "{anyOf: [{type: string}, {$ref: '#/components/schemas/Filter'}]}",
            Some("`range`, which is an object"),
        ),
        ("{$ref: '#/components/schemas/Loop'}", Some("`loop`, which is an object")),
        (
            "{type: object, properties: {a: {oneOf: [{type: string}, {type: array, items: {type: string}}]}}}",
            Some("`a`, which is an array"),
        ),
        ("{$ref: '#/components/schemas/Range'}", None),
        ("{type: object, properties: {a: {}, b: {type: integer, format: int32}}}", None),
        ("{type: object, additionalProperties: true}", None),
        ("{type: object, additionalProperties: {type: string}}", None),
    ] {
        let parameter = format!("[{{name: f, in: query, style: deepObject, schema: {schema}}}]");
        let body = format!(
            "{{content: {{application/x-www-form-urlencoded: {{schema: {{type: object, properties: {{f: {schema}}}}}, \
             encoding: {{f: {{style: deepObject}}, g: {{style: deepObject}}}}}}}}}}"
        );
        let responses = "responses: {'204': {description: None.}}";
        let paths = [
            format!("{{/a: {{get: {{operationId: a, parameters: {parameter}, {responses}}}}}}}"),
            format!("{{/a: {{post: {{operationId: a, requestBody: {body}, {responses}}}}}}}"),
        ];
        for paths in paths {
            let found = found(Code::PortableDeepObject, &document("3.0.3", &paths, components));
            let start = "deepObject: OpenAPI does not define how `deepObject` writes ";
            let expected: Vec<String> = expected.iter().map(|end| format!("{start}{end}")).collect();
            assert_eq!(found, expected, "{paths}");
        }
    }
    let form = "{/a: {get: {operationId: a, parameters: [{name: f, in: query, schema: {$ref: \
                '#/components/schemas/Filter'}}], responses: {'204': {description: None.}}}}}";
    assert_eq!(found(Code::PortableDeepObject, &document("3.0.3", form, components)), [""; 0]);
}

#[test]
fn unions_of_required_properties() {
    let properties = "properties: {a: {type: string}, b: {type: string}}";
    let branches = "[{required: [a]}, {required: [b]}]";
    let message =
        |keyword: &str| format!("{keyword}: tools that make a type of this `{keyword}` lose the properties");
    for (schema, expected) in [
        (format!("{{type: object, {properties}, anyOf: {branches}}}"), Some("anyOf")),
        (format!("{{{properties}, oneOf: {branches}}}"), Some("oneOf")),
        (
            format!("{{{properties}, anyOf: [{{type: object, required: [a]}}, {{not: {{required: [b]}}}}]}}"),
            Some("anyOf"),
        ),
        (format!("{{allOf: [{{$ref: '#/components/schemas/A'}}], anyOf: {branches}}}"), Some("anyOf")),
        (
            format!(
                "{{{properties}, not: {{allOf: [{{not: {{required: [a]}}}}, {{not: {{required: [b]}}}}]}}}}"
            ),
            None,
        ),
        (format!("{{{properties}, allOf: [{{anyOf: {branches}}}]}}"), None),
        (
            format!("{{{properties}, anyOf: [{{required: [a]}}, {{properties: {{c: {{type: string}}}}}}]}}"),
            None,
        ),
        (format!("{{{properties}, anyOf: [{{$ref: '#/components/schemas/A'}}]}}"), None),
        (format!("{{type: object, anyOf: {branches}}}"), None),
        (format!("{{{properties}, required: [a]}}"), None),
    ] {
        let found = found(Code::PortableRules, &with_schema("3.0.3", &schema));
        assert_eq!(found.len(), usize::from(expected.is_some()), "{schema}: {found:?}");
        assert!(
            expected.is_none_or(|keyword| found[0].starts_with(&message(keyword))),
            "{schema}: {found:?}"
        );
    }
}

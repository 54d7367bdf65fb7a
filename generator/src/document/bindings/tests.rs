//! Compares dynamic references with an implementation of JSON Schema.

use super::super::Document;

fn with_schemas(schemas: &str) -> String {
    let schemas: String = schemas.trim_matches('\n').lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{schemas}"
    )
}

/// Schemas whose names are their ids.
#[cfg(feature = "cli")]
const SCHEMAS: &[&str] = &[
    // A generic schema, its uses, and a use around another one: the outermost binding counts.
    "
page: {$id: page, type: object, properties: {items: {type: array, items: {$dynamicRef: '#item'}}}, $defs: {item: {$dynamicAnchor: item, not: {}}}}
user: {$id: user, type: object, required: [id]}
users: {$id: users, $ref: page, $defs: {item: {$dynamicAnchor: item, $ref: user}}}
numbers: {$id: numbers, $ref: page, $defs: {item: {$dynamicAnchor: item, type: integer}}}
envelope: {$id: envelope, properties: {page: {$ref: page}, users: {$ref: users}}}
of-numbers: {$id: of-numbers, $ref: envelope, $defs: {item: {$dynamicAnchor: item, type: integer}}}
pages: {$id: pages, $ref: page, $defs: {item: {$dynamicAnchor: item, $ref: users}}}
",
    // A tree that extends itself, with and without more properties.
    "
tree: {$id: tree, $dynamicAnchor: node, type: object, properties: {data: true, children: {type: array, items: {$dynamicRef: '#node'}}}}
strict: {$id: strict, $dynamicAnchor: node, $ref: tree, unevaluatedProperties: false}
named: {$id: named, $dynamicAnchor: node, $ref: strict, required: [id], properties: {id: true}}
forest: {$id: forest, properties: {items: {items: {$ref: tree}}, page: {$ref: strict}}}
",
    // A plain anchor is not a dynamic one, and an anchor of another schema does not belong to this one.
    "
plain: {$id: plain, properties: {id: {$dynamicRef: '#here'}}, $defs: {here: {$anchor: here, type: string}}}
binds: {$id: binds, $ref: plain, $defs: {here: {$dynamicAnchor: here, type: integer}}}
",
    // Conditions, and several names.
    "
pair: {$id: pair, properties: {id: {$dynamicRef: '#left'}, data: {not: {$dynamicRef: '#right'}}}, $defs: {left: {$dynamicAnchor: left}, right: {$dynamicAnchor: right, not: {}}}}
left: {$id: left, $ref: pair, $defs: {left: {$dynamicAnchor: left, type: integer}}}
both: {$id: both, allOf: [{$ref: left}, {$ref: pair}], $defs: {right: {$dynamicAnchor: right, type: string}}}
",
    // A schema within another one, to which references lead.
    "
outer: {$id: outer, properties: {page: {$id: inner, properties: {id: {$dynamicRef: '#x'}}, $defs: {x: {$dynamicAnchor: x, type: string}}}}}
other: {$id: other, properties: {page: {$ref: inner}}, $defs: {x: {$dynamicAnchor: x, type: integer}}}
",
];

#[cfg(feature = "cli")]
#[test]
fn bound_schemas_accept_the_same_values() {
    use serde_json::{Value, json};

    let leaves = [
        json!(1),
        json!("x"),
        json!({ "id": "x" }),
        json!({ "id": 1 }),
        json!({ "data": "x" }),
        json!({ "data": 1 }),
    ];
    let mut values: Vec<Value> = leaves.to_vec();
    for name in ["items", "children", "page", "users"] {
        let inner: Vec<Value> = values.iter().take(30).cloned().collect();
        for value in inner {
            let is_list = matches!(name, "items" | "children");
            values.push(json!({ name: if is_list { json!([value]) } else { value.clone() } }));
            values.push(json!({ "id": "x", name: if is_list { json!([value]) } else { value } }));
        }
    }
    let (mut compared, mut accepted) = (0, 0);
    for schemas in SCHEMAS {
        let parsed = Document::parse("a.yaml", &with_schemas(schemas));
        let document = parsed.document.unwrap();
        assert!(parsed.diagnostics.is_empty(), "{schemas}");
        let copies = document.files().find(|file| file.source.name == ".");
        let schemas_of = document.components("schemas").map(|(name, node)| (name.to_owned(), node.to_json()));
        let bound = json!({
            "components": { "schemas": schemas_of.collect::<serde_json::Map<_, _>>() },
            "copies": copies.map(|file| file.root.to_json()),
        });
        let text = bound.to_string().replace("\".#/", "\"#/copies/");
        assert!(!text.contains("$dynamicRef"), "{text}");
        let mut bound: Value = serde_json::from_str(&text).unwrap();
        remove_ids(&mut bound);
        let defs: Value = serde_yaml::from_str(schemas).unwrap();
        for name in defs.as_object().unwrap().keys() {
            let written = json!({ "$id": "http://a.example/root", "$ref": name, "$defs": defs });
            let mut bound = bound.clone();
            bound["$ref"] = format!("#/components/schemas/{name}").into();
            let [written, bound] =
                [written, bound].map(|schema| jsonschema::draft202012::new(&schema).unwrap());
            for value in &values {
                assert_eq!(written.is_valid(value), bound.is_valid(value), "{name}: {value}");
                compared += 1;
                accepted += usize::from(bound.is_valid(value));
            }
        }
    }
    assert!(compared > 2000 && accepted > 400 && accepted < compared - 400, "{accepted} of {compared}");
}

/// References in OpenAPI documents lead to the document, not to the `$id`.
#[cfg(feature = "cli")]
fn remove_ids(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(remove_ids),
        serde_json::Value::Object(fields) => {
            for name in ["$id", "$anchor", "$dynamicAnchor"] {
                if fields.get(name).is_some_and(serde_json::Value::is_string) {
                    fields.remove(name);
                }
            }
            fields.values_mut().for_each(remove_ids);
        }
        _ => {}
    }
}

/// The number of copies is bounded, and references that would need more are reported.
#[test]
fn bindings_without_end_are_reported() {
    let names: Vec<String> = (0..14).map(|number| format!("n{number}")).collect();
    let fields = |field: &dyn Fn(&String) -> String| names.iter().map(field).collect::<Vec<_>>().join(", ");
    let mut schemas = format!(
        "all: {{properties: {{{}}}, required: [{}], $defs: {{{}}}}}",
        fields(&|name| format!("{name}: {{$dynamicRef: '#{name}'}}")),
        (0..1000).map(|number| number.to_string()).collect::<Vec<_>>().join(", "),
        fields(&|name| format!("{name}: {{$dynamicAnchor: {name}}}")),
    );
    for name in &names {
        for (of, ty) in [("a", "string"), ("b", "integer")] {
            let next = |next: &str| {
                format!(
                    "{{oneOf: [{}]}}",
                    names
                        .iter()
                        .map(|it| format!("{{$ref: '#/components/schemas/{next}-{it}'}}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            };
            let next = next(if of == "a" { "b" } else { "a" });
            schemas += &format!(
                "\n{of}-{name}: {{$id: {of}-{name}, properties: {{all: {{$ref: '#/components/schemas/all'}}, more: {next}}}, $defs: {{x: {{$dynamicAnchor: {name}, type: {ty}}}}}}}"
            );
        }
    }
    let parsed = Document::parse("a.yaml", &with_schemas(&schemas));
    let report = parsed.report().to_string();
    assert!(report.contains("unsupported") && report.contains("binds too many"), "{report}");
    assert!(parsed.document.unwrap().bundle().to_string().len() < 100_000_000);
}

/// A mistake in a schema is reported once, where it is written, however many copies there are.
#[test]
fn copies_are_reported_where_they_are_written() {
    let schemas = "
Page: {type: object, properties: {item: {$dynamicRef: '#item'}, wrong: {$ref: '#/components/schemas/Gone'}}, $defs: {item: {$dynamicAnchor: item}}}
A: {properties: {a: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: string}}}}}
B: {properties: {b: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: integer}}}}}
";
    let report = crate::lint("a.yaml", &with_schemas(schemas)).to_string();
    assert_eq!(report.matches("unknown schema reference `#/components/schemas/Gone`").count(), 1, "{report}");
    assert!(report.contains("at: #/components/schemas/Page/properties/wrong/$ref"), "{report}");
}

/// Generic schemas and what binds them can be in other files.
#[test]
fn files_bind_schemas_of_others() {
    let load = |name: &str| {
        match name {
        "page.yaml" => Ok("{type: object, properties: {items: {type: array, items: {$dynamicRef: '#item'}}}, $defs: {item: {$dynamicAnchor: item}}}".to_owned()),
        "users.yaml" => Ok("{$ref: page.yaml, $defs: {item: {$dynamicAnchor: item, type: string}}}".to_owned()),
        _ => Err("gone".to_owned()),
    }
    };
    let text = with_schemas("Users: {$ref: users.yaml}\nWrapper: {properties: {users: {$ref: users.yaml}}}");
    let parsed = Document::parse_with("a.yaml", &text, &[], Some(&load));
    let bound = parsed.document.unwrap().bundle().to_string();
    assert!(
        !bound.contains("$dynamicRef")
            && bound.contains(r#""items":{"$dynamicAnchor":"item","type":"string"}"#),
        "{bound}"
    );
}

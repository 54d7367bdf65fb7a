//! `$dynamicRef`: a reference whose target depends on the schemas that lead to it.

use super::*;

const PAGE: &str = "
User: {type: object, required: [id], properties: {id: {type: string}}}
Page:
  type: object
  required: [items]
  properties: {items: {type: array, items: {$dynamicRef: '#item'}}}
  $defs: {item: {$dynamicAnchor: item, not: {}}}
";

/// Returns the types of these schemas beside `Page`, each as its name and its fields or its alias.
fn types(schemas: &str) -> Vec<String> {
    let (api, report) = lowered(&with_schemas("3.1.0", &format!("{PAGE}{schemas}")));
    assert_eq!(report, "", "{schemas}");
    let shown = |def: &TypeDef| {
        let name = &def.name.0;
        match &def.kind {
            Kind::Struct(_) => format!("{name} {}", fields(&api, name).join(", ")),
            Kind::Alias(schema) => format!("{name} = {}", brief(&api, schema)),
            _ => name.clone(),
        }
    };
    let mut types: Vec<String> = api.types.iter().map(shown).collect();
    types.sort();
    types.retain(|shown| !shown.starts_with("User ") && !shown.starts_with("Page "));
    types
}

#[test]
fn each_binding_is_a_type() {
    for (schemas, expected) in [
        (
            "Users: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}",
            &["Users items!: [User]"][..],
        ),
        (
            "Users: {$defs: {item: {$dynamicAnchor: item, type: string}}, allOf: [{$ref: '#/components/schemas/Page'}]}",
            &["Users items!: [string]"],
        ),
        (
            "Users: {type: array, items: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: string}}}}",
            &["PageUsersItem items!: [string]", "Users = [PageUsersItem]"],
        ),
        (
            "Users: {properties: {page: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}}}",
            &["PageUser items!: [User]", "Users page: PageUser"],
        ),
        // The schema binds a name, but nothing in it refers to that.
        (
            "Users: {$dynamicAnchor: item, type: object, properties: {x: {type: string}}}",
            &["Users x: string"],
        ),
    ] {
        assert_eq!(types(schemas), expected, "{schemas}");
    }
}

/// Users of a binding, and bindings of the same schema, share its type.
#[test]
fn equal_bindings_are_one_type() {
    let schemas = "
Users: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}
Again: {$ref: '#/components/schemas/Page', $defs: {other: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}
Reader: {properties: {users: {$ref: '#/components/schemas/Users'}}}
Binder: {$dynamicAnchor: unrelated, properties: {users: {$ref: '#/components/schemas/Users'}, page: {$ref: '#/components/schemas/Page'}}}
";
    assert_eq!(
        types(schemas),
        ["Again = Users", "Binder users: Users, page: Page", "Reader users: Users", "Users items!: [User]"]
    );
}

/// Bindings reach a dynamic reference through other schemas. Of several bindings, the outermost one counts.
#[test]
fn bindings_pass_through_schemas() {
    let schemas = "
Envelope: {properties: {page: {$ref: '#/components/schemas/Page'}, user: {$ref: '#/components/schemas/User'}}}
Users: {$ref: '#/components/schemas/Envelope', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}
Names: {properties: {users: {$ref: '#/components/schemas/Users'}}, $defs: {item: {$dynamicAnchor: item, type: string}}}
";
    assert_eq!(
        types(schemas),
        [
            "Envelope page: Page, user: User",
            "EnvelopeNamesItem page: PageNamesItem, user: User",
            "Names users: UsersNamesItem",
            "PageNamesItem items!: [string]",
            "PageUser items!: [User]",
            "Users page: PageUser, user: User",
            "UsersNamesItem = EnvelopeNamesItem",
        ]
    );
}

#[test]
fn several_names_are_bound_apart() {
    let schemas = "
Pair:
  properties: {left: {$dynamicRef: '#left'}, right: {$dynamicRef: '#right'}}
  $defs: {left: {$dynamicAnchor: left}, right: {$dynamicAnchor: right}}
Uses:
  properties:
    both: {$ref: '#/components/schemas/Pair', $defs: {a: {$dynamicAnchor: left, $ref: '#/components/schemas/User'}, b: {$dynamicAnchor: right, type: string}}}
    one: {$ref: '#/components/schemas/Pair', $defs: {a: {$dynamicAnchor: left, $ref: '#/components/schemas/User'}}}
    other: {$ref: '#/components/schemas/Pair', $defs: {a: {$dynamicAnchor: right, $ref: '#/components/schemas/User'}}}
";
    assert_eq!(
        types(schemas),
        [
            "Pair left: any, right: any",
            "PairLeftUser left: User, right: any",
            "PairRightUser left: any, right: User",
            "PairUserUsesRight left: User, right: string",
            "Uses both: PairUserUsesRight, one: PairLeftUser, other: PairRightUser",
        ]
    );
}

#[test]
fn a_schema_that_extends_itself_is_one_type() {
    let tree = "
Tree: {$id: tree, $dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}}}
Named: {$id: named, $dynamicAnchor: node, $ref: tree, type: object, required: [name], properties: {name: {type: string}}}
Forest: {properties: {trees: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}
Same: {$dynamicAnchor: node, $ref: tree}
";
    assert_eq!(
        types(tree),
        [
            "Forest trees: [Tree]",
            "Named name!: string, children: [Named]",
            "Same children: [Same]",
            "Tree children: [Tree]"
        ]
    );
}

/// A single schema has the anchor, or the reference is a plain one.
#[test]
fn a_reference_with_one_target_is_typed() {
    let tree = "Tree: {$dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}}}";
    assert_eq!(types(tree), ["Tree children: [Tree]"]);
    let plain = "
A: {$dynamicAnchor: node, type: object, properties: {a: {$ref: '#node'}}}
B: {$dynamicAnchor: node, type: string}
";
    assert_eq!(fields(&schemas("3.1.0", plain), "A"), ["a: box A"]);
    let pointer = "
A: {properties: {a: {$dynamicRef: '#/components/schemas/User'}, b: {$dynamicRef: '#here'}}, $defs: {x: {$anchor: here, type: integer}}}
B: {$ref: '#/components/schemas/A', $defs: {here: {$dynamicAnchor: here, type: string}}}
";
    assert_eq!(types(pointer), ["A a: User, b: i64", "B = A"]);
}

/// A name that no schema has is an unknown reference.
#[test]
fn a_name_without_schema_is_unknown() {
    let text = with_schemas("3.1.0", "A: {type: object, properties: {a: {$dynamicRef: '#gone'}}}");
    let report = crate::lint("a.yaml", &text).to_string();
    assert!(report.contains("error[unknown-ref]: unknown schema reference `#gone`"), "{report}");
    assert_eq!(report.matches("]: ").count(), 1, "{report}");
}

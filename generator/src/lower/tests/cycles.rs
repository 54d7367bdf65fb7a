use super::*;

#[test]
fn a_type_that_contains_itself_is_boxed_there_and_nowhere_else() {
    let api = schemas(
        "3.0.3",
        "
Leaf: {type: object, properties: {x: {type: string}}}
Node:
  type: object
  properties:
    next: {$ref: '#/components/schemas/Node'}
    children: {type: array, items: {$ref: '#/components/schemas/Node'}}
    named: {type: object, additionalProperties: {$ref: '#/components/schemas/Node'}}
    leaf: {$ref: '#/components/schemas/Leaf'}
A: {type: object, required: [b], properties: {b: {$ref: '#/components/schemas/B'}}}
B: {type: object, properties: {a: {$ref: '#/components/schemas/A'}, leaf: {$ref: '#/components/schemas/Leaf'}}}
",
    );
    assert_eq!(fields(&api, "Node"), ["next: box Node", "children: [Node]", "named: {Node}", "leaf: Leaf"]);
    assert_eq!(fields(&api, "A"), ["b!: box B"]);
    assert_eq!(fields(&api, "B"), ["a: box A", "leaf: Leaf"]);
}

#[test]
fn cycles_through_aliases_inline_objects_and_unions() {
    let api = schemas(
        "3.0.3",
        "
Tree: {type: object, properties: {up: {$ref: '#/components/schemas/Up'}, in: {type: object, properties: {tree: {$ref: '#/components/schemas/Tree'}}}}}
Up: {$ref: '#/components/schemas/Tree'}
Json: {oneOf: [{type: string}, {type: array, items: {$ref: '#/components/schemas/Json'}}, {$ref: '#/components/schemas/Wrap'}]}
Wrap: {type: object, properties: {json: {$ref: '#/components/schemas/Json'}}}
",
    );
    assert_eq!(fields(&api, "Tree"), ["up: box Up", "r#in: box TreeIn"]);
    assert_eq!(fields(&api, "TreeIn"), ["tree: box Tree"]);
    assert_eq!(brief(&api, alias_named(&api, "Up")), "Tree");
    assert_eq!(variants(&api, "Json"), ["String(string)", "JsonArray([Json])", "Wrap(box Wrap)"]);
}

#[test]
fn references_that_lead_only_to_themselves() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "
A: {$ref: '#/components/schemas/B'}
B: {$ref: '#/components/schemas/A'}
C: {type: array, items: {$ref: '#/components/schemas/C'}}
D: {type: array, items: {$ref: '#/components/schemas/A'}}
E: {allOf: [{$ref: '#/components/schemas/E'}]}
",
    ));
    assert_eq!(brief(&api, alias_named(&api, "A")), "any");
    assert_eq!(brief(&api, alias_named(&api, "B")), "any");
    assert_eq!(brief(&api, alias_named(&api, "C")), "[any]");
    assert_eq!(brief(&api, alias_named(&api, "D")), "[A]");
    assert_eq!(brief(&api, alias_named(&api, "E")), "any");
    assert_eq!(report.matches("warning[recursive-alias]").count(), 4, "{report}");
}

#[test]
fn maps_and_lists_without_names_that_lead_back_to_themselves_end() {
    for inner in ["additionalProperties", "items"] {
        let again = "{allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/A'}]}";
        let (api, report) = lowered(&with_schemas("3.1.0", &format!("A: {{oneOf: [{{{inner}: {again}}}]}}")));
        assert!(report.contains("warning[recursive-alias]"), "{report}");
        assert_eq!(api.types.len(), 1);
    }
}

#[test]
fn unions_that_are_variants_of_each_other_are_tried_once() {
    let (api, report) = lowered(&with_schemas(
        "3.1.0",
        "
A: {oneOf: [{$ref: '#/components/schemas/B'}, {type: string}]}
B: {oneOf: [{$ref: '#/components/schemas/C'}, {type: integer}]}
C: {$ref: '#/components/schemas/A'}
D: {oneOf: [{$ref: '#/components/schemas/A'}, {type: array, items: {$ref: '#/components/schemas/D'}}]}
",
    ));
    assert_eq!(variants(&api, "A"), ["B(any)", "String(string)"]);
    assert_eq!(variants(&api, "B"), ["C(any)", "Integer(i64)"]);
    assert_eq!(variants(&api, "D"), ["A(A)", "DArray([D])"]);
    assert_eq!(report.matches("warning[recursive-alias]").count(), 3, "{report}");
}

//! `$dynamicRef`: a reference whose target depends on the schema that refers to its schema.

use super::*;

const PAGE: &str = "
User: {type: object, required: [id], properties: {id: {type: string}}}
Page:
  type: object
  required: [items]
  properties: {items: {type: array, items: {$dynamicRef: '#item'}}}
  $defs: {item: {$dynamicAnchor: item, not: {}}}
";

/// The type holds the values of every binding, and the warning marks the reference.
#[test]
fn a_reference_with_several_bindings_is_any_value() {
    for binding in [
        "Users: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/User'}}}",
        "Users: {$defs: {item: {$dynamicAnchor: item, type: object}}, allOf: [{$ref: '#/components/schemas/Page'}]}",
        "Users: {type: array, items: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: string}}}}",
        "Users: {properties: {page: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: string}}}}}",
        "Users: {$dynamicAnchor: item, type: object, properties: {x: {type: string}}}",
    ] {
        let (api, report) = lowered(&with_schemas("3.1.0", &format!("{PAGE}{binding}")));
        let warning =
            "warning[unsupported]: several schemas have the `$dynamicAnchor` `item`, so the Rust type is any";
        assert_eq!(report.matches("[unsupported]").count(), 1, "{binding}: {report}");
        assert!(report.contains(warning) && report.contains("$dynamicRef: '#item'"), "{binding}: {report}");
        assert_eq!(fields(&api, "Page"), ["items!: [any]"], "{binding}");
    }
}

/// A single schema has the anchor, or the reference is a plain one.
#[test]
fn a_reference_with_one_target_is_typed() {
    let tree = "Tree: {$dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}}}";
    assert_eq!(fields(&schemas("3.1.0", tree), "Tree"), ["children: [Tree]"]);
    let plain = "
A: {$dynamicAnchor: node, type: object, properties: {a: {$ref: '#node'}}}
B: {$dynamicAnchor: node, type: string}
";
    assert_eq!(fields(&schemas("3.1.0", plain), "A"), ["a: box A"]);
}

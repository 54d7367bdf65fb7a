//! Bodies in XML and the forms of properties in them.

use super::*;
use crate::ir::{Xml, XmlNode};

/// Returns a form in short: `@a` an attribute, `a[b]` an element around items, `[b]` items without one.
fn brief_xml(form: &Xml) -> String {
    let name = match (&form.prefix, &form.namespace) {
        (Some(prefix), Some(namespace)) => format!("{prefix}:{}={namespace}", form.name),
        (Some(prefix), None) => format!("{prefix}:{}", form.name),
        (None, Some(namespace)) => format!("{}={namespace}", form.name),
        (None, None) => form.name.clone(),
    };
    let name = match form.node {
        XmlNode::Element | XmlNode::None => name,
        XmlNode::Attribute => format!("@{name}"),
        XmlNode::Text => "text".to_owned(),
        XmlNode::Cdata => "cdata".to_owned(),
    };
    let items: Vec<String> = form.items.iter().map(brief_xml).collect();
    if form.items.is_empty() && form.node != XmlNode::None {
        name
    } else {
        format!("{name}[{}]", items.join(" "))
    }
}

/// Returns the form of the property `p` in a body, and the diagnostics.
fn property(version: &str, schema: &str, components: &str) -> (String, String) {
    let schemas = format!("schemas:\n  Body: {{type: object, properties: {{p: {schema}}}}}\n{components}");
    let paths = "/a: {put: {operationId: a, requestBody: {content: {application/xml: {schema: {$ref: '#/components/schemas/Body'}}}}, responses: {'204': {description: x}}}}";
    let text = with_paths(paths, &schemas).replace("openapi: 3.0.3", &format!("openapi: {version}"));
    let (api, report) = lowered(&text);
    let Kind::Struct(body) = &type_named(&api, "Body").kind else { panic!("the body is a struct") };
    (body.fields[0].xml.as_ref().map(brief_xml).unwrap_or_default(), report)
}

#[test]
fn forms_of_properties() {
    const OTHERS: &str = "  Named: {type: object, xml: {name: own}, properties: {a: {type: string}}}
  Plain: {type: object, properties: {a: {type: string}}}
  Texts: {type: array, xml: {wrapped: true, name: all}, items: {type: string}}
  Flat: {type: array, xml: {wrapped: false}, items: {$ref: '#/components/schemas/Plain'}}
";
    for (schema, expected) in [
        ("{type: string}", ""),
        ("{type: string, xml: {name: q}}", "q"),
        ("{type: string, xml: {name: q, prefix: x, namespace: urn}}", "x:q=urn"),
        ("{type: string, xml: {name: 'xsi:type'}}", "@xsi:type=http://www.w3.org/2001/XMLSchema-instance"),
        ("{type: string, xml: {attribute: true}}", "@p"),
        ("{type: string, xml: {attribute: false}}", ""),
        ("{type: string, xml: {x-text: true}}", "text"),
        ("{type: string, xml: {x-ms-text: true}}", "text"),
        // Of arrays, the name of an item is its own, else that of the property, and never that of the element around it.
        ("{type: array, items: {type: string}}", ""),
        ("{type: array, items: {type: string}, xml: {wrapped: true}}", "p[p]"),
        ("{type: array, items: {type: string}, xml: {wrapped: true, name: q}}", "q[p]"),
        ("{type: array, items: {type: string, xml: {name: i}}, xml: {wrapped: true, name: q}}", "q[i]"),
        ("{type: array, items: {type: string, xml: {name: i}}}", "[i]"),
        ("{type: array, items: {type: string, xml: {name: i}}, xml: {name: q}}", "[i]"),
        ("{type: array, items: {$ref: '#/components/schemas/Named'}}", "[own]"),
        ("{type: array, items: {$ref: '#/components/schemas/Plain'}}", ""),
        ("{type: array, items: {type: array, items: {type: string, xml: {name: i}}}}", "[p[i]]"),
        // A use comes before what it refers to.
        ("{$ref: '#/components/schemas/Named'}", "own"),
        ("{$ref: '#/components/schemas/Plain'}", ""),
        ("{$ref: '#/components/schemas/Texts'}", "all[p]"),
        ("{allOf: [{$ref: '#/components/schemas/Named'}, {xml: {name: q}}]}", "q"),
        ("{allOf: [{$ref: '#/components/schemas/Named'}], xml: {prefix: x, namespace: urn}}", "x:own=urn"),
        ("{allOf: [{$ref: '#/components/schemas/Texts'}], xml: {name: q}}", "q[p]"),
    ] {
        assert_eq!(property("3.0.3", schema, OTHERS), (expected.to_owned(), String::new()), "{schema}");
    }
    for (schema, expected) in [
        ("{type: string, xml: {nodeType: cdata}}", "cdata"),
        ("{type: array, items: {type: string}, xml: {nodeType: element, name: q}}", "q[p]"),
        ("{$ref: '#/components/schemas/Named', xml: {name: q}}", "q"),
        (
            "{type: array, prefixItems: [{type: string, xml: {name: a}}, {type: integer, xml: {name: b}}], minItems: 2, maxItems: 2, xml: {nodeType: element}}",
            "p[a b]",
        ),
    ] {
        assert_eq!(property("3.2.0", schema, OTHERS), (expected.to_owned(), String::new()), "{schema}");
    }
    // The name of an array can equal that of its items.
    let same = "{type: array, xml: {name: p}, items: {type: string}}";
    assert_eq!(property("3.0.3", same, ""), (String::new(), String::new()));
    // The name of an array counts for items without one.
    let (form, report) =
        property("3.0.3", "{allOf: [{$ref: '#/components/schemas/Flat'}, {xml: {name: q}}]}", OTHERS);
    assert_eq!(form, "[q]");
    assert!(report.contains("OpenAPI ignores the `name` of an array"), "{report}");
}

#[test]
fn xml_without_effect_is_reported() {
    for (schema, expected, message) in [
        (
            "{type: object, properties: {a: {type: string}}, xml: {attribute: true}}",
            "",
            "`p` is not a scalar, so it can't be an attribute",
        ),
        (
            "{type: array, items: {type: string}, xml: {x-text: true}}",
            "p[p]",
            "`p` is not a scalar, so it can't be text",
        ),
        ("{type: string, xml: {name: 'a b'}}", "a b", "`a b` is not a name in XML"),
        ("{type: string, xml: {name: µg}}", "µg", "`µg` is not a name in XML"),
        ("{type: string, xml: {name: x²}}", "x²", "`x²` is not a name in XML"),
        ("{type: string, xml: {prefix: x}}", "x:p", "the prefix `x` has no effect"),
        (
            "{type: string, xml: {attribute: true, namespace: urn}}",
            "@p",
            "the `namespace` of an attribute has no effect",
        ),
        ("{type: string}, q: {type: string, xml: {name: p}}", "", "`q` and `p` have the same name in XML"),
        (
            "{type: string, xml: {attribute: true}}, q: {type: string, xml: {name: p, attribute: true}}",
            "@p",
            "error[bad-xml]: `q` and `p` are attributes with the same name; `q` is an element",
        ),
    ] {
        let (form, report) = property("3.0.3", schema, "");
        assert_eq!(form, expected, "{schema}");
        assert!(report.contains("bad-xml") && report.contains(message), "{schema}: {report}");
    }
}

#[test]
fn forms_matter_in_bodies_in_xml_only() {
    let json = "/a: {put: {operationId: a, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Body'}}}}, responses: {'204': {description: x}}}}\n/b: {get: {operationId: b, responses: {'200': {description: x, content: {application/xml: {schema: {type: string}}}}}}}";
    let (api, report) = lowered(&with_paths(
        json,
        "schemas:\n  Body: {type: object, properties: {p: {type: object, xml: {attribute: true, name: q}}}}",
    ));
    let Kind::Struct(body) = &type_named(&api, "Body").kind else { panic!("the body is a struct") };
    assert_eq!((&body.fields[0].xml, report.as_str()), (&None, ""));
    assert!(!api.has_xml());
}

/// Returns the type and the root of a body.
fn body(media_type: &str, schema: &str) -> (String, String, String) {
    let paths = format!(
        "/a: {{put: {{operationId: a, requestBody: {{content: {{{media_type}: {{schema: {schema}}}}}}}, responses: {{'204': {{description: x}}}}}}}}"
    );
    let schemas = "schemas:
  Pet: {type: object, properties: {a: {type: string}}}
  Named: {type: object, xml: {name: own, namespace: urn}, properties: {a: {type: string}}}
  Pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}
  Numbers: {type: array, xml: {wrapped: true}, items: {type: integer}}
  Count: {type: integer}
";
    let (api, report) = lowered(&with_paths(&paths, schemas));
    let body = operation(&api, "a").body.as_ref().unwrap();
    let root = body.contents[0].xml.as_ref().map(brief_xml).unwrap_or_default();
    (brief(&api, &body.schema), root, report)
}

#[test]
fn roots() {
    for media_type in ["application/xml", "text/xml", "application/problem+xml"] {
        for (schema, ty, root) in [
            ("{$ref: '#/components/schemas/Pet'}", "Pet", "Pet"),
            ("{$ref: '#/components/schemas/Named'}", "Named", "own=urn"),
            ("{allOf: [{$ref: '#/components/schemas/Named'}], xml: {name: q}}", "Named", "q=urn"),
            ("{$ref: '#/components/schemas/Pets'}", "Pets", "Pets[Pet]"),
            ("{$ref: '#/components/schemas/Count'}", "Count", "Count"),
            (
                "{type: object, xml: {name: q}, properties: {a: {type: string}, b: {type: string}}}",
                "ABody",
                "q",
            ),
            ("{type: array, xml: {name: q}, items: {type: string, xml: {name: i}}}", "[string]", "q[i]"),
            // A body without a name is around its only property.
            ("{type: object, properties: {a: {type: string}}}", "ABody", "[]"),
        ] {
            let expected = (ty.to_owned(), root.to_owned(), String::new());
            assert_eq!(body(media_type, schema), expected, "{media_type} {schema}");
        }
        let raw = if media_type == "text/xml" { "string" } else { "bytes*" };
        for schema in ["{type: string}", "{}"] {
            assert_eq!(body(media_type, schema), (raw.to_owned(), String::new(), String::new()), "{schema}");
        }
        for schema in [
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: array, items: {$ref: '#/components/schemas/Pet'}}",
            "{$ref: '#/components/schemas/Numbers'}",
        ] {
            let (ty, root, report) = body(media_type, schema);
            assert_eq!((ty.as_str(), root.as_str()), (raw, ""), "{schema}");
            assert!(
                report.contains("unsupported schema for") && report.contains("xml: {name: …}"),
                "{report}"
            );
        }
    }
}

#[test]
fn media_types_of_one_document_in_xml_are_one_content() {
    let contents = |contents: &str| {
        let paths = format!(
            "/a: {{put: {{operationId: a, requestBody: {{content: {contents}}}, responses: {{'204': {{description: x}}}}}}}}"
        );
        let schemas = "schemas:
  Pet: {type: object, properties: {a: {type: string}}}
  Cat: {type: object, properties: {a: {type: string}}}
";
        let (api, report) = lowered(&with_paths(&paths, schemas));
        assert_eq!(report, "", "{contents}");
        let body = operation(&api, "a").body.as_ref().unwrap();
        let of = |content: &crate::ir::Content| format!("{} {}", content.media_type, content.also.join(" "));
        body.contents.iter().map(of).collect::<Vec<_>>()
    };
    let pet = "{schema: {$ref: '#/components/schemas/Pet'}}";
    for media_types in ["text/xml application/xml", "application/xml text/xml", "application/a+xml text/xml"]
    {
        let (first, second) = media_types.split_once(' ').unwrap();
        assert_eq!(contents(&format!("{{{first}: {pet}, {second}: {pet}}}")), [media_types]);
    }
    let cat = "{schema: {$ref: '#/components/schemas/Cat'}}";
    let apart = contents(&format!("{{text/xml: {pet}, application/xml: {cat}}}"));
    assert_eq!(apart, ["text/xml ", "application/xml "]);
    // Text and bytes are different types.
    let raw = "{schema: {type: string}}";
    let apart = contents(&format!("{{text/xml: {raw}, application/xml: {raw}}}"));
    assert_eq!(apart, ["text/xml ", "application/xml "]);
}

#[test]
fn prefixes_with_two_namespaces_in_a_tag_are_reported() {
    const MESSAGE: &str = "another name in the same tag has this `prefix`";
    let attribute = |namespace: &str| {
        format!("{{type: string, xml: {{attribute: true, prefix: x, namespace: {namespace}}}}}")
    };
    let (a, b) = (attribute("a"), attribute("b"));
    let pet = format!("  Pet: {{type: object, properties: {{b: {b}}}}}\n");
    let reference = "{$ref: '#/components/schemas/Pet'}";
    let form = |namespace: &str| format!("xml: {{name: y, prefix: x, namespace: {namespace}}}");
    for (schema, is_reported) in [
        (format!("{a}, q: {b}"), true),
        (format!("{a}, q: {a}"), false),
        (format!("{a}, q: {reference}"), false),
        (format!("{{allOf: [{reference}], {}}}", form("a")), true),
        (format!("{{allOf: [{reference}], {}}}", form("b")), false),
        (format!("{{type: array, items: {{allOf: [{reference}], {}}}}}", form("a")), true),
        // The attribute is not in the tag around the items.
        (
            format!("{{type: array, items: {reference}, xml: {{wrapped: true, prefix: x, namespace: a}}}}"),
            false,
        ),
    ] {
        let (_, report) = property("3.0.3", &schema, &pet);
        assert_eq!(report.contains(MESSAGE), is_reported, "{schema}: {report}");
    }
    let root = body("application/xml", &format!("{{type: object, {}, properties: {{b: {b}}}}}", form("a")));
    assert!(root.2.contains("bad-xml") && root.2.contains(MESSAGE), "{}", root.2);
}

#[test]
fn names_of_roots_are_checked() {
    for (schema, name) in [
        ("{type: object, xml: {name: 1Order}, properties: {a: {type: string}}}", "1Order"),
        ("{type: array, xml: {name: q}, items: {type: string, xml: {name: 'a b'}}}", "a b"),
        ("{type: object, xml: {name: q, prefix: '1', namespace: urn}, properties: {a: {type: string}}}", "1"),
    ] {
        let (_, _, report) = body("application/xml", schema);
        let message = format!("bad-xml]: `{name}` is not a name in XML, so a value can't be sent");
        assert!(report.contains(&message), "{schema}: {report}");
    }
}

#[test]
fn unions_of_shared_variants_cost_little() {
    let mut schemas =
        "  U0: {type: object, required: [a], properties: {a: {type: string}}}\n  T0: {type: string}\n"
            .to_owned();
    for level in 1..=30 {
        for kind in ["U", "T"] {
            let inner = format!("#/components/schemas/{kind}{}", level - 1);
            schemas += &format!(
                "  {kind}{level}: {{oneOf: [{{$ref: '{inner}'}}, {{allOf: [{{$ref: '{inner}'}}]}}]}}\n"
            );
        }
    }
    let others = "{$ref: '#/components/schemas/U30'}, t: {allOf: [{$ref: '#/components/schemas/T30'}], xml: {attribute: true}}";
    let start = std::time::Instant::now();
    property("3.0.3", others, &schemas);
    assert!(start.elapsed() < std::time::Duration::from_secs(30));
}

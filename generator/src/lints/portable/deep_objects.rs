//! `portable-deep-object`: objects and arrays within values of the style `deepObject`.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    lints::{
        Linter, listed,
        parts::{parts, types_of},
    },
    tree::{Node, NodeRef},
};

/// The keywords whose subschemas apply, or can apply, to the same value.
const COMPOSITION: &[&str] = &["allOf", "anyOf", "oneOf"];

/// A property whose value is an object or an array.
struct Nested<'d> {
    name: &'d str,
    schema: NodeRef<'d>,
    /// `an object` or `an array`.
    kind: &'static str,
}

/// Reports a parameter that contains objects or arrays.
pub(super) fn check_parameter<'d>(linter: &mut Linter<'d, '_>, parameter: NodeRef<'d>) {
    if let Some(schema) = parameter.get("schema") {
        check_style(linter, parameter, &[schema]);
    }
}

/// Reports the fields of a form that contain objects or arrays.
pub(super) fn check_form<'d>(linter: &mut Linter<'d, '_>, media_type: NodeRef<'d>) {
    let (Some(form), Some(encodings)) = (media_type.get("schema"), media_type.get("encoding")) else {
        return;
    };
    let parts = parts(linter.document, form, COMPOSITION);
    for (name, encoding) in encodings.entries() {
        let fields: Vec<NodeRef<'d>> =
            parts.iter().filter_map(|part| part.get("properties")?.get(name)).collect();
        check_style(linter, encoding, &fields);
    }
}

/// Reports nested values of these schemas if the style of the parameter or encoding is `deepObject`.
fn check_style<'d>(linter: &mut Linter<'d, '_>, styled: NodeRef<'d>, schemas: &[NodeRef<'d>]) {
    let style = styled.get("style").filter(|style| style.as_str() == Some("deepObject"));
    let Some(style) = style else { return };
    let nested: Vec<Nested<'d>> = schemas.iter().flat_map(|schema| nested(linter, schema)).collect();
    let Some((Nested { name, schema, kind }, others)) = nested.split_first() else { return };
    let message = format!("OpenAPI does not define how `deepObject` writes `{name}`, which is {kind}");
    let Some(warning) = linter.warn(Code::PortableDeepObject, style, message) else { return };
    warning.label_at_name(schema, *kind);
    if !others.is_empty() {
        let names = others.iter().map(|one| format!("`{}`", one.name));
        warning.note(format!("the same holds for {}", listed(names)));
    }
    warning.help("describe each inner value by itself, as `a[b][c]`, or send the whole value as JSON");
}

/// Returns the properties of a schema whose values are objects or arrays, in the order of the document.
fn nested<'d>(linter: &Linter<'d, '_>, schema: NodeRef<'d>) -> Vec<Nested<'d>> {
    let mut found: Vec<Nested<'d>> = Vec::new();
    let mut names = HashSet::new();
    for part in parts(linter.document, schema, COMPOSITION) {
        let maps = ["properties", "patternProperties"].into_iter().filter_map(|keyword| part.get(keyword));
        let others = part.get("additionalProperties").map(|schema| ("additionalProperties", schema));
        for (name, schema) in maps.flat_map(Node::entries).chain(others) {
            let kind = kind_of(linter, schema).filter(|_| names.insert(name));
            found.extend(kind.map(|kind| Nested { name, schema, kind }));
        }
    }
    found
}

/// Returns `an object` or `an array` if a value of a schema can be one.
fn kind_of<'d>(linter: &Linter<'d, '_>, schema: NodeRef<'d>) -> Option<&'static str> {
    let kind = |part: NodeRef<'d>| {
        let is = |kind: &str, keywords: &[&str]| {
            types_of(part).any(|name| name == kind)
                || part.get("type").is_none() && keywords.iter().any(|keyword| part.get(keyword).is_some())
        };
        if is("object", &["properties", "patternProperties", "additionalProperties"]) {
            Some("an object")
        } else {
            is("array", &["items"]).then_some("an array")
        }
    };
    parts(linter.document, schema, COMPOSITION).into_iter().find_map(kind)
}

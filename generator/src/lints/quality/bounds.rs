//! `quality-no-bounds`: strings, arrays and integers of requests without an upper bound.

use std::collections::HashSet;

use super::operations::{contents, parameters};
use crate::{
    diagnostics::Code,
    lints::{
        Linter,
        parts::{lists_values, parts, types_of},
    },
    patterns::limits_length,
    selection::candidates,
    tree::{Node, NodeId, NodeRef},
};

/// The formats of strings with a limited length, and those of files, whose size is that of the body.
const SHORT: &[&str] = &[
    "date",
    "date-time",
    "time",
    "uuid",
    "ipv4",
    "ipv6",
    "int64",
    "uint64",
    "decimal128",
    "binary",
    "char",
    "ip",
];

/// The formats of integers that limit their values, and that of times, which need no limit.
const WIDTHS: &[&str] =
    &["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "unix-time"];

/// The prefixes of the media types of files, whose size is that of the body.
const FILES: &[&str] = &["*/*", "application/octet-stream", "audio/", "image/", "video/"];

/// Reports the schemas of parameters and request bodies.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let document = linter.document;
    let mut search = Search { linter, seen: HashSet::new() };
    for operation in candidates(document) {
        for parameter in parameters(document, &operation) {
            search.enter_content(parameter);
            contents(document, parameter).for_each(|(_, media_type)| search.enter_content(media_type));
        }
        if let Some(body) = operation.node.get("requestBody") {
            let is_file = |name: &str| FILES.iter().any(|prefix| name.starts_with(prefix));
            let others = contents(document, body).filter(|(name, _)| !is_file(name));
            others.for_each(|(_, media_type)| search.enter_content(media_type));
        }
    }
}

struct Search<'d, 'x, 's> {
    linter: &'s mut Linter<'d, 'x>,
    seen: HashSet<NodeId>,
}

impl<'d> Search<'d, '_, '_> {
    fn enter_content(&mut self, described: NodeRef<'d>) {
        for schema in ["schema", "itemSchema"].into_iter().filter_map(|keyword| described.get(keyword)) {
            self.enter(schema, &[]);
        }
    }

    /// Checks a schema and the schemas in it. `outer` are the parts of the union that it is a variant of.
    fn enter(&mut self, schema: NodeRef<'d>, outer: &[NodeRef<'d>]) {
        if !self.seen.insert(schema.id()) {
            return;
        }
        let mut all = parts(self.linter.document, schema, &["allOf"]);
        if all.iter().any(|part| part.get("readOnly").and_then(Node::as_bool) == Some(true)) {
            return;
        }
        // A schema that is only a reference is checked once, at its target.
        if let [_, target, ..] = all.as_slice()
            && schema.get("$ref").is_some()
            && schema.entries().len() == 1
            && outer.is_empty()
        {
            return self.enter(target, &[]);
        }
        let own = all.len();
        all.extend(outer);
        self.check(&all, own);
        for part in all.iter().take(own) {
            let maps =
                ["properties", "patternProperties"].into_iter().filter_map(|keyword| part.get(keyword));
            let single =
                ["items", "additionalProperties"].into_iter().filter_map(|keyword| part.get(keyword));
            let listed = part.get("prefixItems").map_or(&[][..], Node::items);
            let inner = maps.flat_map(Node::entries).map(|(_, schema)| schema).chain(single).chain(listed);
            inner.filter(|schema| schema.is_object()).for_each(|schema| self.enter(schema, &[]));
            let variants = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| part.get(keyword));
            variants.flat_map(Node::items).for_each(|variant| self.enter(variant, &all));
        }
    }

    /// Reports a value without bounds. The first `own` parts belong to the schema itself.
    fn check(&mut self, parts: &[NodeRef<'d>], own: usize) {
        let has = |keywords: &[&str]| {
            parts.iter().any(|part| keywords.iter().any(|keyword| part.get(keyword).is_some()))
        };
        if parts.iter().any(|part| lists_values(part)) {
            return;
        }
        let formats = || parts.iter().filter_map(|part| part.get("format")?.as_str());
        let patterns = || parts.iter().filter_map(|part| part.get("pattern")?.as_str());
        let encodings = || parts.iter().filter_map(|part| part.get("contentEncoding")?.as_str());
        let is_file = || {
            encodings().any(|encoding| encoding == "binary")
                || has(&["contentMediaType"]) && encodings().count() == 0
        };
        for part in parts.iter().take(own) {
            for kind in types_of(part) {
                let (what, keyword, is_bounded) = match kind {
                    "string" => {
                        let is_short = formats().any(|format| SHORT.contains(&format)) || is_file();
                        let is_bounded = is_short || has(&["maxLength"]) || patterns().any(limits_length);
                        ("string", "maxLength", is_bounded)
                    }
                    "array" => ("array", "maxItems", has(&["maxItems"]) || has_few_items(parts)),
                    "integer" => {
                        let has_width = formats().any(|format| WIDTHS.contains(&format));
                        let is_bounded = has_width || has(&["maximum", "exclusiveMaximum"]);
                        ("integer", "maximum", is_bounded)
                    }
                    _ => continue,
                };
                let message = format!("this {what} of a request has no `{keyword}`");
                let at = part.get("type").unwrap_or(part);
                if !is_bounded && let Some(warning) = self.linter.warn(Code::QualityNoBounds, at, message) {
                    warning.help(format!("write the `{keyword}` that the server accepts"));
                }
            }
        }
    }
}

/// Returns whether the number of items is limited without `maxItems`.
///
/// Either only the items of `prefixItems` are allowed, or all items are unique and have listed values.
fn has_few_items(parts: &[NodeRef<'_>]) -> bool {
    let is_closed = parts.iter().any(|part| part.get("items").and_then(Node::as_bool) == Some(false));
    let is_unique = parts.iter().any(|part| part.get("uniqueItems").and_then(Node::as_bool) == Some(true));
    let has_values =
        || parts.iter().any(|part| part.get("items").is_some_and(|items| items.get("enum").is_some()));
    is_closed || is_unique && has_values()
}

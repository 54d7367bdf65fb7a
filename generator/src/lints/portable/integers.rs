//! `portable-integer-width`: integers that neither a format nor bounds limit.

use crate::{
    diagnostics::Code,
    lints::{
        Linter,
        parts::{parts, types_of},
    },
    tree::{Node, NodeRef},
};

/// The formats that limit values to 32 bits, and `int64`, which all tools know.
const KNOWN: &[&str] = &["int8", "uint8", "int16", "uint16", "int32", "int64"];

/// Reports an integer that other tools make too narrow.
pub(super) fn check<'d>(linter: &mut Linter<'d, '_>, schema: NodeRef<'d>) {
    // A member of `allOf` is checked as a part of its schema, which can have the bounds.
    if linter.members.contains(&schema.id()) {
        return;
    }
    let parts = parts(linter.document, schema, &["allOf"]);
    let is_integer = |part: &NodeRef<'d>| types_of(part).eq(["integer"]);
    let Some(integer) = parts.iter().copied().find(is_integer) else { return };
    let formats: Vec<&str> = parts.iter().filter_map(|part| part.get("format")?.as_str()).collect();
    let is_limited = formats.iter().any(|format| KNOWN.contains(format))
        || parts.iter().any(|part| lists_narrow_values(part))
        || has_narrow_bounds(&parts);
    if is_limited {
        return;
    }
    let what = formats.first().map_or_else(
        || "an integer without `format`".to_owned(),
        |format| format!("an integer with the format `{format}`"),
    );
    let direction = if has_low_bound(&parts) { "smaller" } else { "larger" };
    let message = format!("{what} has 32 bits in several tools, and this one can be {direction}");
    let kind = integer.get("type").unwrap_or(integer);
    if let Some(warning) = linter.warn(Code::PortableIntegerWidth, kind, message) {
        warning.help("write `format: int64`; or `format: int32` or narrower bounds, if 32 bits are enough");
    }
}

/// Returns whether a schema lists its values, and all fit into 32 bits.
fn lists_narrow_values(schema: NodeRef<'_>) -> bool {
    let annotated = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
    if annotated
        .map(Node::items)
        .any(|variants| !variants.is_empty() && variants.iter().all(lists_narrow_values))
    {
        return true;
    }
    let values = schema.get("enum").map_or(&[][..], Node::items);
    let mut values = values.iter().chain(schema.get("const")).peekable();
    let fits = |value: NodeRef<'_>| value.as_i128().is_none_or(|value| i32::try_from(value).is_ok());
    values.peek().is_some() && values.all(fits)
}

/// Returns whether the bounds of these parts keep values within 32 bits.
///
/// The lower bound may be missing: integers that exceed 32 bits are ids, times and sizes, which are positive.
fn has_narrow_bounds(parts: &[NodeRef<'_>]) -> bool {
    // `exclusiveMaximum` is a boolean in OpenAPI 3.0, which is not a bound by itself.
    let bound = |part: NodeRef<'_>, name: &str| part.get(name).and_then(Node::as_f64);
    let is_limited = |part: NodeRef<'_>| {
        let exclusive = bound(part, "exclusiveMaximum").map(|bound| bound - 1.0);
        [bound(part, "maximum"), exclusive].into_iter().flatten().any(|bound| bound <= f64::from(i32::MAX))
    };
    parts.iter().any(|part| is_limited(part)) && !has_low_bound(parts)
}

/// Returns whether these parts allow values that are smaller than 32 bits can hold.
fn has_low_bound(parts: &[NodeRef<'_>]) -> bool {
    let mut bounds = parts.iter().filter_map(|part| part.get("minimum").and_then(Node::as_f64));
    bounds.any(|bound| bound < f64::from(i32::MIN))
}
